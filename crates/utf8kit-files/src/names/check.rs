//! Checks a name: its problems, and the name that it should have.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;
use utf8kit::{AnyEncoding, Each, Encoding as _, Piece, Policy, PolicyBuf, Utf8, validate};
use utf8kit_detect::Confidence;
use utf8kit_detect::mojibake::{Detours, Evidence, Outcome};
use utf8kit_detect::repair::{RepairPolicy, Repairer};
use utf8kit_encodings::charset::{Codec, Fallback};
use utf8kit_encodings::convert::NormalForm;
use utf8kit_encodings::counts::Counts;
use utf8kit_encodings::display::plain;
use utf8kit_encodings::violation::ViolationKind;
use utf8kit_records::rows::{RowFormat, RowOptions, RowSyntax};
use utf8kit_records::targets::{Demands, RowRepair, Unsuitable};

use super::evidence::NameEncoding;
use super::problem::{NameProblem, NameProblemKind};

/// The most bytes of a name.
const MAX_NAME_BYTES: usize = 255;

/// The most rounds until a name no longer changes.
const MAX_ROUNDS_PER_NAME: usize = 4;

/// The rules that names must follow.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NameRules {
    /// The encoding of all names that are not UTF-8. `None` infers it from the other names in the folder.
    pub from: Option<Fallback>,
    /// Whether to trust the given encoding even for names that are plausible only in another one.
    pub force: bool,
    /// The policy for names in no known encoding, and for characters that a target rejects. By default, such names are
    /// kept, and rejected characters become `_`. Names that were encoded twice are decoded by default, and with
    /// [`RepairPolicy::Mojibake`], which changes no other names.
    pub policy: Option<RepairPolicy>,
    /// The normal form of names.
    pub normal_form: Option<NormalForm>,
    /// The requirements of targets on names.
    pub demands: Demands,
    /// Whether colliding names are numbered: `a (2).txt`. By default, they are kept.
    pub numbered: bool,
}

/// The result of checking a name.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckedName {
    /// Its problems, in order.
    pub problems: Vec<NameProblem>,
    /// The new name, if it is certain and differs.
    pub becomes: Option<String>,
    /// The presumed encoding, if it is not UTF-8 or was encoded twice.
    pub from: Option<&'static str>,
    /// The certainty of that.
    pub confidence: Option<Confidence>,
    /// The rejected new name, and why the name is kept.
    pub held: Option<UnrenamedName>,
}

/// Why a bad name is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnrenamedName {
    /// The possible new name, if known.
    pub would_be: Option<String>,
    /// The reason.
    pub reason: UnrenamedReason,
}

/// The reason why a bad name is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnrenamedReason {
    /// Its encoding is not certain.
    Uncertain,
    /// The encoding of its comment in the archive, which changes with it, is uncertain.
    UncertainComment,
    /// It is plausible as a name in this encoding, but not in the given one.
    OtherEncoding(&'static str),
    /// It is malformed in this encoding, which was given.
    IllFormed(&'static str),
    /// Most of it is already UTF-8.
    MostlyUtf8,
    /// It is not UTF-8, but only double encoding was to be undone.
    NotUtf8,
    /// The new name would itself need a repair.
    Unstable,
    /// The new name is impossible, for this reason.
    Unusable(String),
}

impl UnrenamedReason {
    /// Reports whether giving an encoding would help.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, UnrenamedReason::Uncertain | UnrenamedReason::UncertainComment)
    }
}

impl fmt::Display for UnrenamedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnrenamedReason::Uncertain => f.write_str("its encoding is uncertain"),
            UnrenamedReason::UncertainComment => f.write_str("the encoding of its comment is uncertain"),
            UnrenamedReason::OtherEncoding(other) => {
                write!(f, "it is plausible in {other}, but not in this encoding")
            }
            UnrenamedReason::IllFormed(encoding) => write!(f, "it is malformed in {encoding}"),
            UnrenamedReason::MostlyUtf8 => f.write_str("most of it is UTF-8 already"),
            UnrenamedReason::NotUtf8 => f.write_str("it is not UTF-8"),
            UnrenamedReason::Unstable => f.write_str("the repaired name would need another repair"),
            UnrenamedReason::Unusable(reason) => f.write_str(reason),
        }
    }
}

