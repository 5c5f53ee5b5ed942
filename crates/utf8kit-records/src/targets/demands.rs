//! Requirements on rows: the rules of targets, and maximum lengths.

use std::ops::RangeInclusive;

use memchr::memmem;
use utf8kit::Utf8;
use utf8kit::restrict::{Restricted, RestrictedKind};
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::{counted, shortened};

use super::table::Rule;
use super::value::{self, Unit};
use super::{Start, Target, identifier, json, spoofing, xml};
use crate::rows::{Reader, RowFormat, RowSyntax};
use crate::violation::{Violation, ViolationKind};

/// Requirements on rows of valid UTF-8: the rules of targets, and a maximum length of values.
///
/// A value is a field of CSV or TSV, a string of JSON lines, or a line. Its length is that of its content, without
/// quotes and with escapes decoded.
///
/// ```
/// use utf8kit_records::rows::{RowFormat, RowOptions, RowSyntax};
/// use utf8kit_records::targets::{Demands, ViolationKind};
/// let utf8 = utf8kit_encodings::charset::Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let csv = RowSyntax::new(RowOptions::new(RowFormat::Csv), utf8).unwrap();
/// let mut demands = Demands::default();
/// demands.targets = vec!["postgresql".parse().unwrap()];
/// demands.max_bytes = Some(4);
/// let found = demands.find(&csv, "a\0,caf\u{E9}s\n".as_bytes(), false);
/// let found: Vec<_> = found.iter().map(|one| (one.offset, one.len, one.kind)).collect();
/// assert_eq!(found, [(1, 1, ViolationKind::Nul), (6, 3, ViolationKind::TooLong)]);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Demands {
    /// The targets. Text is rejected if any of them rejects it.
    pub targets: Vec<Target>,
    /// The maximum length of a value, in bytes.
    pub max_bytes: Option<usize>,
    /// The maximum length of a value, in code points.
    pub max_chars: Option<usize>,
    /// Whether a value that is too long is cut only between graphemes (user-perceived characters).
    pub graphemes: bool,
    /// Characters that are allowed even if `source`, `text` or `identifiers` reject them.
    pub allowed: Vec<RangeInclusive<char>>,
}

impl Demands {
    /// Reports whether there are any requirements.
    pub fn is_any(&self) -> bool {
        !self.targets.is_empty() || self.max_bytes.is_some() || self.max_chars.is_some()
    }

    /// Returns the beginning that a target requires of non-ASCII text.
    ///
    /// ```
    /// use utf8kit_records::targets::{Demands, Start};
    ///
    /// let mut demands = Demands::default();
    /// demands.targets = vec!["powershell".parse().unwrap()];
    /// assert_eq!(demands.start(), Some(Start::Mark));
    /// ```
    pub fn start(&self) -> Option<Start> {
        self.rules().find_map(|(_, rule)| if let Rule::Start(start) = rule { Some(start) } else { None })
    }

    /// Returns how all of the targets read rows.
    pub fn reader(&self) -> Reader {
        self.targets.iter().fold(Reader::STANDARD, |reader, target| reader.and(target.0.reader))
    }

    /// Returns the format of text that is not read as rows: plain lines, or lines of the JSON or XML that a target
    /// reads.
    pub fn lines(&self) -> RowFormat {
        let has = |wanted| self.rules().any(|(_, rule)| rule == wanted);
        match (has(Rule::Json), has(Rule::Xml)) {
            (true, _) => RowFormat::Json,
            (_, true) => RowFormat::Xml,
            _ => RowFormat::Lines,
        }
    }

    /// Reports whether a line of ASCII passes if each of its parts passes.
    pub fn allow_parts(&self) -> bool {
        let goes_by_character = |rule| {
            matches!(
                rule,
                Rule::WellFormed | Rule::Start(_) | Rule::Characters(_) | Rule::Subset(_) | Rule::Deceptive(_)
            )
        };
        self.rules().all(|(_, rule)| goes_by_character(rule))
    }

