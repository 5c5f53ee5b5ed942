//! Finds what a write would lose: text in another encoding than the one it is read in.

use std::io;

use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel, Validator, validate};

use crate::charset::{Charset, Codec, Legacy, has_bom};
use crate::convert::{Conversion, Converter, Invalid};
use crate::counts::Counts;
use crate::detect::{
    Advice, AsciiLines, Confidence, Guess, Remedy, SNIFF_LEN, detect, is_binary, is_data, reads_as_wide, wide,
};
use crate::files::utf8_lines::Utf8Lines;
use crate::files::{Block, Blocks, Cut, Input, Skip};
use crate::repair::RepairPolicy;

const UTF8: &str = "utf-8";

/// How many bytes tell whether an input reads as text in the encoding that it is said to be in.
pub const BEGINNING_LEN: usize = 64 * 1024;

/// Returns why an input in `encoding` must not be repaired under a policy: it is no text, or reads as text in another
/// encoding, which the repair would replace. `None` if the policy keeps all text, or there is no such encoding.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn other_encoding(
    mut blocks: Blocks,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
) -> io::Result<Option<Skip>> {
    let head = blocks.head(SNIFF_LEN)?;
    if let Some(format) = format(&head).or_else(|| data(&head, Codec::Native(encoding))) {
        return Ok(Some(Skip::Format(format)));
    }
    if !policy.may_lose_text() {
        return Ok(None);
    }
    // Of what cannot be read twice, the beginning has to do.
    let mut again = || match blocks.try_clone() {
        Some(again) => Ok(again),
        None => blocks.head(BEGINNING_LEN).and_then(|beginning| Blocks::of(Input::of(beginning))),
    };
    let found = wide(&head);
    let is_partly = encoding.unit() == 1
        && match found {
            Some(wide) => AsciiLines::are_in(wide, &head),
            None => reads_as_wide(&head) || has_utf16(again()?)?,
        };
    if is_partly {
        return Ok(Some(Skip::PartlyUtf16));
    }
    Ok(match found {
        Some(wide) if !is_wide_as(Codec::Native(encoding), wide) => Some(in_other(name(wide, &head))),
        None if encoding.unit() == 1 => match policy.fallback() {
            Some(fallback) => {
                let (codec, again) = (fallback.codec(), again()?);
                match really_in(blocks, codec)? {
                    Some((_, reason)) => Some(reason),
                    None if encoding == AnyEncoding::Utf8 => {
                        let per_line = matches!(policy, RepairPolicy::FallbackLines(_));
                        lines_of(again, codec)?.and_then(|lines| lines.end_of_fallback(per_line))
                    }
                    None => None,
                }
            }
            None => readable(blocks, encoding.name(), false)?,
        },
        // In UTF-16, a line break has a NUL, and in UTF-32 each character has.
        None if !head.contains(&0) => {
            let is_utf8 = encoding.unit() == 4 || lines_of_ascii(again()?, encoding)?.are_all();
            match readable(blocks, encoding.name(), true)? {
                None if is_utf8 => Some(in_other(UTF8)),
                reason => reason,
            }
        }
        _ => None,
    })
}

/// Returns the format of a file that is no text, as a media type: that of a picture, a program, a database. Most have a
/// NUL soon, without which `BM` might begin a text as well as a bitmap.
fn format(head: &[u8]) -> Option<&'static str> {
    let known = [(&b"%PDF-"[..], "application/pdf"), (b"PAR1", "application/vnd.apache.parquet")];
    let known = known.into_iter().find(|(start, _)| head.starts_with(start)).map(|(_, media)| media);
    let found = || infer::get(head).filter(|found| found.matcher_type() != infer::MatcherType::Text);
    known.or_else(|| found().filter(|_| is_binary(head)).map(|found| found.mime_type()))
}

/// Returns the media type of data in no known format, if that is what a file is that is read in an encoding.
fn data(head: &[u8], codec: Codec) -> Option<&'static str> {
    let is_data = || match codec {
        Codec::Native(encoding) => encoding.unit() == 1 && is_data(head),
        Codec::Legacy(_) => reads_ascii(codec) && is_data(head),
    };
    is_data().then_some("application/octet-stream")
}

