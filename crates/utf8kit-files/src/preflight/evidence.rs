//! Evidence about whether an input is in the encoding that it is read in.

use std::io;

use utf8kit::{AnyEncoding, EncodingLabel, Piece, validate};
use utf8kit_detect::repair::Lines;
use utf8kit_detect::sniff::{AsciiLines, SNIFF_LEN, is_binary, is_data};
use utf8kit_encodings::artifact::are_joined;
use utf8kit_encodings::charset::{Charset, Codec, has_bom};
use utf8kit_encodings::convert::{Conversion, Converter, Plan};
use utf8kit_encodings::counts::Counts;

use crate::{Blocks, Cut};

/// The number of bytes examined to decide whether an input is plausible text in its named encoding.
pub const BEGINNING_LEN: usize = 64 * 1024;

/// The most bytes kept of an input that can be read only once: its beginning, and later lines of two kinds. Less than a
/// block.
pub(super) const MAX_RETAINED_BYTES: usize = 3 * BEGINNING_LEN;

/// The media type of data of no known format.
pub(super) const DATA: &str = "application/octet-stream";

/// Returns the media type of an input that is not text: a picture, a program, a database or other data. Most formats
/// must also have an early NUL, because `BM` may begin a text as well as a bitmap.
pub(super) fn media_type(head: &[u8], codec: Codec) -> Option<&'static str> {
    let known = [(&b"%PDF-"[..], "application/pdf"), (b"PAR1", "application/vnd.apache.parquet")];
    let known = known.into_iter().find(|(start, _)| head.starts_with(start)).map(|(_, media)| media);
    let found = || infer::get(head).filter(|found| found.matcher_type() != infer::MatcherType::Text);
    let is_data = || match codec {
        Codec::Native(encoding) => encoding.unit() == 1 && is_data(head),
        Codec::Legacy(_) => reads_ascii(codec) && is_data(head),
    };
    known
        .or_else(|| found().filter(|_| is_binary(head)).map(|found| found.mime_type()))
        .or_else(|| is_data().then_some(DATA))
}

/// The most NULs at the start of a log.
const MAX_LEADING_NULS: u64 = 1 << 30;

/// Reports whether an input that begins with `head` is binary: see [`is_binary`]. A log that was truncated while a
/// program was writing to it begins with as many NULs as it had bytes before. In that case, `again` reads the text
/// after them.
pub fn looks_binary(head: &[u8], again: impl FnOnce() -> io::Result<Blocks>) -> bool {
    if head.len() < SNIFF_LEN || head.iter().any(|byte| *byte != 0) {
        return is_binary(head);
    }
    let (mut text, mut nuls) = (vec![0], 0);
    let read = again().and_then(|blocks| {
        blocks.each_piece(Cut::Anywhere, 1, |piece| {
            let is_begun = text.len() > 1;
            let start = piece.iter().position(|byte| *byte != 0 || is_begun).unwrap_or(piece.len());
            nuls += start as u64;
            text.extend(piece.get(start..).unwrap_or_default().iter().take(SNIFF_LEN));
            text.len() < SNIFF_LEN && nuls < MAX_LEADING_NULS
        })
    });
    read.is_err() || is_binary(&text)
}

/// Reports whether an input contains UTF-16, as appended to a log by a shell, with a non-ASCII byte that would be
/// changed.
pub(super) fn has_utf16(blocks: Blocks) -> io::Result<bool> {
    const LEN: usize = 8;
    let mut last = Vec::new();
    let is_free_of_it = blocks.each_piece(Cut::Anywhere, 1, |piece| {
        last.extend_from_slice(piece);
        let is_free = !last.contains(&0) || !last.windows(LEN).any(are_utf16);
        last.drain(..last.len().saturating_sub(LEN - 1));
        is_free
    })?;
    Ok(!is_free_of_it)
}

