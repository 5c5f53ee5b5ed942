//! What was damaged since an old version, which the configuration did not ask for.

use utf8kit_text::document::{Comparison, compare};
use utf8kit_text::files::{Kind, Source};

use super::rules::Rules;
use crate::commands::versions::Versions;
use crate::error::Error;

/// Where the old version of each file comes from.
pub(super) enum Against {
    /// Nowhere: damage is not looked for.
    Nothing,
    Versions(Versions),
    /// The old version of the file at hand, if there is one, and the new one.
    Pair(Option<Vec<u8>>, Vec<u8>),
}

/// Two versions of a file, and what happened between them.
pub(super) struct Compared {
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    pub(super) comparison: Comparison,
}

impl Against {
    /// Compares a file with its old version.
    pub(super) fn compare(&mut self, source: &Source, rules: &Rules<'_>) -> Result<Option<Compared>, Error> {
        let mut is_converted = false;
        let (old, new) = match self {
            Against::Nothing => return Ok(None),
            Against::Pair(old, new) => match old.take() {
                Some(old) => (old, std::mem::take(new)),
                None => return Ok(None),
            },
            Against::Versions(versions) => {
                if source.kind == Kind::Stdin || !source.is_regular().unwrap_or(false) {
                    return Ok(None);
                }
                let Some(old) = versions.old(source)? else { return Ok(None) };
                is_converted = versions.stores_line_feeds(&old);
                (old, std::fs::read(&source.path).map_err(|error| Error::at(&source.path, error))?)
            }
        };
        if old == new {
            return Ok(None);
        }
        let mut comparison = compare(&old, &new);
        let mut settings = rules.config.of(source)?;
        settings.bom = rules.args.bom.or(settings.bom);
        settings.line_ends = rules.args.line_ends.or(settings.line_ends);
        settings.encoding = rules.args.read.encoding.encoding.or(settings.encoding);
        settings.converts_line_ends |= is_converted;
        let written = comparison.view.written();
        comparison.damage.retain(|damage| !settings.ask_for(damage.kind, written));
        Ok(Some(Compared { old, new, comparison }))
    }
}
