//! Repairs rows for a target, by a policy.

use std::borrow::Cow;
use std::cell::LazyCell;

use utf8kit::{Change, Converter, Each, Policy, PolicyBuf, Utf8, truncate, validate};
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::counts::Counts;

use super::Demands;
use super::json::{self, Within};
use super::spoofing::{Code, Written};
use super::table::Rule;
use crate::rows::{RowFormat, RowSyntax};
use crate::violation::{Violation, ViolationKind};

/// Repairs rows for a target. The same policy handles invalid bytes and rejected text; values that are too long are
/// truncated.
#[derive(Clone, Debug)]
pub struct RowRepair {
    syntax: RowSyntax,
    demands: Demands,
    policy: PolicyBuf,
}

/// The reason why rows cannot be repaired for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuitable {
    /// The policy writes escapes, but file names cannot contain backslashes.
    Escapes,
    /// The policy writes U+FFFD, but the target rejects that.
    Replacements,
    /// Any change makes an identifier a different name.
    Identifiers,
}

impl std::fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unsuitable::Escapes => "escapes have backslashes, which no name of a file may have",
            Unsuitable::Replacements => "the target rejects U+FFFD: use remove or escape, or another replacement",
            Unsuitable::Identifiers => "an identifier with other characters is another name: reject the rows instead",
        })
    }
}

impl std::error::Error for Unsuitable {}

impl RowRepair {
    /// Creates a repair of rows of UTF-8. For names, [`Policy::SameLength`] writes `_`, because they cannot contain
    /// `?`.
    ///
    /// # Errors
    /// [`Unsuitable`] if a target rejects what the policy writes, or nothing can be written instead.
    ///
    /// ```
    /// use utf8kit_encodings::Counts;
    /// use utf8kit_records::rows::{RowFormat, RowOptions, RowSyntax};
    /// use utf8kit_records::targets::{Demands, RowRepair};
    ///
    /// let utf8 = utf8kit_encodings::charset::Codec::Native(utf8kit::AnyEncoding::Utf8);
    /// let csv = RowSyntax::new(RowOptions::new(RowFormat::Csv), utf8).unwrap();
    /// let mut demands = Demands::default();
    /// demands.targets = vec!["postgresql".parse().unwrap()];
    /// let repair = RowRepair::new(csv, demands, utf8kit::Policy::Remove).unwrap();
    /// let mut counts = Counts::default();
    /// assert_eq!(*repair.repair(b"a\0,b\xFF\n", true, &mut counts), *b"a,b\n");
    /// assert_eq!(counts.to_string(), "1 invalid byte, 1 NUL");
    /// ```
    pub fn new(syntax: RowSyntax, demands: Demands, policy: Policy<'_>) -> Result<RowRepair, Unsuitable> {
        let any_has = |rule| demands.targets.iter().any(|target| target.has(rule));
        if any_has(Rule::Identifier) {
            return Err(Unsuitable::Identifiers);
        }
        let (are_names, no_replacements) = (
            demands.targets.iter().any(|target| target.is_of_names()),
            any_has(Rule::Deceptive(Written::Text)) || any_has(Rule::Deceptive(Written::Code)),
        );
        let policy = match policy {
            Policy::Escape if are_names => return Err(Unsuitable::Escapes),
            Policy::Replace { with, .. } if no_replacements && with.contains('\u{FFFD}') => {
                return Err(Unsuitable::Replacements);
            }
            // No name may contain the question mark of that policy.
            Policy::SameLength if are_names => Policy::Replace { each: Each::Byte, with: "_" },
            policy => policy,
        };
        Ok(RowRepair { syntax, demands, policy: policy.into() })
    }

    /// Returns the syntax of the rows.
    pub fn syntax(&self) -> &RowSyntax {
        &self.syntax
    }

    /// Returns the policy.
    pub fn policy(&self) -> RepairPolicy {
        RepairPolicy::Errors(self.policy.clone())
    }

    /// Reports whether it changes controls that are valid in UTF-8.
    pub fn removes_controls(&self) -> bool {
        ["a\u{92}", "a\u{1B}"].iter().any(|text| !self.demands.find(&self.syntax, text.as_bytes(), true).is_empty())
    }

    /// Returns the repair for parts of values, whose length is unknown.
    pub fn of_parts(&self) -> RowRepair {
        RowRepair { demands: Demands { max_bytes: None, max_chars: None, ..self.demands.clone() }, ..self.clone() }
    }

