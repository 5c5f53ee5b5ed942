//! Warnings about requested changes that lose or garble text, although another command would keep it.

use std::io::{self, Read as _};

use utf8kit::{AnyEncoding::Utf8 as UTF8, Utf8, Validator, is_ascii};
use utf8kit_encodings::Counts;
use utf8kit_encodings::convert::{Conversion, ConversionError, ConversionErrorKind};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{
    BEGINNING_LEN, Beginning, Blocks, ByteLengths, ConvertedLengths, Cut, Input, Repair, Skip, Source,
    converted_lengths, detect_blocks, ill_formed, misread,
};

use crate::printer::Printer;
use crate::suggestion::{self, Destination, Help};

/// Warns if a repaired source appears to be in another encoding. `what` names the repair; `beginning` is kept for a
/// source that can be read only once; `to` is the destination. Returns whether it warned.
pub(crate) fn warn(
    what: &str,
    source: &Source,
    beginning: &Beginning,
    repair: &Repair,
    threads: usize,
    to: Destination<'_>,
    printer: &mut Printer,
) -> bool {
    let Ok(Some(skip)) = repair.loses(|| again(source, beginning), threads) else { return false };
    let Some(looks) = about(&skip) else { return false };
    let does = match skip {
        Skip::Format(_) => "destroys it",
        Skip::BinaryValues(_) => "destroys them",
        Skip::Lengths(_) => "makes them wrong",
        _ if repair.fallback().is_some() => "garbles text",
        _ => "loses text",
    };
    let instead = suggestion::instead(&skip, &source.path, to);
    printer.message(format_args!("{}: {looks}, and this {what} {does}{instead}", Name(&source.path)));
    true
}

/// Warns if a converted source, which may begin with `beginning`, reads as text in another encoding than the one it was
/// converted from. Returns whether text is garbled then.
pub(crate) fn warn_of_misread(
    source: &Source,
    beginning: &Beginning,
    conversion: &Conversion,
    to: Destination<'_>,
    printer: &mut Printer,
) -> bool {
    let found = again(source, beginning).and_then(|blocks| misread(blocks, conversion));
    let Ok(Some(skip)) = found else { return false };
    // Well-formed UTF-16 is in the named encoding, unless parts of it are in another one.
    let has_parts = matches!(skip, Skip::Artifact { .. } | Skip::OtherEncoding { artifact: Some(_), .. });
    if conversion.from.writer().is_wide() && !has_parts {
        return false;
    }
    let Some(looks) = skip.looks() else { return false };
    let (name, from) = (Name(&source.path), conversion.from);
    let mut instead = suggestion::instead(&skip, &source.path, to);
    if let Skip::AlreadyUtf8(_) = skip
        && let Ok(guess) = again(source, beginning).and_then(|blocks| detect_blocks(blocks, 1))
        && guess.misdecoded_as.is_some()
    {
        instead = suggestion::to_do(guess.suggestion().as_ref(), &source.path, to);
    }
    printer.message(format_args!("{name}: {looks}, and this conversion reads it as {from}{instead}"));
    // ASCII may be text in an encoding that writes all text in ASCII bytes, so it is not certainly garbled.
    let is_ascii = || again(source, beginning).and_then(|blocks| blocks.each_piece(Cut::Anywhere, 1, is_ascii));
    !(matches!(skip, Skip::AlreadyUtf8(_)) && is_ascii().unwrap_or(false))
}

/// Warns if a source, which may begin with `beginning`, is not text or is text in another encoding, and was converted
/// without its errors. Returns whether it warned.
pub(crate) fn warn_of_loss(
    source: &Source,
    beginning: &Beginning,
    conversion: &Conversion,
    to: Destination<'_>,
    printer: &mut Printer,
) -> bool {
    let found = again(source, beginning).and_then(|blocks| ill_formed(blocks, conversion.from));
    let Ok(Some(skip)) = found else { return false };
    let Some(looks) = about(&skip) else { return false };
    let instead = suggestion::instead(&skip, &source.path, to);
    printer.message(format_args!("{}: {looks}, and this conversion loses text{instead}", Name(&source.path)));
    true
}

