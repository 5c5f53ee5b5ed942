//! The policies for errors, escapes and lines, and which blocks of an input each leaves unchanged.

use std::fmt;
use std::str::FromStr;

use utf8kit::{AnyEncoding, Each, Encoding as _, Policy, PolicyBuf};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Fallback, UnknownCharset};

use crate::mojibake::{Detours, may_be_mojibake};

/// The policy of a repair. It is parsed from its name and displayed as it: `replace`, `replace=?`,
/// `fallback=windows-1252`; [`RepairPolicy::names`] lists all names.
///
/// ```
/// use utf8kit_detect::repair::{RepairPolicy, Repairer};
///
/// let policy: RepairPolicy = "fallback-lines=latin1".parse()?;
/// assert_eq!(policy.to_string(), "fallback-lines=latin1");
/// let mut repairer = Repairer::new(&policy, utf8kit::AnyEncoding::Utf8);
/// let mut out = Vec::new();
/// repairer.push(b"caf\xE9 \xC3\xA9\n", utf8kit::Piece::Last, &mut out, &mut |_| {});
/// assert_eq!(out, "caf\u{E9} \u{C3}\u{A9}\n".as_bytes());
/// # Ok::<(), utf8kit_detect::repair::UnknownRepairPolicy>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairPolicy {
    /// Handle each error according to the library's policy.
    Errors(PolicyBuf),
    /// Decode escapes.
    Unescape,
    /// Decode each run of errors from another encoding.
    Fallback(Fallback),
    /// Decode each line with an error from another encoding.
    FallbackLines(Fallback),
    /// Decode lines that were encoded twice. If a line has several possible decodings, the other lines decide: the
    /// lines before it, or all lines if the result of [`Repairer::proven`](crate::Repairer::proven) for the whole
    /// input is given.
    Mojibake(Option<Detours>),
    /// Undo lossless damage of one kind.
    Artifact(Artifact),
}

/// The names of all policies, each with a description. `=LABEL` stands for an encoding, which the policy needs.
const NAMES: [(&str, &str); 17] = [
    ("replace", "One U+FFFD per maximal subpart, as in WHATWG, Python, Rust and Node"),
    ("replace-byte", "One U+FFFD per byte, as in Go's range loop"),
    ("replace-run", "One U+FFFD per run of errors, as in Go's ToValidUTF8 and ClickHouse"),
    ("java", "Like replace, but one U+FFFD per encoded surrogate, as in Java"),
    ("remove", "Remove the invalid bytes"),
    ("escape", "Write each byte as `\\xHH`; a backslash before an x is written `\\x5C`"),
    ("unescape", "Undo `escape` exactly"),
    ("same-length", "One `?` per byte"),
    (
        "mojibake",
        "Decode lines that were encoded twice (\"caf\u{C3}\u{A9}\") if that is certain, also because of other lines \
         of the file; change nothing else",
    ),
    (
        "join",
        "Join characters whose bytes were separated: surrogate pairs (CESU-8), and characters split by a folded \
         line, a line end or a NUL, which is moved after them",
    ),
    (
        "utf-16",
        "Decode UTF-16 within UTF-8: lines that a shell appended, and text that was encoded in UTF-16 twice, read as \
         Latin-1, or given a CR before each byte 0A",
    ),
    (
        "signs",
        "Restore punctuation of windows-1252 that was read as Latin-1 controls: `don\\u{92}t` becomes `don\u{2019}t`",
    ),
    ("remove-marks", "Remove all byte order marks, and nothing else"),
    ("remove-nuls", "Remove NULs, and nothing else"),
    ("quoted-printable", "Decode the escapes of mail (`=C3=BC`) if the whole text consists of ASCII and such escapes"),
    ("fallback=LABEL", "Decode the invalid bytes from another encoding, such as fallback=windows-1252"),
    ("fallback-lines=LABEL", "Decode whole lines with an error from another encoding"),
];

