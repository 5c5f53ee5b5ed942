//! Finds damage since an old version, except for changes that the configuration requests.

use utf8kit_document::{Comparison, compare, is_ascii_edit};
use utf8kit_files::{Source, SourceKind};

use super::rules::Rules;
use crate::commands::versions::{Elsewhere, Versions};
use crate::error::Error;

/// The source of the old versions. `None`: do not look for damage.
pub(super) struct OldVersions(pub(super) Option<Versions>);

/// Two versions of a file, and the damage between them.
pub(super) struct Compared {
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    pub(super) comparison: Comparison,
}

impl OldVersions {
    /// Returns the folders of the files so far that are not in the repository.
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        self.0.as_ref().map(Versions::elsewhere).unwrap_or_default()
    }

    /// Compares a file with its old version. `None` if nothing was damaged.
    pub(super) fn compare(&self, source: &Source, rules: &Rules<'_>) -> Result<Option<Compared>, Error> {
        let Some(versions) = &self.0 else { return Ok(None) };
        if source.kind == SourceKind::Stdin || !source.is_regular().unwrap_or(false) {
            return Ok(None);
        }
        let Some(old) = versions.old(source)? else { return Ok(None) };
        let new = std::fs::read(&source.path).map_err(|error| Error::at(&source.path, error))?;
        compared(old.content, new, old.is_converted, source, rules)
    }
}

/// Compares two versions of a file. `is_converted` means that Git converted its line ends on checkout.
pub(super) fn compared(
    old: Vec<u8>,
    new: Vec<u8>,
    is_converted: bool,
    source: &Source,
    rules: &Rules<'_>,
) -> Result<Option<Compared>, Error> {
    if old == new || is_ascii_edit(&old, &new) {
        return Ok(None);
    }
    let mut comparison = compare(&old, &new);
    let mut settings = rules.config.of(source)?;
    settings.bom = rules.args.bom.or(settings.bom);
    settings.line_ends = rules.args.line_ends.or(settings.line_ends);
    settings.encoding = rules.args.read.encoding.charset()?.or(settings.encoding);
    settings.converts_line_ends.get_or_insert(is_converted);
    let written = comparison.view.written();
    comparison.damage.retain(|damage| !settings.requests(damage, &new, written));
    Ok((!comparison.damage.is_empty()).then_some(Compared { old, new, comparison }))
}
