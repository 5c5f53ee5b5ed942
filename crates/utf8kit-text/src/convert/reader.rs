//! The reading half of a [`crate::convert::pivot::Pivot`]: any encoding to UTF-8, whole characters only, with
//! line ends and normal form converted.

use utf8kit::{Policy, Utf8};

use crate::charset::Codec;
use crate::charset::legacy::{Decoder, Legacy, Malformed, Unmappable};
use crate::convert::rewrite::Rewriter;
use crate::convert::{ConversionError, ConversionErrorKind, Counts, Invalid, Native, Plan};

/// How many bytes before a block a malformed span can begin.
const BEFORE: usize = 8;

/// Reads the input.
pub(super) struct Source {
    codec: Codec,
    state: State,
    /// A buffer for the text of a block before it is rewritten.
    read: String,
    /// Strict conversions to what lacks characters: the state one block behind, to find the place of a character by reading again.
    behind: Option<State>,
}

/// The state of reading.
struct State {
    reader: Reader,
    rewriter: Option<Rewriter>,
}

/// A reader of either kind.
#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum Reader {
    Native(Native<Utf8>),
    Legacy(Box<LegacyReader>),
}

impl Source {
    /// At the start of the text.
    pub(super) fn new(plan: &Plan, replacement: &'static str) -> Source {
        let (codec, invalid) = (plan.from, plan.invalid);
        let reader = || match codec {
            Codec::Native(from) => Reader::Native(Native::new(from, Utf8, invalid.policy(replacement))),
            Codec::Legacy(from) => Reader::Legacy(Box::new(LegacyReader::new(from, invalid, replacement))),
        };
        let state = || State { reader: reader(), rewriter: Rewriter::new(plan) };
        let behind = (invalid == Invalid::Strict && !plan.to.has_all()).then(state);
        Source { codec, state: state(), read: String::new(), behind }
    }

    /// Appends the text of a block.
    pub(super) fn read(
        &mut self,
        block: &[u8],
        last: bool,
        text: &mut String,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let State { reader, rewriter } = &mut self.state;
        let Some(rewriter) = rewriter else { return reader.read(block, last, text, counts) };
        self.read.clear();
        let read = reader.read(block, last, &mut self.read, counts);
        rewriter.push(&self.read, last || read.is_err(), text);
        read
    }

    /// Takes note that a block was dealt with.
    pub(super) fn caught_up(&mut self, block: &[u8]) {
        let Some(behind) = &mut self.behind else { return };
        match (&mut behind.reader, &self.state.reader) {
            (Reader::Native(behind), Reader::Native(reader)) => *behind = reader.clone(),
            (behind, _) => {
                // It was read without a error before.
                let _ = behind.read(block, false, &mut String::new(), &mut Counts::default());
            }
        }
        behind.rewriter.clone_from(&self.state.rewriter);
    }

    /// The error of a character that the target lacks, in the text of the block that was read last: the block is
    /// read again, a byte at a time, until that text is there.
    pub(super) fn place(&mut self, lacking: Unmappable, block: &[u8]) -> ConversionError {
        let kind = ConversionErrorKind::Lacking(u32::from(lacking.scalar), None);
        let Some(State { reader, rewriter }) = &mut self.behind else {
            return ConversionError { offset: 0, bytes: self.bytes_of(lacking.scalar), kind };
        };
        let held = |rewriter: &Option<Rewriter>| rewriter.as_ref().map_or("", Rewriter::held).to_owned();
        let (mut text, mut read) = (String::new(), held(rewriter));
        for byte in block.chunks(1) {
            let before = read.len();
            let more = reader.read(byte, false, &mut read, &mut Counts::default());
            match rewriter {
                Some(rewriter) => rewriter.push(&read[before..], false, &mut text),
                None => text.push_str(&read[before..]),
            }
            if more.is_err() || text.len() > lacking.at {
                break;
            }
            read = held(rewriter);
        }
        // The character itself if the input has it, else all that it was made from. What is held back is not part of that.
        let held = if text.len() > lacking.at { held(rewriter) } else { String::new() };
        let settled = read.strip_suffix(&*held).unwrap_or(&read);
        let (cause, behind) = match settled.rsplit_once(lacking.scalar) {
            Some((_, behind)) => (&*lacking.scalar.to_string(), behind),
            None => (settled, ""),
        };
        let len = |text: &str| bytes_of(self.codec, text).len() as u64;
        let offset = reader.offset().saturating_sub(len(&held) + len(behind) + len(cause));
        ConversionError { offset, bytes: bytes_of(self.codec, cause), kind }
    }

    /// Returns the bytes of a character in the input's encoding, or in UTF-8 if that lacks it, as the rewritten text may have it.
    pub(super) fn bytes_of(&self, scalar: char) -> Vec<u8> {
        let utf8 = || scalar.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        self.codec.bytes_of(scalar).unwrap_or_else(utf8)
    }

    /// Returns about how many bytes are held back.
    pub(super) fn held(&self) -> usize {
        let State { reader, rewriter } = &self.state;
        let begun = if let Reader::Native(native) = reader { native.held() } else { 0 };
        begun + rewriter.as_ref().map_or(0, |rewriter| bytes_of(self.codec, rewriter.held()).len())
    }
}

/// Returns the bytes of a text that was read.
fn bytes_of(codec: Codec, text: &str) -> Vec<u8> {
    text.chars().filter_map(|c| codec.bytes_of(c)).flatten().collect()
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
            Reader::Native(native) => {
                append(text, block.len(), |bytes| native.push(block, last, bytes, counts))
            }
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
        append(text, stretch.len(), |bytes| {
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

/// Lets `write` append UTF-8, about so many bytes, to a string.
fn append<R>(text: &mut String, len: usize, write: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    let mut bytes = Vec::with_capacity(len);
    let result = write(&mut bytes);
    // Checked once more rather than trusted: memory speed, and no `unsafe`.
    text.push_str(utf8kit::validate(&bytes).unwrap_or_default());
    result
}
