//! Rules that set the charset of files, from `.editorconfig` and `.gitattributes`.

use std::path::Path;

use utf8kit_encodings::charset::Charset;

use super::patterns::Patterns;
use super::settings::Settings;
use crate::args::{BomRule, LineEndRule};

/// The rules of a file, in order; later ones override earlier ones.
#[derive(Debug)]
pub(super) struct CharsetRules(pub(super) Vec<CharsetRule>);

/// A setting of some files.
#[derive(Debug)]
pub(super) struct CharsetRule {
    pub(super) patterns: Patterns,
    pub(super) setting: Setting,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Setting {
    /// Sets the charset, or unsets it.
    Charset(Option<Charset>, Option<BomRule>),
    /// Declares whether the files are binary.
    Binary(bool),
    /// Declares the line ends of the files, and that these are text, or unsets that.
    LineEnds(bool),
    /// Says which line ends editors write.
    EditorEnds(LineEndRule),
    /// Declares that Git leaves line ends alone.
    KeepLineEnds,
}

impl CharsetRules {
    /// Applies the rules that match `path`.
    pub(super) fn apply(&self, path: &Path, settings: &mut Settings) {
        for rule in self.0.iter().filter(|rule| rule.patterns.match_file(path)) {
            match rule.setting {
                Setting::Charset(charset, bom) => (settings.encoding, settings.bom) = (charset, bom),
                Setting::Binary(binary) => settings.binary = binary,
                Setting::LineEnds(given) => {
                    (settings.converts_line_ends, settings.binary) = (given.then_some(true), false);
                    settings.editor_ends = settings.editor_ends.filter(|_| given);
                }
                Setting::EditorEnds(ends) => {
                    (settings.editor_ends, settings.binary) = (Some(ends), false);
                }
                Setting::KeepLineEnds => settings.converts_line_ends = Some(false),
            }
        }
    }
}
