//! Policies for errors, and their names.

use core::fmt;

#[cfg(feature = "alloc")]
use alloc::{borrow::ToOwned, boxed::Box};
#[cfg(feature = "alloc")]
use core::str::FromStr;

/// The span that one replacement stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Each {
    /// A maximal subpart (The Unicode Standard, 3.9), as in WHATWG decoders, Python, Rust and Node.
    #[default]
    Subpart,
    /// A byte of an error (a code unit in wider encodings), as in Go's `range` loop.
    Byte,
    /// A run of adjacent errors, as in Go's `strings.ToValidUTF8` and ClickHouse.
    Run,
    /// A maximal subpart, except that an encoded surrogate (`ED A0..BF 80..BF`) counts as one, as in Java's decoder.
    Java,
}

/// The handling of an error.
///
/// Policies have names, which [`PolicyBuf`] parses and owns: `replace`, `replace-byte`, `replace-run`, `java`,
/// `remove`, `escape`, `same-length`. The first four also take a replacement text, as in `replace=?`.
///
/// ```
/// use utf8kit::{Encoding, Each, Policy, Utf8};
/// let question = Policy::Replace { each: Each::Run, with: "<?>" };
/// assert_eq!(&*Utf8.repair(b"a\xFF\xFFb", question), b"a<?>b");
/// assert_eq!(question.to_string(), "replace-run=<?>");
/// assert_eq!(Policy::try_from("replace-run=<?>"), Ok(question));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy<'t> {
    /// Write a replacement text. Characters of the text that the target cannot represent become `?`.
    Replace {
        /// The span that one replacement stands for.
        each: Each,
        /// The replacement text, of any length.
        with: &'t str,
    },
    /// Omit the bytes. This loses data, and can join what was separate: `<scr\xFFipt>`.
    Remove,
    /// Write each byte as `\xHH`. This is reversible: a backslash before an `x` is written as `\x5C` (each byte of its
    /// unit, in wider encodings), so [`crate::Encoding::unescape`] restores the input exactly.
    Escape,
    /// Write a `?` for each byte (for each whole code unit in wider encodings), so that everything else keeps its
    /// offset. Part of a unit at the end has no replacement of its own length and is omitted.
    SameLength,
}

impl Policy<'static> {
    /// One U+FFFD for each maximal subpart: the recommendation of the Unicode Standard, and the default everywhere.
    pub const REPLACE: Policy<'static> = Policy::Replace { each: Each::Subpart, with: "\u{FFFD}" };
    /// One U+FFFD for each byte.
    pub const REPLACE_BYTE: Policy<'static> = Policy::Replace { each: Each::Byte, with: "\u{FFFD}" };
    /// One U+FFFD for each run of errors.
    pub const REPLACE_RUN: Policy<'static> = Policy::Replace { each: Each::Run, with: "\u{FFFD}" };
    /// One U+FFFD wherever Java writes one.
    pub const JAVA: Policy<'static> = Policy::Replace { each: Each::Java, with: "\u{FFFD}" };

    /// All policies, with U+FFFD as the replacement.
    ///
    /// ```
    /// use utf8kit::Policy;
    /// assert!(Policy::ALL.iter().all(|&policy| Policy::try_from(policy.name()) == Ok(policy)));
    /// ```
    pub const ALL: [Policy<'static>; 7] = [
        Policy::REPLACE,
        Policy::REPLACE_BYTE,
        Policy::REPLACE_RUN,
        Policy::JAVA,
        Policy::Remove,
        Policy::Escape,
        Policy::SameLength,
    ];
}

impl Policy<'_> {
    /// Returns the policy's name, without a replacement text.
    ///
    /// ```
    /// assert_eq!(utf8kit::Policy::SameLength.name(), "same-length");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Policy::Replace { each: Each::Subpart, .. } => "replace",
            Policy::Replace { each: Each::Byte, .. } => "replace-byte",
            Policy::Replace { each: Each::Run, .. } => "replace-run",
            Policy::Replace { each: Each::Java, .. } => "java",
            Policy::Remove => "remove",
            Policy::Escape => "escape",
            Policy::SameLength => "same-length",
        }
    }
}

impl Default for Policy<'static> {
    /// Returns [`Policy::REPLACE`].
    fn default() -> Self {
        Policy::REPLACE
    }
}

impl fmt::Display for Policy<'_> {
    /// Writes the name, followed by `=TEXT` if the replacement is not U+FFFD. [`PolicyBuf`] and `TryFrom<&str>` parse
    /// this form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Replace { with, .. } if *with != "\u{FFFD}" => write!(f, "{}={with}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

