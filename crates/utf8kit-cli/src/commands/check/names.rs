//! `utf8 check --names`: reports problems in the names of files, folders and members of archives.

use std::path::{Path, PathBuf};

use utf8kit::AnyEncoding;
use utf8kit::summary::Summary;
use utf8kit_files::names::{CheckedName, NameChecker, NamedArchive, Tree};

use super::recipients::{FindingCount, Recipients};
use crate::args::CheckArgs;
use crate::error::Error;
use crate::input::{roots, walk_options};
use crate::results::{Checked, Finding, Phrases};
use crate::tally::Tally;

/// Checks the names of all files that the arguments select.
pub(super) fn run(args: &CheckArgs, checker: &NameChecker, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let paths = roots(&args.read.input)?.unwrap_or_else(|| vec![PathBuf::from(".")]);
    let tree = Tree::read(paths, &walk_options(&args.read.input), checker)?;
    for error in tree.errors {
        recipients.unread(&error.into());
    }
    let mut phrases = Phrases::default();
    for named in &tree.names {
        let path = &named.path;
        report(path, path, named.name(), &named.checked, &mut phrases, recipients)?;
        let Some(unpack) = args.read.input.unpack.unpack().filter(|_| path.is_file()) else { continue };
        match NamedArchive::open(path, unpack, checker) {
            Ok(archive) => {
                for member in archive.into_iter().flat_map(|archive| archive.members) {
                    report(&member.path, path, &member.name, &member.checked, &mut phrases, recipients)?;
                }
            }
            Err(error) => recipients.unread(&error.into()),
        }
    }
    Ok(())
}

/// Reports one name. `renamed` is the path of the file or archive that `utf8 rename` takes.
fn report(
    path: &Path,
    renamed: &Path,
    name: &[u8],
    checked: &CheckedName,
    phrases: &mut Phrases,
    recipients: &mut Recipients<'_>,
) -> Result<(), Error> {
    let (mut found, mut others) = (FindingCount::default(), Tally::default());
    for problem in &checked.problems {
        others.add(problem.kind.name(), 1);
        recipients.finding(&mut found, &Finding::in_name(path, name, problem, checked, phrases))?;
    }
    // All errors of a name are one finding, which names the encoding in which the name is invalid.
    let whole = Summary::of(AnyEncoding::Utf8, name, 0..name.len(), 0, 0);
    let mut summary = Summary::new(0);
    (summary.bytes, summary.code_points) = (whole.bytes, whole.code_points);
    let rename = checked.becomes.is_some().then_some(renamed);
    recipients.file(&Checked { others, names: true, rename, ..Checked::new(path, &summary) })
}
