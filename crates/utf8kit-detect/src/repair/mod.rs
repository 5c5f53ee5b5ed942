//! Repair of a stream: the result of each policy for a piece, and the changes made.
//!
//! ```text
//! errors     one by one    the library's converter, from an encoding to itself
//!            fallback      each run of errors is decoded from another encoding
//! escapes    unescape      the library decodes them
//! artifact   join, ...     lossless damage is undone
//! lines      fallback      a line with an error is decoded from another encoding
//!            mojibake      a line that was encoded twice is decoded
//! ```

mod diff;
mod lines;
mod patch;
mod policy;

use std::borrow::Cow;
use std::ops::Range;

use utf8kit::{AnyEncoding, Encoding as _, Piece, Policy};
use utf8kit_encodings::artifact::ArtifactRepairer;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{Converter, Invalid, Plan};
use utf8kit_encodings::counts::Counts;

use crate::mojibake::{Detours, Evidence, Outcome};

pub use diff::{DiffLine, Differ, Hunk, Marked};
pub use lines::Lines;
pub use patch::{Patch, Patching};
pub use policy::{RepairPolicy, UnknownRepairPolicy, Unsupported};

/// A change at one place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Edit<'e> {
    /// The offset in the input.
    pub offset: u64,
    /// The bytes of the input.
    pub before: &'e [u8],
    /// The bytes that replace them.
    pub after: &'e [u8],
}

impl<'e> Edit<'e> {
    /// Describes a change of the bytes `before` at `offset` to `after`.
    pub fn new(offset: u64, before: &'e [u8], after: &'e [u8]) -> Edit<'e> {
        Edit { offset, before, after }
    }

    /// Returns the edit without the common prefix and suffix of its two sides, as far as `may_trim` accepts their
    /// bytes.
    #[must_use]
    pub fn trimmed(self, may_trim: impl Fn(&u8) -> bool) -> Edit<'e> {
        let Edit { offset, before, after } = self;
        let common = |(a, b): &(&u8, &u8)| a == b && may_trim(a);
        let prefix = before.iter().zip(after).take_while(common).count();
        let (before, after) = (&before[prefix..], &after[prefix..]);
        let suffix = before.iter().rev().zip(after.iter().rev()).take_while(common).count();
        Edit {
            offset: offset + prefix as u64,
            before: &before[..before.len() - suffix],
            after: &after[..after.len() - suffix],
        }
    }
}

