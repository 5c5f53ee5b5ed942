//! Rules that set the charset of files, from `.editorconfig` and `.gitattributes`.

use std::path::Path;

use utf8kit_text::charset::Charset;

use super::patterns::Patterns;
use super::settings::Settings;
use crate::args::BomRule;

/// The rules of a file, in order; later ones override earlier ones.
#[derive(Debug)]
pub(super) struct CharsetRules(pub(super) Vec<CharsetRule>);

/// Sets, or with `None` unsets, the charset of some files.
#[derive(Debug)]
pub(super) struct CharsetRule {
    pub(super) patterns: Patterns,
    pub(super) charset: Option<Charset>,
    pub(super) bom: Option<BomRule>,
}

impl CharsetRules {
    /// Applies the rules that match `path`.
    pub(super) fn apply(&self, path: &Path, settings: &mut Settings) {
        for rule in self.0.iter().filter(|rule| rule.patterns.match_path(path, false)) {
            (settings.encoding, settings.bom) = (rule.charset, rule.bom);
        }
    }
}
