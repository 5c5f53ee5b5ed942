//! The reading half of a `Pivot`: converts any encoding to UTF-8, whole characters only, and
//! converts line ends and normal form.

use std::ops::Range;

use utf8kit::{Each, Policy, Utf8};

use crate::charset::Codec;
use crate::charset::legacy::{Decoder, Legacy};
use crate::charset::{Malformed, Unmappable};
use crate::convert::error::{ConversionError, ConversionErrorKind};
use crate::convert::native::Native;
use crate::convert::plan::{Invalid, Plan};
use crate::convert::rewrite::Rewriter;
use crate::counts::Counts;

/// The number of bytes that are kept from before a block. A malformed span or a character that ends in the block begins
/// at most this far before it, unless superfluous shifts precede the character.
const BEFORE: usize = 16;

/// Reads and decodes the input.
pub(super) struct SourceDecoder {
    codec: Codec,
    state: State,
    /// A buffer for the text of a block before it is rewritten.
    read: String,
    /// The state before the last block, in strict conversions to encodings that lack characters. It is used to decode
    /// the block again to locate a character.
    behind: Option<State>,
    /// Where the last character that `behind` decoded ends, in bytes of the input.
    end: u64,
}

/// The state of the decoder.
struct State {
    reader: Reader,
    rewriter: Option<Rewriter>,
}

/// Decoded text with the places of its characters.
struct Located {
    text: String,
    /// Indices of the text in ascending order, each with the offset in the input where the characters from there begin.
    starts: Vec<(usize, u64)>,
}

impl Located {
    /// Creates the text whose bytes end at an offset. Their positions are estimated from the text's length in the
    /// encoding.
    fn ending_at(end: u64, text: String, codec: Codec) -> Located {
        let start = |(at, _)| (at, end.saturating_sub(bytes_of(codec, &text[at..]).len() as u64));
        Located { starts: text.char_indices().map(start).collect(), text }
    }

    /// Drops all but the last `len` bytes of the text.
    fn keep_last(&mut self, len: usize) {
        let drop = self.text.len().saturating_sub(len);
        self.text.drain(..drop);
        let kept = self.starts.partition_point(|&(at, _)| at <= drop).saturating_sub(usize::from(len > 0));
        self.starts.drain(..kept);
        for (at, _) in &mut self.starts {
            *at = at.saturating_sub(drop);
        }
    }

    /// Returns the bytes of the input from which a part of the text was decoded. The bytes of the whole text end at
    /// `end`.
    fn input_of(&self, part: &Range<usize>, end: u64) -> Range<u64> {
        let start = self.starts.partition_point(|&(at, _)| at <= part.start).saturating_sub(1);
        let next = self.starts.partition_point(|&(at, _)| at < part.end);
        let offset = |index: usize| self.starts.get(index).map_or(end, |&(_, offset)| offset);
        offset(start)..offset(next)
    }
}

/// A decoder of either kind.
#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum Reader {
    Native(Native<Utf8>),
    Legacy(Box<LegacyReader>),
}

impl SourceDecoder {
    /// Creates a source for the start of the text.
    pub(super) fn new(plan: &Plan, replacement: &'static str) -> SourceDecoder {
        let (codec, invalid) = (plan.from, plan.invalid);
        let reader = || match codec {
            Codec::Native(from) => Reader::Native(Native::new(from, Utf8, invalid.policy(replacement))),
            Codec::Legacy(from) => Reader::Legacy(Box::new(LegacyReader::new(from, invalid, replacement))),
        };
        let state = || State { reader: reader(), rewriter: Rewriter::new(plan.rewrite, plan.from) };
        let behind = (invalid == Invalid::Strict && !plan.to.has_all()).then(state);
        SourceDecoder { codec, state: state(), read: String::new(), behind, end: 0 }
    }