/// A callback for every change.
pub type Notice<'n> = &'n mut dyn FnMut(Edit<'_>);

/// Repairs a stream.
///
/// ```
/// use utf8kit::AnyEncoding;
/// use utf8kit_detect::repair::{RepairPolicy, Repairer};
///
/// let mut repairer = Repairer::new(&RepairPolicy::Mojibake(None), AnyEncoding::Utf8);
/// let (mut out, mut changes) = (Vec::new(), 0);
/// for piece in ["caf\u{C3}", "\u{A9}\nplain\n"] {
///     repairer.push(piece.as_bytes(), utf8kit::Piece::Partial, &mut out, &mut |_| changes += 1);
/// }
/// repairer.push(b"", utf8kit::Piece::Last, &mut out, &mut |_| changes += 1);
/// assert_eq!((out.as_slice(), changes), ("caf\u{E9}\nplain\n".as_bytes(), 1));
/// ```
pub struct Repairer {
    repair: RepairPolicy,
    encoding: AnyEncoding,
    tool: Tool,
    /// The number of input bytes that were skipped, or processed by previous tools.
    base: u64,
    /// The counts of the changes.
    pub counts: Counts,
}

/// The implementation of a policy.
enum Tool {
    Converter(Box<utf8kit::Converter<'static, AnyEncoding, AnyEncoding>>),
    Unescape(Held),
    Artifact(ArtifactRepairer),
    Fallback(Box<Fallback>),
    Lines(Box<Lines>, LineRule),
}

/// Input that is held back, and the number of bytes processed.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    offset: u64,
}

/// The repair of a line.
enum LineRule {
    Fallback(Plan),
    Mojibake(Evidence),
}

impl Repairer {
    /// Creates a repairer for the start of an input.
    pub fn new(repair: &RepairPolicy, encoding: AnyEncoding) -> Repairer {
        Repairer { repair: repair.clone(), encoding, tool: tool(repair, encoding), base: 0, counts: Counts::default() }
    }

    /// Returns the part of a piece that can be skipped because nothing held back depends on it. For pieces that
    /// [`RepairPolicy::leaves_unchanged`] accepts.
    pub fn skippable(&self, piece: &[u8]) -> Range<usize> {
        match &self.tool {
            Tool::Lines(lines, _) => lines.whole_lines(piece),
            _ if self.is_idle() => 0..piece.len(),
            _ => 0..0,
        }
    }

    /// Records that `len` bytes were skipped.
    pub fn pass(&mut self, len: usize) {
        if len > 0 {
            self.base = self.offset() + len as u64;
            match &mut self.tool {
                // Keep it, because it holds nothing back and creating a new one is expensive.
                Tool::Lines(lines, _) => lines.begin(),
                tool => *tool = self::tool(&self.repair, self.encoding),
            }
        }
    }

    fn is_idle(&self) -> bool {
        match &self.tool {
            Tool::Converter(converter) => converter.pending().is_empty(),
            Tool::Unescape(held) => held.bytes.is_empty(),
            Tool::Artifact(repairer) => repairer.is_idle(),
            Tool::Fallback(fallback) => fallback.is_idle(),
            Tool::Lines(lines, _) => lines.is_idle(),
        }
    }

    /// Returns the bytes that are held back by a fallback, such that a new repairer that begins with them continues
    /// like this one. `None` for all other policies.
    ///
    /// ```
    /// use utf8kit_detect::repair::{RepairPolicy, Repairer};
    ///
    /// let policy: RepairPolicy = "fallback=windows-1252".parse()?;
    /// let mut repairer = Repairer::new(&policy, utf8kit::AnyEncoding::Utf8);
    /// repairer.push(b"caf\xE9", utf8kit::Piece::Partial, &mut Vec::new(), &mut |_| {});
    /// assert_eq!(repairer.resumable(), Some(b"\xE9".to_vec()));
    /// # Ok::<(), utf8kit_detect::repair::UnknownRepairPolicy>(())
    /// ```
    pub fn resumable(&self) -> Option<Vec<u8>> {
        match &self.tool {
            Tool::Fallback(fallback) => Some([&fallback.run.bytes, fallback.finder.pending()].concat()),
            Tool::Lines(lines, LineRule::Fallback(_)) => Some(lines.begun().to_vec()),
            _ => None,
        }
    }

    /// Returns the encoding of the input.
    pub fn encoding(&self) -> AnyEncoding {
        self.encoding
    }

    /// Returns the encodings that are common to all lines so far that were certainly encoded twice. Empty if unknown.
    pub fn proven(&self) -> Detours {
        match &self.tool {
            Tool::Lines(_, LineRule::Mojibake(evidence)) => evidence.proven(),
            _ => Detours::default(),
        }
    }

    /// Returns the number of bytes of the input that are processed.
    pub fn offset(&self) -> u64 {
        self.base
            + match &self.tool {
                Tool::Converter(converter) => converter.offset(),
                Tool::Unescape(held) => held.offset,
                Tool::Artifact(repairer) => repairer.offset(),
                Tool::Fallback(fallback) => fallback.offset(),
                Tool::Lines(lines, _) => lines.offset(),
            }
    }

    /// Repairs the next piece and appends the available output to `out`.
    pub fn push(&mut self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, notice: Notice<'_>) {
        let (base, encoding, counts) = (self.base, self.encoding, &mut self.counts);
        let mut notice = |edit: Edit<'_>| notice(Edit { offset: edit.offset + base, ..edit });
        match &mut self.tool {
            Tool::Converter(converter) => {
                let mut observer = |change: utf8kit::Change<'_>| {
                    counts.add(change);
                    notice(Edit { offset: change.offset, before: change.before, after: change.after });
                };
                let pushed = converter.push_observed(bytes, out, &mut observer);
                let ended = if piece.is_last() { converter.finish_observed(out, &mut observer) } else { Ok(()) };
                debug_assert!(pushed.and(ended).is_ok(), "a lossy converter has an answer to everything");
            }
            Tool::Unescape(held) => {
                held.bytes.extend_from_slice(bytes);
                let start = held.offset;
                let read = encoding.unescape_piece(&held.bytes, piece, out, |change| {
                    counts.add_escape();
                    let offset = start + change.offset;
                    notice(Edit { offset, before: change.before, after: change.after });
                });
                held.bytes.drain(..read);
                held.offset += read as u64;
            }
            Tool::Artifact(repairer) => repairer.push(bytes, piece, out, &mut |offset, before, after| {
                counts.add_artifact();
                notice(Edit { offset, before, after });
            }),
            Tool::Fallback(fallback) => fallback.push(bytes, piece, out, counts, &mut notice),
            Tool::Lines(lines, rule) => lines.push(encoding, bytes, piece, |offset, line| {
                let start = out.len();
                if rule.repair(encoding, line, out, counts) {
                    let after = out.get(start..).unwrap_or_default();
                    notice(Edit { offset, before: line, after }.trimmed(u8::is_ascii));
                } else {
                    out.extend_from_slice(line);
                }
            }),
        }
    }
}

