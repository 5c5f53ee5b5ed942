//! `utf8 check --staged`: what the next commit would hold, and what it would damage.

use std::env;
use std::path::PathBuf;

use utf8kit_text::detect::SNIFF_LEN;
use utf8kit_text::files::{Block, Pace, Source, SourceKind, in_order};

use super::against::{Against, compared};
use super::examine::{CheckResult, Examined};
use super::files::Check;
use super::recipients::Recipients;
use super::rules::{CheckMethod, Rules};
use crate::commands::versions::{Entry, Git};
use crate::error::Error;

/// Checks all files that are staged, or those given.
pub(super) fn run(rules: &Rules<'_>, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let paths = &rules.args.read.input.paths;
    let git = Git::around(paths)?;
    let mut changes: Vec<_> =
        git.changes(&["--cached".as_ref(), "--diff-filter=d".as_ref()])?.into_iter().collect();
    changes.sort_by(|one, other| one.0.cmp(&other.0));
    let wanted: Vec<PathBuf> = paths.iter().map(|path| git.path_of(path).unwrap_or_default()).collect();
    changes.retain(|(path, _)| wanted.is_empty() || wanted.iter().any(|wanted| path.starts_with(wanted)));
    let here = env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let against = Against(None);
    let mut check = Check::new(rules, recipients, &against);
    in_order(
        Pace::Full,
        rules.threads,
        changes.into_iter(),
        || (),
        |(), (path, entry)| {
            let full = git.root.join(&path);
            let mut source = Source::file(full.strip_prefix(&here).unwrap_or(&path));
            source.kind = SourceKind::Walked;
            examine(&git, &entry, rules, source)
        },
        |examined| match examined {
            Examined { source, outcome: Ok(CheckResult::Lines), compared } => {
                check.compared = compared;
                check.legacy(&source)
            }
            examined => check.take(examined),
        },
    )
}

/// Examines a file as it is staged.
fn examine(git: &Git, entry: &Entry, rules: &Rules<'_>, source: Source) -> Examined {
    let versions = || {
        let missing = || Error::at(&source.path, "git has no object of what is staged");
        let new = git.object(&entry.new)?.ok_or_else(missing)?;
        let outcome = match rules.method(&source, new.get(..SNIFF_LEN).unwrap_or(&new))? {
            CheckMethod::Skip(reason) => return Ok((CheckResult::Skipped(reason), None)),
            CheckMethod::Lines => CheckResult::Lines,
            CheckMethod::Blocks(file_rules) => {
                let mut block = Block::default();
                block.own = 0..new.len();
                block.bytes = new.clone();
                let checked = rules.check(&file_rules, &mut block);
                CheckResult::Checked(file_rules, Box::new(checked))
            }
        };
        let old = git.object(&entry.old)?;
        let compared = old.map_or(Ok(None), |old| compared(old, new, false, &source, rules));
        Ok((outcome, Some(compared)))
    };
    match versions() {
        Ok((outcome, compared)) => Examined { source, outcome: Ok(outcome), compared },
        Err(error) => Examined { source, outcome: Err(error), compared: None },
    }
}
