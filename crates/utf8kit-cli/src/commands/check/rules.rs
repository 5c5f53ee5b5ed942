//! The rules that each file is checked by.

use std::io::Read as _;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel};
use utf8kit_detect::stats::BytePairCounters;
use utf8kit_encodings::charset::{Charset, Codec, has_bom};
use utf8kit_encodings::convert::BomHandling;
use utf8kit_files::{BLOCK, Block, MARGIN, Skip, Source, SourceKind, Unpack};
use utf8kit_records::rows::{RowFormat, RowSyntax};
use utf8kit_records::targets::{Demands, Start};

use super::attacks;
use super::doubts::{Doubt, Wrong};
use super::recipients::{FindingCount, Recipients};
use crate::args::{BomRule, CheckArgs, LineEndRule, UTF8};
use crate::config::{Config, Settings};
use crate::error::Error;
use crate::results::{Finding, Phrases};
use crate::suggestion::Beginning;

/// The most errors that a worker records per block. A block with more is checked again in pieces when its turn comes,
/// which bounds the use of memory.
pub(super) const MAX_ERRORS_PER_PIECE: usize = 4096;

/// The rules for each file. Rules that were not given on the command line come from the configuration.
pub(super) struct Rules<'c> {
    pub(super) args: &'c CheckArgs,
    pub(super) config: &'c Config,
    encoding: Option<EncodingLabel>,
    noted: usize,
    /// Whether to print the probable encoding of invalid files.
    guesses: bool,
    pub(super) unpack: Option<Unpack>,
    pub(super) threads: usize,
    /// The counters of byte pairs, if needed.
    pub(super) pairs: Option<BytePairCounters>,
}

/// How a file is checked.
pub(super) enum CheckMethod {
    /// In an encoding of the library, block by block.
    Blocks(FileRules),
    /// In a legacy encoding, line by line.
    Lines,
    /// Not at all.
    Skip(Skip),
}

/// The rules for a file, given its start.
pub(super) struct FileRules {
    pub(super) label: EncodingLabel,
    pub(super) encoding: AnyEncoding,
    /// The first bytes, if the presence or absence of a byte order mark is a finding.
    pub(super) bom: Option<Vec<u8>>,
    /// The beginning that a target requires, if the file lacks it.
    start: Option<Start>,
    pub(super) line_ends: Option<LineEndRule>,
    /// Whether to guess what the file is if it is invalid.
    pub(super) guesses: bool,
    /// Whether to look for problems in valid text.
    pub(super) doubts: bool,
    /// The hidden and confusable characters that the configuration allows.
    allowed: Vec<RangeInclusive<char>>,
    /// Whether the file was named.
    is_named: bool,
}

impl FileRules {
    /// Returns the correction for the beginning of the file, if that is a finding.
    pub(super) fn beginning(&self) -> Option<Beginning> {
        let head = self.bom.as_deref()?;
        let handling = |marked| if marked { BomHandling::Add } else { BomHandling::Strip };
        let conversion = match self.start {
            Some(start) => start.conversion(head),
            None => Some((None, !has_bom(self.encoding, head))),
        };
        let (to, marked) = conversion.map_or((None, None), |(to, marked)| (to, Some(marked)));
        Some(Beginning { to, bom: marked.map(handling) })
    }

    /// Returns the finding about the beginning of the file, if there is one.
    pub(super) fn finding<'f>(&'f self, path: &'f Path, phrases: &'f mut Phrases) -> Option<Finding<'f>> {
        let head = self.bom.as_deref()?;
        let what = self.start.and_then(|start| start.wrong_with(head));
        Some(Finding::bom(path, self.encoding, head, what, phrases))
    }
}

/// Reports whether all of a source is ASCII. Of a source that can be read only once, the beginning is checked.
fn is_ascii(source: &Source, head: &[u8]) -> bool {
    let whole = source.is_regular().ok().filter(|regular| *regular).and_then(|_| source.open().ok());
    let Some(mut whole) = whole else { return utf8kit::is_ascii(head) };
    let mut piece = vec![0; 64 * 1024];
    loop {
        match whole.read(&mut piece) {
            Ok(len @ 1..) if !piece.get(..len).is_some_and(utf8kit::is_ascii) => return false,
            Ok(1..) => {}
            // Read errors are reported later, by the check itself.
            _ => return true,
        }
    }
}

