//! Finds the original of garbled text, which was in one encoding and was read in another, once or several times.
//!
//! ```text
//! text -> if it is ASCII, its escapes (`\u00c3`, `%C3`, `=C3`, `&#195;`) become characters
//!      -> what `mojibake` finds, with prices for each damage
//!      -> for each encoding that it may have been misdecoded in: its bytes in that encoding
//!         -> as UTF-8; other text is kept, truncated sequences are lost
//!         -> as each other encoding in which these bytes are well formed
//!      -> new texts are rated by how much likelier they are; the best are treated as garbled again
//! ```

use std::collections::HashSet;

use utf8kit_encodings::Charset;
use utf8kit_encodings::artifact::{self, Artifact};
use utf8kit_encodings::byte_lengths::{dbase_texts, leader};
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::common::is_common;
use crate::detect::context::Prose;
use crate::detect::{Action, Guess, detect};
use crate::mojibake::{Candidate, Evidence, first_garbled};

/// A step by which text was garbled: it was in one encoding, and was read in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The name of the encoding that it was in.
    pub meant: &'static str,
    /// The name of the encoding that it was read in; `escapes` if its bytes or characters were written as numbers.
    pub read: &'static str,
}

/// A candidate for the original of garbled text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Original {
    /// The text. U+FFFD stands for a character that is lost.
    pub text: String,
    /// The steps by which it was garbled, in order.
    pub how: Vec<Step>,
    /// How much likelier it is, in nats, than that the garbled text was intended.
    pub nats: f32,
}

/// The encodings in which text is misread, and in which it was written, the most frequent first.
const NAMES_OF_ENCODINGS: [&str; 29] = [
    "windows-1252", "latin1", "windows-1251", "windows-1250", "Shift_JIS", "gb18030", "macintosh", "windows-1254",
    "koi8-r", "EUC-KR", "Big5", "windows-1253", "windows-1256", "windows-1255", "iso-8859-2", "cp437", "cp850",
    "ibm866", "utf-16le", "EUC-JP", "windows-1257", "windows-1258", "windows-874", "cp852", "iso-8859-5", "iso-8859-7",
    "iso-8859-15", "x-mac-cyrillic", "utf-16be",
];

const UTF_8: &str = "utf-8";
/// What [`Step::read`] says if bytes or characters were written as numbers.
const ESCAPES: &str = "escapes";
/// The maximum number of layers.
const MAX_LAYERS: usize = 4;
/// How many texts of a layer are searched for another layer.
const MAX_TEXTS_PER_LAYER: usize = 3;
/// Only this many bytes of a text are read.
const MAX_BYTES_OF_GARBLED_TEXT: usize = 4096;
/// The log-probabilities, in nats, of a further layer, of an encoding other than UTF-8, and of each position in the
/// list of encodings.
const NATS_PER_LAYER: f32 = -4.0;
const NATS_OF_OTHER_THAN_UTF8: f32 = -4.0;
const NATS_PER_PLACE: f32 = -0.2;
/// How much likelier a text must be than its garbled form, in a further layer.
const MIN_NATS_BETTER: f32 = 8.0;

