//! The reading half of a [`crate::convert::pivot::Pivot`]: any encoding to UTF-8, whole characters only.

use utf8kit::{Policy, Utf8};

use crate::charset::Codec;
use crate::charset::legacy::{Decoder, Legacy, Malformed, Unmappable};
use crate::convert::{ConversionError, ConversionErrorKind, Counts, Invalid, Native};

/// How many bytes before a block a malformed span can begin.
const BEFORE: usize = 8;

/// What is read.
pub(super) struct Source {
    codec: Codec,
    reader: Reader,
    /// Strict conversions: a reader one block behind, to find the place of a character by reading again.
    behind: Option<Reader>,
}

/// A reader of either kind.
#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum Reader {
    Native(Native<Utf8>),
    Legacy(Box<LegacyReader>),
}

impl Source {
    /// At the start of the text.
    pub(super) fn new(codec: Codec, invalid: Invalid, replacement: &'static str) -> Source {
        let reader = || match codec {
            Codec::Native(from) => Reader::Native(Native::new(from, Utf8, invalid.policy(replacement))),
            Codec::Legacy(from) => Reader::Legacy(Box::new(LegacyReader::new(from, invalid, replacement))),
        };
        Source { codec, reader: reader(), behind: (invalid == Invalid::Strict).then(reader) }
    }

    /// Appends the text of a block.
    pub(super) fn read(
        &mut self,
        block: &[u8],
        last: bool,
        text: &mut String,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        self.reader.read(block, last, text, counts)
    }

    /// Takes note that a block was dealt with.
    pub(super) fn caught_up(&mut self, block: &[u8]) {
        match (&mut self.behind, &self.reader) {
            (Some(Reader::Native(behind)), Reader::Native(reader)) => *behind = reader.clone(),
            (Some(behind), _) => {
                // It was read without a error before.
                let _ = behind.read(block, false, &mut String::new(), &mut Counts::default());
            }
            (None, _) => {}
        }
    }

    /// The error of a character that the target lacks, in the text of the block that was read last: the block is
    /// read again, a byte at a time, until that text is there.
    pub(super) fn place(&mut self, lacking: Unmappable, block: &[u8]) -> ConversionError {
        let bytes = self.bytes_of(lacking.scalar);
        let mut end = 0;
        if let Some(behind) = &mut self.behind {
            let mut text = String::new();
            let mut rest = block.chunks(1);
            while text.len() <= lacking.at
                && let Some(byte) = rest.next()
            {
                let _ = behind.read(byte, false, &mut text, &mut Counts::default());
            }
            end = behind.offset();
        }
        let offset = end.saturating_sub(bytes.len() as u64);
        ConversionError { offset, bytes, kind: ConversionErrorKind::Lacking(u32::from(lacking.scalar), None) }
    }

    /// The bytes of a character that was read.
    pub(super) fn bytes_of(&self, scalar: char) -> Vec<u8> {
        self.codec.bytes_of(scalar).unwrap_or_default()
    }
}

impl Reader {
    fn read(
        &mut self,
        block: &[u8],
        last: bool,
        text: &mut String,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        match self {
            Reader::Legacy(legacy) => legacy.read(block, last, text, counts),
            Reader::Native(native) => append(text, |bytes| native.push(block, last, bytes, counts)),
        }
    }

    /// Bytes of the text that are dealt with.
    fn offset(&self) -> u64 {
        match self {
            Reader::Native(native) => native.offset(),
            Reader::Legacy(legacy) => legacy.decoder.offset(),
        }
    }
}

/// Reads a legacy encoding and repairs what is malformed.
struct LegacyReader {
    decoder: Decoder,
    invalid: Invalid,
    replacement: &'static str,
    /// Escapes backslashes that would look like the start of an escape.
    escaper: utf8kit::Converter<'static, Utf8, Utf8>,
    /// The last bytes before the block.
    before: Vec<u8>,
}

impl LegacyReader {
    fn new(from: Legacy, invalid: Invalid, replacement: &'static str) -> LegacyReader {
        LegacyReader {
            decoder: Decoder::new(from),
            invalid,
            replacement,
            escaper: escaper(),
            before: Vec::new(),
        }
    }

    fn read(
        &mut self,
        block: &[u8],
        last: bool,
        text: &mut String,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let start = self.decoder.offset();
        let mut at = 0;
        let mut stretch = String::new();
        loop {
            let escapes = self.invalid == Invalid::Escape;
            let into = if escapes { &mut stretch } else { &mut *text };
            let (read, malformed) = self.decoder.push(block.get(at..).unwrap_or_default(), last, into);
            at += read;
            if escapes {
                self.escape_backslashes(&mut stretch, last || malformed.is_some(), text, counts);
            }
            let Some(malformed) = malformed else { break };
            let bytes = self.bytes_of(malformed, start, block);
            match self.invalid {
                Invalid::Strict => {
                    return Err(ConversionError {
                        offset: malformed.offset,
                        bytes,
                        kind: ConversionErrorKind::Malformed,
                    });
                }
                Invalid::Replace => text.push_str(self.replacement),
                Invalid::Remove => {}
                Invalid::Escape => text.push_str(&escape(&bytes)),
            }
            counts.add_malformed();
        }
        let kept = block.len().min(BEFORE);
        self.before.extend_from_slice(&block[block.len() - kept..]);
        self.before.drain(..self.before.len().saturating_sub(BEFORE));
        Ok(())
    }

    /// Moves a stretch of decoded text behind the rest; `ends`: what follows is no part of it.
    fn escape_backslashes(
        &mut self,
        stretch: &mut String,
        ends: bool,
        text: &mut String,
        counts: &mut Counts,
    ) {
        let escaper = &mut self.escaper;
        append(text, |bytes| {
            let _ = escaper.push_observed(stretch.as_bytes(), bytes, |change| counts.add(change));
            if ends {
                let _ = escaper.finish(bytes);
            }
        });
        stretch.clear();
        if ends {
            self.escaper = self::escaper();
        }
    }

    /// The bytes of a malformed span, which may begin before the block (`start` bytes into the text).
    fn bytes_of(&self, malformed: Malformed, start: u64, block: &[u8]) -> Vec<u8> {
        let first = start.saturating_sub(self.before.len() as u64);
        let skipped = usize::try_from(malformed.offset.saturating_sub(first)).unwrap_or(usize::MAX);
        self.before.iter().chain(block).copied().skip(skipped).take(malformed.len).collect()
    }
}

fn escaper() -> utf8kit::Converter<'static, Utf8, Utf8> {
    utf8kit::Converter::lossy(Utf8, Utf8, Policy::Escape)
}

/// Each byte as `\xHH`.
pub(super) fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect()
}

/// Lets `write` append UTF-8 to a string.
fn append<R>(text: &mut String, write: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    let mut bytes = std::mem::take(text).into_bytes();
    let result = write(&mut bytes);
    // Checked once more rather than trusted: memory speed, and no `unsafe`.
    *text = String::from_utf8(bytes).unwrap_or_default();
    result
}