/// A block that was checked.
pub(super) struct CheckedBlock {
    pub(super) summary: Summary,
    /// The first line end in the block that breaks the rule.
    pub(super) line_end: Option<WrongEnd>,
    /// The problem of the block if it is valid and the first block.
    pub(super) doubt: Option<Doubt>,
    /// What hides or looks like other text in it.
    pub(super) attacks: Vec<Wrong>,
    /// The block, if something in it must be reported.
    pub(super) block: Option<Block>,
}

impl<'c> Rules<'c> {
    /// Returns the rules of the command line, with what the recipients need.
    pub(super) fn new(
        args: &'c CheckArgs,
        config: &'c Config,
        encoding: Option<EncodingLabel>,
        recipients: &Recipients<'_>,
    ) -> Rules<'c> {
        Rules {
            args,
            config,
            encoding,
            noted: recipients.wanted(FindingCount::default()).min(MAX_ERRORS_PER_PIECE),
            guesses: recipients.uses_guesses(),
            unpack: args.read.input.unpack.unpack(),
            threads: args.read.threads.count(),
            pairs: recipients.uses_byte_pairs().then(BytePairCounters::default),
        }
    }

    /// Returns how a file is checked, according to the configuration and its first bytes.
    pub(super) fn method(&self, source: &Source, head: &[u8]) -> Result<CheckMethod, Error> {
        let settings = self.config.of(source)?;
        let skip = settings.skip_by(source, head, self.args.read.input.binary);
        let is_named = self.encoding.is_some() || settings.encoding.is_some();
        let label = if is_named { settings.label(self.encoding) } else { Some(self.assumed(head)) };
        Ok(match (skip, label) {
            (Some(reason), _) => CheckMethod::Skip(reason),
            (None, Some(label)) => CheckMethod::Blocks(self.file_rules(source, head, &settings, label)),
            (None, None) => CheckMethod::Lines,
        })
    }

    /// Returns the encoding of a file that begins with `head`, if none is named or configured.
    pub(super) fn assumed(&self, head: &[u8]) -> EncodingLabel {
        let is_utf16 = head.starts_with(&[0xFF, 0xFE]);
        match self.args.target.demands().start() {
            Some(Start::Utf16) if is_utf16 => EncodingLabel::Utf16,
            _ => UTF8,
        }
    }

    /// Returns the requirements on the valid lines of a file, if there are any.
    pub(super) fn lines(&self, source: &Source, file_rules: &FileRules) -> Result<Option<Lines>, Error> {
        if !self.args.target.demands().is_any() {
            return Ok(None);
        }
        let demands = self.config.of(source)?.demands(&self.args.target);
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let is_text =
            self.args.read.encoding.charset().ok().flatten().is_none_or(|charset| charset == Charset::Named(UTF8));
        let quick =
            is_text && file_rules.label == UTF8 && file_rules.bom.is_none() && demands.lines() == RowFormat::Lines;
        let syntax = self.args.rows.syntax_or_lines(utf8, &demands)?;
        Ok(Some(Lines { quick, syntax, demands }))
    }

    /// Reports whether to guess what a file is that is not in this encoding.
    pub(super) fn uses_guesses(&self, label: EncodingLabel) -> bool {
        self.guesses && label == UTF8
    }

    /// Returns the rules for a file in a known encoding.
    pub(super) fn file_rules(
        &self,
        source: &Source,
        head: &[u8],
        settings: &Settings,
        label: EncodingLabel,
    ) -> FileRules {
        let encoding = label.resolve(head).0;
        let marked = has_bom(encoding, head);
        let rule = self.args.bom.or(settings.bom).unwrap_or_default();
        let is_default = rule == BomRule::Allow && label == UTF8;
        let is_broken = |start: &Start| start.wrong_with(head).is_some() && !is_ascii(source, head);
        let start = self.args.target.demands().start().filter(|start| is_default && is_broken(start));
        let finding = match rule {
            BomRule::Allow => start.is_some(),
            BomRule::Forbid => marked,
            BomRule::Require => !marked,
        };
        let bom = finding.then(|| head[..head.len().min(MARGIN)].to_vec());
        // Lines are reported without a guess or a problem of the whole text.
        let in_lines = self.args.target.demands().is_any();
        let doubts = label == UTF8 && !in_lines;
        // In UTF-16 and UTF-32, line ends contain NULs.
        let is_other = encoding.unit() > 1 && !head.contains(&0) && !in_lines;
        let guesses = self.guesses && (doubts || is_other);
        let line_ends = self.args.line_ends.or(settings.line_ends).filter(|_| !in_lines);
        let is_named = source.kind != SourceKind::Walked;
        let allowed = settings.demands(&self.args.target).allowed;
        FileRules { label, encoding, bom, start, line_ends, guesses, doubts, allowed, is_named }
    }

    /// Checks a block.
    pub(super) fn check(&self, file_rules: &FileRules, block: &mut Block) -> CheckedBlock {
        let summary = Summary::of(file_rules.encoding, &block.bytes, block.own.clone(), block.base, self.noted);
        if let Some(pairs) = &self.pairs {
            pairs.count(&block.bytes[block.own.start.saturating_sub(1)..block.own.end]);
        }
        let line_end = file_rules.line_ends.and_then(|rule| wrong_line_end(file_rules.encoding, rule, block));
        let start = block.base + block.own.start as u64;
        let is_whole = block.own.end == block.bytes.len();
        let is_doubted = file_rules.doubts && summary.errors == 0 && start == 0;
        let doubt = is_doubted.then(|| Doubt::of(&block.bytes, is_whole, file_rules.is_named)).flatten();
        let attacks = match file_rules.doubts {
            true => attacks::of(&block.bytes, block.own.clone(), start == 0, &file_rules.allowed),
            false => Vec::new(),
        };
        let is_needed = summary.errors > 0 && self.noted > 0
            || file_rules.doubts && file_rules.is_named && start < BLOCK as u64
            || doubt.is_some()
            || !attacks.is_empty()
            || line_end.is_some();
        CheckedBlock { summary, line_end, doubt, attacks, block: is_needed.then(|| std::mem::take(block)) }
    }
}