/// Reports whether four code units are UTF-16 text with a non-ASCII byte: three of them are ASCII, or two are ASCII and
/// the others are in alphabets below U+2000, except if the high byte is white space.
fn are_utf16(bytes: &[u8]) -> bool {
    let (pairs, _) = bytes.as_chunks::<2>();
    let is_near = |unit: u16| unit < 0x2000 && !matches!(unit >> 8, 0x09 | 0x0A | 0x0D);
    let are_text = |read: fn([u8; 2]) -> u16| {
        let units = pairs.iter().map(|pair| read(*pair));
        let ascii = units.clone().filter(|unit| (0x09..=0x7E).contains(unit)).count();
        ascii == 3 || ascii == 2 && units.clone().all(is_near)
    };
    !bytes.is_ascii() && (are_text(u16::from_le_bytes) || are_text(u16::from_be_bytes))
}

/// Reports whether an input has a literal of MySQL for bytes that are not UTF-8, as `mysqldump` writes it for a column
/// of binary data unless it has the option `--hex-blob`.
pub(super) fn has_binary_values(blocks: Blocks) -> io::Result<bool> {
    const BEGIN: &[u8] = b"_binary '";
    let mut last = Vec::new();
    let is_free_of_them = blocks.each_piece(Cut::Anywhere, 1, |piece| {
        last.extend_from_slice(piece);
        let is_binary = |at: usize| {
            let value = last.get(at + BEGIN.len()..).unwrap_or_default();
            let value = value.get(..end_of_literal(value)).unwrap_or_default();
            validate(utf8kit::trim_partial(value)).is_err()
        };
        let is_free = !memchr::memmem::find_iter(&last, BEGIN).any(is_binary);
        last.drain(..last.len().saturating_sub(BEGIN.len() - 1));
        is_free
    })?;
    Ok(!is_free_of_them)
}

/// Returns the end of a literal of MySQL, in which a backslash escapes any byte.
fn end_of_literal(value: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = value.get(at..).and_then(|rest| memchr::memchr2(b'\'', b'\\', rest)) {
        at += next;
        if value.get(at) == Some(&b'\'') {
            return at;
        }
        at += 2;
    }
    value.len()
}

/// Finds ASCII lines in a UTF-16 input, as appended to a log by another program.
pub(super) fn ascii_lines(blocks: Blocks, encoding: AnyEncoding) -> io::Result<AsciiLines> {
    let mut lines = AsciiLines::default();
    blocks.each_piece(Cut::Item(encoding), 1, |piece| {
        lines.push(encoding, piece);
        true
    })?;
    Ok(lines)
}

/// Reports whether the input of a conversion was joined from files in UTF-16 or UTF-32, each with a byte order mark.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_encodings::convert::Conversion;
/// use utf8kit_files::{Blocks, Input, is_joined};
///
/// let plan = Conversion::new("utf-16".parse().unwrap(), "utf-8".parse().unwrap()).start(b"\xFF\xFEa\0");
/// let blocks = |bytes: &[u8]| Blocks::of(Input::of(bytes.to_vec())).unwrap();
/// assert!(is_joined(blocks(b"\xFF\xFEa\0\n\0\xFF\xFEb\0\n\0"), &plan)?);
/// assert!(!is_joined(blocks(b"\xFF\xFEa\0\n\0"), &plan)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_joined(blocks: Blocks, plan: &Plan) -> io::Result<bool> {
    let Codec::Native(encoding) = plan.from else { return Ok(false) };
    if encoding.unit() == 1 || plan.skip == 0 {
        return Ok(false);
    }
    let (mut last, mut found) = (Vec::new(), false);
    let unit = encoding.unit();
    blocks.each_piece(Cut::Item(encoding), 1, |piece| {
        last.extend_from_slice(piece.get(..unit).unwrap_or(piece));
        found = are_joined(encoding, &last) || are_joined(encoding, piece);
        last.clear();
        last.extend_from_slice(piece.get(piece.len().saturating_sub(unit)..).unwrap_or_default());
        !found
    })?;
    Ok(found)
}