impl RepairPolicy {
    /// Iterates over the names of all policies, each with a description.
    ///
    /// ```
    /// use utf8kit_detect::RepairPolicy;
    ///
    /// let plain = RepairPolicy::names().map(|(name, _)| name).filter(|name| !name.contains('='));
    /// assert!(plain.clone().all(|name| name.parse::<RepairPolicy>().is_ok_and(|policy| policy.to_string() == name)));
    /// assert_eq!(plain.count(), 15);
    /// ```
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
        NAMES.into_iter()
    }

    /// Returns the policy of an action, unless it is a conversion.
    pub fn of(action: crate::detect::Action) -> Option<RepairPolicy> {
        use crate::detect::Action;
        match action {
            Action::Convert { .. } => None,
            Action::ReplaceErrors => Some(RepairPolicy::default()),
            Action::FixMojibake => Some(RepairPolicy::Mojibake(None)),
            Action::Artifact(artifact) => Some(RepairPolicy::Artifact(artifact)),
            Action::Unescape => Some(RepairPolicy::Unescape),
            Action::Fallback(fallback) => Some(RepairPolicy::Fallback(fallback)),
            Action::FallbackLines(fallback) => Some(RepairPolicy::FallbackLines(fallback)),
        }
    }

    /// Checks that the policy can repair an encoding.
    ///
    /// # Errors
    /// [`Unsupported`] if it cannot. Artifacts and double encoding can be undone only in UTF-8, and a fallback works
    /// only in UTF-8 and its dialects.
    ///
    /// ```
    /// use utf8kit::AnyEncoding;
    /// use utf8kit_detect::repair::RepairPolicy;
    ///
    /// let error = RepairPolicy::Mojibake(None).check(AnyEncoding::Cesu8).unwrap_err();
    /// assert_eq!(error.to_string(), "this policy is for utf-8");
    /// ```
    pub fn check(&self, encoding: AnyEncoding) -> Result<(), Unsupported> {
        match self {
            RepairPolicy::Mojibake(_) | RepairPolicy::Artifact(_) if encoding != AnyEncoding::Utf8 => {
                Err(Unsupported::NotUtf8)
            }
            _ if self.fallback().is_some() && !encoding.is_dialect() => Err(Unsupported::NoDialect),
            _ => Ok(()),
        }
    }

    /// Reports whether the policy replaces errors, whatever text they may be.
    ///
    /// ```
    /// use utf8kit_detect::RepairPolicy;
    ///
    /// let is_lossy = |name: &str| name.parse().is_ok_and(|policy: RepairPolicy| policy.is_lossy());
    /// assert!(is_lossy("replace") && is_lossy("remove"));
    /// assert!(!is_lossy("escape") && !is_lossy("fallback=windows-1252"));
    /// ```
    pub fn is_lossy(&self) -> bool {
        matches!(self, RepairPolicy::Errors(policy) if policy.as_policy() != Policy::Escape)
    }

    /// Reports whether text in another encoding may be lost, by replacing it or decoding it from a wrong encoding.
    pub fn may_lose_text(&self) -> bool {
        self.is_lossy() || self.fallback().is_some()
    }

    /// Returns the encoding from which the policy decodes errors or lines with errors, if it does so.
    ///
    /// ```
    /// use utf8kit_detect::RepairPolicy;
    ///
    /// let has_fallback = |name: &str| name.parse().is_ok_and(|policy: RepairPolicy| policy.fallback().is_some());
    /// assert!(has_fallback("fallback=koi8-r") && has_fallback("fallback-lines=koi8-r"));
    /// assert!(!has_fallback("replace"));
    /// ```
    pub fn fallback(&self) -> Option<Fallback> {
        match self {
            RepairPolicy::Fallback(fallback) | RepairPolicy::FallbackLines(fallback) => Some(*fallback),
            _ => None,
        }
    }

    /// Returns this policy with the evidence of the whole input, if it needs evidence and has none: `proven` is the
    /// result of [`Repairer::proven`](crate::Repairer::proven) for that input.
    pub fn with_evidence(&self, proven: Detours) -> RepairPolicy {
        match self {
            RepairPolicy::Mojibake(None) => RepairPolicy::Mojibake(Some(proven)),
            decided => decided.clone(),
        }
    }

    /// Reports whether a block of whole items stays unchanged in any context, apart from the rest of its lines.
    pub fn leaves_unchanged(&self, encoding: AnyEncoding, items: &[u8]) -> bool {
        let backslash = || items.contains(&b'\\');
        let valid = || encoding.validate(items).is_ok();
        match self {
            RepairPolicy::Errors(policy) if policy.as_policy() == Policy::Escape => !backslash() && valid(),
            // Whether an item is an error may depend on the item before it.
            RepairPolicy::Errors(_) if encoding == AnyEncoding::Wtf8 => false,
            RepairPolicy::Errors(_) | RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) => valid(),
            RepairPolicy::Unescape => !backslash(),
            RepairPolicy::Artifact(Artifact::Join) => valid(),
            RepairPolicy::Artifact(Artifact::Nuls) => memchr::memchr(0, items).is_none(),
            RepairPolicy::Artifact(Artifact::Signs) => valid() && memchr::memmem::find(items, b"\xC2").is_none(),
            RepairPolicy::Artifact(Artifact::Marks) => memchr::memmem::find(items, "\u{FEFF}".as_bytes()).is_none(),
            // The kind of damage depends on the beginning of UTF-16 text.
            RepairPolicy::Artifact(_) => false,
            RepairPolicy::Mojibake(_) => utf8kit::validate(items).is_ok_and(|text| !may_be_mojibake(text)),
        }
    }

    /// Reports whether blocks of whole items can be repaired independently, because no error depends on another or on
    /// the text after it.
    pub fn splits(&self, encoding: AnyEncoding) -> bool {
        use AnyEncoding as E;
        let RepairPolicy::Errors(policy) = self else { return false };
        let alone = match policy.as_policy() {
            Policy::Replace { each, .. } => matches!(each, Each::Subpart | Each::Byte),
            Policy::Remove | Policy::SameLength => true,
            _ => false,
        };
        alone && !matches!(encoding, E::Wtf8 | E::Utf8Bits21 | E::Utf8Bits31)
    }
}

