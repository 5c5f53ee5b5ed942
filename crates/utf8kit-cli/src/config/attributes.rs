//! `.gitattributes`: `working-tree-encoding`, the encoding in which a file is checked out (gitattributes(5)).

use std::path::Path;

use super::charsets::{CharsetRule, CharsetRules};
use super::patterns::Patterns;
use crate::args::BomRule;

/// Parses a file in `folder`. Lines that cannot be parsed are ignored, as by Git.
pub(super) fn parse(folder: &Path, text: &str) -> CharsetRules {
    CharsetRules(text.lines().filter_map(|line| rule(folder, line)).collect())
}

/// Parses a line into the rule that sets the encoding, or unsets it.
fn rule(folder: &Path, line: &str) -> Option<CharsetRule> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '!', '[', '"']))?;
    let mut value = words.filter_map(|word| match word.split_once('=') {
        Some(("working-tree-encoding", value)) => Some(Some(value)),
        None if word.trim_start_matches(['-', '!']) == "working-tree-encoding" => Some(None),
        _ => None,
    });
    let value = value.next_back()?;
    // Git's own names for UTF-16 with a byte order mark, such as UTF-16LE-BOM.
    let (name, bom) = match value.map(|name| (name, name.to_ascii_lowercase().ends_with("-bom"))) {
        Some((name, true)) => (name.get(..name.len() - 4), Some(BomRule::Require)),
        Some((name, false)) => (Some(name), None),
        None => (None, None),
    };
    let charset = match name {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    Some(CharsetRule { patterns: Patterns::new(folder, [pattern]).ok()?, charset, bom })
}