/// Returns candidates for the original of a garbled text, the likeliest first: one for each distinct text other than
/// the garbled one.
///
/// ```
/// use utf8kit_detect::originals::candidates;
///
/// let found = candidates("sch\u{C3}\u{B6}n und gro\u{C3}\u{178}");
/// assert_eq!(found[0].text, "schön und groß");
/// assert_eq!((found[0].how[0].meant, found[0].how[0].read), ("utf-8", "windows-1252"));
/// ```
pub fn candidates(text: &str) -> Vec<Original> {
    let text = &text[..utf8kit::floor_char_boundary(text.as_bytes(), MAX_BYTES_OF_GARBLED_TEXT)];
    let codecs: Vec<(&'static str, Codec)> =
        NAMES_OF_ENCODINGS.iter().filter_map(|name| Some((*name, name.parse::<Charset>().ok()?.writer()))).collect();
    let prose = Prose::with_context("");
    let as_it_stands = prose.nats(text);
    let mut first = Original { text: text.to_owned(), how: Vec::new(), nats: 0.0 };
    let mut found = Vec::new();
    if let Some(meant) = unescaped(text).filter(|_| text.is_ascii()) {
        let how = vec![Step { meant: UTF_8, read: ESCAPES }];
        first = Original { nats: prose.nats(&meant) - as_it_stands, text: meant, how };
        found.push(first.clone());
    }
    let mut seen = HashSet::from([text.to_owned(), first.text.clone()]);
    let known = weighed(&first);
    // What `mojibake` does not find, it finds less likely.
    let most = known.last().map_or(f32::MAX, |one| one.nats);
    found.extend(known.into_iter().filter(|one| seen.insert(one.text.clone())));
    let count = found.len();
    let mut layer = vec![first];
    for _ in 0..MAX_LAYERS {
        let mut next = Vec::new();
        for garbled in &layer {
            push_originals(garbled, &codecs, |text| prose.nats(text) - as_it_stands, &mut seen, &mut next);
        }
        next.sort_by(|one, other| other.nats.total_cmp(&one.nats));
        layer = next
            .iter()
            .filter(|one| one.how.iter().all(|step| step.meant == UTF_8))
            .take(MAX_TEXTS_PER_LAYER)
            .cloned()
            .collect();
        found.append(&mut next);
    }
    found.iter_mut().skip(count).for_each(|one| one.nats = one.nats.min(most));
    found.sort_by(|one, other| other.nats.total_cmp(&one.nats));
    found
}

/// Returns the candidates that `mojibake` finds: the likeliest of each line, then the second of each, and so on.
fn weighed(garbled: &Original) -> Vec<Original> {
    let lines = || garbled.text.split_inclusive('\n');
    let mut evidence = Evidence::default();
    lines().for_each(|line| drop(evidence.repair(line)));
    let mut evidence = Evidence::new(Some(evidence.proven()));
    let lines: Vec<(&str, Vec<Candidate>)> =
        lines().map(|line| (line, evidence.repair(line).into_candidates())).collect();
    let count = lines.iter().map(|(_, candidates)| candidates.len()).max().unwrap_or_default();
    let original = |rank: usize| {
        let all = lines.iter().map(|(line, candidates)| (line, candidates.get(rank).or(candidates.last())));
        let first = all.clone().find_map(|(_, was)| was);
        Original {
            text: all.clone().map(|(line, was)| was.map_or(*line, |was| &was.text)).collect(),
            how: garbled.after(first.into_iter().flat_map(|was| was.how.rounds())),
            nats: garbled.nats + all.filter_map(|(_, was)| was).map(|was| was.score).sum::<f32>(),
        }
    };
    (0..count).map(original).collect()
}

impl Original {
    /// Returns how it was garbled if these steps came first.
    fn after(&self, steps: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Step> {
        let label = |name| if name == "UTF-8" { UTF_8 } else { name };
        let mut how: Vec<Step> = steps.map(|(meant, read)| Step { meant: label(meant), read }).collect();
        // Bytes that were written as escapes were not read in any encoding.
        if let ([.., last], [Step { read: ESCAPES, .. }]) = (&mut *how, &*self.how)
            && matches!(last.read, "latin1" | "windows-1252")
        {
            last.read = ESCAPES;
        } else {
            how.extend(&self.how);
        }
        how
    }
}

/// Adds notes to a guess for a text that begins with `head`, on features that detection does not look for: text within
/// escapes; text misread between two encodings other than UTF-8; names of mail folders; the texts of a dBase table; and
/// library records that declare another encoding.
///
/// ```
/// use utf8kit_detect::{Action, detect};
/// use utf8kit_detect::originals::with_notes;
///
/// let text = br#"{"name": "Zo\u00c3\u00ab"}"#;
/// let guess = with_notes(detect(text), text);
/// assert_eq!(guess.notes, ["text within its escapes was UTF-8, read as windows-1252"]);
/// assert_eq!(guess.action, Some(Action::FixMojibake));
/// ```
pub fn with_notes(mut guess: Guess, head: &[u8]) -> Guess {
    if let (None, Some(texts)) = (guess.encoding, dbase_texts(head)) {
        let own = detect(&texts);
        let others: String = own.others.iter().map(|other| format!(" or {other}")).collect();
        let encoding = own.encoding.unwrap_or("text in no known encoding");
        guess.notes.push(format!("a dBase table, whose texts read as {encoding}{others}: leave its bytes as they are"));
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
    let is_plain = guess.encoding == Some(UTF_8) && guess.action.is_none() && guess.mixed.is_none();
    let text = head.get(..utf8kit::floor_char_boundary(head, head.len())).map(utf8kit::validate);
    let Some(Ok(text)) = text.filter(|_| is_plain) else { return guess };
    if let Some(garbled) = first_garbled(text) {
        let place = if garbled.is_escaped { "within its escapes" } else { "in it" };
        guess.notes.push(format!("text {place} was {}, read as {}", garbled.written_as, garbled.read_as));
        guess.action = Some(Action::FixMojibake);
    } else if text.is_ascii() && are_folders(text) {
        guess.notes.push("contains names of mail folders, in UTF-7-IMAP".to_owned());
        guess.action = FOLDERS.parse().ok().map(Action::convert);
    } else if let Some(decoded) = artifact::unquoted(text.as_bytes()) {
        let decoded = decoded.get(..utf8kit::floor_char_boundary(&decoded, decoded.len())).unwrap_or_default();
        let suggestion = detect(decoded).suggestion().filter(|suggestion| !suggestion.is_open());
        let conversion =
            suggestion.map(|suggestion| suggestion.action).filter(|one| matches!(one, Action::Convert { .. }));
        guess.artifact = Some(Artifact::Quoted);
        guess.action = conversion.or(Some(Action::Artifact(Artifact::Quoted)));
    } else if are_escaped(text) {
        guess.notes.push("contains bytes of UTF-8 written as escapes, such as \\xC3\\xA9".to_owned());
        guess.action = Some(Action::Unescape);
    }
    guess
}

/// Reports whether a text has escapes of bytes (`\xC3\xA9`), all of them UTF-8 and some non-ASCII.
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

/// Reports whether an ASCII text has names of mail folders: each `&` must begin Base64 of non-ASCII letters, or be
/// `&-`.
fn are_folders(text: &str) -> bool {
    let decoded = Legacy::labelled(FOLDERS).filter(|_| text.contains('&')).and_then(|legacy| {
        // The text may be cut off.
        let end = text.rfind('\n').map_or(text.len(), |feed| feed + 1);
        legacy.text_of(text.get(..end)?.as_bytes())
    });
    decoded.is_some_and(|decoded| {
        let mut non_ascii = decoded.chars().filter(|c| !c.is_ascii()).peekable();
        non_ascii.peek().is_some() && non_ascii.all(is_common)
    })
}

const LOST: char = '\u{FFFD}';

/// Adds the candidate originals of `garbled` that are one step back. `rate` returns how much likelier a text is
/// than the first one.
fn push_originals(
    garbled: &Original,
    codecs: &[(&'static str, Codec)],
    rate: impl Fn(&str) -> f32,
    seen: &mut HashSet<String>,
    found: &mut Vec<Original>,
) {
    let without_mark = |text: String| text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
    let (layer, least) = match garbled.how.is_empty() {
        true => (0.0, f32::MIN),
        false => (NATS_PER_LAYER, rate(&garbled.text) + MIN_NATS_BETTER),
    };
    let mut add = |meant, read, text: String, price: f32| {
        let text = without_mark(text);
        let is_text = !text.is_empty() && !text.contains('\0');
        if !is_text || !seen.insert(text.clone()) {
            return;
        }
        let how = garbled.after([(meant, read)].into_iter());
        let nats = rate(&text);
        if nats >= least {
            found.push(Original { nats: nats + layer + price, text, how });
        }
    };
    let mut tried = HashSet::new();
    for (place, &(read, codec)) in codecs.iter().enumerate() {
        let price = NATS_PER_PLACE * place as f32;
        let runs = runs(codec, &garbled.text);
        if let Some(text) = as_utf8(&runs) {
            add(UTF_8, read, text, price);
        }
        let [Run::Bytes(bytes, _)] = &*runs else { continue };
        if !tried.insert(bytes.clone()) {
            continue;
        }
        if bytes.is_ascii() {
            if let Ok(text) = str::from_utf8(bytes) {
                add(UTF_8, read, text.to_owned(), price);
            }
            continue;
        }
        for (place, &(meant, other)) in codecs.iter().enumerate().filter(|(_, (meant, _))| *meant != read) {
            if let Some(text) = other.text_of(bytes) {
                add(meant, read, text, NATS_OF_OTHER_THAN_UTF8 + price + NATS_PER_PLACE * place as f32);
            }
        }
    }
}

/// A part of a text: its bytes in an encoding, with the character of each byte, or a character that the encoding lacks.
enum Run {
    Bytes(Vec<u8>, Vec<char>),
    Lacking(char),
}

/// Splits a text into runs that an encoding can represent and characters that it lacks.
fn runs(codec: Codec, text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for c in text.chars() {
        match (codec.bytes_of(c).filter(|_| c != LOST), runs.last_mut()) {
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

/// Decodes the sequences of UTF-8; `None` if there are none. Characters outside of sequences stay.
fn as_utf8(runs: &[Run]) -> Option<String> {
    let (mut text, mut has_sequence) = (String::new(), false);
    for (index, run) in runs.iter().enumerate() {
        let (bytes, chars) = match run {
            Run::Lacking(c) => {
                // The last byte of a sequence is lost with it.
                if !(*c == LOST && text.ends_with(LOST)) {
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
                        let cut = len == rest.len() && matches!(runs.get(index + 1), Some(Run::Lacking(LOST)));
                        if len > 1 || (cut && rest[0] >= 0xC2) {
                            text.push(LOST);
                        } else if let Some(c) = chars.get(at).filter(|_| at == 0 || chars.get(at - 1) != chars.get(at))
                        {
                            text.push(*c);
                        }
                        at += len;
                        continue;
                    }
                },
                None => break,
            };
            has_sequence |= len > 1;
            text.push(value);
            at += len;
        }
    }
    has_sequence.then_some(text)
}

/// Decodes a sequence whose byte A0 became a space, as a no-break space often does.
fn with_space(bytes: &[u8]) -> Option<(char, usize)> {
    let [lead @ 0xC2..=0xF4, rest @ ..] = bytes else { return None };
    let mut sequence = vec![*lead];
    sequence.extend(rest.iter().take(3).map(|&byte| if byte == b' ' { 0xA0 } else { byte }));
    let (value, len) = utf8kit::decode(&sequence)?.ok()?;
    (is_common(value) && (*lead == 0xC3 || *lead >= 0xE0)).then_some((value, len))
}

/// Replaces escapes of bytes and of characters; `None` if none of them are non-ASCII.
fn unescaped(text: &str) -> Option<String> {
    let (mut result, mut rest, mut units) = (String::new(), text, Vec::<u16>::new());
    let mut found = false;
    let flush = |units: &mut Vec<u16>, result: &mut String| {
        result.extend(char::decode_utf16(units.drain(..)).map(|unit| unit.unwrap_or(LOST)));
    };
    while let Some(c) = rest.chars().next() {
        match escape(rest) {
            Some((value, len)) => {
                found |= value >= 0x80;
                match u16::try_from(value) {
                    Ok(unit) => units.push(unit),
                    Err(_) => {
                        flush(&mut units, &mut result);
                        result.push(char::from_u32(value).unwrap_or(LOST));
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

/// Returns the value and the length of the escape at the start of a text.
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