/// Checks names by [`NameRules`].
#[derive(Clone, Debug)]
pub struct NameChecker {
    pub(super) rules: NameRules,
    lines: Option<RowSyntax>,
    repair: Option<RowRepair>,
}

impl NameChecker {
    /// Prepares the rules.
    ///
    /// # Errors
    /// [`Unsuitable`] if a target rejects what the policy writes.
    ///
    /// ```
    /// use utf8kit_files::names::{NameChecker, NameRules};
    ///
    /// let checker = NameChecker::new(NameRules::default()).unwrap();
    /// let checked = checker.alone(b"caf\xE9.txt");
    /// assert_eq!(checked.becomes.as_deref(), Some("caf\u{E9}.txt"));
    /// assert_eq!(checked.from, Some("windows-1252"));
    /// assert!(checker.alone("caf\u{E9}.txt".as_bytes()).problems.is_empty());
    /// ```
    pub fn new(rules: NameRules) -> Result<NameChecker, Unsuitable> {
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let lines = RowSyntax::new(RowOptions::new(RowFormat::Lines), utf8).ok();
        let policy = match &rules.policy {
            Some(RepairPolicy::Errors(policy)) => policy.clone(),
            _ => PolicyBuf::from(Policy::Replace { each: Each::Byte, with: "_" }),
        };
        let repair = match &lines {
            Some(lines) if rules.demands.is_any() => {
                Some(RowRepair::new(lines.clone(), rules.demands.clone(), policy.as_policy())?)
            }
            _ => None,
        };
        Ok(NameChecker { rules, lines, repair })
    }

    fn fallback(&self) -> Option<Fallback> {
        self.rules.policy.as_ref().and_then(RepairPolicy::fallback)
    }

    /// Reports whether the encoding of names that are not UTF-8 is given.
    pub fn is_explicit(&self) -> bool {
        self.rules.from.is_some() || self.fallback().is_some()
    }

    /// Checks a name by itself.
    pub fn alone(&self, name: &[u8]) -> CheckedName {
        let group = super::evidence::Group { names: vec![name], context: String::new() };
        let found = super::evidence::encodings(&[group]).into_iter().flatten().next().flatten();
        self.check(name, found, None)
    }

    /// Checks a name. `found` is the encoding inferred from other names if it is not UTF-8; `proven` are the encodings
    /// that twice-encoded names went through.
    pub(super) fn check(&self, name: &[u8], found: Option<NameEncoding>, proven: Option<Detours>) -> CheckedName {
        let mut checked = CheckedName::default();
        let text = match validate(name) {
            Ok(text) => text.to_owned(),
            Err(_) => match self.decoded(name, found, &mut checked) {
                Some(text) => text,
                None => return checked,
            },
        };
        let (mut now, mut stable) = (text.clone(), false);
        for round in 0..MAX_ROUNDS_PER_NAME {
            let next = self.amended(&now, proven, (round == 0).then_some((name, &mut checked)));
            stable = next == now;
            now = next;
            if stable {
                break;
            }
        }
        if checked.problems.is_empty() {
            return checked;
        }
        let reason = match () {
            () if now.as_bytes() == name => None,
            () if !stable => Some(UnrenamedReason::Unstable),
            () => self.refused(name, &now).map(UnrenamedReason::Unusable),
        };
        match reason {
            Some(reason) => checked.held = Some(UnrenamedName { would_be: Some(now), reason }),
            None if now.as_bytes() != name => checked.becomes = Some(now),
            None => {}
        }
        checked
    }

