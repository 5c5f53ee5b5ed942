//! Remedies as arguments of this command.

use std::path::Path;

use utf8kit_text::detect::{Hint, Remedy};
use utf8kit_text::display::Argument;

/// Returns the command that makes a file UTF-8, without the file.
pub(crate) fn command(remedy: Remedy) -> String {
    match remedy {
        Remedy::Convert { from, strip_bom: true } => format!("utf8 convert --from {from} --bom strip"),
        Remedy::Convert { from, .. } => format!("utf8 convert --from {from}"),
        Remedy::Undouble => "utf8 repair --policy undouble".to_owned(),
        Remedy::Fallback(from) => format!("utf8 repair --policy fallback={from}"),
        Remedy::FallbackLines(from) => format!("utf8 repair --policy fallback={from} --per-line"),
        _ => "utf8 repair".to_owned(),
    }
}

/// Returns the command that makes a file UTF-8 in place, without the file.
pub(crate) fn in_place(remedy: Remedy) -> String {
    command(remedy) + " --in-place"
}

/// Returns the command that converts a file in place from the likeliest of some encodings, and the others.
pub(crate) fn conversion(encoding: &str, others: &[&str], path: &Path) -> String {
    let others: String = others.iter().map(|other| format!(", or --from {other}")).collect();
    format!("utf8 convert --in-place --from {encoding} {}{others}", Argument(path))
}

/// Returns the command that shows how the file at `path` reads in the encodings that it may be in.
pub(crate) fn comparison(path: &Path) -> String {
    format!("see utf8 detect {}", Argument(path))
}

/// Returns a hint with its command for the file at `path`.
pub(crate) fn hint(hint: &Hint, path: &Path) -> String {
    match hint.remedy() {
        Some(remedy) => {
            let unsure = if hint.is_sure() { "" } else { "not sure; " };
            format!("{hint}: {unsure}try {} {}", command(remedy), Argument(path))
        }
        None if hint.is_open() => format!("{hint}: not sure; {}", comparison(path)),
        None => hint.to_string(),
    }
}