/// Reports whether some of an input is UTF-16, as a shell appends it to a log, with a byte beyond ASCII, which would be
/// changed.
fn has_utf16(blocks: Blocks) -> io::Result<bool> {
    const LEN: usize = 8;
    let mut last = Vec::new();
    let is_free_of_it = blocks.each_while(Cut::Anywhere, 1, own, |piece| {
        last.extend_from_slice(&piece);
        let is_free = !last.contains(&0) || !last.windows(LEN).any(are_utf16);
        last.drain(..last.len().saturating_sub(LEN - 1));
        is_free
    })?;
    Ok(!is_free_of_it)
}

/// Reports whether four code units are text in UTF-16 with a byte beyond ASCII: three are ASCII, or two and the others
/// are of the alphabets below U+2000, apart from those whose high byte is white space.
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

/// Finds lines of ASCII in an input in UTF-16, as another program appends them to a log.
fn lines_of_ascii(blocks: Blocks, encoding: AnyEncoding) -> io::Result<AsciiLines> {
    let mut lines = AsciiLines::default();
    blocks.each(Cut::Item(encoding), 1, own, |piece| {
        lines.push(encoding, &piece?);
        Ok::<_, io::Error>(())
    })?;
    Ok(lines)
}

/// Reports whether an encoding has the code units of UTF-16 or UTF-32.
fn is_wide_as(codec: Codec, wide: AnyEncoding) -> bool {
    codec.bytes_of(' ') == Codec::Native(wide).bytes_of(' ')
}

/// Returns the name of UTF-16 or UTF-32 in which a text is read: without the byte order, if the text has a mark.
fn name(wide: AnyEncoding, head: &[u8]) -> &'static str {
    match wide {
        _ if !has_bom(wide, head) => wide.name(),
        AnyEncoding::Utf16Le | AnyEncoding::Utf16Be => EncodingLabel::Utf16.name(),
        _ => EncodingLabel::Utf32.name(),
    }
}

fn in_other(encoding: &'static str) -> Skip {
    let from = encoding.parse().ok().filter(|_| encoding != UTF8);
    let advice = from.map(|from| Advice::sure(Remedy::convert(from)));
    Skip::OtherEncoding { encoding, advice }
}

/// Returns the encoding other than the one to read an input in, `named`, in which all of it reads as text, or some of
/// its lines. `is_named`: that is no default but was said, so that the other one must be likely.
fn readable(blocks: Blocks, named: &str, is_named: bool) -> io::Result<Option<Skip>> {
    let guess = crate::files::detect_blocks(blocks, 1)?;
    Ok(match guess.encoding {
        Some(utf8 @ UTF8) if utf8 != named && guess.is_well_formed() => Some(in_other(utf8)),
        _ if !guess.reads_well => None,
        _ if is_named && guess.confidence == Confidence::Possible => None,
        _ if guess.is_unknown => Some(Skip::UnknownEncoding),
        Some(name) if name == named && name != UTF8 => None,
        _ => reason(guess),
    })
}

/// Returns why an input must not be written as it is read, of which this is a guess that tells something else.
fn reason(guess: Guess) -> Option<Skip> {
    Some(match guess.encoding? {
        encoding if encoding != UTF8 && guess.utf8_lines == 0 => {
            Skip::OtherEncoding { encoding, advice: guess.advice() }
        }
        _ => Skip::Mixed(guess.advice()),
    })
}

/// Returns why an input must not be converted in the way that a trial has shown: it is in the target's encoding
/// already, or the conversion would replace or remove what reads as text in another encoding.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn lost(
    mut blocks: impl FnMut() -> io::Result<Blocks>,
    conversion: &Conversion,
    counts: &Counts,
) -> io::Result<Option<Skip>> {
    let codec = conversion.from.reader(&blocks()?.head(SNIFF_LEN)?).0;
    let loses = matches!(conversion.invalid, Invalid::Replace | Invalid::Remove) && counts.errors() > 0;
    match codec {
        Codec::Native(encoding) if loses => other_encoding(blocks()?, &RepairPolicy::default(), encoding),
        Codec::Legacy(_) if loses => readable(blocks()?, codec.name(), true),
        _ => Ok(is_in(blocks, conversion.to)?.then_some(Skip::AlreadyIn(conversion.to))),
    }
}