impl RepairPolicy {
    /// Repairs a value by itself, without evidence from other values. Borrows if nothing changes.
    ///
    /// ```
    /// use utf8kit::AnyEncoding::Utf8;
    /// use utf8kit_detect::RepairPolicy;
    ///
    /// let policy: RepairPolicy = "fallback=latin1".parse()?;
    /// assert_eq!(policy.repair_value(Utf8, b"caf\xE9"), "caf\u{E9}".as_bytes());
    /// assert!(matches!(policy.repair_value(Utf8, b"ok"), std::borrow::Cow::Borrowed(b"ok")));
    /// # Ok::<(), utf8kit_detect::repair::UnknownRepairPolicy>(())
    /// ```
    pub fn repair_value<'v>(&self, encoding: AnyEncoding, value: &'v [u8]) -> Cow<'v, [u8]> {
        match self {
            // The repair searches the first error itself, except when escaping.
            RepairPolicy::Errors(policy) if policy.as_policy() != Policy::Escape => {
                encoding.repair(value, policy.as_policy())
            }
            _ if self.leaves_unchanged(encoding, value) => Cow::Borrowed(value),
            RepairPolicy::Errors(policy) => encoding.repair(value, policy.as_policy()),
            _ => {
                let (mut repairer, mut out) = (Repairer::new(self, encoding), Vec::new());
                repairer.push(value, Piece::Last, &mut out, &mut |_| {});
                if repairer.counts.total() == 0 { Cow::Borrowed(value) } else { Cow::Owned(out) }
            }
        }
    }
}

fn tool(repair: &RepairPolicy, encoding: AnyEncoding) -> Tool {
    match repair {
        RepairPolicy::Errors(policy) => {
            let converter = utf8kit::Converter::lossy(encoding, encoding, policy.as_policy());
            Tool::Converter(Box::new(converter.into_owned()))
        }
        RepairPolicy::Unescape => Tool::Unescape(Held::default()),
        RepairPolicy::Artifact(artifact) => Tool::Artifact(ArtifactRepairer::new(*artifact)),
        RepairPolicy::Fallback(from) => Tool::Fallback(Box::new(Fallback::new(from.codec(), encoding))),
        RepairPolicy::FallbackLines(from) => {
            Tool::Lines(Box::default(), LineRule::Fallback(plan(from.codec(), encoding)))
        }
        RepairPolicy::Mojibake(proven) => Tool::Lines(Box::default(), LineRule::Mojibake(Evidence::new(*proven))),
    }
}

impl LineRule {
    /// Appends the repaired line. Returns `false`, and appends nothing, if the line is unchanged.
    fn repair(&mut self, encoding: AnyEncoding, line: &[u8], out: &mut Vec<u8>, counts: &mut Counts) -> bool {
        match self {
            LineRule::Fallback(plan) => {
                let broken = encoding.validate(line).is_err();
                if broken {
                    counts.add_line();
                    convert_from_fallback(plan, line, out, counts);
                }
                broken
            }
            LineRule::Mojibake(evidence) => {
                let Ok(text) = utf8kit::validate(line) else { return false };
                match evidence.repair(text) {
                    Outcome::Clean => false,
                    Outcome::Repaired(was) => {
                        counts.add_mojibake();
                        out.extend_from_slice(was.text.as_bytes());
                        true
                    }
                    Outcome::Doubtful(_) => {
                        counts.add_doubtful();
                        false
                    }
                }
            }
        }
    }
}

