//! `utf8 check --staged`: what the next commit would hold, and what it would damage.

use std::env;
use std::path::{Path, PathBuf};

use utf8kit_text::detect::SNIFF_LEN;
use utf8kit_text::files::{Block, Kind, Source};

use super::against::Against;
use super::files::Check;
use super::recipients::Recipients;
use super::rules::{Rules, Way};
use crate::commands::versions::Git;
use crate::error::Error;

/// Checks all files that are staged, or those given.
pub(super) fn run(rules: &Rules<'_>, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let paths = &rules.args.read.input.paths;
    let mut git = Git::around(paths)?;
    let mut changes: Vec<_> =
        git.changes(&["--cached".as_ref(), "--diff-filter=d".as_ref()])?.into_iter().collect();
    changes.sort_by(|one, other| one.0.cmp(&other.0));
    let wanted: Vec<PathBuf> = paths.iter().map(|path| git.path_of(path).unwrap_or_default()).collect();
    let here = env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let mut check = Check::new(rules, recipients, Against::Nothing);
    for (path, entry) in changes {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| path.starts_with(wanted)) {
            continue;
        }
        let Some(new) = git.object(&entry.new)? else { continue };
        let old = git.object(&entry.old)?;
        let full = git.root.join(&path);
        let shown = full.strip_prefix(&here).map_or(path.clone(), Path::to_owned);
        let mut source = Source::file(&shown);
        source.kind = Kind::Walked;
        let head = new.get(..SNIFF_LEN).unwrap_or(&new);
        match rules.way(&source, head)? {
            Way::Skip(reason) => check.recipients.skipped(&source, &reason),
            Way::Blocks(file_rules) => {
                let mut block = Block::default();
                block.own = 0..new.len();
                block.bytes = new.clone();
                check.against = Against::Pair(old, new);
                let checked = rules.check(&file_rules, &mut block);
                check.file(&source, &file_rules, |check, file| check.add(file, checked))?;
            }
            Way::Lines => {
                check.against = Against::Pair(old, new);
                check.legacy(&source)?;
            }
        }
    }
    Ok(())
}