    /// Appends the decoded text of a block.
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
        rewriter.push(&self.read, last || read.is_err(), text, counts);
        read
    }

    /// Records that a block was processed.
    pub(super) fn caught_up(&mut self, block: &[u8]) {
        let Some(behind) = &mut self.behind else { return };
        match (&mut behind.reader, &self.state.reader) {
            (Reader::Native(native), Reader::Native(reader)) => {
                *native = reader.clone();
                self.end = native.offset();
            }
            (reader, _) => {
                let (front, back) = block.split_at(block.len().saturating_sub(BEFORE));
                let mut text = String::new();
                for piece in std::iter::once(front).chain(back.chunks(1)) {
                    text.clear();
                    // The block was decoded without an error before.
                    let _ = reader.read(piece, false, &mut text, &mut Counts::default());
                    if !text.is_empty() {
                        self.end = reader.offset();
                    }
                }
            }
        }
        behind.rewriter.clone_from(&self.state.rewriter);
    }

    /// Returns the error for a character of the last decoded block that the target lacks. The block is decoded again,
    /// a byte at a time, until that character appears.
    pub(super) fn place(&mut self, lacking: Unmappable, block: &[u8]) -> ConversionError {
        let kind = ConversionErrorKind::Lacking(u32::from(lacking.scalar), None);
        let Some(State { reader, rewriter }) = &mut self.behind else {
            let bytes = self.bytes_of(lacking.scalar);
            return ConversionError { offset: 0, bytes, kind, composed: None };
        };
        let held = |rewriter: &Option<Rewriter>| rewriter.as_ref().map_or("", Rewriter::held).to_owned();
        let input = [reader.before(), block].concat();
        let start = reader.position().saturating_sub(reader.before().len() as u64);
        let mut read = Located::ending_at(self.end, held(rewriter), self.codec);
        let mut text = String::new();
        for byte in block.chunks(1) {
            let before = read.text.len();
            let more = reader.read(byte, false, &mut read.text, &mut Counts::default());
            if read.text.len() > before {
                read.starts.push((before, self.end));
                self.end = reader.offset();
            }
            match rewriter {
                Some(rewriter) => rewriter.push(&read.text[before..], false, &mut text, &mut Counts::default()),
                None => text.push_str(&read.text[before..]),
            }
            if more.is_err() || text.len() > lacking.at {
                break;
            }
            read.keep_last(held(rewriter).len());
        }
        // The bytes of the character itself if the input has it, otherwise of all the text it was made from, except
        // held-back text.
        let held = if text.len() > lacking.at { held(rewriter) } else { String::new() };
        let settled = read.text.strip_suffix(&*held).unwrap_or(&read.text);
        let cause = match settled.rfind(lacking.scalar) {
            Some(at) => at..at + lacking.scalar.len_utf8(),
            None => 0..settled.len(),
        };
        let span = read.input_of(&cause, self.end);
        let index = |offset: u64| usize::try_from(offset.checked_sub(start)?).ok();
        let bytes = index(span.start).zip(index(span.end)).and_then(|(start, end)| input.get(start..end));
        let bytes = bytes.map_or_else(|| bytes_of(self.codec, &read.text[cause]), <[u8]>::to_vec);
        ConversionError { offset: span.start, bytes, kind, composed: None }
    }

    /// Returns the bytes of a character in the input's encoding. Rewriting may yield characters that this encoding
    /// lacks; these are returned in UTF-8.
    fn bytes_of(&self, scalar: char) -> Vec<u8> {
        let utf8 = || scalar.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        self.codec.bytes_of(scalar).unwrap_or_else(utf8)
    }

    /// Returns the bytes of an incomplete character at the end, from which a new decoder would continue like this one.
    /// `None` if it would not.
    pub(super) fn resumable(&self) -> Option<&[u8]> {
        match &self.state {
            State { reader: Reader::Legacy(legacy), rewriter: None } if legacy.invalid != Invalid::Escape => {
                let begun = legacy.decoder.begun()?;
                legacy.before.get(legacy.before.len().checked_sub(begun)?..)
            }
            _ => None,
        }
    }

    /// Returns approximately how many bytes are held back.
    pub(super) fn held(&self) -> usize {
        let State { reader, rewriter } = &self.state;
        let begun = if let Reader::Native(native) = reader { native.pending().len() } else { 0 };
        begun + rewriter.as_ref().map_or(0, |rewriter| bytes_of(self.codec, rewriter.held()).len())
    }
}

/// Encodes a text that was decoded before.
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
            Reader::Native(native) => append(text, block.len(), |bytes| native.push(block, last, bytes, counts)),
        }
    }

    /// Returns how many bytes of the input are processed. The bytes of an incomplete sequence count only in a legacy
    /// encoding.
    fn offset(&self) -> u64 {
        match self {
            Reader::Native(native) => native.offset(),
            Reader::Legacy(legacy) => legacy.decoder.offset(),
        }
    }

    /// Returns how many bytes of the input were read.
    fn position(&self) -> u64 {
        match self {
            Reader::Native(native) => native.offset() + native.pending().len() as u64,
            Reader::Legacy(legacy) => legacy.decoder.offset(),
        }
    }

    /// Returns the last bytes that were read, including at least an incomplete sequence.
    fn before(&self) -> &[u8] {
        match self {
            Reader::Native(native) => native.pending(),
            Reader::Legacy(legacy) => &legacy.before,
        }
    }
}

