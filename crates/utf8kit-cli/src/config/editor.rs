//! `.editorconfig`: `charset` and `end_of_line` (<https://spec.editorconfig.org>).

use std::path::Path;

use super::charsets::{CharsetRule, CharsetRules, Setting};
use super::patterns::Patterns;
use crate::args::{BomRule, LineEndRule};

/// Parses a file in `folder`; the flag is its `root` key. Lines that cannot be parsed are ignored.
pub(super) fn parse(folder: &Path, text: &str) -> (CharsetRules, bool) {
    let (mut rules, mut root) = (Vec::new(), false);
    let mut section: Option<&str> = None;
    for line in text.trim_start_matches('\u{FEFF}').lines().map(str::trim) {
        if let Some(glob) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = Some(glob);
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with(['#', ';'])) {
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            match (section, key.as_str()) {
                (None, "root") => root = value == "true",
                (Some(glob), "charset") => rules.extend(charset(folder, glob, &value)),
                (Some(glob), "end_of_line") => {
                    let setting = match &*value {
                        "lf" => Setting::EditorEnds(LineEndRule::Lf),
                        "crlf" => Setting::EditorEnds(LineEndRule::Crlf),
                        _ => Setting::LineEnds(value != "unset"),
                    };
                    rules.extend(rule(folder, glob, setting));
                }
                _ => {}
            }
        }
    }
    (CharsetRules(rules), root)
}

/// Returns the rule of a section with this charset.
fn charset(folder: &Path, glob: &str, value: &str) -> Option<CharsetRule> {
    let (name, bom) = match value {
        "utf-8-bom" => (Some("utf-8"), Some(BomRule::Require)),
        "latin1" | "utf-8" | "utf-16be" | "utf-16le" => (Some(value), None),
        "unset" => (None, None),
        _ => return None,
    };
    let charset = name.and_then(|name| name.parse().ok());
    rule(folder, glob, Setting::Charset(charset, bom))
}

/// Returns the rule of a section.
fn rule(folder: &Path, glob: &str, setting: Setting) -> Option<CharsetRule> {
    // These begin an exception and a comment in .gitignore, whose patterns are otherwise the same.
    let pattern = match glob.starts_with(['!', '#']) {
        true => format!("\\{glob}"),
        false => glob.to_owned(),
    };
    Some(CharsetRule { patterns: Patterns::new(folder, [&*pattern]).ok()?, setting })
}
