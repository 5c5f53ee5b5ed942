//! Splits inputs into blocks of bounded size with the bytes around them, so that they can be processed independently.
//!
//! A file with a known length is read by the workers, each block at its offset. Anything else is read ahead in order by
//! one thread. In both cases, only a few blocks are in memory at a time.
//!
//! The blocks of a live input (a pipe, a terminal) are not filled: each read gives a block, without an incomplete
//! sequence at its end.

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use utf8kit::AnyEncoding;
use utf8kit::Encoding as _;
use utf8kit_encodings::charset::may_begin_mark;
use utf8kit_encodings::chunks::ReadSize;

use crate::{Input, Pace, in_order};

/// Size of a block in bytes, without the bytes around it. A multiple of every code unit.
pub const BLOCK: usize = 256 * 1024;

/// Size of the pieces sampled from a long file, in bytes.
const BYTES_PER_SAMPLE: u64 = 64 * 1024;

/// Number of bytes around a block on each side: more than the longest sequence, and a multiple of every code unit.
pub const MARGIN: usize = 64;

/// A part of an input, with the bytes around it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Block {
    /// The block with up to [`MARGIN`] bytes before and after it.
    pub bytes: Vec<u8>,
    /// The range of the block itself in `bytes`.
    pub own: Range<usize>,
    /// The offset of `bytes` in the input.
    pub base: u64,
}

/// Where a live input may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// Anywhere.
    Anywhere,
    /// Between two code points or errors of an encoding.
    Item(AnyEncoding),
    /// Between two code points or errors of an encoding, but not after a carriage return, because a line feed may
    /// follow.
    LineEnd(AnyEncoding),
}

impl Cut {
    /// Returns the last position in the bytes, which begin at a cut, where they may be cut again.
    ///
    /// ```
    /// use utf8kit::AnyEncoding;
    /// use utf8kit_files::Cut;
    ///
    /// assert_eq!(Cut::Item(AnyEncoding::Utf8).last_in("né".as_bytes()), 3);
    /// assert_eq!(Cut::Item(AnyEncoding::Utf8).last_in(b"n\xC3"), 1);
    /// assert_eq!(Cut::LineEnd(AnyEncoding::Utf16Be).last_in(b"\0n\0\r"), 2);
    /// assert_eq!(Cut::Anywhere.last_in(b"n\xC3"), 2);
    /// ```
    pub fn last_in(self, bytes: &[u8]) -> usize {
        match self {
            Cut::Anywhere => bytes.len(),
            Cut::Item(encoding) => encoding.trim_partial(bytes).len(),
            Cut::LineEnd(encoding) => {
                let whole = encoding.trim_partial(bytes);
                let returned = encoding.encoded(0x0D);
                let rest = returned.ok().and_then(|returned| whole.strip_suffix(&returned[..]));
                rest.unwrap_or(whole).len()
            }
        }
    }
}

/// An input that can be split into blocks.
#[derive(Debug)]
#[non_exhaustive]
pub enum Blocks {
    /// A regular file and its length.
    File(File, u64),
    /// Anything else, and the bytes read from it.
    Stream(BlockStream),
}

impl Blocks {
    /// Prepares an input.
    pub fn of(input: Input) -> io::Result<Blocks> {
        let live = input.begin()?;
        if let Input::File(file) = input {
            let len = file.metadata()?.len();
            // Special files, such as those in /proc, claim to be regular and empty.
            return Ok(match len {
                1.. if !live => Blocks::File(file, len),
                _ => Blocks::Stream(BlockStream::new(Input::File(file), live)),
            });
        }
        Ok(Blocks::Stream(BlockStream::new(input, live)))
    }

    /// Returns how fast the input may arrive. Data from a live input is passed on at once.
    pub fn pace(&self) -> Pace {
        match self {
            Blocks::Stream(stream) if stream.live => Pace::Live,
            _ => Pace::Full,
        }
    }

    /// Reads an open file from its beginning. The file stays open.
    pub(super) fn of_file(file: &File) -> io::Result<Blocks> {
        Blocks::of(Input::File(file.try_clone()?))
    }

    /// Keeps the first `len` bytes of an input that can be read only once, and as many bytes of later lines that are
    /// not ASCII, for use after it has been read.
    pub fn retain_prefix(&mut self, len: usize) -> Beginning {
        let kept = Beginning { bytes: Arc::default(), len };
        if let Blocks::Stream(stream) = self {
            stream.kept = Some(kept.clone());
        }
        kept
    }