/// Returns why an input is not what a conversion reads it as, by its beginning: it is UTF-8, or reads as text in
/// another encoding.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_text::convert::Conversion;
/// use utf8kit_text::files::{Blocks, Input, Skip, misread};
///
/// let conversion = Conversion::new("koi8-r".parse().unwrap(), "utf-8".parse().unwrap());
/// let blocks = Blocks::of(Input::of("Größe\n".into()))?;
/// assert_eq!(misread(blocks, &conversion)?, Some(Skip::AlreadyUtf8("koi8-r".parse().unwrap())));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn misread(mut blocks: Blocks, conversion: &Conversion) -> io::Result<Option<Skip>> {
    let head = blocks.head(BEGINNING_LEN)?;
    not_in(|| Blocks::of(Input::of(whole_lines(&head).to_vec())), conversion)
}

/// Returns the whole lines of the first [`BEGINNING_LEN`] bytes of an input, or of one line the whole characters of
/// UTF-8.
fn whole_lines(head: &[u8]) -> &[u8] {
    let end = match head.iter().rposition(|&byte| byte == b'\n') {
        _ if head.len() < BEGINNING_LEN => head.len(),
        Some(feed) => feed + 1,
        None => utf8kit::trim_partial(head).len(),
    };
    head.get(..end).unwrap_or_default()
}

/// Reports whether an input is in an encoding that shifts between sets of characters, and so writes all text in bytes
/// of ASCII: all of it can be read so, and is more than ASCII.
fn is_in(mut blocks: impl FnMut() -> io::Result<Blocks>, encoding: Charset) -> io::Result<bool> {
    if !encoding.writer().is_stateful() {
        return Ok(false);
    }
    let plan = Conversion::new(encoding, AnyEncoding::Utf8.into()).start(&[]);
    let (mut converter, mut out, mut counts) = (Converter::new(&plan), Vec::new(), Counts::default());
    let mut beyond = false;
    let mut read = |piece: &[u8], last: bool| {
        out.clear();
        let is_text = piece.is_ascii() && converter.push(piece, last, &mut out, &mut counts).is_ok();
        beyond |= !out.is_ascii();
        is_text
    };
    let is_text = blocks()?.each_while(Cut::Anywhere, 1, own, |piece| read(&piece, false))?;
    Ok(is_text && read(&[], true) && beyond)
}

/// Returns the bytes of a block that are not those before or behind it.
fn own(block: &mut Block) -> Vec<u8> {
    block.bytes.get(block.own.clone()).unwrap_or_default().to_vec()
}

/// Returns why an input must not be converted from an encoding to another: it is no text, UTF-8 already, UTF-16 or
/// UTF-32, or some of its lines are UTF-8; or it is likely in another.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn not_in(
    mut blocks: impl FnMut() -> io::Result<Blocks>,
    conversion: &Conversion,
) -> io::Result<Option<Skip>> {
    let from = conversion.from;
    let head = blocks()?.head(SNIFF_LEN)?;
    let codec = from.reader(&head).0;
    if let Some(format) = format(&head).or_else(|| data(&head, codec)) {
        return Ok(Some(Skip::Format(format)));
    }
    let is_dialect = matches!(codec, Codec::Native(encoding) if encoding.is_dialect());
    let is_wide = matches!(codec, Codec::Native(encoding) if encoding.unit() > 1);
    // No text in an encoding of bytes has NULs, and none in UTF-16 or UTF-32 is in the other, or in another byte order.
    // A mark is not UTF-8, which stops a conversion from it.
    let is_expected = |wide| is_wide_as(codec, wide) || is_dialect && has_bom(wide, &head);
    if let Some(wide) = wide(&head).filter(|&wide| head.contains(&0) && !is_expected(wide)) {
        let is_there = conversion.to.writer() == Codec::Native(wide);
        let reason = in_other(name(wide, &head));
        return Ok(Some(if is_there { Skip::AlreadyIn(conversion.to) } else { reason }));
    }
    if is_dialect {
        return Ok(None);
    }
    let (is_partly, is_ascii) = match codec {
        Codec::Native(encoding) if encoding.unit() == 2 => {
            let lines = lines_of_ascii(blocks()?, encoding)?;
            (lines.are_there(), lines.are_all())
        }
        _ => (reads_ascii(codec) && has_utf16(blocks()?)?, false),
    };
    if is_partly {
        return Ok(Some(Skip::PartlyUtf16));
    }
    // ASCII is the same in most encodings. In the others, UTF-16 above all, ASCII without a NUL is hardly text.
    let ascii_differs = !reads_ascii(codec);
    let (mut validator, mut beyond, mut nul) = (Validator::new(utf8kit::Utf8), false, false);
    let (mut is_utf8, mut lines) = (true, Utf8Lines::among(codec).filter(|_| !ascii_differs));
    blocks()?.each_while(Cut::Anywhere, 1, own, |piece| {
        beyond |= !piece.is_ascii();
        nul |= piece.contains(&0);
        is_utf8 = is_utf8 && validator.push(&piece).is_ok();
        lines.iter_mut().for_each(|lines| lines.push(&piece));
        // In UTF-16 and UTF-32, each line break has a NUL.
        is_utf8 || lines.is_some() || is_wide && !nul
    })?;
    if !is_utf8 || validator.finish().is_err() {
        if is_wide && !nul {
            return readable(blocks()?, codec.name(), !is_ascii);
        }
        let Some((other, reason)) = really_in(blocks()?, codec)? else {
            return Ok(lines.and_then(Utf8Lines::end));
        };
        if conversion.to.writer() == Codec::Legacy(other) {
            return Ok(Some(Skip::AlreadyIn(conversion.to)));
        }
        return Ok(Some(utf8_lines(blocks()?, Codec::Legacy(other))?.unwrap_or(reason)));
    }
    let is_text = if ascii_differs { !nul } else { beyond };
    Ok(is_text.then_some(Skip::AlreadyUtf8(from)))
}

