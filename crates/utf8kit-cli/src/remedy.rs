//! Remedies as arguments of this command.

use std::path::Path;

use utf8kit_text::detect::{Advice, Hint, Remedy};
use utf8kit_text::display::Argument;

/// Returns the command that makes a file UTF-8, without the file.
pub(crate) fn command(remedy: Remedy) -> String {
    let (command, options) = parts(remedy);
    format!("{command}{options}")
}

/// Returns the command that makes a file UTF-8, and its options, each after a space.
fn parts(remedy: Remedy) -> (&'static str, String) {
    match remedy {
        Remedy::Convert { from, strip_bom: true } => ("utf8 convert", format!(" --from {from} --bom strip")),
        Remedy::Convert { from, .. } => ("utf8 convert", format!(" --from {from}")),
        Remedy::Undouble => ("utf8 repair", " --policy undouble".to_owned()),
        Remedy::Fallback(from) => ("utf8 repair", format!(" --policy fallback={from}")),
        Remedy::FallbackLines(from) => ("utf8 repair", format!(" --policy fallback={from} --per-line")),
        _ => ("utf8 repair", String::new()),
    }
}

/// Returns what to do about the file at `path` that is left alone: the command, if one is advised, and the other
/// encodings that it may be in.
pub(crate) fn instead(advice: Option<&Advice>, path: &Path) -> String {
    let Some(advice) = advice else { return comparison(path) };
    let others = advice.others.iter().filter(|_| matches!(advice.remedy, Remedy::Convert { .. }));
    let others: String = others.map(|other| format!(", or --from {other}")).collect();
    let first = if advice.is_open() { comparison(path) + ", or " } else { unsure(advice).to_owned() };
    let (command, options) = parts(advice.remedy);
    format!("{first}try {command} --in-place{options} {}{others}", Argument(path))
}

/// Returns a hint with its command for the file at `path`.
pub(crate) fn hint(hint: &Hint, path: &Path) -> String {
    match hint.advice() {
        Some(advice) if advice.is_open() => format!("{hint}: {}", comparison(path)),
        Some(advice) => format!("{hint}: {} {}", attempt(advice), Argument(path)),
        None => hint.to_string(),
    }
}

/// Returns what is advised, without the file.
pub(crate) fn attempt(advice: &Advice) -> String {
    format!("{}try {}", unsure(advice), command(advice.remedy))
}

/// Returns what is said before a command that may lose text.
fn unsure(advice: &Advice) -> &'static str {
    if advice.is_sure() { "" } else { "not sure; " }
}

/// Returns the command that shows how the file at `path` reads in the encodings that it may be in.
fn comparison(path: &Path) -> String {
    format!("not sure; see utf8 detect {}", Argument(path))
}