/// Returns some kilobytes of the lines of an input that are not UTF-8.
pub(super) fn ill_formed_lines(blocks: Blocks) -> io::Result<Vec<u8>> {
    let (mut lines, mut found) = (Lines::default(), Vec::new());
    let mut take = |piece: &[u8], last: bool| {
        lines.push(AnyEncoding::Utf8, piece, Piece::last_if(last), |_, line| {
            let line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line);
            if validate(line).is_err() {
                found.extend_from_slice(line);
            }
        });
        found.len() < BEGINNING_LEN
    };
    // If there are enough, the last line is cut, possibly within a character.
    if blocks.each_piece(Cut::Anywhere, 1, |piece| take(piece, false))? {
        take(&[], true);
    }
    Ok(found)
}

/// Returns the complete lines of an input that begins with at least [`BEGINNING_LEN`] bytes, or the complete UTF-8
/// characters if there is only one line.
pub(super) fn whole_lines(head: &[u8]) -> &[u8] {
    let end = match head.iter().rposition(|&byte| byte == b'\n') {
        _ if head.len() < BEGINNING_LEN => head.len(),
        Some(feed) => feed + 1,
        None => utf8kit::trim_partial(head).len(),
    };
    head.get(..end).unwrap_or_default()
}

/// Reports whether an input is in an encoding that shifts between character sets and so writes all text in ASCII bytes:
/// all of it must decode, and to more than ASCII.
pub(super) fn is_shifted(blocks: Blocks, encoding: Charset) -> io::Result<bool> {
    if !encoding.writer().is_stateful() {
        return Ok(false);
    }
    let plan = Conversion::new(encoding, AnyEncoding::Utf8.into()).start(&[]);
    let (mut converter, mut out, mut counts) = (Converter::new(&plan), Vec::new(), Counts::default());
    let mut non_ascii = false;
    let mut read = |piece: &[u8], last: bool| {
        out.clear();
        let is_text = piece.is_ascii() && converter.push(piece, last, &mut out, &mut counts).is_ok();
        non_ascii |= !out.is_ascii();
        is_text
    };
    let is_text = blocks.each_piece(Cut::Anywhere, 1, |piece| read(piece, false))?;
    Ok(is_text && read(&[], true) && non_ascii)
}

/// Reports whether an encoding has the code units of UTF-16 or UTF-32.
pub(super) fn is_wide_as(codec: Codec, wide: AnyEncoding) -> bool {
    codec.bytes_of(' ') == Codec::Native(wide).bytes_of(' ')
}

/// Returns the name of the UTF-16 or UTF-32 encoding to read a text in, without the byte order if the text has a mark.
pub(super) fn wide_name(wide: AnyEncoding, head: &[u8]) -> &'static str {
    match wide {
        _ if !has_bom(wide, head) => wide.name(),
        AnyEncoding::Utf16Le | AnyEncoding::Utf16Be => EncodingLabel::Utf16.name(),
        _ => EncodingLabel::Utf32.name(),
    }
}

/// Reports whether an encoding decodes the bytes of ASCII letters to these letters.
pub(super) fn reads_ascii(codec: Codec) -> bool {
    match codec {
        Codec::Native(encoding) => encoding == AnyEncoding::Latin1,
        Codec::Legacy(legacy) => legacy.text_of(b"az").as_deref() == Some("az"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Blocks, Input};

    #[test]
    fn a_line_that_is_cut_is_not_ill_formed() {
        let bad = b"\xFF\n".repeat(super::BEGINNING_LEN);
        for start in ["", "a"] {
            let long = format!("{start}{}\n", "é".repeat(4 << 20));
            let input = Input::of([&bad, long.as_bytes()].concat());
            let lines = super::ill_formed_lines(Blocks::of(input).unwrap()).unwrap();
            assert!(lines == bad, "{} bytes", lines.len());
        }
    }
}