    /// Reads a live input in full blocks, for results that are needed only at its end.
    #[must_use]
    pub fn at_rest(mut self) -> Blocks {
        if let Blocks::Stream(stream) = &mut self {
            stream.live = false;
        }
        self
    }

    /// Returns the length in bytes, if it is known.
    #[expect(clippy::len_without_is_empty, reason = "whether a stream is empty is not known before it is read")]
    pub fn len(&self) -> Option<u64> {
        match self {
            Blocks::File(_, len) => Some(*len),
            Blocks::Stream(_) => None,
        }
    }

    /// Returns the first `len` bytes, or fewer at the end of the input. Of a live input, it returns only the bytes of
    /// the first read, but at least a whole byte order mark. `len` must be less than a block.
    pub fn head(&mut self, len: usize) -> io::Result<Vec<u8>> {
        match self {
            Blocks::Stream(stream) if stream.live => {
                while !stream.ended && may_begin_mark(&stream.bytes) {
                    stream.read_once()?;
                }
                Ok(stream.bytes[..len.min(stream.bytes.len())].to_vec())
            }
            _ => self.beginning(len),
        }
    }

    /// Returns the first `len` bytes, or fewer at the end of the input. `len` must be less than a block.
    pub(super) fn beginning(&mut self, len: usize) -> io::Result<Vec<u8>> {
        match self {
            Blocks::File(file, all) => {
                let mut head = vec![0; (*all).min(len as u64) as usize];
                read_at(file, &mut head, 0)?;
                Ok(head)
            }
            Blocks::Stream(stream) => {
                stream.fill(len)?;
                Ok(stream.bytes[..len.min(stream.bytes.len())].to_vec())
            }
        }
    }

    /// Reads the whole input, in order.
    pub fn into_reader(self) -> io::Result<impl Read + Send> {
        let (front, mut input, kept) = match self {
            Blocks::File(file, _) => (Vec::new(), Input::File(file), None),
            Blocks::Stream(stream) => (stream.bytes, stream.input, stream.kept),
        };
        if let Input::File(file) = &mut input
            && front.is_empty()
        {
            // Some special files cannot be rewound, but they also need not be.
            let _ = file.rewind();
        }
        Ok(KeepingReader { input: io::Cursor::new(front).chain(input), kept })
    }

    /// Opens the same regular file again. `None` if it is not a regular file.
    pub(super) fn try_clone(&self) -> Option<Blocks> {
        match self {
            Blocks::File(file, len) => Some(Blocks::File(file.try_clone().ok()?, *len)),
            Blocks::Stream(_) => None,
        }
    }

    /// Passes `pieces` pieces of a file to `take`, spread evenly between `start` and the end.
    pub(super) fn spread(&self, start: u64, pieces: u64, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let Blocks::File(file, len) = self else { return Ok(()) };
        let mut piece = Vec::new();
        for index in 0..pieces {
            let size = BYTES_PER_SAMPLE.min(len.saturating_sub(start) / pieces);
            let at = start + (len.saturating_sub(start) - size) * (index + 1) / pieces;
            piece.resize(size as usize, 0);
            read_at(file, &mut piece, at)?;
            take(&piece);
        }
        Ok(())
    }

    /// Reads an input of at most one block into `block`. If it is longer, returns `false` and reads nothing.
    pub fn read_whole(&self, block: &mut Block) -> io::Result<bool> {
        match self {
            Blocks::File(file, len) if *len <= BLOCK as u64 => block.read(file, 0, *len).map(|()| true),
            _ => Ok(false),
        }
    }

    /// [`Blocks::each`] until `take` returns false. Returns whether the input was read to the end.
    ///
    /// # Errors
    /// Fails if the input cannot be read.
    pub fn each_while<Done: Send>(
        self,
        cut: Cut,
        threads: usize,
        work: impl Fn(&mut Block) -> Done + Sync,
        mut take: impl FnMut(Done) -> bool,
    ) -> io::Result<bool> {
        let take = |done: io::Result<Done>| if take(done.map_err(Some)?) { Ok(()) } else { Err(None) };
        match self.each(cut, threads, work, take) {
            Ok(()) => Ok(true),
            Err(None) => Ok(false),
            Err(Some(error)) => Err(error),
        }
    }

