//! What to do about a file, in the words of this command. Whoever tells it takes the words from here.

use std::path::Path;

use utf8kit::{AnyEncoding, Encoding as _};
use utf8kit_text::charset::Fallback;
use utf8kit_text::detect::{Advice, Hint, Remedy};
use utf8kit_text::display::Argument;
use utf8kit_text::files::Skip;
use utf8kit_text::rows::DumpFormat;

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Output,
    InPlace,
}

impl Destination {
    /// Returns the option for it, after a space.
    fn options(self) -> &'static str {
        if self == Destination::InPlace { " --in-place" } else { "" }
    }
}

/// Returns the command that makes a file UTF-8, without the file.
pub(crate) fn command(remedy: Remedy) -> String {
    written(remedy, Destination::Output)
}

/// Returns what to do about the file at `path`, as sure as that is: the command, if one is advised, and the other
/// encodings that it may be in.
pub(crate) fn to_do(advice: Option<&Advice>, path: &Path, to: Destination) -> String {
    match advice {
        None => comparison(path),
        Some(advice) if advice.is_open() => format!("{}, or {}", comparison(path), attempt(advice, path, to)),
        Some(advice) => format!("{}{}", unsure(advice.is_sure()), attempt(advice, path, to)),
    }
}

/// Returns what to do that loses nothing of the file at `path`, which is left alone, or would be, if that is known.
pub(crate) fn instead(reason: &Skip, path: &Path, to: Destination) -> Option<String> {
    let words = match reason {
        Skip::OtherEncoding { encoding, .. } if *encoding == AnyEncoding::Utf8.name() => return None,
        Skip::OtherEncoding { .. } | Skip::Mixed(_) => return Some(to_do(reason.advice(), path, to)),
        Skip::LegacyValues { dump, .. } => return dump.map(|dump| for_values(dump, path, to)),
        Skip::HardLinks(_) => "use --hard-links write to change all, or split for this one",
        Skip::Packed(_) => "unpack it first, or write elsewhere with --output",
        Skip::BackupExists(_) => "move it, or use another suffix",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Returns what to do about values of a dump that may be in several encodings.
pub(crate) fn for_values(dump: DumpFormat, path: &Path, to: Destination) -> String {
    let (options, rows, path) = (to.options(), dump.name(), Argument(path));
    format!("try utf8 repair{options} --rows {rows} --per-table fallback=auto {path}")
}

/// Returns what to do about texts in messages of Protocol Buffers that are in another encoding.
pub(crate) fn for_texts(from: Fallback, is_sure: bool) -> String {
    format!("{}try --policy fallback={from}", unsure(is_sure))
}

/// Returns a hint with what to do about the file at `path`, which is no command that may garble it.
pub(crate) fn hint(hint: &Hint, path: &Path) -> String {
    match hint.advice() {
        Some(advice) if advice.is_open() => format!("{hint}: {}", comparison(path)),
        Some(advice) => format!("{hint}: {}", to_do(Some(advice), path, Destination::Output)),
        None => hint.to_string(),
    }
}

/// Returns the command to try, with the other encodings that a conversion may be from.
fn attempt(advice: &Advice, path: &Path, to: Destination) -> String {
    let others = advice.others.iter().filter(|_| matches!(advice.remedy, Remedy::Convert { .. }));
    let others: String = others.map(|other| format!(", or --from {other}")).collect();
    format!("try {} {}{others}", written(advice.remedy, to), Argument(path))
}

/// Returns what is said before a command that may lose text.
fn unsure(is_sure: bool) -> &'static str {
    if is_sure { "" } else { "not sure; " }
}

/// Returns the command that shows how the file at `path` reads in the encodings that it may be in.
fn comparison(path: &Path) -> String {
    format!("not sure; see utf8 detect {}", Argument(path))
}

fn written(remedy: Remedy, to: Destination) -> String {
    let options = to.options();
    match remedy {
        Remedy::Convert { from, strip_bom } => {
            let strip = if strip_bom { " --bom strip" } else { "" };
            format!("utf8 convert{options} --from {from}{strip}")
        }
        Remedy::Undouble => format!("utf8 repair{options} --policy undouble"),
        Remedy::Fallback(from) => format!("utf8 repair{options} --policy fallback={from}"),
        Remedy::FallbackLines(from) => format!("utf8 repair{options} --policy fallback={from} --per-line"),
        _ => format!("utf8 repair{options}"),
    }
}
