//! What `utf8 repair` is to do.

use std::ffi::OsStr;
use std::path::Path;

use utf8kit::{AnyEncoding, Each, EncodingLabel, Policy};
use utf8kit_text::charset::Codec;
use utf8kit_text::display::Name;
use utf8kit_text::repair::RepairPolicy;
use utf8kit_text::rows::{RowFormat, RowOptions, RowSyntax};
use utf8kit_text::targets::RowRepair;

use crate::args::{PolicyArg, RepairArgs, UTF8};
use crate::config::Settings;
use crate::error::Error;

/// What `utf8 repair` is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Restore the files of this ledger.
    Undo(&'a Path),
    /// Write bad rows to this file and the others to the output.
    Reject(&'a Path),
    /// List the lines that could mean several things.
    ListDoubtful,
    /// Repair files in place and keep backups under this suffix, unless it is empty.
    InPlace(&'a OsStr),
    /// Show what would change.
    Diff,
    /// Repair one input into the output.
    One,
}

/// How to repair a file.
#[derive(Clone, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) policy: RepairPolicy<'a>,
    pub(crate) encoding: EncodingLabel,
    /// The repair for a target, which replaces both.
    pub(crate) rows: Option<RowRepair<'a>>,
}

impl RepairArgs {
    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        let refused = |text: &str| Err(Error::usage(text));
        let input = &self.read.input;
        if let Some(ledger) = &self.undo {
            return match () {
                () if !input.glob.is_empty() => {
                    refused("--glob: not with --undo, which goes by the paths of the ledger")
                }
                () if input.paths.iter().any(|path| path.as_os_str() == "-") => {
                    refused("--undo reads the file twice: not from standard input")
                }
                () => Ok(Action::Undo(ledger)),
            };
        }
        if let Some(path) = &self.rows.reject {
            return self.may_reject().map(|()| Action::Reject(path));
        }
        // Told before any file is read.
        self.rules(&Settings::default(), self.read.encoding.label()?.unwrap_or(UTF8))?;
        match (&self.in_place, &input.paths[..]) {
            _ if self.list_doubtful && self.policy != Some(PolicyArg::Undouble) => {
                refused("--list-doubtful goes with --policy undouble only")
            }
            _ if self.list_doubtful => Ok(Action::ListDoubtful),
            _ if self.diff => Ok(Action::Diff),
            (None, _) if input.files_from.is_some() => {
                refused("--files-from: only with --in-place or --diff")
            }
            (Some(_), []) if input.files_from.is_none() => refused("--in-place needs a PATH"),
            (Some(suffix), _) => Ok(Action::InPlace(suffix)),
            (None, [path]) if path.is_dir() => Err(Error::usage(format!(
                "{} is a folder: repair its files with --in-place, or see what would change with --diff",
                Name(path)
            ))),
            (None, [] | [_]) => Ok(Action::One),
            (None, _) => refused("more than one PATH: only with --in-place or --diff"),
        }
    }

    /// Checks the options beside --reject, which changes no row.
    fn may_reject(&self) -> Result<(), Error> {
        let refused = [
            (self.in_place.is_some(), "--in-place: name an output with -o"),
            (self.diff, "--diff"),
            (self.ledger.is_some(), "--ledger: what is put aside is not changed"),
            (self.per_line || self.replacement.is_some(), "--per-line and --replacement"),
            (
                self.policy.is_some_and(|policy| policy != PolicyArg::Replace),
                "--policy: bad rows are put aside as they are, good ones stay as they are",
            ),
        ];
        if let Some((_, what)) = refused.iter().find(|(given, _)| *given) {
            return Err(Error::usage(format!("--reject does not go with {what}")));
        }
        match self.read.input.paths.len() {
            0 | 1 => Ok(()),
            _ => Err(Error::usage("--reject takes one PATH, or standard input")),
        }
    }

    /// Returns how to repair a file in this encoding, with its settings.
    pub(crate) fn rules(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Rules<'_>, Error> {
        let policy = self.policy_in(self.policy.or(settings.policy).unwrap_or_default(), encoding)?;
        let rows = self.for_target(policy, encoding)?;
        Ok(Rules { policy, encoding, rows })
    }

    /// Returns the library's policy for a policy of the command line.
    fn policy_in(&self, policy: PolicyArg, encoding: EncodingLabel) -> Result<RepairPolicy<'_>, Error> {
        let with = self.replacement.as_deref().unwrap_or("\u{FFFD}");
        let replace = |each| RepairPolicy::Errors(Policy::Replace { each, with });
        let policy = match policy {
            PolicyArg::Replace => replace(Each::Subpart),
            PolicyArg::ReplaceByte => replace(Each::Byte),
            PolicyArg::ReplaceRun => replace(Each::Run),
            PolicyArg::Java => replace(Each::Java),
            PolicyArg::Remove => RepairPolicy::Errors(Policy::Remove),
            PolicyArg::Escape => RepairPolicy::Errors(Policy::Escape),
            PolicyArg::Unescape => RepairPolicy::Unescape,
            PolicyArg::SameLength => RepairPolicy::Errors(Policy::SameLength),
            PolicyArg::Undouble => RepairPolicy::Undouble(None),
            PolicyArg::Fallback(codec) if self.per_line => RepairPolicy::FallbackLines(codec.codec()),
            PolicyArg::Fallback(codec) => RepairPolicy::Fallback(codec.codec()),
        };
        let is_dialect = matches!(encoding, EncodingLabel::Exact(encoding) if encoding.is_dialect());
        let replaces = matches!(policy, RepairPolicy::Errors(Policy::Replace { .. }));
        let refused = match policy {
            RepairPolicy::Undouble(_) if encoding != UTF8 => "--policy undouble is for utf-8",
            RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) if !is_dialect => {
                "--policy fallback is for utf-8 and its dialects"
            }
            _ if self.replacement.is_some() && !replaces => {
                "--replacement goes with the replace policies and java only"
            }
            _ if self.per_line && !matches!(policy, RepairPolicy::FallbackLines(_)) => {
                "--per-line goes with --policy fallback=LABEL only"
            }
            _ => return Ok(policy),
        };
        Err(Error::usage(refused))
    }

    /// Returns the repair for the target, if one is given.
    fn for_target<'a>(
        &'a self,
        policy: RepairPolicy<'a>,
        encoding: EncodingLabel,
    ) -> Result<Option<RowRepair<'a>>, Error> {
        let demands = self.target.demands();
        if !demands.is_any() {
            return Ok(None);
        }
        if encoding != UTF8 {
            return Err(Error::usage(format!(
                "--for and --max-bytes repair UTF-8, which is what is loaded: convert the file first, with `utf8 \
                 convert --from {encoding}`"
            )));
        }
        let RepairPolicy::Errors(policy) = policy else {
            return Err(Error::usage(
                "--for and --max-bytes go with the policies that replace, remove or escape",
            ));
        };
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let lines = || RowSyntax::new(RowOptions::new(RowFormat::Lines), utf8);
        let syntax = match self.rows.syntax(utf8)? {
            Some(syntax) => syntax,
            None => lines().map_err(|error| Error::usage(error.to_string()))?,
        };
        let repair = RowRepair::new(syntax, demands, policy);
        let refused = "--policy escape writes backslashes, which no name of a file may have";
        repair.map(Some).ok_or_else(|| Error::usage(refused))
    }
}