    /// Passes the bytes of the input to `take`, in order, until that returns false. Returns whether the input was read
    /// to the end. With two threads, one reads ahead.
    ///
    /// # Errors
    /// Fails if the input cannot be read.
    pub fn each_piece(self, cut: Cut, threads: usize, mut take: impl FnMut(&[u8]) -> bool) -> io::Result<bool> {
        let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
        self.each_while(cut, threads, own, |(bytes, own)| take(bytes.get(own).unwrap_or_default()))
    }

    /// Runs `work` for each block on `threads` threads, and passes the results to `take` in order. A worker may move
    /// the bytes out of its block. Stops at the first error of `take`, and returns it. `cut` determines where a live
    /// input may be cut.
    pub fn each<Done: Send, Error>(
        self,
        cut: Cut,
        threads: usize,
        work: impl Fn(&mut Block) -> Done + Sync,
        take: impl FnMut(io::Result<Done>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let pace = self.pace();
        match self {
            Blocks::File(file, len) => {
                let offsets = (0..len).step_by(BLOCK);
                let threads = threads.min(len.div_ceil(BLOCK as u64) as usize);
                let read = |block: &mut Block, offset| {
                    block.read(&file, offset, len)?;
                    Ok(work(block))
                };
                in_order(pace, threads, offsets, Block::default, read, take)
            }
            Blocks::Stream(mut stream) => {
                stream.cut = cut;
                let work = |_: &mut (), block: io::Result<Block>| block.map(|mut block| work(&mut block));
                in_order(pace, threads, stream, || (), work, take)
            }
        }
    }
}

impl Block {
    /// Returns the range in `bytes` of the code points and errors that begin in the block. The ranges of all blocks
    /// together are the whole input.
    pub fn items(&self, encoding: AnyEncoding) -> Range<usize> {
        let boundary = |at| encoding.ceil_char_boundary(&self.bytes, at);
        boundary(self.own.start)..boundary(self.own.end)
    }

    /// Reads the block at `offset` of a file of length `len`.
    fn read(&mut self, file: &File, offset: u64, len: u64) -> io::Result<()> {
        let start = offset.saturating_sub(MARGIN as u64);
        let own_end = len.min(offset + BLOCK as u64);
        let end = len.min(own_end + MARGIN as u64);
        let within = |at: u64| (at - start) as usize;
        self.bytes.resize(within(end), 0);
        self.own = within(offset)..within(own_end);
        self.base = start;
        read_at(file, &mut self.bytes, start)
    }
}

/// The first bytes of an input that can be read only once, and the later lines that tell its encoding.
#[derive(Clone, Debug)]
pub struct Beginning {
    bytes: Arc<Mutex<RetainedBytes>>,
    len: usize,
}

/// The most bytes of a later line that are kept.
const MAX_BYTES_OF_LATER_LINE: usize = 1024;

#[derive(Debug, Default)]
struct RetainedBytes {
    first: Vec<u8>,
    /// Lines after these bytes that are not UTF-8, and others that are not ASCII.
    ill_formed: Vec<u8>,
    utf8: Vec<u8>,
}

impl Beginning {
    /// Returns the bytes that have been read, and the later lines. The last of the first lines, which is cut, is
    /// missing if later ones follow.
    pub fn bytes(&self) -> Vec<u8> {
        let RetainedBytes { first, ill_formed, utf8 } = &*self.lock();
        let end = match first.iter().rposition(|byte| *byte == b'\n') {
            Some(feed) if ill_formed.len() + utf8.len() > 0 => feed + 1,
            _ => first.len(),
        };
        [first.get(..end).unwrap_or_default(), utf8, ill_formed].concat()
    }

    /// Reports whether an input that begins with `head` may be the same one. `head` must be as long as the retained
    /// prefix.
    pub fn is_of(&self, head: &[u8]) -> bool {
        let first = &self.lock().first;
        first.is_empty() || first == head
    }