impl Default for RepairPolicy {
    /// Returns the policy that writes U+FFFD for each error.
    fn default() -> RepairPolicy {
        RepairPolicy::Errors(PolicyBuf::default())
    }
}

impl From<Policy<'_>> for RepairPolicy {
    fn from(policy: Policy<'_>) -> RepairPolicy {
        RepairPolicy::Errors(policy.into())
    }
}

impl fmt::Display for RepairPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairPolicy::Errors(policy) => policy.fmt(f),
            RepairPolicy::Unescape => f.write_str("unescape"),
            RepairPolicy::Fallback(fallback) => write!(f, "fallback={fallback}"),
            RepairPolicy::FallbackLines(fallback) => write!(f, "fallback-lines={fallback}"),
            RepairPolicy::Mojibake(_) => f.write_str("mojibake"),
            RepairPolicy::Artifact(artifact) => artifact.fmt(f),
        }
    }
}

impl FromStr for RepairPolicy {
    type Err = UnknownRepairPolicy;

    fn from_str(text: &str) -> Result<RepairPolicy, UnknownRepairPolicy> {
        let fallback = |label: &str| label.parse().map_err(UnknownRepairPolicy::Fallback);
        let artifact = Artifact::ALL.into_iter().find(|artifact| artifact.name() == text);
        match (text, text.split_once('=')) {
            ("unescape", _) => Ok(RepairPolicy::Unescape),
            ("mojibake", _) => Ok(RepairPolicy::Mojibake(None)),
            (_, Some(("fallback", label))) => fallback(label).map(RepairPolicy::Fallback),
            (_, Some(("fallback-lines", label))) => fallback(label).map(RepairPolicy::FallbackLines),
            _ if artifact.is_some() => artifact.map(RepairPolicy::Artifact).ok_or(UnknownRepairPolicy::Name),
            _ => text.parse().map(RepairPolicy::Errors).map_err(|_| UnknownRepairPolicy::Name),
        }
    }
}

/// Why a text is not the name of a [`RepairPolicy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownRepairPolicy {
    /// No policy has this name.
    Name,
    /// The encoding of a fallback is unknown.
    Fallback(UnknownCharset),
}

impl fmt::Display for UnknownRepairPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownRepairPolicy::Name => f.write_str("unknown policy"),
            UnknownRepairPolicy::Fallback(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UnknownRepairPolicy {}

/// Why a policy does not support an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// Artifacts and double encoding are undone in UTF-8.
    NotUtf8,
    /// A fallback is for UTF-8 and its dialects.
    NoDialect,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsupported::NotUtf8 => "this policy is for utf-8",
            Unsupported::NoDialect => "the policy fallback is for utf-8 and its dialects",
        })
    }
}

impl std::error::Error for Unsupported {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_is_parsed_from_what_it_shows() {
        let label = "windows-1252";
        let spelled = RepairPolicy::names().map(|(name, _)| name.replace("LABEL", label));
        for name in spelled.chain(["replace=?".to_owned(), "java=".to_owned()]) {
            let policy: RepairPolicy = name.parse().unwrap();
            assert_eq!(policy.to_string(), name);
        }
        for policy in Policy::ALL {
            assert!(RepairPolicy::names().any(|(name, _)| name == policy.name()), "{policy} is not among the names");
        }
        for unknown in ["", "fallback", "mojibake=", "unescape=x", "Replace", "fallback_lines=latin1"] {
            assert_eq!(unknown.parse::<RepairPolicy>(), Err(UnknownRepairPolicy::Name), "{unknown}");
        }
        for label in ["", "nonsense", "utf-16"] {
            let error = format!("fallback={label}").parse::<RepairPolicy>().unwrap_err();
            assert!(matches!(error, UnknownRepairPolicy::Fallback(_)), "{label}: {error}");
        }
    }
}