    /// Decodes a name that is not UTF-8, or returns the reason why that fails.
    fn decoded(&self, name: &[u8], found: Option<NameEncoding>, checked: &mut CheckedName) -> Option<String> {
        let given = self.fallback().or(self.rules.from);
        let other = given.and_then(|given| found.filter(|found| found.overrules(given.codec(), name)));
        let found = match given {
            Some(from) => Some(NameEncoding { codec: from.codec(), confidence: Confidence::Certain }),
            None => found,
        };
        let text = found.and_then(|found| found.codec.text_of(name));
        if given.is_some() && is_mostly_utf8(name) {
            let what = "not UTF-8, but most of it is".to_owned();
            checked.problems.push(NameProblem { kind: NameProblemKind::NotUtf8, what, ..span(name) });
            checked.held = Some(UnrenamedName { would_be: text, reason: UnrenamedReason::MostlyUtf8 });
            return None;
        }
        if let Some(found) = found {
            checked.from = Some(found.codec.name());
            checked.confidence = given.is_none().then_some(found.confidence);
        }
        let what = match (&text, found) {
            (Some(text), Some(found)) if given.is_some() => {
                format!("{} in {}", quoted(text), found.codec.name())
            }
            (Some(text), Some(found)) => {
                format!("{}, {} in {}", found.confidence.name(), quoted(text), found.codec.name())
            }
            _ => "and in no other encoding for certain".to_owned(),
        };
        checked.problems.push(NameProblem {
            kind: NameProblemKind::NotUtf8,
            what: format!("not UTF-8: {what}"),
            ..span(name)
        });
        let reason = match (found, &text, &self.rules.policy, other.filter(|_| !self.rules.force)) {
            (_, _, Some(RepairPolicy::Mojibake(_)), _) => UnrenamedReason::NotUtf8,
            (Some(_), Some(_), _, Some(other)) => UnrenamedReason::OtherEncoding(other.codec.name()),
            (Some(found), Some(_), _, _) if found.is_certain_enough() => return text,
            (_, _, Some(policy @ RepairPolicy::Errors(_)), _) if given.is_none() => {
                let mut out = Vec::new();
                Repairer::new(policy, AnyEncoding::Utf8).push(name, Piece::Last, &mut out, &mut |_| {});
                return String::from_utf8(out).ok();
            }
            (Some(found), None, _, _) if given.is_some() => UnrenamedReason::IllFormed(found.codec.name()),
            _ => UnrenamedReason::Uncertain,
        };
        checked.held = Some(UnrenamedName { would_be: text, reason });
        None
    }

    /// Returns the name after one round of changes, and records its problems.
    fn amended(&self, text: &str, proven: Option<Detours>, note: Option<(&[u8], &mut CheckedName)>) -> String {
        let mut problems = Vec::new();
        let mut now = text.to_owned();
        let whole = |kind, what: String| NameProblem { kind, what, ..span(text.as_bytes()) };
        let mut from = None;
        if !self.is_explicit()
            && let Outcome::Repaired(was) = Evidence::new(proven).repair(text)
        {
            from = was.detours.names().next();
            let what = format!("encoded twice: {}", quoted(&was.text));
            problems.push(whole(NameProblemKind::DoubleEncoding, what));
            now = was.text;
        }
        if let Some(form) = self.rules.normal_form {
            let formed = normalized(&now, form);
            if formed != now {
                let name = if form == NormalForm::Nfc { "NFC" } else { "NFD" };
                problems.push(whole(NameProblemKind::NotNormalized, format!("not in {name}")));
                now = formed;
            }
        }
        if let (Some(lines), Some(repair)) = (&self.lines, &self.repair) {
            now = now.split('/').map(|part| self.suited(part, lines, repair)).collect::<Vec<_>>().join("/");
            problems.extend(self.violations(text, lines));
        }
        if let Some((name, checked)) = note {
            checked.from = checked.from.or(from);
            if !checked.problems.is_empty() {
                // Their offsets refer to the decoded name.
                problems.iter_mut().for_each(|problem| (problem.offset, problem.len) = (0, name.len()));
            }
            checked.problems.append(&mut problems);
        }
        now
    }