/// Reports that a source, which may begin with `beginning`, is not UTF-8 but text in another encoding, so that a repair
/// of UTF-8 leaves it as it is. `is_changed`: some of its text was mojibake. Returns whether it is.
pub(crate) fn note_legacy(
    source: &Source,
    beginning: Option<&Beginning>,
    to: Destination<'_>,
    is_changed: bool,
    printer: &mut Printer,
) -> bool {
    let blocks = || opened(source, beginning);
    let mut validator = Validator::new(Utf8);
    let is_valid =
        blocks().and_then(|blocks| blocks.each_piece(Cut::Anywhere, 1, |piece| validator.push(piece).is_ok()));
    if is_valid.is_ok_and(|is_valid| is_valid) {
        return false;
    }
    let Ok(Some(skip)) = blocks().and_then(|blocks| ill_formed(blocks, UTF8.into())) else { return false };
    let Some(looks) = skip.looks() else { return false };
    let instead = suggestion::instead(&skip, &source.path, to);
    let (name, kept) = (Name(&source.path), if is_changed { "" } else { "not changed: " });
    printer.message(format_args!("{name}: {kept}{looks}, which is not mojibake{instead}"));
    true
}

/// Describes what a source is, if a change would destroy, lose or garble it.
fn about(skip: &Skip) -> Option<String> {
    match skip {
        Skip::Format(media) => Some(format!("it is {media}, not text")),
        _ => skip.looks(),
    }
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
    to: Destination<'_>,
) -> (String, Help) {
    match error.kind {
        ConversionErrorKind::Lacking(..) if error.composed.is_some() => {
            return ("; --normalize nfc composes letters and marks".to_owned(), Help::default());
        }
        ConversionErrorKind::Lacking(..) => {
            let help = error.is_transliterated(conversion.to).then(|| {
                let how = if all_transliterated(error, source, conversion) { "transliterate" } else { "escape" };
                suggestion::converting(conversion, how, &source.path, to)
            });
            return (String::new(), help.unwrap_or_default());
        }
        ConversionErrorKind::Altered(..) => {
            return ("; --on-error transliterate writes it anyway".to_owned(), Help::default());
        }
        _ => {}
    }
    let found = opened(source, beginning).and_then(|blocks| ill_formed(blocks, conversion.from));
    let Ok(Some(skip)) = found else { return Default::default() };
    let looks = skip.looks().map_or(String::new(), |looks| format!("; {looks}"));
    (looks, suggestion::instead(&skip, &source.path, to.of(conversion)))
}

/// The most bytes of a source that are read to see whether all of it can be transliterated.
const MAX_BYTES_TRANSLITERATED: usize = 16 << 20;

/// Reports whether all characters that the target lacks can be transliterated, like the one that caused the error. Of a
/// source that can be read only once, it is the one that decides.
fn all_transliterated(error: &ConversionError, source: &Source, conversion: &Conversion) -> bool {
    let mut bytes = Vec::new();
    let opened = source.is_regular().ok().filter(|regular| *regular).and_then(|_| source.open().ok());
    let Some(whole) = opened else { return true };
    if whole.take(MAX_BYTES_TRANSLITERATED as u64).read_to_end(&mut bytes).is_err() {
        return true;
    }
    let (codec, mark) = conversion.from.reader(&bytes);
    let (end, to) = (bytes.len(), conversion.to.writer());
    // The bytes may end within a character.
    let mut texts = (0..end.min(4)).filter_map(|cut| codec.text_of(bytes.get(mark..end - cut)?));
    let text = texts.next().unwrap_or_default();
    let is_written = |c: char| {
        let kind = ConversionErrorKind::Lacking(c.into(), None);
        let mut lacking = error.clone();
        lacking.kind = kind;
        to.bytes_of(c).is_some() || lacking.is_transliterated(conversion.to)
    };
    text.chars().all(is_written)
}

/// Reads a source, again if its beginning was kept.
fn opened(source: &Source, beginning: Option<&Beginning>) -> io::Result<Blocks> {
    match beginning {
        Some(beginning) => again(source, beginning),
        None => source.open().and_then(Blocks::of),
    }
}

/// Reads a source again: all of a file, or else the part that was kept.
fn again(source: &Source, beginning: &Beginning) -> io::Result<Blocks> {
    if let Some(input) = source.reopen()? {
        let mut blocks = Blocks::of(input)?;
        // Standard input may be a file that was already read in part.
        if beginning.is_of(&blocks.head(BEGINNING_LEN)?) {
            return Ok(blocks);
        }
    }
    Blocks::of(Input::of(beginning.bytes()))
}
