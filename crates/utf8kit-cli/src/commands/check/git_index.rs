//! `utf8 check --staged`: checks the content of the next commit, and the damage that it would do.

use std::env;
use std::path::PathBuf;

use utf8kit_detect::SNIFF_LEN;
use utf8kit_encodings::display::Name;
use utf8kit_files::{Block, Pace, Source, SourceKind, in_order};

use super::comparison::{OldVersions, compared};
use super::examine::{CheckResult, Examined};
use super::files::Check;
use super::recipients::Recipients;
use super::rules::{CheckMethod, Rules};
use crate::commands::versions::{Entry, Git};
use crate::error::Error;
use crate::input::{roots, walk_options};

/// Checks all files that are staged, or those given.
pub(super) fn run(rules: &Rules<'_>, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let paths = roots(&rules.args.read.input)?;
    let git = Git::around(paths.as_deref().unwrap_or_default())?;
    let mut changes: Vec<_> = git.changes(&[], true)?.into_iter().collect();
    changes.sort_by(|one, other| one.0.cmp(&other.0));
    let wanted = paths.map(|paths| wanted(&paths, &git, &changes, recipients));
    let is_excluded = walk_options(&rules.args.read.input).exclusion()?;
    changes.retain(|(path, _)| match &wanted {
        None => !is_excluded(path),
        Some(wanted) => wanted.iter().any(|wanted| {
            path.strip_prefix(wanted).is_ok_and(|within| within.as_os_str().is_empty() || !is_excluded(within))
        }),
    });
    let here = env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let against = OldVersions(None);
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

/// Returns the paths of some files and folders, relative to the root of the repository.
fn wanted(paths: &[PathBuf], git: &Git, changes: &[(PathBuf, Entry)], recipients: &mut Recipients<'_>) -> Vec<PathBuf> {
    let mut wanted = Vec::new();
    for path in paths {
        match git.path_of(path) {
            None => {
                let message = format_args!("not in the repository {}", Name(&git.root));
                recipients.unread(&Error::at(path, message));
            }
            Some(from_root)
                if path.symlink_metadata().is_err()
                    && !changes.iter().any(|(path, _)| path.starts_with(&from_root)) =>
            {
                recipients.unread(&Error::at(path, "neither there nor staged"));
            }
            Some(from_root) => wanted.push(from_root),
        }
    }
    wanted
}

/// Examines the staged version of a file.
fn examine(git: &Git, entry: &Entry, rules: &Rules<'_>, source: Source) -> Examined {
    let versions = || {
        let missing = || Error::at(&source.path, "git has no object for the staged version");
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