/// Requirements on the valid lines of a file.
pub(super) struct Lines {
    /// Whether checking blocks can show that there is nothing to find.
    pub(super) quick: bool,
    syntax: RowSyntax,
    demands: Demands,
}

impl Lines {
    /// Reports whether the lines of a block certainly meet the requirements.
    pub(super) fn pass(&self, block: &Block) -> bool {
        let (bytes, own) = (&block.bytes, block.own.clone());
        let text = bytes.get(own.clone()).unwrap_or_default();
        let begins_line = own.start == 0 || bytes.get(own.start - 1) == Some(&b'\n');
        let is_whole = begins_line && (text.ends_with(b"\n") || own.end == bytes.len());
        let is_first = block.base == 0 && own.start == 0;
        self.quick
            && (is_whole || self.demands.allow_parts() && utf8kit::is_ascii(text))
            && utf8kit::validate(text).is_ok()
            && self.demands.pass(&self.syntax, text, is_first)
    }
}

/// A line end that breaks the rule: its position in the block, and a description.
pub(super) type WrongEnd = (Range<usize>, &'static str);

/// Finds the first line end in a block that breaks the rule.
fn wrong_line_end(encoding: AnyEncoding, rule: LineEndRule, block: &Block) -> Option<WrongEnd> {
    let unit = encoding.unit();
    let [returned, feed] = [0x0D, 0x0A].map(|control| encoding.encoded(control).ok());
    let (returned, feed) = (returned?, feed?);
    let is = |at: usize, end: &[u8]| block.bytes.get(at..at + unit) == Some(end);
    block.own.clone().step_by(unit).find_map(|at| {
        let returns = |at: Option<usize>| at.is_some_and(|at| is(at, &returned));
        match rule {
            LineEndRule::Lf if is(at, &feed) && returns(at.checked_sub(unit)) => {
                Some((at - unit..at + unit, "line end: CR LF, expected LF"))
            }
            LineEndRule::Crlf if is(at, &feed) && !returns(at.checked_sub(unit)) => {
                Some((at..at + unit, "line end: LF, expected CR LF"))
            }
            _ if !returns(Some(at)) || is(at + unit, &feed) => None,
            LineEndRule::Lf => Some((at..at + unit, "line end: CR, expected LF")),
            LineEndRule::Crlf => Some((at..at + unit, "line end: CR, expected CR LF")),
        }
    })
}
