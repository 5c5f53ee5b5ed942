//! `.gitattributes` (gitattributes(5)): `working-tree-encoding`, the encoding of a file in the working tree, and
//! `binary`.

use std::path::Path;

use super::charsets::{CharsetRule, CharsetRules, Setting};
use super::patterns::Patterns;
use crate::args::BomRule;

/// Parses a file in `folder`. Lines that cannot be parsed are ignored, as by Git.
pub(super) fn parse(folder: &Path, text: &str) -> CharsetRules {
    CharsetRules(text.lines().flat_map(|line| rules(folder, line)).collect())
}

/// Parses a line.
fn rules(folder: &Path, line: &str) -> Vec<CharsetRule> {
    let mut words = line.split_ascii_whitespace();
    let Some(pattern) = words.next().filter(|pattern| !pattern.starts_with(['#', '!', '[', '"'])) else {
        return Vec::new();
    };
    let settings = words.filter_map(|word| setting(pattern, word));
    let rule = |setting| Some(CharsetRule { patterns: Patterns::new(folder, [pattern]).ok()?, setting });
    settings.filter_map(rule).collect()
}

/// Returns what an attribute sets.
fn setting(pattern: &str, attribute: &str) -> Option<Setting> {
    match attribute.split_once('=') {
        Some(("working-tree-encoding", name)) => {
            // Git's own names for UTF-16 with a byte order mark, such as UTF-16LE-BOM.
            let split = name.len().checked_sub(4).and_then(|at| name.split_at_checked(at));
            let (name, bom) = match split {
                Some((name, end)) if end.eq_ignore_ascii_case("-bom") => (name, Some(BomRule::Require)),
                _ => (name, None),
            };
            Some(Setting::Charset(Some(name.parse().ok()?), bom))
        }
        Some(("text" | "eol", _)) => Some(Setting::LineEnds(true)),
        Some(_) => None,
        None => match attribute {
            "working-tree-encoding" | "-working-tree-encoding" | "!working-tree-encoding" => {
                Some(Setting::Charset(None, None))
            }
            "binary" => Some(Setting::Binary(true)),
            // Set for all files, it means only that Git leaves their line ends alone.
            "-text" if matches!(pattern, "*" | "**" | "/**") => Some(Setting::KeepLineEnds),
            "-text" => Some(Setting::Binary(true)),
            "text" => Some(Setting::LineEnds(true)),
            "!text" | "-binary" | "!binary" => Some(Setting::Binary(false)),
            _ => None,
        },
    }
}
