//! `.gitattributes`: `working-tree-encoding`, the encoding in which a file is checked out (gitattributes(5)).

use std::path::Path;

use utf8kit_text::charset::Charset;

use super::Settings;
use super::patterns::Patterns;
use crate::args::BomRule;

/// The lines that set or unset an encoding, in order; later lines override earlier ones.
#[derive(Debug)]
pub(super) struct Attributes(Vec<(Patterns, Option<Charset>, Option<BomRule>)>);

impl Attributes {
    /// Parses a file in `folder`. Lines that cannot be parsed are ignored, as by Git.
    pub(super) fn parse(folder: &Path, text: &str) -> Attributes {
        Attributes(text.lines().filter_map(|line| parse_line(folder, line)).collect())
    }

    /// Applies the lines that match `path`.
    pub(super) fn apply(&self, path: &Path, settings: &mut Settings) {
        for (patterns, encoding, bom) in &self.0 {
            if patterns.match_path(path, false) {
                (settings.encoding, settings.bom) = (*encoding, *bom);
            }
        }
    }
}

/// Parses a line into its pattern and the encoding it sets, or `None` where it unsets one.
fn parse_line(folder: &Path, line: &str) -> Option<(Patterns, Option<Charset>, Option<BomRule>)> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '!', '[', '"']))?;
    let mut value = words.filter_map(|word| match word.split_once('=') {
        Some(("working-tree-encoding", value)) => Some(Some(value)),
        None if word.trim_start_matches(['-', '!']) == "working-tree-encoding" => Some(None),
        _ => None,
    });
    let value = value.next_back()?;
    // Git's own names for UTF-16 with a byte order mark, such as UTF-16LE-BOM.
    let (name, marked) = match value.map(|name| (name, name.to_ascii_lowercase().ends_with("-bom"))) {
        Some((name, true)) => (name.get(..name.len() - 4), Some(BomRule::Require)),
        Some((name, false)) => (Some(name), None),
        None => (None, None),
    };
    let encoding = match name {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    Some((Patterns::new(folder, [pattern]).ok()?, encoding, marked))
}
