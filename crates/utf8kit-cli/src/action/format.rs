//! Every command takes the formats that make sense for it, and refuses the others with a reason.

use crate::args::{Command, Format};

impl Command {
    /// Returns the requested format and the reason why the command does not support it, if it does not.
    pub(crate) fn refused(&self) -> Option<(&'static str, &'static str)> {
        use Format as F;
        let findings = "is for findings, which `utf8 check` has";
        let repaired =
            "would mix with the repaired text; `--ledger FILE` writes each change as a line of JSON";
        let (format, reason) = match self {
            Command::Stats(args) => {
                (args.format, only(args.format, &[F::Human, F::Short, F::Jsonl], findings))
            }
            Command::Explain(args) => {
                (args.format, only(args.format, &[F::Human, F::Short, F::Jsonl], findings))
            }
            Command::Detect(args) => {
                (args.format, only(args.format, &[F::Human, F::Short, F::Jsonl], findings))
            }
            Command::Repair(args) => match args.format {
                F::Human => (F::Human, None),
                F::Jsonl if args.dry_run => (F::Jsonl, None),
                F::Short | F::Jsonl if args.list_doubtful => (args.format, None),
                F::Short | F::Jsonl => (args.format, Some(repaired)),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            Command::Convert(args) => match args.format {
                F::Human => (F::Human, None),
                F::Jsonl if args.dry_run => (F::Jsonl, None),
                F::Short if args.dry_run => {
                    (F::Short, Some("is not a format of --dry-run; use human or jsonl"))
                }
                F::Short | F::Jsonl => (args.format, Some("would mix with the converted text")),
                F::Sarif | F::Github => (args.format, Some(findings)),
            },
            _ => return None,
        };
        Some((name(format), reason?))
    }
}

/// Returns the reason unless the format is one of `allowed`.
fn only(format: Format, allowed: &[Format], reason: &'static str) -> Option<&'static str> {
    (!allowed.contains(&format)).then_some(reason)
}

/// Returns the format's name on the command line.
fn name(format: Format) -> &'static str {
    match format {
        Format::Human => "human",
        Format::Short => "short",
        Format::Jsonl => "jsonl",
        Format::Sarif => "sarif",
        Format::Github => "github",
    }
}
