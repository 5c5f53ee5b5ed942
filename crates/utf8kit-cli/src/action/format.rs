//! The formats that each command supports. Others are rejected with a reason.

use crate::args::{Command, Format, RESULTS};

impl Command {
    /// Returns the requested format and the reason why the command does not support it, if it does not.
    pub(crate) fn refused(&self) -> Option<(&'static str, &'static str)> {
        use Format as F;
        let findings = "is for findings, which `utf8 check` has";
        let repaired = "would mix with the repaired text; `--ledger FILE` writes each change as a line of JSON";
        let (format, reason) = match self {
            Command::Stats(args) => (args.format, only(args.format, findings)),
            Command::Explain(args) => (args.format, only(args.format, findings)),
            Command::Detect(args) => (args.format, only(args.format, findings)),
            Command::Repair(args) => match args.format {
                F::Human => (F::Human, None),
                F::Short | F::Jsonl => (args.format, Some(repaired)),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            Command::Mojibake(args) => match args.format {
                F::Human => (F::Human, None),
                F::Short | F::Jsonl if args.list_doubtful => (args.format, None),
                F::Short | F::Jsonl => (args.format, Some(repaired)),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            Command::Rename(args) => match args.format {
                F::Human | F::Jsonl => (args.format, None),
                F::Short => (F::Short, Some("is not a format of a plan; use human or jsonl")),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            Command::Convert(args) => match args.format {
                F::Human => (F::Human, None),
                F::Jsonl if args.preview.dry_run => (F::Jsonl, None),
                F::Short if args.preview.dry_run => {
                    (F::Short, Some("is not a format of --dry-run; use human or jsonl"))
                }
                F::Short | F::Jsonl => (args.format, Some("would mix with the converted text")),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            _ => return None,
        };
        Some((format.name(), reason?))
    }
}

/// Returns a reason if the format is not one for results.
fn only(format: Format, reason: &'static str) -> Option<&'static str> {
    (!RESULTS.contains(&format)).then_some(reason)
}