    fn lock(&self) -> MutexGuard<'_, RetainedBytes> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next bytes of the input. Returns `false` once there are enough.
    fn add(&self, bytes: &[u8]) -> bool {
        let mut kept = self.lock();
        let missing = self.len - kept.first.len();
        let (first, later) = bytes.split_at(bytes.len().min(missing));
        kept.first.extend_from_slice(first);
        if later.is_empty() {
            return true;
        }
        // In UTF-16 and UTF-32, lines do not end with a byte.
        !kept.first.contains(&0) && kept.add_lines(later, self.len)
    }
}

impl RetainedBytes {
    /// Adds lines of the input, at most `len` bytes of each kind. Returns `false` once there are enough. Lines that are
    /// cut are left out.
    fn add_lines(&mut self, bytes: &[u8], len: usize) -> bool {
        if utf8kit::is_ascii(bytes) {
            return true;
        }
        let whole = memchr::memchr(b'\n', bytes).and_then(|feed| {
            let end = memchr::memrchr(b'\n', bytes)? + 1;
            bytes.get(feed + 1..end)
        });
        for line in whole.unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            if line.len() > MAX_BYTES_OF_LATER_LINE || utf8kit::is_ascii(line) {
                continue;
            }
            let lines = if utf8kit::validate(line).is_ok() { &mut self.utf8 } else { &mut self.ill_formed };
            if lines.len() + line.len() <= len {
                lines.extend_from_slice(line);
            }
        }
        self.ill_formed.len() + MAX_BYTES_OF_LATER_LINE <= len
    }
}

/// Reads an input and keeps what tells its encoding.
struct KeepingReader<R> {
    input: R,
    /// The buffer of the first bytes until there are enough.
    kept: Option<Beginning>,
}

impl<R: Read> Read for KeepingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.input.read(out)?;
        self.kept.take_if(|kept| !kept.add(out.get(..len).unwrap_or_default()));
        Ok(len)
    }
}

/// An input that is read in order. It iterates over its blocks.
#[derive(Debug)]
pub struct BlockStream {
    input: Input,
    live: bool,
    read_size: ReadSize,
    cut: Cut,
    /// The bytes read that are still needed: up to [`MARGIN`] bytes before the next block, then those not yet returned.
    bytes: Vec<u8>,
    /// The offset in `bytes` where the next block begins.
    next: usize,
    base: u64,
    ended: bool,
    /// The buffer of the first bytes until there are enough.
    kept: Option<Beginning>,
}

impl BlockStream {
    fn new(input: Input, live: bool) -> BlockStream {
        BlockStream {
            input,
            live,
            read_size: ReadSize::default(),
            cut: Cut::Anywhere,
            bytes: Vec::new(),
            next: 0,
            base: 0,
            ended: false,
            kept: None,
        }
    }

    /// Reads until there are `len` bytes, or the input ends.
    fn fill(&mut self, len: usize) -> io::Result<()> {
        let missing = len.saturating_sub(self.bytes.len());
        if !self.ended && missing > 0 {
            self.bytes.reserve_exact(missing);
            let read = (&mut self.input).take(missing as u64).read_to_end(&mut self.bytes)?;
            self.ended = read < missing;
        }
        Ok(())
    }

    /// Reads once.
    fn read_once(&mut self) -> io::Result<()> {
        self.ended = self.read_size.read(&mut self.input, &mut self.bytes)? == 0;
        Ok(())
    }

    /// Reads the next block, and returns its end in `bytes`. The block is empty at the end of the input.
    fn read_block(&mut self) -> io::Result<usize> {
        if !self.live {
            self.fill(self.next + BLOCK + MARGIN)?;
            return Ok(if self.ended { self.bytes.len() } else { self.next + BLOCK });
        }
        loop {
            let end = if self.ended { self.bytes.len() } else { self.cut.last_in(&self.bytes) };
            if self.ended || end > self.next {
                return Ok(end);
            }
            self.read_once()?;
        }
    }
}

impl Iterator for BlockStream {
    type Item = io::Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        let end = match self.read_block() {
            Ok(end) => end,
            Err(error) => {
                self.ended = true;
                self.next = self.bytes.len();
                return Some(Err(error));
            }
        };
        if self.next == end {
            return None;
        }
        self.kept.take_if(|kept| !kept.add(&self.bytes[self.next..end]));
        let kept_from = end.saturating_sub(MARGIN);
        let rest = self.bytes[kept_from..].to_vec();
        let block = Block { bytes: mem::replace(&mut self.bytes, rest), own: self.next..end, base: self.base };
        self.base += kept_from as u64;
        self.next = end - kept_from;
        Some(Ok(block))
    }
}

/// Fills `bytes` from `offset` of a file. Fails if the file ends first.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    read_exact_at(file, bytes, offset).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other("the file became shorter while it was read"),
        _ => error,
    })
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}
