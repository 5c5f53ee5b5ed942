//! `.gitattributes`: `working-tree-encoding`, which says in what encoding a file is checked out (gitattributes(5)).

use std::path::Path;

use utf8kit_text::charset::Charset;

use super::Wish;
use super::patterns::Patterns;
use crate::args::BomRule;

/// What a file says, line by line; later lines come first.
#[derive(Debug)]
pub(super) struct Attributes(Vec<(Patterns, Option<Charset>, Option<BomRule>)>);

impl Attributes {
    /// Reads a file in `folder`. What is not understood says nothing, as to Git.
    pub(super) fn parse(folder: &Path, text: &str) -> Attributes {
        Attributes(text.lines().filter_map(|line| parse_line(folder, line)).collect())
    }

    /// Adds what it says of a file.
    pub(super) fn apply(&self, path: &Path, wish: &mut Wish) {
        for (patterns, encoding, bom) in &self.0 {
            if patterns.mean(path, false) {
                (wish.encoding, wish.bom) = (*encoding, *bom);
            }
        }
    }
}

/// The pattern of a line, and the encoding it gives or takes away.
fn parse_line(folder: &Path, line: &str) -> Option<(Patterns, Option<Charset>, Option<BomRule>)> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '!', '[', '"']))?;
    let mut value = words.filter_map(|word| match word.split_once('=') {
        Some(("working-tree-encoding", value)) => Some(Some(value)),
        None if word.trim_start_matches(['-', '!']) == "working-tree-encoding" => Some(None),
        _ => None,
    });
    let value = value.next_back()?;
    // Git's own spelling of UTF-16 with a mark.
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
