//! Text that is or was UTF-16, or UTF-32 with damaged line ends or without its first bytes.
//!
//! ```text
//! parts      lines of UTF-16 among lines of UTF-8 or 8 bits: a shell appended them to a log, or others to its log
//! bytes      each byte of UTF-16 as a character, in UTF-16 again or in UTF-8: a program read it as Latin-1
//! line ends  a CR before each byte 0A, inserted by a program that treated the file as text
//! beginning  the first bytes of UTF-32 are missing, so that its characters begin at other offsets
//! ```

use utf8kit::{AnyEncoding, Encoding as _, Piece, Policy, Utf8};

use super::change::{Change, is_alien};
use super::controls::SIGNS;
use super::parts::Parts;

/// How many bytes decide the kind of damage.
const HEAD_LEN: usize = 8 * 1024;

/// Decodes such a text.
#[derive(Default)]
pub(super) struct Wide(Option<Way>);

/// The kind of damage.
enum Way {
    Parts(Parts),
    Whole(Box<Whole>),
}

impl Wide {
    /// Decodes complete characters, and returns how many bytes are processed.
    pub(super) fn scan(&mut self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, change: Change<'_>) -> usize {
        if self.0.is_none() && !piece.is_last() && bytes.len() < HEAD_LEN {
            return 0;
        }
        let way = self.0.get_or_insert_with(|| {
            let (head, is_whole) = (bytes.get(..HEAD_LEN).unwrap_or(bytes), piece.is_last() && bytes.len() <= HEAD_LEN);
            let whole = (!Parts::are_in(head, is_whole)).then(|| Whole::of(head, is_whole)).flatten();
            whole.map_or_else(|| Way::Parts(Parts::default()), |whole| Way::Whole(Box::new(whole)))
        });
        match way {
            Way::Parts(parts) => parts.scan(bytes, piece, out, change),
            Way::Whole(whole) => {
                let start = out.len();
                whole.push(bytes, piece.is_last(), out);
                if !bytes.is_empty() {
                    change(0, bytes, out.get(start..).unwrap_or_default());
                }
                bytes.len()
            }
        }
    }

    /// Reports whether it is certain that parts of the text are UTF-16, even if the others are not UTF-8.
    pub(super) fn has_certain_parts(&self) -> bool {
        matches!(&self.0, Some(Way::Parts(parts)) if parts.are_mixed() && parts.are_certain())
    }

    /// Reports whether the text is damaged, rather than entirely UTF-16 or UTF-8.
    pub(super) fn is_damage(&self) -> bool {
        match &self.0 {
            Some(Way::Parts(parts)) => parts.are_mixed(),
            Some(Way::Whole(_)) => true,
            None => false,
        }
    }
}

/// The decoding of a text that is damaged as a whole.
struct Whole {
    outer: Outer,
    inner: utf8kit::Converter<'static, AnyEncoding, Utf8>,
    /// Whether a byte order mark may still follow.
    is_start: bool,
}

