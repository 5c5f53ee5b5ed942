//! Options of `utf8 convert` that change the text itself.

use std::ops::Not;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use utf8kit_encodings::convert::{LineEnd, NormalForm, Rewrite};

/// Changes to the text itself. They are also fields of a plan.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Text")]
pub(crate) struct RewriteArgs {
    /// Whether characters that the target lacks are replaced by the nearest that it has, such as `“` by `"` and `€` by
    /// `EUR`.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(crate) transliterate: bool,
    /// Convert to this normal form
    #[arg(long, value_name = "FORM", value_enum)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) normalize: Option<NormalFormArg>,
    /// Convert all line ends to this one
    ///
    /// Recognizes CR LF, LF, lone CR, and NEL in EBCDIC.
    #[arg(long, value_name = "END", value_enum)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line_ends: Option<LineEndRule>,
}

impl RewriteArgs {
    /// Returns the changes to make.
    pub(crate) fn rewrite(self) -> Rewrite {
        let mut rewrite = Rewrite::default();
        rewrite.normal_form = self.normalize.map(NormalForm::from);
        rewrite.line_end = self.line_ends.map(LineEnd::from);
        rewrite.transliterate = self.transliterate;
        rewrite
    }
}

/// Line ends that `check` requires and `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineEndRule {
    /// Line feed.
    Lf,
    /// Carriage return and line feed.
    Crlf,
}

/// A normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NormalFormArg {
    /// Composed: `é` is one code point.
    Nfc,
    /// Decomposed: `é` is an `e` and an accent.
    Nfd,
}

impl From<NormalFormArg> for NormalForm {
    fn from(arg: NormalFormArg) -> NormalForm {
        match arg {
            NormalFormArg::Nfc => NormalForm::Nfc,
            NormalFormArg::Nfd => NormalForm::Nfd,
        }
    }
}

impl From<LineEndRule> for LineEnd {
    fn from(rule: LineEndRule) -> LineEnd {
        match rule {
            LineEndRule::Lf => LineEnd::Lf,
            LineEndRule::Crlf => LineEnd::CrLf,
        }
    }
}
