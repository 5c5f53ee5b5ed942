//! Warnings of what is written as told, and loses or garbles text that another command keeps.

use std::io;

use utf8kit_text::convert::Conversion;
use utf8kit_text::display::{Argument, Name};
use utf8kit_text::files::{Beginning, Blocks, Input, Repair, Skip, Source, misread};

use crate::printer::Printer;
use crate::remedy;

/// Warns if the text of a source that was repaired is in another encoding. `what` was done; what can be read once only
/// begins with `beginning`.
pub(crate) fn warn(
    what: &str,
    source: &Source,
    beginning: &Beginning,
    repair: &Repair,
    threads: usize,
    printer: &mut Printer,
) {
    let Ok(Some(skip)) = repair.loses(|| again(source, beginning), threads) else { return };
    let Some(looks) = skip.looks() else { return };
    let whose = match skip {
        Skip::Mixed(Some(_)) | Skip::LegacyValues(_) => "their",
        Skip::OtherEncoding { .. } | Skip::PartlyUtf16 | Skip::UnknownEncoding => "its",
        _ => return,
    };
    let does = match repair.fallback() {
        Some(_) => format!("reads {whose} text in another encoding"),
        None => format!("replaces {whose} text"),
    };
    let keeps = match (repair, skip.advice()) {
        (Repair::Dump(dump), _) => {
            let (rows, path) = (dump.format().name(), Argument(&source.path));
            format!("; utf8 repair --rows {rows} --per-table fallback=auto {path} keeps it")
        }
        (_, Some(advice)) => {
            format!("; {} {} it", remedy::command(advice.remedy), skip.keeps())
        }
        _ => String::new(),
    };
    printer.message(format_args!("{}: {looks}, and this {what} {does}{keeps}", Name(&source.path)));
}

/// Warns if a source that was converted, and may begin with `beginning`, reads as text in another encoding than the one
/// that it was converted from.
pub(crate) fn warn_of_misread(
    source: &Source,
    beginning: &Beginning,
    conversion: &Conversion,
    printer: &mut Printer,
) {
    let found = again(source, beginning).and_then(|blocks| misread(blocks, conversion));
    let Ok(Some(skip)) = found else { return };
    let looks = match &skip {
        Skip::Mixed(_) => Some("some of its lines are or may be UTF-8".to_owned()),
        other => other.looks(),
    };
    let Some(looks) = looks else { return };
    let better = skip.advice().map_or(String::new(), |advice| format!("; {}", remedy::attempt(advice)));
    let (name, from) = (Name(&source.path), conversion.from);
    printer.message(format_args!("{name}: {looks}, and this conversion reads it as {from}{better}"));
}

/// Reads a source again: all of a file, or else what was kept of it.
fn again(source: &Source, beginning: &Beginning) -> io::Result<Blocks> {
    match source.is_regular()? {
        true => source.open().and_then(Blocks::of),
        false => Blocks::of(Input::of(beginning.bytes())),
    }
}