/// Returns the plan that converts bytes from one encoding to another. Bytes that are malformed there also become
/// U+FFFD.
pub fn plan(from: Codec, to: AnyEncoding) -> Plan {
    Plan::new(from, Codec::Native(to), Invalid::REPLACE)
}

/// Converts some bytes from another encoding and appends them.
pub fn convert_from_fallback(plan: &Plan, bytes: &[u8], out: &mut Vec<u8>, counts: &mut Counts) {
    // With such a policy the conversion cannot fail.
    let _ = Converter::new(plan).push(bytes, true, out, counts);
}

/// The most bytes of adjacent errors that are converted at once.
const MAX_RUN_BYTES: usize = 64 * 1024;

/// Decodes runs of errors from another encoding.
struct Fallback {
    plan: Plan,
    /// Finds the errors. The bytes that it removes are decoded from the fallback encoding.
    finder: utf8kit::Converter<'static, AnyEncoding, AnyEncoding>,
    /// Errors that may continue in the next piece, and the offset at which they begin.
    run: Held,
}

impl Fallback {
    fn new(codec: Codec, encoding: AnyEncoding) -> Fallback {
        let finder = utf8kit::Converter::lossy(encoding, encoding, Policy::Remove);
        Fallback { plan: plan(codec, encoding), finder, run: Held::default() }
    }

    fn is_idle(&self) -> bool {
        self.finder.pending().is_empty() && self.run.bytes.is_empty()
    }

    fn offset(&self) -> u64 {
        self.finder.offset() - self.run.bytes.len() as u64
    }

    fn push(&mut self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, counts: &mut Counts, notice: Notice<'_>) {
        let start = self.finder.offset();
        let (mut kept, mut errors) = (Vec::with_capacity(bytes.len()), Vec::new());
        let mut observer = |change: utf8kit::Change<'_>| {
            counts.add(change);
            errors.push((change.offset, change.before.to_vec()));
        };
        let pushed = self.finder.push_observed(bytes, &mut kept, &mut observer);
        let ended = if piece.is_last() { self.finder.finish_observed(&mut kept, &mut observer) } else { Ok(()) };
        debug_assert!(pushed.and(ended).is_ok(), "a lossy converter has an answer to everything");
        let mut kept = &kept[..];
        let mut at = start;
        for (offset, bytes) in errors {
            let before = usize::try_from(offset - at).unwrap_or(usize::MAX).min(kept.len());
            let (text, rest) = kept.split_at(before);
            kept = rest;
            self.text(text, out, counts, notice);
            if self.run.bytes.is_empty() {
                self.run.offset = offset;
            }
            self.run.bytes.extend_from_slice(&bytes);
            at = offset + bytes.len() as u64;
            if self.run.bytes.len() >= MAX_RUN_BYTES {
                self.end_run(out, counts, notice);
            }
        }
        self.text(kept, out, counts, notice);
        if piece.is_last() {
            self.end_run(out, counts, notice);
        }
    }

    /// Passes on well-formed text.
    fn text(&mut self, text: &[u8], out: &mut Vec<u8>, counts: &mut Counts, notice: Notice<'_>) {
        if !text.is_empty() {
            self.end_run(out, counts, notice);
            out.extend_from_slice(text);
        }
    }

    fn end_run(&mut self, out: &mut Vec<u8>, counts: &mut Counts, notice: Notice<'_>) {
        if !self.run.bytes.is_empty() {
            let start = out.len();
            convert_from_fallback(&self.plan, &self.run.bytes, out, counts);
            let after = out.get(start..).unwrap_or_default();
            notice(Edit { offset: self.run.offset, before: &self.run.bytes, after });
            self.run.bytes.clear();
        }
    }
}