/// The source of the UTF-16 bytes.
enum Outer {
    /// Each character of a text is a byte.
    Characters(AnyEncoding, Box<utf8kit::Converter<'static, AnyEncoding, Utf8>>),
    /// All bytes except each CR before 0A.
    LineEnds { has_return: bool },
    /// All bytes except the first `skip`, after others.
    Beginning { before: Vec<u8>, skip: usize },
}

impl Whole {
    /// Returns how to decode a text that begins with `head`; `None` if it is not damaged as a whole.
    fn of(head: &[u8], whole: bool) -> Option<Whole> {
        // Without a mark, Latin text in UTF-32 looks like text encoded in UTF-16 twice.
        if UTF32.into_iter().any(|wide| reads_as(wide, head, whole, 2, usize::MAX)) {
            return None;
        }
        let is_utf8 = || {
            let cut = utf8kit::validate(head).err().map_or(head.len(), |error| error.valid_up_to());
            !head.is_ascii() && (cut == head.len() || !whole && head.len() - cut < 4)
        };
        // Almost no text in UTF-16 with non-ASCII bytes is UTF-8.
        if is_utf8()
            && let Some(found) = Whole::through(Outer::of(AnyEncoding::Utf8), head, whole)
        {
            return Some(found);
        }
        // In intact UTF-16, 0D does not precede every byte 0A.
        let feeds = head.iter().filter(|byte| **byte == b'\n').count();
        if feeds > 0
            && head.windows(2).filter(|pair| pair == b"\r\n").count() == feeds
            && let Some(found) = Whole::through(Outer::LineEnds { has_return: false }, head, whole)
        {
            return Some(found);
        }
        let twice = WIDE.map(|wide| (wide, has_nuls(wide, head, whole)));
        if twice.iter().all(|(_, has_nuls)| !has_nuls)
            && WIDE.into_iter().any(|wide| reads_as(wide, head, whole, 2, MAX_CHARACTERS_PER_ASCII))
        {
            return None;
        }
        // In the other byte order, the text is also well formed and has NULs, but its other characters are not bytes.
        let mut twice = twice.into_iter().filter(|(_, has_nuls)| *has_nuls);
        let found = twice.find_map(|(wide, _)| Whole::through(Outer::of(wide), head, whole));
        // Latin text also reads in the other byte order, from another byte. Most texts end with a whole character.
        let is_exact = |left: &usize| (head.len() - left).is_multiple_of(UNIT_OF_UTF32);
        let lefts = || 1..UNIT_OF_UTF32.min(head.len());
        let mut lefts = lefts().filter(is_exact).chain(lefts().filter(|left| !is_exact(left)));
        found.or_else(|| lefts.find_map(|left| Whole::after_cut(left, head)))
    }

    /// Returns how to decode UTF-32 of whose first character `left` bytes are left. In big-endian order, the missing
    /// bytes of most characters are zero; otherwise, the character is lost.
    fn after_cut(left: usize, head: &[u8]) -> Option<Whole> {
        // The last bytes may be missing as well.
        let rest = head.get(left..)?;
        let rest = rest.get(..rest.len() / UNIT_OF_UTF32 * UNIT_OF_UTF32)?;
        let most = MAX_CHARACTERS_PER_ASCII;
        let wide = UTF32.into_iter().find(|wide| reads_as(*wide, rest, true, 2, most))?;
        let (before, skip) = match wide {
            AnyEncoding::Utf32Be if left > 1 => (vec![0; UNIT_OF_UTF32 - left], 0),
            _ => (wide.encoded(0xFFFD).ok()?.to_vec(), left),
        };
        let inner = utf8kit::Converter::lossy(wide, Utf8, Policy::REPLACE);
        Some(Whole { outer: Outer::Beginning { before, skip }, inner, is_start: true })
    }

    fn through(mut outer: Outer, head: &[u8], whole: bool) -> Option<Whole> {
        let mut bytes = Vec::new();
        outer.push(head, whole, &mut bytes)?;
        // Text in UTF-32 has NULs in UTF-16, and text in UTF-16 is not well formed in UTF-32.
        let of_bytes = || UTF32.into_iter().find(|wide| reads_as(*wide, &bytes, whole, 1, usize::MAX));
        let inner = match outer {
            Outer::LineEnds { .. } => of_bytes(),
            _ => None,
        };
        let inner = inner
            .or_else(|| WIDE.into_iter().find(|wide| reads_as(*wide, &bytes, whole, 3, MAX_CHARACTERS_PER_ASCII)))?;
        let outer = match outer {
            Outer::Characters(outer, _) => Outer::of(outer),
            _ => Outer::LineEnds { has_return: false },
        };
        let inner = utf8kit::Converter::lossy(inner, Utf8, Policy::REPLACE);
        Some(Whole { outer, inner, is_start: true })
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) {
        let mut wide = Vec::with_capacity(bytes.len());
        // A character that is not a byte becomes a `?`, so that the others are still decoded.
        let _ = self.outer.push(bytes, last, &mut wide);
        let start = out.len();
        let _ = self.inner.push(&wide, out);
        if last {
            let _ = self.inner.finish(out);
        }
        if self.is_start && out.len() >= start + 3 {
            self.is_start = false;
            if out.get(start..start + 3) == Some("\u{FEFF}".as_bytes()) {
                out.drain(start..start + 3);
            }
        }
    }
}

impl Outer {
    /// Starts decoding the characters of a text in this encoding.
    fn of(outer: AnyEncoding) -> Outer {
        Outer::Characters(outer, Box::new(utf8kit::Converter::lossy(outer, Utf8, Policy::REPLACE)))
    }