impl<'t> TryFrom<&'t str> for Policy<'t> {
    type Error = UnknownPolicy;

    /// Parses a policy's name, followed by `=TEXT` if it takes one.
    #[cfg_attr(not(feature = "any"), inline)]
    fn try_from(text: &'t str) -> Result<Policy<'t>, UnknownPolicy> {
        let (name, with) = match text.split_once('=') {
            Some((name, with)) => (name, Some(with)),
            None => (text, None),
        };
        let replace = |each| Policy::Replace { each, with: with.unwrap_or("\u{FFFD}") };
        match (name, with) {
            ("replace", _) => Ok(replace(Each::Subpart)),
            ("replace-byte", _) => Ok(replace(Each::Byte)),
            ("replace-run", _) => Ok(replace(Each::Run)),
            ("java", _) => Ok(replace(Each::Java)),
            ("remove", None) => Ok(Policy::Remove),
            ("escape", None) => Ok(Policy::Escape),
            ("same-length", None) => Ok(Policy::SameLength),
            _ => Err(UnknownPolicy),
        }
    }
}

/// The error for text that is not the name of a [`Policy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownPolicy;

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown policy")
    }
}

impl core::error::Error for UnknownPolicy {}

/// An owned [`Policy`], as `PathBuf` is to `Path`: for settings, and for anything that outlives the text it was parsed
/// from.
///
/// ```
/// use utf8kit::{Encoding, PolicyBuf, Utf8};
/// let policy: PolicyBuf = "replace=[bad]".parse()?;
/// assert_eq!(&*Utf8.repair(b"a\xFF", policy.as_policy()), b"a[bad]");
/// assert_eq!(policy.to_string(), "replace=[bad]");
/// # Ok::<(), utf8kit::UnknownPolicy>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyBuf {
    /// The policy. If `text` has a replacement, the one in here is U+FFFD.
    policy: Policy<'static>,
    text: Option<Box<str>>,
}

#[cfg(feature = "alloc")]
impl PolicyBuf {
    /// Returns the policy with its replacement left at U+FFFD.
    pub(crate) fn without_text(&self) -> Policy<'static> {
        self.policy
    }

    /// Borrows the policy, in the form that every operation takes.
    ///
    /// ```
    /// use utf8kit::{Policy, PolicyBuf};
    /// assert_eq!(PolicyBuf::default().as_policy(), Policy::REPLACE);
    /// ```
    #[must_use]
    pub fn as_policy(&self) -> Policy<'_> {
        match (self.policy, &self.text) {
            (Policy::Replace { each, .. }, Some(with)) => Policy::Replace { each, with },
            (policy, _) => policy,
        }
    }
}

#[cfg(feature = "alloc")]
impl From<Policy<'_>> for PolicyBuf {
    #[cfg_attr(not(feature = "any"), inline)]
    fn from(policy: Policy<'_>) -> PolicyBuf {
        let (policy, text) = match policy {
            Policy::Replace { each, with } => {
                let own = (with != "\u{FFFD}").then(|| with.to_owned().into_boxed_str());
                (Policy::Replace { each, with: "\u{FFFD}" }, own)
            }
            Policy::Remove => (Policy::Remove, None),
            Policy::Escape => (Policy::Escape, None),
            Policy::SameLength => (Policy::SameLength, None),
        };
        PolicyBuf { policy, text }
    }
}

#[cfg(feature = "alloc")]
impl Default for PolicyBuf {
    /// Returns [`Policy::REPLACE`].
    fn default() -> PolicyBuf {
        PolicyBuf::from(Policy::REPLACE)
    }
}

#[cfg(feature = "alloc")]
impl FromStr for PolicyBuf {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<PolicyBuf, UnknownPolicy> {
        Policy::try_from(text).map(PolicyBuf::from)
    }
}

#[cfg(feature = "alloc")]
impl fmt::Display for PolicyBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_policy().fmt(f)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_policy_is_read_back_from_what_it_shows() {
        let texts = ["\u{FFFD}", "", "?", "=", "a=b", "<€>"];
        let each = [Each::Subpart, Each::Byte, Each::Run, Each::Java];
        let replace = each.iter().flat_map(|&each| texts.map(|with| Policy::Replace { each, with }));
        for policy in replace.chain([Policy::Remove, Policy::Escape, Policy::SameLength]) {
            let shown = policy.to_string();
            assert_eq!(Policy::try_from(shown.as_str()), Ok(policy), "{shown}");
            let owned: PolicyBuf = shown.parse().unwrap();
            assert_eq!((owned.as_policy(), owned.to_string()), (policy, shown));
            assert_eq!(PolicyBuf::from(policy), owned);
        }
        for unknown in ["", "Replace", "remove=", "escape=x", "same_length", "=?"] {
            assert_eq!(Policy::try_from(unknown), Err(UnknownPolicy), "{unknown}");
        }
    }
}
