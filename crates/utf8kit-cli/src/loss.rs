//! Warnings about requested changes that lose or garble text, although another command would keep it.

use std::io;

use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{Conversion, ConversionError, ConversionErrorKind};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{
    Beginning, Blocks, ByteLengths, ConvertedLengths, Input, Repair, Skip, Source, converted_lengths,
    ill_formed, misread,
};

use crate::printer::Printer;
use crate::suggestion::{self, Destination, Help};

/// Warns if a repaired source appears to be in another encoding. `what` names the repair; `beginning` is kept for a
/// source that can be read only once; `to` is the destination. Returns whether lengths that it stores are now wrong.
pub(crate) fn warn(
    what: &str,
    source: &Source,
    beginning: &Beginning,
    repair: &Repair,
    threads: usize,
    to: Destination,
    printer: &mut Printer,
) -> bool {
    let Ok(Some(skip)) = repair.loses(|| again(source, beginning), threads) else { return false };
    let Some(looks) = skip.looks() else { return false };
    let does = match skip {
        Skip::Lengths(_) => "makes them wrong",
        _ if repair.fallback().is_some() => "garbles text",
        _ => "loses text",
    };
    let instead = suggestion::instead(&skip, &source.path, to);
    printer.message(format_args!("{}: {looks}, and this {what} {does}{instead}", Name(&source.path)));
    matches!(skip, Skip::Lengths(_))
}

/// Warns if a converted source, which may begin with `beginning`, reads as text in another encoding than the one it was
/// converted from.
pub(crate) fn warn_of_misread(
    source: &Source,
    beginning: &Beginning,
    conversion: &Conversion,
    printer: &mut Printer,
) {
    let found = again(source, beginning).and_then(|blocks| misread(blocks, conversion));
    let Ok(Some(skip)) = found else { return };
    // All well-formed UTF-16 is as it was named, except text with parts in other encodings.
    let has_parts = matches!(skip, Skip::Artifact { .. } | Skip::OtherEncoding { artifact: Some(_), .. });
    if matches!(conversion.from.writer(), Codec::Native(encoding) if encoding.unit() > 1) && !has_parts {
        return;
    }
    let Some(looks) = skip.looks() else { return };
    let (name, from) = (Name(&source.path), conversion.from);
    let instead = suggestion::instead(&skip, &source.path, Destination::OUTPUT.of(conversion));
    printer.message(format_args!("{name}: {looks}, and this conversion reads it as {from}{instead}"));
}

/// Reports byte lengths stored in a converted source, which may begin with `beginning`, and returns whether they are
/// now wrong.
pub(crate) fn report_lengths(
    source: &Source,
    beginning: &Beginning,
    conversion: &Conversion,
    printer: &mut Printer,
) -> bool {
    let found = again(source, beginning).and_then(|blocks| converted_lengths(blocks, conversion));
    let name = Name(&source.path);
    let (words, is_wrong) = match found {
        Ok(Some(ConvertedLengths::Right(lengths))) => (updated(&lengths), false),
        // Nothing stores the length of lines.
        Ok(Some(ConvertedLengths::Wrong(lengths @ ByteLengths::Lines(_)))) => {
            (format!("it has {lengths}, which this conversion changes"), false)
        }
        Ok(Some(ConvertedLengths::Wrong(lengths))) => {
            (format!("it has {lengths}, which this conversion makes wrong"), true)
        }
        _ => return false,
    };
    printer.message(format_args!("{name}: {words}"));
    is_wrong
}

/// Returns how the change affects lengths that are correct in the other encoding.
pub(crate) fn updated(lengths: &ByteLengths) -> String {
    format!("updated {lengths}")
}

/// Returns how many byte order marks a conversion removed from within the text, if any.
pub(crate) fn removed_marks(counts: &Counts) -> Option<String> {
    let marks = counts.marks();
    (marks > 0).then(|| format!("removed {} within the text", counted(marks, "byte order mark")))
}

/// Returns a guess at the encoding of a source in which a strict conversion stopped, if there is one, with help. It is
/// appended to the place and the reason.
pub(crate) fn of_stop(
    error: &ConversionError,
    source: &Source,
    beginning: Option<&Beginning>,
    conversion: &Conversion,
    to: Destination,
) -> (String, Help) {
    match error.kind {
        ConversionErrorKind::Lacking(..) => {
            let help = error.is_transliterated(conversion.to);
            let help = help.then(|| suggestion::transliterating(conversion, &source.path, to));
            return (String::new(), help.unwrap_or_default());
        }
        ConversionErrorKind::Altered(..) => {
            return ("; --on-error transliterate writes it anyway".to_owned(), Help::default());
        }
        _ => {}
    }
    let blocks = match beginning {
        Some(beginning) => again(source, beginning),
        None => source.open().and_then(Blocks::of),
    };
    let found = blocks.and_then(|blocks| ill_formed(blocks, conversion.from));
    let Ok(Some(skip)) = found else { return Default::default() };
    let looks = skip.looks().map_or(String::new(), |looks| format!("; {looks}"));
    (looks, suggestion::instead(&skip, &source.path, to.of(conversion)))
}

/// Reads a source again: all of a file, or else the part that was kept.
fn again(source: &Source, beginning: &Beginning) -> io::Result<Blocks> {
    match source.is_regular()? {
        true => source.open().and_then(Blocks::of),
        false => Blocks::of(Input::of(beginning.bytes())),
    }
}