    /// Appends the bytes that a piece stands for; `None` if a character is not a byte.
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Outer::Characters(_, converter) => {
                let mut text = Vec::new();
                let _ = converter.push(bytes, &mut text);
                if last {
                    let _ = converter.finish(&mut text);
                }
                let mut is_whole = true;
                for c in String::from_utf8_lossy(&text).chars().filter(|c| *c != '\u{FEFF}') {
                    match byte_of(c) {
                        Some(byte) => out.push(byte),
                        None => {
                            is_whole = false;
                            out.push(b'?');
                        }
                    }
                }
                is_whole.then_some(())
            }
            Outer::LineEnds { has_return } => {
                for byte in bytes.iter().copied() {
                    if *has_return && byte != b'\n' {
                        out.push(b'\r');
                    }
                    *has_return = byte == b'\r';
                    if !*has_return {
                        out.push(byte);
                    }
                }
                if last && std::mem::take(has_return) {
                    out.push(b'\r');
                }
                Some(())
            }
            Outer::Beginning { before, skip } => {
                out.append(before);
                let skipped = std::mem::take(skip).min(bytes.len());
                out.extend_from_slice(bytes.get(skipped..).unwrap_or_default());
                Some(())
            }
        }
    }
}

/// The encodings of UTF-16, the more frequent one first.
const WIDE: [AnyEncoding; 2] = [AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];

/// The encodings of UTF-32, the more frequent one first.
const UTF32: [AnyEncoding; 2] = [AnyEncoding::Utf32Le, AnyEncoding::Utf32Be];

/// The size of a character in UTF-32.
const UNIT_OF_UTF32: usize = 4;

/// The most characters per one of ASCII in text that could also be numbers: in UTF-16, and in UTF-32 without its first
/// bytes.
const MAX_CHARACTERS_PER_ASCII: usize = 8;

/// Reports whether a text is well formed in UTF-16 and has NULs.
fn has_nuls(wide: AnyEncoding, head: &[u8], whole: bool) -> bool {
    let (mut text, mut converter) = (Vec::new(), utf8kit::Converter::strict(wide, Utf8));
    let read = converter.push(head, &mut text).and_then(|()| if whole { converter.finish(&mut text) } else { Ok(()) });
    read.is_ok() && text.contains(&0)
}

/// Returns the byte that a character stands for where bytes were read as Latin-1 or windows-1252.
fn byte_of(c: char) -> Option<u8> {
    let high = || SIGNS.chars().position(|known| known == c).and_then(|at| u8::try_from(0x80 + at).ok());
    u8::try_from(c).ok().or_else(high)
}

/// Reports whether bytes are text in an encoding: well formed, without controls, and with at least `least` ASCII
/// characters, one in `most` of all. They may end within a character unless they are `whole`.
fn reads_as(encoding: AnyEncoding, bytes: &[u8], whole: bool, least: usize, most: usize) -> bool {
    let (mut all, mut ascii) = (0_usize, 0);
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| encoding.decode(rest)) {
        at += step.len();
        match step.result.ok().and_then(char::from_u32) {
            Some(c) if u8::try_from(c).is_ok_and(|c| is_alien(c) || matches!(c, 0x80..=0x9F)) => {
                return false;
            }
            Some(c) => (all, ascii) = (all + 1, ascii + usize::from(c.is_ascii())),
            None => return !whole && at >= bytes.len() && ascii >= least,
        }
    }
    ascii >= least && ascii >= all.div_ceil(most)
}
