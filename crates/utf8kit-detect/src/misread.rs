//! What garbled text may have meant: text in one encoding that was read in another, once or several times.
//!
//! ```text
//! text -> escapes (`\u00c3`, `%C3`, `=C3`, `&#195;`) become characters
//!      -> for each encoding that it may have been read in: its bytes in that encoding
//!         -> as UTF-8; what is no sequence stays as it is, what is cut is lost
//!         -> as each other encoding in which these bytes are well formed
//!      -> what is new is rated by how well it reads; the best are taken for garbled text again
//! ```

use std::collections::HashSet;

use utf8kit_encodings::Charset;
use utf8kit_encodings::charset::{Codec, Legacy};
use utf8kit_encodings::mend::{self, Mend};
use utf8kit_encodings::stored::{dbase_texts, leader};

use crate::alphabets::{coverage, is_common};
use crate::detect::{Guess, Remedy, detect, quality};
use crate::mojibake::first_garbled;
use crate::oddness::oddness;

/// A step by which text was garbled: it was in one encoding, and was read in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The name of the encoding that it was in.
    pub meant: &'static str,
    /// The name of the encoding that it was read in; `escapes` if its bytes or characters were written as numbers.
    pub read: &'static str,
}

/// A text that garbled text may have been.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Meant {
    /// The text. U+FFFD stands for a character that is lost.
    pub text: String,
    /// How it was garbled, the first step first.
    pub how: Vec<Step>,
    /// How well it reads: 1 is best.
    pub score: f64,
}

/// The encodings that text is read in by mistake, and those that it is in, the most frequent first.
const ENCODINGS: [&str; 29] = [
    "windows-1252",
    "latin1",
    "windows-1251",
    "windows-1250",
    "Shift_JIS",
    "gb18030",
    "macintosh",
    "windows-1254",
    "koi8-r",
    "EUC-KR",
    "Big5",
    "windows-1253",
    "windows-1256",
    "windows-1255",
    "iso-8859-2",
    "cp437",
    "cp850",
    "ibm866",
    "utf-16le",
    "EUC-JP",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "cp852",
    "iso-8859-5",
    "iso-8859-7",
    "iso-8859-15",
    "x-mac-cyrillic",
    "utf-16be",
];

const UTF_8: &str = "utf-8";
/// More layers are not looked for.
const LAYERS: usize = 4;
/// So many readings of a layer are taken for garbled text again.
const BEAM: usize = 3;
/// A longer text is judged by its beginning.
const LONGEST: usize = 4096;
/// What detection adds to the score of the encoding that it names.
const DETECTED: f64 = 0.3;
/// What each further layer costs, and each lost character by its share.
const LAYER: f64 = 0.05;
const LOST: f64 = 0.4;
/// What an encoding costs for each that is more frequent.
const PLACE: f64 = 0.012;
/// How much better a text must read than what it was garbled to in a further layer.
const BETTER: f64 = 0.2;