    /// Returns the violations of targets in each part of a name.
    fn violations(&self, text: &str, lines: &RowSyntax) -> Vec<NameProblem> {
        let (mut problems, mut start) = (Vec::new(), 0);
        for part in text.split('/') {
            let row = part.trim_end_matches(['\r', '\n']);
            for violation in self.rules.demands.find(lines, row.as_bytes(), false) {
                let what = self.rules.demands.describe(&violation).message();
                let kind = NameProblemKind::Target(violation.kind);
                problems.push(NameProblem { offset: start + violation.offset, len: violation.len, kind, what });
            }
            if row.len() < part.len() {
                let kind = NameProblemKind::Target(ViolationKind::Control);
                let what = "a line end".to_owned();
                problems.push(NameProblem { offset: start + row.len(), len: part.len() - row.len(), kind, what });
            }
            start += part.len() + 1;
        }
        problems
    }

    /// Returns a part of a name, changed so that the targets accept it.
    fn suited(&self, part: &str, lines: &RowSyntax, repair: &RowRepair) -> String {
        let row = part.trim_end_matches(['\r', '\n']);
        let too_long = |row: &str| {
            let found = self.rules.demands.find(lines, row.as_bytes(), false);
            found.iter().any(|violation| violation.kind == ViolationKind::TooLong)
        };
        if too_long(row) {
            return part.to_owned();
        }
        let suited = repair.repair(row.as_bytes(), false, &mut Counts::default());
        String::from_utf8_lossy(&suited).into_owned()
    }

    /// Returns why a name must not become another one.
    fn refused(&self, name: &[u8], now: &str) -> Option<String> {
        let parts = |text: &[u8]| text.iter().filter(|&&byte| byte == b'/').count();
        let is_none = |part: &str| matches!(part, "" | "." | "..");
        let is_c1 = |c: &char| matches!(c, '\u{80}'..='\u{9F}');
        let had_none = name.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b".."));
        match () {
            () if parts(name) != parts(now.as_bytes()) || now.contains('\0') => {
                Some("it would not be a name".to_owned())
            }
            () if !had_none && now.trim_matches('/').split('/').any(is_none) => {
                Some("it would not be a name".to_owned())
            }
            () if now.split('/').any(|part| part.len() > MAX_NAME_BYTES) => {
                Some(format!("it would be longer than {MAX_NAME_BYTES} bytes"))
            }
            () if validate(name).is_err() && now.chars().any(|c| is_c1(&c)) => {
                Some("it would have control characters: it is in another encoding".to_owned())
            }
            () => None,
        }
    }
}

/// Returns a problem that spans from the first to the last error of a name, or all of it. The caller sets the kind.
fn span(name: &[u8]) -> NameProblem {
    let mut errors = Utf8.errors(name).map(|error| error.range());
    let first = errors.next().unwrap_or(0..name.len());
    let end = errors.last().map_or(first.end, |last| last.end);
    NameProblem { offset: first.start, len: end - first.start, kind: NameProblemKind::NotUtf8, what: String::new() }
}

/// Returns a name in a normal form.
pub(super) fn normalized(text: &str, form: NormalForm) -> String {
    match form {
        NormalForm::Nfd => text.nfd().collect(),
        _ => text.nfc().collect(),
    }
}

/// Reports whether most of a name is UTF-8.
fn is_mostly_utf8(name: &[u8]) -> bool {
    let (good, bad) = weighed(name);
    good >= 2 && bad * 2 <= good
}

/// Reports whether a name is UTF-8 with a few errors and not in another encoding.
pub(super) fn is_broken_utf8(name: &[u8]) -> bool {
    // Its end truncates a sequence. In another encoding, that would be two odd letters.
    let is_cut = || Utf8.errors(name).next().is_some_and(|error| error.range().end == name.len() && error.len > 1);
    is_mostly_utf8(name) || weighed(name) == (0, 1) && is_cut()
}

/// Returns the number of continuation bytes in valid sequences, and the number of errors.
fn weighed(name: &[u8]) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    for item in Utf8.items(name) {
        match item.result {
            Ok(_) if item.len > 1 => good += item.len - 1,
            Ok(_) => {}
            Err(_) => bad += 1,
        }
    }
    (good, bad)
}

/// Returns a name in quotes, safe for a terminal.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", plain(name))
}