    /// Reports whether some rows certainly stay unchanged. `first` means that the input begins with them.
    pub fn leaves_unchanged(&self, rows: &[u8], first: bool) -> bool {
        let escapes = || self.policy.as_policy() == Policy::Escape && memchr::memmem::find(rows, b"\\x").is_some();
        validate(rows).is_ok() && !escapes() && self.demands.pass(&self.syntax, rows, first)
    }

    /// Returns the repaired row, and counts the repairs. Text without a possible replacement is kept and also counted:
    /// names that look like others, characters hidden in names of code, and damage. `first` means that the input begins
    /// with the row.
    pub fn repair<'r>(&self, row: &'r [u8], first: bool, counts: &mut Counts) -> Cow<'r, [u8]> {
        let mut row = self.well_formed(row, counts);
        // A replacement may itself be rejected or make a value too long, and the end of a truncated name may be
        // rejected, but only a few times.
        for round in 0..8 {
            let mut found = self.demands.find(&self.syntax, &row, first);
            let all = found.len();
            let code = LazyCell::new(|| Code::of(&self.syntax, &row, first));
            found.retain(|violation| !self.is_kept(&code, violation));
            if round == 0 {
                counts.add_kept((all - found.len()) as u64);
            }
            let long = |violation: &Violation| violation.kind == ViolationKind::TooLong;
            // The truncated part needs no repair, but repairs may change the length of the rest.
            if found.iter().any(|violation| !long(violation)) {
                found.retain(|violation| !long(violation));
            }
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|violation| counts.add_refused(violation.kind));
            row = Cow::Owned(self.without(&row, &found));
        }
        row
    }

    /// Reports whether a rejected span has no replacement, because a changed name would be a different name, or because
    /// lost text is unknown.
    fn is_kept(&self, code: &LazyCell<Code, impl FnOnce() -> Code>, violation: &Violation) -> bool {
        use ViolationKind::{
            BidiControl, DoubleEncoding, HiddenText, Invisible, LookAlike, MixedScripts, PrivateUse,
            ReplacementCharacter, Unassigned,
        };
        let is_code = || self.demands.targets.iter().any(|target| target.has(Rule::Deceptive(Written::Code)));
        match violation.kind {
            DoubleEncoding | LookAlike | MixedScripts => true,
            ReplacementCharacter => is_code(),
            BidiControl | HiddenText | Invisible | PrivateUse | Unassigned => is_code() && code.has_in_name(violation),
            _ => false,
        }
    }

    /// Returns the row without errors, and counts them.
    fn well_formed<'r>(&self, row: &'r [u8], counts: &mut Counts) -> Cow<'r, [u8]> {
        if self.policy.as_policy() != Policy::Escape && validate(row).is_ok() {
            return Cow::Borrowed(row);
        }
        let (mut out, mut at, mut within) = (Vec::with_capacity(row.len()), 0, Within::default());
        let mut note = |change: Change<'_>| {
            counts.add(change);
            let start = usize::try_from(change.offset).unwrap_or(row.len());
            let before = &row[at..start];
            within.read(before);
            out.extend_from_slice(before);
            // In a string, the backslash of an escape must itself be escaped. Backslashes of the text already are.
            match change.kind {
                Some(_) if self.is_json() && within.string => out.extend(json::escaped(change.after)),
                _ => out.extend_from_slice(change.after),
            }
            at = start + change.before.len();
        };
        // Every policy handles all errors.
        let mut converter = Converter::lossy(Utf8, Utf8, self.policy.as_policy());
        let _ = converter.push_observed(row, &mut Vec::new(), &mut note);
        let _ = converter.finish_observed(&mut Vec::new(), &mut note);
        out.extend_from_slice(&row[at..]);
        Cow::Owned(out)
    }

    /// Reports whether rows are JSON, or must be, so that text in their strings is escaped.
    fn is_json(&self) -> bool {
        match self.syntax.format() {
            RowFormat::Csv | RowFormat::Tsv => false,
            RowFormat::Json | RowFormat::Jsonl => true,
            RowFormat::Lines | RowFormat::Xml => self.demands.lines() == RowFormat::Json,
        }
    }

    /// Returns the row without its violations. Violations do not overlap, except for a name that is rejected as a
    /// whole.
    fn without(&self, row: &[u8], found: &[Violation]) -> Vec<u8> {
        let (mut out, mut at, mut within) = (Vec::with_capacity(row.len()), 0, Within::default());
        for violation in found {
            let end = violation.offset + violation.len;
            if violation.offset < at {
                continue;
            }
            within.read(&row[at..violation.offset]);
            out.extend_from_slice(&row[at..violation.offset]);
            let refused = &row[violation.offset..end];
            match self.is_json() && within.string {
                true => self.put_in_string(refused, violation.kind, &mut out),
                false => self.put(refused, violation.kind, &mut out),
            }
            within.read(refused);
            at = end;
        }
        out.extend_from_slice(&row[at..]);
        out
    }

    /// Writes the replacement of a rejected span of a JSON string.
    fn put_in_string(&self, refused: &[u8], kind: ViolationKind, out: &mut Vec<u8>) {
        use ViolationKind::{Control, DeviceName, InvalidEscape, Mark, Nul, TooLong};
        let (escaped, is_escape) = (json::escaped(refused), refused.starts_with(b"\\u"));
        match (kind, self.policy.as_policy()) {
            (DeviceName | Mark | TooLong, _) => self.put(refused, kind, out),
            // Nothing is lost, because these characters can be written as escapes, and text that only looks like an
            // escape as text.
            (Control | Nul | InvalidEscape, Policy::Escape | Policy::Replace { with: "\u{FFFD}", .. })
                if self.accepts(RowFormat::Jsonl, &[b"\"", &*escaped, b"\""].concat()) =>
            {
                out.extend(escaped);
            }
            (_, Policy::Escape) if is_escape => out.extend(escaped),
            (_, Policy::Replace { with: "\u{FFFD}", .. }) if is_escape => {
                out.extend_from_slice(b"\\ufffd");
            }
            _ => {
                let mut text = Vec::new();
                self.put(refused, kind, &mut text);
                out.extend(json::escaped(&text));
            }
        }
    }

    /// Writes the replacement of a rejected span.
    fn put(&self, refused: &[u8], kind: ViolationKind, out: &mut Vec<u8>) {
        match (kind, self.policy.as_policy()) {
            (ViolationKind::TooLong | ViolationKind::Mark, _) => {}
            (ViolationKind::DeviceName, policy) => out.extend_from_slice(&self.ordinary_name(refused, policy)),
            (_, Policy::Remove) => {}
            (_, Policy::SameLength) => out.extend(refused.iter().map(|_| b'?')),
            (ViolationKind::CharacterReference, Policy::Escape) => {
                out.extend_from_slice(b"&amp;");
                out.extend_from_slice(&refused[1..]);
            }
            (_, Policy::Replace { with, .. }) => out.extend_from_slice(self.accepted_part(with).as_bytes()),
            (_, _) => out.extend(refused.iter().flat_map(|byte| format!("\\x{byte:02X}").into_bytes())),
        }
    }

    /// Returns a device name with a suffix, which makes it ordinary, or without its last character if a suffix would
    /// make it too long.
    fn ordinary_name(&self, device: &[u8], policy: Policy<'_>) -> Vec<u8> {
        let with = if let Policy::Replace { with, .. } = policy { self.accepted_part(with) } else { String::new() };
        let with = if with.is_empty() { "_" } else { &with };
        let ordinary = [device, with.as_bytes()].concat();
        match self.demands.fits(&ordinary) {
            true => ordinary,
            false => truncate(device, device.len().saturating_sub(1)).to_vec(),
        }
    }

    /// Returns a replacement without the parts that are themselves rejected.
    fn accepted_part(&self, with: &str) -> String {
        let is_accepted = |c: &char| self.accepts(RowFormat::Lines, c.encode_utf8(&mut [0; 4]).as_bytes());
        with.chars().filter(is_accepted).collect()
    }

    /// Reports whether a row of any length is accepted.
    fn accepts(&self, format: RowFormat, row: &[u8]) -> bool {
        let utf8 = utf8kit_encodings::charset::Codec::Native(utf8kit::AnyEncoding::Utf8);
        let Ok(syntax) = RowSyntax::new(crate::rows::RowOptions::new(format), utf8) else { return false };
        let demands = Demands { max_bytes: None, max_chars: None, ..self.demands.clone() };
        demands.find(&syntax, row, false).is_empty()
    }
}