/// Returns what a garbled text may have been, the likeliest first: at most one for each text, without the text itself.
///
/// ```
/// use utf8kit_detect::misread::candidates;
///
/// let found = candidates("sch\u{C3}\u{B6}n und gro\u{C3}\u{178}");
/// assert_eq!(found[0].text, "schön und groß");
/// assert_eq!((found[0].how[0].meant, found[0].how[0].read), ("utf-8", "windows-1252"));
/// ```
pub fn candidates(text: &str) -> Vec<Meant> {
    let text = &text[..utf8kit::floor_char_boundary(text.as_bytes(), LONGEST)];
    let codecs: Vec<(&'static str, Codec)> =
        ENCODINGS.iter().filter_map(|name| Some((*name, name.parse::<Charset>().ok()?.writer()))).collect();
    let mut seen = HashSet::from([text.to_owned()]);
    let mut found = Vec::new();
    let mut layer = vec![Meant { text: text.to_owned(), how: Vec::new(), score: 0.0 }];
    if let Some(text) = unescaped(text) {
        seen.insert(text.clone());
        let how = vec![Step { meant: UTF_8, read: "escapes" }];
        let first = Meant { score: rate(&text, &how), text, how };
        found.push(first.clone());
        layer = vec![first];
    }
    for _ in 0..LAYERS {
        let mut next = Vec::new();
        for garbled in &layer {
            read_again(garbled, &codecs, &mut seen, &mut next);
        }
        next.sort_by(|one, other| other.score.total_cmp(&one.score));
        layer = next
            .iter()
            .filter(|one| one.how.iter().all(|step| step.meant == UTF_8))
            .take(BEAM)
            .cloned()
            .collect();
        found.append(&mut next);
    }
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    found
}

/// Adds to a guess for a text that begins with `head` what detection does not look for: text within escapes, or in one
/// encoding and read in another, neither of them UTF-8; names of mail folders; the texts of a dBase table, and a record
/// of a library that says another encoding.
///
/// ```
/// use utf8kit_detect::{Remedy, detect};
/// use utf8kit_detect::misread::noted;
///
/// let text = br#"{"name": "Zo\u00c3\u00ab"}"#;
/// let guess = noted(detect(text), text);
/// assert_eq!(guess.notes, ["text within its escapes was UTF-8, read as windows-1252"]);
/// assert_eq!(guess.remedy, Some(Remedy::Undouble));
/// ```
pub fn noted(mut guess: Guess, head: &[u8]) -> Guess {
    if let (None, Some(texts)) = (guess.encoding, dbase_texts(head)) {
        let own = detect(&texts);
        let others: String = own.others.iter().map(|other| format!(" or {other}")).collect();
        let encoding = own.encoding.unwrap_or("text in no known encoding");
        guess.notes.push(format!(
            "a dBase table, whose texts read as {encoding}{others}: leave its bytes as they are"
        ));
        return guess;
    }
    match leader(head) {
        Some("UTF-8") if guess.encoding.is_some_and(|name| name != UTF_8) => {
            guess.notes.push("its leader says UTF-8, but it is not".to_owned());
        }
        Some(other @ "MARC-8") if guess.encoding == Some(UTF_8) && !head.is_ascii() => {
            guess.notes.push(format!("its leader says {other}, but it is UTF-8"));
        }
        _ => {}
    }
    let is_plain = guess.encoding == Some(UTF_8) && guess.remedy.is_none() && guess.mixed.is_none();
    let text = head.get(..utf8kit::floor_char_boundary(head, head.len())).map(utf8kit::validate);
    let Some(Ok(text)) = text.filter(|_| is_plain) else { return guess };
    if let Some(garbled) = first_garbled(text) {
        let place = if garbled.is_escaped { "within its escapes" } else { "in it" };
        guess.notes.push(format!("text {place} was {}, read as {}", garbled.written_as, garbled.read_as));
        guess.remedy = Some(Remedy::Undouble);
    } else if text.is_ascii() && are_folders(text) {
        guess.notes.push("names in it are those of mail folders, in UTF-7-IMAP".to_owned());
        guess.remedy = FOLDERS.parse().ok().map(Remedy::convert);
    } else if let Some(decoded) = mend::unquoted(text.as_bytes()) {
        let decoded =
            decoded.get(..utf8kit::floor_char_boundary(&decoded, decoded.len())).unwrap_or_default();
        let advice = detect(decoded).advice().filter(|advice| !advice.is_open());
        let conversion =
            advice.map(|advice| advice.remedy).filter(|one| matches!(one, Remedy::Convert { .. }));
        guess.mend = Some(Mend::Quoted);
        guess.remedy = conversion.or(Some(Remedy::Mend(Mend::Quoted)));
    } else if are_escaped(text) {
        guess.notes.push("bytes of UTF-8 in it are written as escapes, such as \\xC3\\xA9".to_owned());
        guess.remedy = Some(Remedy::Unescape);
    }
    guess
}

/// Reports whether a text has escapes of bytes (`\xC3\xA9`) that are non-ASCII text in UTF-8, and no others.
fn are_escaped(text: &str) -> bool {
    let digits = |rest: &[u8]| {
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        match rest {
            [b'\\', b'x', high, low, ..] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        }
    };
    let (mut rest, mut found) = (text.as_bytes(), false);
    while let Some(at) = memchr::memmem::find(rest, b"\\x") {
        rest = rest.get(at..).unwrap_or_default();
        let mut run = Vec::new();
        while let Some(byte) = digits(rest) {
            run.push(byte);
            rest = rest.get(4..).unwrap_or_default();
        }
        // The text may be cut off.
        let is_cut = rest.len() < 4;
        match std::str::from_utf8(&run) {
            Ok(read) if !run.is_empty() && !read.chars().any(char::is_control) => found |= !read.is_ascii(),
            _ if is_cut => {}
            _ => return false,
        }
        rest = if is_cut { &[] } else { rest };
    }
    found
}

/// The encoding of names of mail folders.
const FOLDERS: &str = "UTF-7-IMAP";

/// Reports whether a text of ASCII has names of mail folders: each `&` begins one of other letters, or is `&-`.
fn are_folders(text: &str) -> bool {
    let decoded = Legacy::labelled(FOLDERS).filter(|_| text.contains('&')).and_then(|legacy| {
        // The text may be cut off.
        let end = text.rfind('\n').map_or(text.len(), |feed| feed + 1);
        legacy.text_of(text.get(..end)?.as_bytes())
    });
    decoded.is_some_and(|decoded| {
        let mut beyond = decoded.chars().filter(|c| !c.is_ascii()).peekable();
        beyond.peek().is_some() && beyond.all(is_common)
    })
}

/// Returns how well a text reads: 1 is best.
///
/// ```
/// use utf8kit_detect::misread::readability;
///
/// assert!(readability("schön und groß") > readability("sch\u{C3}\u{B6}n und gro\u{C3}\u{178}"));
/// ```
pub fn readability(text: &str) -> f64 {
    let controls = text.chars().filter(|c| c.is_ascii_control() && !c.is_ascii_whitespace()).count();
    let beyond: Vec<(char, u64)> =
        text.chars().filter(|c| !c.is_ascii() && *c != LOST_CHARACTER).map(|c| (c, 1)).collect();
    if beyond.is_empty() {
        return if controls > 0 { 0.0 } else { 1.0 };
    }
    let is_wide = |c: char| c >= '\u{1100}' && c.is_alphabetic();
    // Neither ideographs nor boxes stand beside letters, and few texts are in half-width kana.
    let alien = |c: char| is_wide(c) || matches!(c, '\u{2500}'..='\u{259F}' | '\u{FF61}'..='\u{FF9F}');
    let is_letter = |c: char| c.is_alphabetic() && !is_wide(c) || c.is_ascii_digit();
    let beside = text.chars().zip(text.chars().skip(1));
    let glued = beside.filter(|&(a, b)| is_letter(a) && alien(b) || alien(a) && is_letter(b));
    let wrong = controls
        + glued.count()
        + beyond.iter().filter(|(c, _)| !is_common(*c) || matches!(c, '\u{FF61}'..='\u{FF9F}')).count();
    let odd = oddness(text).min(1.0) + wrong as f64 / beyond.len() as f64;
    let (wide, narrow): (Vec<_>, Vec<_>) =
        beyond.iter().filter(|(c, _)| *c < '\u{2190}' || c.is_alphabetic()).partition(|(c, _)| is_wide(*c));
    let east = || {
        let wide: String = wide.iter().map(|(c, _)| *c).collect();
        let all = ["gb18030", "Shift_JIS", "EUC-KR", "Big5"].into_iter();
        let rated = all.filter_map(|name| {
            let codec = name.parse::<Charset>().ok()?.writer();
            quality(codec, &bytes_in(codec, &wide)?)
        });
        rated.fold(0.0, f64::max).min(1.0)
    };
    let letters = narrow.iter().filter(|(c, _)| c.is_alphabetic()).count();
    let shouted = narrow.iter().filter(|(c, _)| c.is_uppercase()).count() * 2 > letters.max(1);
    let signs = if letters == 0 && wide.is_empty() { 0.2 } else { 0.0 };
    // Scripts that have encodings of their own alone: their letters are in one block.
    let block = |c: char| u32::from(c) >> 7;
    let is_own =
        |c: char| matches!(c, '\u{530}'..='\u{58F}' | '\u{900}'..='\u{DFF}' | '\u{E80}'..='\u{10FF}');
    let own = narrow.iter().filter(|(c, _)| is_own(*c) && block(*c) == block(narrow[0].0)).count();
    let west = coverage(&narrow).max(own as f64 / narrow.len().max(1) as f64)
        - signs
        - if shouted { 0.15 } else { 0.0 };
    let share = wide.len() as f64 / beyond.len() as f64;
    let east = if wide.is_empty() { 0.0 } else { east() };
    (share * east + (1.0 - share) * west - odd).max(-1.0)
}

const LOST_CHARACTER: char = '\u{FFFD}';

fn rate(text: &str, how: &[Step]) -> f64 {
    let all = text.chars().filter(|c| !c.is_ascii()).count().max(1);
    let lost = text.chars().filter(|c| *c == LOST_CHARACTER).count();
    readability(text) - LOST * lost as f64 / all as f64 - LAYER * how.len().saturating_sub(1) as f64
}

/// Adds what a text may have been before the last step that garbled it.
fn read_again(
    garbled: &Meant,
    codecs: &[(&'static str, Codec)],
    seen: &mut HashSet<String>,
    found: &mut Vec<Meant>,
) {
    let own = readability(&garbled.text);
    let without_mark = |text: String| text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
    let mut add = |meant, read, text: String, more: f64| {
        let text = without_mark(text);
        let better = garbled.how.is_empty() || readability(&text) > own + BETTER;
        let is_text = !text.is_empty() && !text.contains('\0');
        if !is_text || !better || !seen.insert(text.clone()) {
            return;
        }
        let mut how = vec![Step { meant, read }];
        how.extend(&garbled.how);
        // Bytes that were written as numbers were read in no encoding.
        if let [Step { read: "latin1" | "windows-1252", meant }, Step { read: "escapes", .. }] = *how {
            how = vec![Step { meant, read: "escapes" }];
        }
        found.push(Meant { score: rate(&text, &how) + more, text, how });
    };
    let mut tried = HashSet::new();
    for (place, &(read, codec)) in codecs.iter().enumerate() {
        let price = PLACE * place as f64;
        let runs = runs(codec, &garbled.text);
        if let Some((text, sequences)) = as_utf8(&runs) {
            // Few texts are UTF-8 by chance.
            add(UTF_8, read, text, (0.08 * sequences as f64).min(0.4) - price);
        }
        let [Run::Bytes(bytes, _)] = &*runs else { continue };
        if !tried.insert(bytes.clone()) {
            continue;
        }
        if bytes.is_ascii() {
            if let Ok(text) = str::from_utf8(bytes) {
                add(UTF_8, read, text.to_owned(), 0.0);
            }
            continue;
        }
        let guess = detect(bytes);
        let likely = guess.encoding.filter(|_| guess.is_singled_out());
        for (place, &(meant, other)) in codecs.iter().enumerate().filter(|(_, (meant, _))| *meant != read) {
            if let Some(text) = other.text_of(bytes) {
                let named = likely.is_some_and(|name| name.eq_ignore_ascii_case(other.name()));
                let bonus = if named { DETECTED } else { 0.0 };
                add(meant, read, text, bonus - price - PLACE * place as f64);
            }
        }
    }
}

/// A part of a text: the bytes of it in an encoding, with the character of each, or what the encoding lacks.
enum Run {
    Bytes(Vec<u8>, Vec<char>),
    Lacking(char),
}

/// Cuts a text into what an encoding has and what it lacks.
fn runs(codec: Codec, text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for c in text.chars() {
        match (codec.bytes_of(c).filter(|_| c != LOST_CHARACTER), runs.last_mut()) {
            (Some(more), Some(Run::Bytes(bytes, chars))) => {
                chars.extend(std::iter::repeat_n(c, more.len()));
                bytes.extend(more);
            }
            (Some(bytes), _) => {
                let chars = vec![c; bytes.len()];
                runs.push(Run::Bytes(bytes, chars));
            }
            (None, _) => runs.push(Run::Lacking(c)),
        }
    }
    runs
}

fn bytes_in(codec: Codec, text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| codec.bytes_of(c)).collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// Decodes as UTF-8, and counts the continuation bytes; `None` if there are none. Characters that are in none stay.
fn as_utf8(runs: &[Run]) -> Option<(String, usize)> {
    let (mut text, mut sequences) = (String::new(), 0);
    for (index, run) in runs.iter().enumerate() {
        let (bytes, chars) = match run {
            Run::Lacking(c) => {
                // The last byte of a sequence is lost with it.
                if !(*c == LOST_CHARACTER && text.ends_with(LOST_CHARACTER)) {
                    text.push(*c);
                }
                continue;
            }
            Run::Bytes(bytes, chars) => (bytes, chars),
        };
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (value, len) = match utf8kit::decode(rest) {
                Some(Ok(found)) => found,
                Some(Err(error)) => match with_space(rest) {
                    Some(found) => found,
                    None => {
                        let len = (error.len as usize).clamp(1, rest.len());
                        let cut = len == rest.len()
                            && matches!(runs.get(index + 1), Some(Run::Lacking(LOST_CHARACTER)));
                        if len > 1 || (cut && rest[0] >= 0xC2) {
                            text.push(LOST_CHARACTER);
                        } else if let Some(c) =
                            chars.get(at).filter(|_| at == 0 || chars.get(at - 1) != chars.get(at))
                        {
                            text.push(*c);
                        }
                        at += len;
                        continue;
                    }
                },
                None => break,
            };
            // Replacement characters that were read in another encoding: no text is like that by chance.
            sequences += if value == LOST_CHARACTER { 4 } else { len - 1 };
            text.push(value);
            at += len;
        }
    }
    (sequences > 0).then_some((text, sequences))
}

/// Decodes a sequence whose byte A0 became a space, as a no-break space often does.
fn with_space(bytes: &[u8]) -> Option<(char, usize)> {
    let [lead @ 0xC2..=0xF4, rest @ ..] = bytes else { return None };
    let mut sequence = vec![*lead];
    sequence.extend(rest.iter().take(3).map(|&byte| if byte == b' ' { 0xA0 } else { byte }));
    let (value, len) = utf8kit::decode(&sequence)?.ok()?;
    (is_common(value) && (*lead == 0xC3 || *lead >= 0xE0)).then_some((value, len))
}

/// Replaces escapes of bytes and of characters; `None` if there are none non-ASCII.
fn unescaped(text: &str) -> Option<String> {
    let (mut result, mut rest, mut units) = (String::new(), text, Vec::<u16>::new());
    let mut found = false;
    let flush = |units: &mut Vec<u16>, result: &mut String| {
        result.extend(char::decode_utf16(units.drain(..)).map(|unit| unit.unwrap_or(LOST_CHARACTER)));
    };
    while let Some(c) = rest.chars().next() {
        match escape(rest) {
            Some((value, len)) => {
                found |= value >= 0x80;
                match u16::try_from(value) {
                    Ok(unit) => units.push(unit),
                    Err(_) => {
                        flush(&mut units, &mut result);
                        result.push(char::from_u32(value).unwrap_or(LOST_CHARACTER));
                    }
                }
                rest = rest.get(len..)?;
            }
            None => {
                flush(&mut units, &mut result);
                result.push(c);
                rest = rest.get(c.len_utf8()..)?;
            }
        }
    }
    flush(&mut units, &mut result);
    found.then_some(result)
}

/// Returns the value and the length of the escape that a text begins with.
fn escape(text: &str) -> Option<(u32, usize)> {
    let digits = |prefix: &str, count: usize| {
        let value = u32::from_str_radix(text.strip_prefix(prefix)?.get(..count)?, 16).ok()?;
        Some((value, prefix.len() + count))
    };
    let number = || {
        let body = text.strip_prefix("&#")?;
        let end = body.find(';').filter(|end| *end < 8)?;
        let value = match body.get(..end)?.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => body.get(..end)?.parse().ok()?,
        };
        Some((value, end + 3))
    };
    let byte = |prefix| digits(prefix, 2).filter(|(value, _)| *value >= 0x80);
    digits("\\u", 4).or_else(|| byte("\\x")).or_else(|| byte("%")).or_else(|| byte("=")).or_else(number)
}