/// Decodes a legacy encoding and repairs malformed input.
struct LegacyReader {
    decoder: Decoder,
    invalid: Invalid,
    replacement: &'static str,
    /// Escapes backslashes that could be mistaken for the start of an escape.
    escaper: utf8kit::Converter<'static, Utf8, Utf8>,
    /// The last bytes before the block.
    before: Vec<u8>,
    /// The offset after the last error.
    error_end: Option<u64>,
}

impl LegacyReader {
    fn new(from: Legacy, invalid: Invalid, replacement: &'static str) -> LegacyReader {
        LegacyReader {
            decoder: Decoder::new(from),
            invalid,
            replacement,
            escaper: escaper(),
            before: Vec::new(),
            error_end: None,
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
        let mut run = String::new();
        loop {
            let escapes = self.invalid == Invalid::Escape;
            let into = if escapes { &mut run } else { &mut *text };
            let (read, malformed) = self.decoder.push(block.get(at..).unwrap_or_default(), last, into);
            at += read;
            if escapes {
                self.escape_backslashes(&mut run, last || malformed.is_some(), text, counts);
            }
            let Some(malformed) = malformed else { break };
            let bytes = self.bytes_of(malformed, start, block);
            match self.invalid {
                Invalid::Strict => {
                    return Err(ConversionError {
                        offset: malformed.offset,
                        bytes,
                        kind: ConversionErrorKind::Malformed,
                        composed: None,
                    });
                }
                Invalid::Replace(each) => {
                    let is_next = self.error_end == Some(malformed.offset);
                    let count = match each {
                        Each::Byte => bytes.len(),
                        Each::Run => usize::from(!is_next),
                        _ => 1,
                    };
                    text.extend(std::iter::repeat_n(self.replacement, count));
                    self.error_end = Some(malformed.offset + bytes.len() as u64);
                }
                Invalid::SameLength => text.extend(std::iter::repeat_n('?', bytes.len())),
                Invalid::Remove => {}
                Invalid::Escape => text.push_str(&escape(&bytes)),
            }
            counts.add_malformed();
        }
        self.before.extend_from_slice(&block[block.len().saturating_sub(BEFORE)..]);
        self.before.drain(..self.before.len().saturating_sub(BEFORE));
        Ok(())
    }

    /// Moves a run of decoded text to the end of the output. `ends` means that the run ends here.
    fn escape_backslashes(&mut self, run: &mut String, ends: bool, text: &mut String, counts: &mut Counts) {
        let escaper = &mut self.escaper;
        append(text, run.len(), |bytes| {
            let _ = escaper.push_observed(run.as_bytes(), bytes, |change| counts.add(change));
            if ends {
                let _ = escaper.finish(bytes);
            }
        });
        run.clear();
        if ends {
            self.escaper = self::escaper();
        }
    }

    /// Returns the bytes of a malformed span, which may begin before the block (which is `start` bytes into the text).
    fn bytes_of(&self, malformed: Malformed, start: u64, block: &[u8]) -> Vec<u8> {
        let first = start.saturating_sub(self.before.len() as u64);
        let skipped = usize::try_from(malformed.offset.saturating_sub(first)).unwrap_or(usize::MAX);
        self.before.iter().chain(block).copied().skip(skipped).take(malformed.len).collect()
    }
}

fn escaper() -> utf8kit::Converter<'static, Utf8, Utf8> {
    utf8kit::Converter::lossy(Utf8, Utf8, Policy::Escape)
}

/// Writes each byte as `\xHH`.
fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect()
}

/// Lets `write` append about `len` bytes of UTF-8 to a string.
fn append<R>(text: &mut String, len: usize, write: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    let mut bytes = Vec::with_capacity(len);
    let result = write(&mut bytes);
    // Validated again rather than trusted, because that runs at memory speed and needs no `unsafe`.
    text.push_str(utf8kit::validate(&bytes).unwrap_or_default());
    result
}