    /// Reports whether some valid rows certainly pass. `first` means that the input begins with them.
    pub fn pass(&self, syntax: &RowSyntax, rows: &[u8], first: bool) -> bool {
        let clear = |(_, rule): (Option<Target>, Rule)| match rule {
            Rule::WellFormed | Rule::Start(_) => true,
            Rule::Characters(restrictions) => restrictions.allows(Utf8, rows),
            Rule::Xml => xml::passes(rows),
            Rule::Mark => !first || !rows.starts_with(b"\xEF\xBB\xBF"),
            Rule::Length(_, most) => self.are_short(rule, most, syntax, rows),
            Rule::Escapes(_) if syntax.format() != RowFormat::Jsonl || memmem::find(rows, b"\\u").is_none() => true,
            Rule::Json if json::passes(syntax.format(), rows) => true,
            Rule::Subset(subset) if subset.passes(syntax.format(), rows) => true,
            Rule::Deceptive(written) if spoofing::passes(syntax, rows, written) => true,
            // Most rows hide nothing, and mojibake is ruled out in all of them at once.
            Rule::Deceptive(written) if spoofing::are_intact(syntax, rows) => syntax.rows(rows).all(|row| {
                let (first, row) = (first && row.range.start == 0, &rows[row.range]);
                spoofing::are_plain(syntax, row, written) || self.rule(rule, syntax, row, first).is_empty()
            }),
            Rule::Identifier if identifier::passes(rows) => true,
            Rule::Json
            | Rule::Escapes(_)
            | Rule::FileName(_)
            | Rule::Subset(_)
            | Rule::Deceptive(_)
            | Rule::Identifier => syntax.rows(rows).all(|row| {
                let first = first && row.range.start == 0;
                self.rule(rule, syntax, &rows[row.range], first).is_empty()
            }),
        };
        self.rules().all(clear)
    }

    /// Reports whether no value of some rows can exceed a rule's limit.
    fn are_short(&self, rule: Rule, most: usize, syntax: &RowSyntax, rows: &[u8]) -> bool {
        let mut rest = rows;
        loop {
            // No unit of length is shorter than a byte.
            rest = &rest[syntax.short_values(rest, most)..];
            let Some(row) = syntax.rows(rest).next() else { return true };
            let (row, rest_of_rows) = rest.split_at(row.range.end);
            if !self.rule(rule, syntax, row, false).is_empty() {
                return false;
            }
            rest = rest_of_rows;
        }
    }

