//! The plan of a conversion in place: a step for each file. It can be printed, edited and passed back.

use serde::{Deserialize, Serialize};
use utf8kit_files::json::PathFields;

use crate::args::RewriteArgs;

/// The action for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    /// Convert it.
    Convert,
    /// Leave it; it needs no conversion.
    Keep,
    /// Skip it; the user should look at it.
    Skip,
}

impl Action {
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Convert => "convert",
            Action::Keep => "keep",
            Action::Skip => "skip",
        }
    }
}

/// The marker of the lines of a plan.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Plan {
    #[default]
    Plan,
}

/// A line of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    #[serde(default)]
    pub(super) r#type: Plan,
    #[serde(flatten)]
    pub(super) path: PathFields,
    pub(super) action: Action,
    #[serde(default)]
    pub(super) from: Option<String>,
    pub(super) to: String,
    #[serde(default)]
    pub(super) confidence: Option<String>,
    #[serde(default)]
    pub(super) reason: String,
    /// The size of the file when the plan was made.
    #[serde(default)]
    pub(super) size: Option<u64>,
    /// The BLAKE3 hash of its content then.
    #[serde(default)]
    pub(super) blake3: Option<String>,
    /// Whether to convert line by line where some lines are UTF-8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) per_line: bool,
    #[serde(flatten)]
    pub(super) rewrite: RewriteArgs,
}
