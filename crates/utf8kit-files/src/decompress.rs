//! Decoders as readers, with limits on their output, and descriptive errors.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::format::{ArchiveError, Format};

/// A stream of bytes that can be read by another thread.
pub(crate) type Reader = Box<dyn Read + Send>;

/// Size of the reads from a compressed stream, in bytes.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Any stream may expand to this many bytes.
const BYTES_ALWAYS_ALLOWED: u64 = 64 << 20;

/// Memory limit for the xz decoder, in KiB: more than `xz -9` needs. (The zstd decoder takes at most 128 MiB.)
const XZ_MEMORY_KIB: u32 = 256 << 10;

/// Options for reading compressed files and archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpack {
    /// Maximum expansion, as a multiple of the compressed size, beyond the first 64 MiB; 0 means no limit. Default:
    /// 250.
    pub max_expansion: u64,
}

impl Default for Unpack {
    fn default() -> Unpack {
        Unpack { max_expansion: 250 }
    }
}

/// Decompresses a stream in `format`, with limits.
pub(crate) fn unpacked(stream: Reader, format: Format, unpack: Unpack) -> io::Result<Reader> {
    let meter = Arc::new(Meter::default());
    let stream = decoder(format, meter.count(stream))?;
    Ok(Box::new(Bounded::new(stream, format, meter, unpack)))
}

/// Returns the decoder of a format that is not an archive. It reads a trait object, so that it is compiled only once.
pub(crate) fn decoder<'s>(format: Format, stream: Box<dyn Read + Send + 's>) -> io::Result<Box<dyn Read + Send + 's>> {
    let stream = BufReader::with_capacity(READ_BUFFER_BYTES, stream);
    Ok(match format {
        Format::Gzip => Box::new(GzipMembers(Some(GzDecoder::new(stream)))),
        Format::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
        Format::Xz => Box::new(XzReader::new_mem_limit(stream, true, XZ_MEMORY_KIB)),
        Format::Zstd => Box::new(Frames { decoder: FrameDecoder::new(), stream, begun: false }),
        Format::Zip | Format::Tar => return Err(ArchiveError::Nested(format).into()),
    })
}

/// Reads the members of gzip, one after another. Zeros after a member are padding, as on tapes.
struct GzipMembers<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.0 = match self.0.take().map(GzDecoder::into_inner) {
                Some(mut stream) => past_zeros(&mut stream)?.then(|| GzDecoder::new(stream)),
                None => None,
            };
        }
        Ok(0)
    }
}

/// Skips zeros. Returns `false` if nothing else follows.
fn past_zeros(stream: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let piece = stream.fill_buf()?;
        let (len, zeros) = (piece.len(), piece.iter().take_while(|&&byte| byte == 0).count());
        stream.consume(zeros);
        if zeros < len || len == 0 {
            return Ok(len > 0);
        }
    }
}

/// Reads the frames of zstd, one after another.
struct Frames<'s> {
    decoder: FrameDecoder,
    stream: BufReader<Box<dyn Read + Send + 's>>,
    begun: bool,
}

impl Frames<'_> {
    /// Starts the next frame with content. Returns `false` at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.stream.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.stream) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.stream).take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(false)
    }

    /// Verifies the checksum of the frame.
    fn verify(&self) -> io::Result<()> {
        match self.decoder.get_checksum_from_data() {
            Some(sum) if Some(sum) != self.decoder.get_calculated_checksum() => Err(io::Error::other("wrong checksum")),
            _ => Ok(()),
        }
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.begun && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.stream, one).map_err(damaged)?;
                continue;
            }
            if self.begun {
                self.verify()?;
            }
            self.begun = self.begin()?;
            if !self.begun {
                return Ok(0);
            }
        }
    }
}

/// Returns an error of the zstd decoder as text. Keeping the error itself would link the `Debug` code of all its parts
/// into the program.
fn damaged(error: FrameDecoderError) -> io::Error {
    io::Error::other(error.to_string())
}

/// The state of a compressed stream.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Number of bytes read, or the length of the stream.
    read: AtomicU64,
    /// A read went beyond the end.
    ended: AtomicBool,
    /// A read failed.
    failed: AtomicBool,
}

impl Meter {
    /// Returns the meter of a stream of known length, which is read at any offset.
    pub(crate) fn of_length(length: u64) -> Meter {
        Meter { read: length.into(), ..Meter::default() }
    }

    /// Counts the bytes read from a stream.
    pub(crate) fn count(self: &Arc<Meter>, stream: Reader) -> Reader {
        Box::new(Metered { stream, meter: Arc::clone(self), counts: true })
    }

    /// Watches a part of a stream for errors and its end, without counting its bytes.
    pub(crate) fn watch<R: Read>(self: &Arc<Meter>, stream: R) -> Metered<R> {
        self.ended.store(false, Relaxed);
        Metered { stream, meter: Arc::clone(self), counts: false }
    }

    /// Interprets an error of a decoder that reads the stream.
    pub(crate) fn explain(&self, error: io::Error, format: Format) -> io::Error {
        let is_ours = error.get_ref().is_some_and(|inner| inner.is::<ArchiveError>());
        if is_ours || self.failed.load(Relaxed) {
            return error;
        }
        if self.ended.load(Relaxed) || error.kind() == io::ErrorKind::UnexpectedEof {
            return ArchiveError::Truncated(format).into();
        }
        ArchiveError::Damaged { format, reason: error.to_string() }.into()
    }
}

/// A stream with a meter.
pub(crate) struct Metered<R> {
    stream: R,
    meter: Arc<Meter>,
    counts: bool,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer);
        match &read {
            Ok(0) if !buffer.is_empty() => self.meter.ended.store(true, Relaxed),
            Ok(read) if self.counts => {
                self.meter.read.fetch_add(*read as u64, Relaxed);
            }
            Ok(_) => {}
            Err(error) => self.meter.failed.store(error.kind() != io::ErrorKind::Interrupted, Relaxed),
        }
        read
    }
}

/// Limits the output of a stream.
pub(crate) struct Bounded<R> {
    stream: R,
    format: Format,
    meter: Arc<Meter>,
    limit: u64,
    written: Arc<AtomicU64>,
}

impl<R: Read> Bounded<R> {
    pub(crate) fn new(stream: R, format: Format, meter: Arc<Meter>, unpack: Unpack) -> Bounded<R> {
        Bounded { stream, format, meter, limit: unpack.max_expansion, written: Arc::default() }
    }

    /// Shares the limit with other parts of the stream.
    pub(crate) fn with_others(mut self, written: &Arc<AtomicU64>) -> Bounded<R> {
        self.written = Arc::clone(written);
        self
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => self.meter.explain(error, self.format),
        })?;
        let written = self.written.fetch_add(read as u64, Relaxed) + read as u64;
        let allowed = self.limit.saturating_mul(self.meter.read.load(Relaxed));
        if self.limit > 0 && written > BYTES_ALWAYS_ALLOWED && written > allowed {
            return Err(ArchiveError::Expands { limit: self.limit }.into());
        }
        Ok(read)
    }
}