/// Returns the encoding that an input is in, if that is another than the one given, and why it must not be written
/// then: see [`Guess::other_than`]. Of an input that is UTF-8 otherwise or has its mark, the lines that are not count.
fn really_in(mut blocks: Blocks, codec: Codec) -> io::Result<Option<(Legacy, Skip)>> {
    let head = blocks.head(BEGINNING_LEN)?;
    let is_marked = has_bom(AnyEncoding::Utf8, &head);
    let head = whole_lines(&head);
    let again = blocks.try_clone();
    let guess = crate::files::detect_blocks(blocks, 1)?;
    let lines;
    let (of_all, bytes, guess) = match guess {
        guess if is_marked || guess.encoding == Some(UTF8) && guess.reads_well => {
            let mut found = IllFormedLines::default();
            match again {
                Some(blocks) => found.read(blocks)?,
                None => found.push(head),
            }
            lines = found.lines;
            (Some(Skip::Mixed(guess.advice())), &lines[..], detect(&lines))
        }
        guess => (None, head, guess),
    };
    let Some(other) = guess.other_than(codec, bytes) else { return Ok(None) };
    let reason = of_all.or_else(|| reason(guess));
    Ok(reason.map(|reason| (other, reason)))
}

/// The lines of an input that are not UTF-8, some kilobytes of them.
#[derive(Default)]
struct IllFormedLines {
    lines: Vec<u8>,
    /// The beginning of a line.
    line: Vec<u8>,
}

impl IllFormedLines {
    fn read(&mut self, blocks: Blocks) -> io::Result<()> {
        blocks.each_while(Cut::Anywhere, 1, own, |piece| {
            self.push(&piece);
            self.lines.len() < BEGINNING_LEN
        })?;
        self.end_line();
        Ok(())
    }

    fn push(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") || self.line.len() >= BEGINNING_LEN {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = self.line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&self.line);
        if validate(line).is_err() {
            self.lines.extend_from_slice(line);
        }
        self.line.clear();
    }
}

/// Returns why an input must not be converted from an encoding, if lines of it are or may be UTF-8.
fn utf8_lines(blocks: Blocks, codec: Codec) -> io::Result<Option<Skip>> {
    Ok(lines_of(blocks, codec)?.and_then(Utf8Lines::end))
}

/// Reads the lines of an input that is said to be in an encoding.
fn lines_of(blocks: Blocks, codec: Codec) -> io::Result<Option<Utf8Lines>> {
    let mut lines = Utf8Lines::among(codec);
    blocks.each(Cut::Anywhere, 1, own, |piece| {
        let piece = piece?;
        lines.iter_mut().for_each(|lines| lines.push(&piece));
        Ok::<_, io::Error>(())
    })?;
    Ok(lines)
}

/// Reports whether an encoding reads the bytes of ASCII letters as these letters.
fn reads_ascii(codec: Codec) -> bool {
    match codec {
        Codec::Native(encoding) => encoding == AnyEncoding::Latin1,
        Codec::Legacy(legacy) => legacy.text_of(b"az").as_deref() == Some("az"),
    }
}