    /// Returns the violations in a row, in order. `first` means that the input begins with it.
    pub fn find(&self, syntax: &RowSyntax, row: &[u8], first: bool) -> Vec<Violation> {
        let found = self.rules().flat_map(|(target, rule)| {
            let found = self.rule(rule, syntax, row, first).into_iter();
            found.map(move |violation| Violation { target: target.map(Target::name), ..violation })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|violation| violation.offset);
        // Several targets may reject the same text.
        let mut kept: Vec<Violation> = Vec::with_capacity(found.len());
        for violation in found {
            let same = kept.iter().rev().take_while(|other| other.offset == violation.offset);
            if !same.clone().any(|other| other.kind == violation.kind) {
                kept.push(violation);
            }
        }
        kept
    }

    /// Returns all rules, each with its target.
    pub(super) fn rules(&self) -> impl Iterator<Item = (Option<Target>, Rule)> {
        let targets = self.targets.iter().copied();
        let rules = targets.flat_map(|target| target.0.rules.iter().map(move |&(rule, ..)| (Some(target), rule)));
        let limits = [(Unit::Bytes, self.max_bytes), (Unit::CodePoints, self.max_chars)];
        rules.chain(limits.into_iter().filter_map(|(unit, most)| Some((None, Rule::Length(unit, most?)))))
    }

    /// Reports whether a value with this text is within the maximum lengths.
    pub(super) fn fits(&self, text: &[u8]) -> bool {
        let chars = || String::from_utf8_lossy(text).chars().count();
        self.max_bytes.is_none_or(|most| text.len() <= most) && self.max_chars.is_none_or(|most| chars() <= most)
    }

    /// Returns the violations of a rule in a row, in order.
    fn rule(&self, rule: Rule, syntax: &RowSyntax, row: &[u8], first: bool) -> Vec<Violation> {
        match rule {
            // The beginning of the whole input is checked elsewhere; see `start`.
            Rule::WellFormed | Rule::Start(_) => Vec::new(),
            Rule::Characters(restrictions) => {
                let violation = |found: Restricted| {
                    let kind = match found.kind {
                        RestrictedKind::Nul => ViolationKind::Nul,
                        RestrictedKind::Noncharacter => ViolationKind::Noncharacter,
                        RestrictedKind::Supplementary => ViolationKind::Supplementary,
                        // `OverBudget`: no target has a budget.
                        _ => return None,
                    };
                    Some(Violation::new(found.offset, found.len, kind))
                };
                restrictions.find(Utf8, row).filter_map(violation).collect()
            }
            Rule::Xml => xml::find(row),
            Rule::Subset(subset) => subset.find(syntax, row),
            Rule::Identifier => self.not_allowed(row, identifier::find(syntax, row, first)),
            Rule::Deceptive(written) => self.not_allowed(row, spoofing::find(syntax, row, first, written)),
            // Fields are not JSON, and have their own quoting.
            Rule::Json if matches!(syntax.format(), RowFormat::Csv | RowFormat::Tsv) => Vec::new(),
            Rule::Json => {
                json::find(row).into_iter().filter(|violation| violation.kind != ViolationKind::NulEscape).collect()
            }
            Rule::Escapes(kinds) if syntax.format() == RowFormat::Jsonl => {
                json::find(row).into_iter().filter(|violation| kinds.contains(&violation.kind)).collect()
            }
            Rule::Escapes(_) => Vec::new(),
            // All marks at the start: if only the first were removed, the next would take its place.
            Rule::Mark if first => {
                let marks = row.chunks(3).take_while(|&mark| mark == b"\xEF\xBB\xBF").enumerate();
                marks.map(|(index, _)| Violation::new(3 * index, 3, ViolationKind::Mark)).collect()
            }
            Rule::Mark => Vec::new(),
            Rule::FileName(naming) => value::of(syntax, row).flat_map(|value| naming.find(row, &value)).collect(),
            Rule::Length(unit, most) => {
                value::of(syntax, row).filter_map(|value| value.too_long(row, most, self.graphemes, unit)).collect()
            }
        }
    }

    /// Returns the violations that do not concern allowed characters.
    fn not_allowed(&self, row: &[u8], mut found: Vec<Violation>) -> Vec<Violation> {
        let is_allowed = |c: char| self.allowed.iter().any(|range| range.contains(&c));
        found.retain(|violation| {
            let span = row.get(violation.offset..violation.offset + violation.len).unwrap_or_default();
            let mut non_ascii = std::str::from_utf8(span).unwrap_or_default().chars().filter(|c| !c.is_ascii());
            !non_ascii.next().is_some_and(|first| is_allowed(first) && non_ascii.all(is_allowed))
        });
        found
    }

    /// Describes a violation in words.
    pub fn describe(&self, violation: &Violation) -> Description {
        let what = match (violation.text.as_deref().map(shortened), violation.kind) {
            (Some(other), ViolationKind::LookAlike) => format!("looks like {other:?}"),
            (Some(other), ViolationKind::DoubleEncoding) => format!("encoded twice: {other:?}"),
            (Some(text), _) => format!("hidden: {text:?}"),
            (None, kind) => kind.about().to_owned(),
        };
        let expected = violation.kind.is_damage().then(|| "damaged earlier".to_owned());
        let what = match (violation.target, violation.kind) {
            (None, ViolationKind::TooLong) => {
                let bytes = self.max_bytes.map(|most| counted(most as u64, "byte"));
                let chars = self.max_chars.map(|most| counted(most as u64, "character"));
                let limits: Vec<_> = bytes.into_iter().chain(chars).collect();
                format!("the value is longer than {}", limits.join(" or "))
            }
            (Some(target), ViolationKind::TooLong) => format!("the value is too long for {target}"),
            (Some(target), _) => format!("not allowed by {target}: {what}"),
            (None, _) => format!("not allowed: {what}"),
        };
        let mut description = Description::new(what);
        description.expected = expected;
        description
    }
}
