//! Warnings of what is written as told, and loses text that another command keeps.

use utf8kit_text::convert::Conversion;
use utf8kit_text::display::{Argument, Name};
use utf8kit_text::files::{Blocks, Input, Repair, Skip, Source};

use crate::printer::Printer;
use crate::remedy;

/// Warns if the text of a source that was repaired is in another encoding. `what` was done; what can be read once only
/// begins with `beginning`.
pub(crate) fn warn(what: &str, source: &Source, beginning: &[u8], repair: &Repair, printer: &mut Printer) {
    let whole = || source.is_regular().ok().filter(|regular| *regular).and_then(|_| source.open().ok());
    let again = || Blocks::of(whole().unwrap_or_else(|| Input::of(beginning.to_vec())));
    let Ok(Some(skip)) = repair.loses(again, 1) else { return };
    let Some(looks) = skip.looks() else { return };
    let (whose, keeps) = match (skip, repair) {
        (Skip::OtherEncoding { encoding, .. }, _) => ("its", Some(format!("utf8 convert --from {encoding}"))),
        (Skip::Mixed(Some(remedy)), _) => ("their", Some(remedy::command(remedy))),
        (Skip::LegacyValues(_), Repair::Dump(dump)) => {
            let (rows, path) = (dump.format().name(), Argument(&source.path));
            ("their", Some(format!("utf8 repair --rows {rows} --per-table fallback=auto {path}")))
        }
        (Skip::PartlyUtf16 | Skip::UnknownEncoding, _) => ("its", None),
        _ => return,
    };
    let does = match repair.fallback() {
        Some(_) => format!("reads {whose} text in another encoding"),
        None => format!("replaces {whose} text"),
    };
    let keeps = keeps.map_or(String::new(), |command| format!("; {command} keeps it"));
    printer.message(format_args!("{}: {looks}, and this {what} {does}{keeps}", Name(&source.path)));
}

/// Warns if a source that was converted reads as text in another encoding than the one that it was converted from.
pub(crate) fn warn_of_misread(source: &Source, skip: &Skip, conversion: &Conversion, printer: &mut Printer) {
    let Some(looks) = skip.looks() else { return };
    let keeps = match skip {
        Skip::OtherEncoding { encoding, .. } => format!("; utf8 convert --from {encoding} keeps it"),
        _ => String::new(),
    };
    let (name, from) = (Name(&source.path), conversion.from);
    printer.message(format_args!("{name}: {looks}, and this conversion reads it as {from}{keeps}"));
}
