//! The encodings that text is mistaken for.

use std::sync::LazyLock;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::Legacy;
use utf8kit_encodings::charset::code_pages::{CP437, CP850, CP852};

/// The encodings in which text is misdecoded, with the price in nats for UTF-8 and for text in another encoding. `None`
/// if no such text is known.
pub(super) const MISREADINGS: [(&str, f32, Option<f32>); 19] = [
    ("windows-1252", 0.0, Some(0.0)),
    ("latin1", 1.0, None),
    ("windows-1251", 1.0, Some(1.0)),
    ("windows-1250", 2.0, Some(1.0)),
    ("windows-1253", 3.0, Some(3.0)),
    ("windows-1254", 3.0, Some(2.0)),
    ("windows-1255", 4.0, None),
    ("windows-1256", 4.0, Some(4.0)),
    ("windows-1257", 5.0, Some(4.0)),
    ("windows-1258", 6.0, None),
    ("windows-874", 4.0, None),
    ("iso-8859-2", 3.0, Some(4.0)),
    ("macintosh", 2.0, Some(6.0)),
    ("cp437", 2.0, Some(2.0)),
    ("cp850", 8.0, Some(2.0)),
    ("cp852", 3.0, Some(3.0)),
    ("ibm866", 3.0, Some(1.0)),
    ("koi8-r", 5.0, Some(1.0)),
    ("iso-8859-15", 4.0, Some(4.0)),
];

/// All of them, made once.
pub(super) static ENCODINGS: LazyLock<Vec<Misread>> =
    LazyLock::new(|| MISREADINGS.into_iter().map(|(name, price, pair)| Misread::named(name, price, pair)).collect());

/// Almost all characters of the encodings are before this one.
const CODE_POINTS_IN_TABLE: usize = 0x2600;

/// An encoding that text was mistaken for.
#[derive(Debug)]
pub(super) struct Misread {
    #[cfg(test)]
    pub(super) name: &'static str,
    /// Its name in the tables of encodings.
    pub(super) label: &'static str,
    pub(super) price: f32,
    pub(super) price_of_pair: Option<f32>,
    /// The bytes of its non-ASCII characters, sorted by character.
    bytes: Vec<(char, u8)>,
    /// The same, indexed by the code point of the character, for all but the largest; 0 if there is no byte.
    table: Vec<u8>,
    /// The continuation bytes that it has no character for.
    pub(super) lacking: Vec<u8>,
    /// Its no-break space, if that is a continuation byte.
    pub(super) space: Option<u8>,
    /// Those of its double, and of its single quotation marks that are continuation bytes.
    pub(super) quotes: [Vec<u8>; 2],
}

impl Misread {
    fn named(name: &'static str, price: f32, price_of_pair: Option<f32>) -> Misread {
        let page = match name {
            "cp437" => Some(CP437),
            "cp850" => Some(CP850),
            "cp852" => Some(CP852),
            _ => None,
        };
        let is_latin1 = name == AnyEncoding::Latin1.name();
        let legacy = Legacy::labelled(name).filter(|_| !is_latin1);
        let character = |byte: u8| match (page, legacy) {
            (Some(page), _) => page.chars().nth(usize::from(byte).checked_sub(0x80)?),
            // What the Web reads there is a control.
            (None, Some(legacy)) => legacy.text_of(&[byte])?.chars().next().filter(|c| *c as u32 >= 0xA0),
            (None, None) => Some(char::from(byte)),
        };
        let (mut bytes, mut lacking) = (Vec::new(), Vec::new());
        for byte in 0x80..=0xFF {
            match character(byte) {
                Some(c) => bytes.push((c, byte)),
                None => lacking.push(byte),
            }
        }
        // Bytes without a character are mostly decoded as controls and Latin-1.
        for &byte in &lacking {
            if bytes.iter().all(|(c, _)| *c != char::from(byte)) {
                bytes.push((char::from(byte), byte));
            }
        }
        if is_latin1 {
            // Programs that read Latin-1 mostly mean windows-1252.
            lacking = vec![0x81, 0x8D, 0x8F, 0x90, 0x9D];
        }
        lacking.retain(|byte| *byte < 0xC0);
        bytes.sort_unstable();
        let mut table = vec![0; CODE_POINTS_IN_TABLE];
        for &(c, byte) in &bytes {
            if let Some(cell) = table.get_mut(c as usize) {
                *cell = byte;
            }
        }
        let mut made = Misread {
            #[cfg(test)]
            name,
            label: legacy.map_or(name, Legacy::name),
            price,
            price_of_pair,
            bytes,
            table,
            lacking,
            space: None,
            quotes: [Vec::new(), Vec::new()],
        };
        let continuation = |c: char| made.byte(c).filter(|byte| *byte < 0xC0);
        let space = continuation('\u{A0}');
        let quotes = ["\u{201C}\u{201D}\u{201E}", "\u{2018}\u{2019}\u{201A}"];
        let quotes = quotes.map(|quotes| quotes.chars().filter_map(continuation).collect());
        (made.space, made.quotes) = (space, quotes);
        made
    }

    /// Returns the byte of a non-ASCII character.
    pub(super) fn byte(&self, c: char) -> Option<u8> {
        match self.table.get(c as usize) {
            Some(&byte) => (byte != 0).then_some(byte),
            None => {
                let mut non_ascii = self.bytes.iter().rev().take_while(|(c, _)| *c as usize >= CODE_POINTS_IN_TABLE);
                non_ascii.find(|(other, _)| *other == c).map(|&(_, byte)| byte)
            }
        }
    }

    /// Decodes some bytes from the mistaken encoding.
    #[cfg(test)]
    pub(super) fn read(&self, bytes: &[u8]) -> Option<String> {
        let non_ascii = |byte| self.bytes.iter().find(|(_, other)| *other == byte).map(|&(c, _)| c);
        bytes.iter().map(|&byte| if byte < 0x80 { Some(char::from(byte)) } else { non_ascii(byte) }).collect()
    }
}

/// What each character may be, by code point and encoding, one bit for each: the first byte of a sequence, the first of
/// one of two bytes, a continuation byte.
static ROLES_OF_CHARACTERS: LazyLock<Vec<[u32; 3]>> = LazyLock::new(|| {
    let mut roles = vec![[0; 3]; CODE_POINTS_IN_TABLE];
    for (at, encoding) in ENCODINGS.iter().enumerate() {
        for &(c, byte) in &encoding.bytes {
            if let Some([lead, short, other]) = roles.get_mut(c as usize) {
                *lead |= u32::from((0xC2..0xF5).contains(&byte)) << at;
                let is_short = (0xC2..0xDC).contains(&byte) && !c.is_lowercase() || byte == 0xE2;
                *short |= u32::from(is_short) << at;
                *other |= u32::from(byte < 0xC0) << at;
            }
        }
    }
    roles
});

/// Returns the encodings in which a text may have bytes of UTF-8, one bit for each. Mostly there are none, and nothing
/// more is to be asked.
pub(super) fn suspects(text: &str) -> u32 {
    let (mut found, mut led, mut led_short, mut was_small) = (0, 0, 0, false);
    for c in text.chars() {
        let [lead, short, other] = match ROLES_OF_CHARACTERS.get(c as usize) {
            Some(&roles) => roles,
            // Ligatures and the like could be anything.
            None if matches!(c, '\u{F8FF}'..='\u{FB02}') => [u32::MAX; 3],
            None => [0; 3],
        };
        // Small Cyrillic letters are bytes in ibm866, but after each other they are words.
        let is_small = is_small_cyrillic(c);
        let other = if was_small && is_small { 0 } else { other };
        was_small = is_small;
        // A control may be a character of windows-1252.
        found |= led & other | if is_control(c) { 1 } else { 0 };
        if led_short != 0 && matches!(c, ' ' | '\u{FFFD}' | '"' | '\'') {
            found |= led_short;
        }
        (led, led_short) = (lead, short);
    }
    match found & *OF_OTHER_SCRIPTS {
        0 => found,
        others => found & !others | others & whole_runs(text),
    }
}

/// The encodings whose bytes are mostly letters of one script, in which any text has sequences by chance.
static OF_OTHER_SCRIPTS: LazyLock<u32> = LazyLock::new(|| {
    let of = |name: &str| matches!(name, "windows-1255" | "windows-1256" | "windows-874");
    let all = MISREADINGS.iter().enumerate().filter(|(_, (name, ..))| of(name));
    all.fold(0, |all, (at, _)| all | 1 << at)
});

/// What each character is, by code point and encoding, one bit for each: a continuation byte, the first byte of a
/// sequence of two, three, four bytes.
static BYTES_OF_CHARACTERS: LazyLock<Vec<[u32; 4]>> = LazyLock::new(|| {
    let mut all = vec![[0; 4]; CODE_POINTS_IN_TABLE];
    for (at, encoding) in ENCODINGS.iter().enumerate() {
        for &(c, byte) in &encoding.bytes {
            let role = match byte {
                ..0xC0 => 0,
                0xC2..0xE0 => 1,
                0xE0..0xF0 => 2,
                0xF0..0xF5 => 3,
                _ => continue,
            };
            if let Some(role) = all.get_mut(c as usize).and_then(|roles| roles.get_mut(role)) {
                *role |= 1 << at;
            }
        }
    }
    all
});

/// Reports whether a run of non-ASCII characters consists of UTF-8 sequences in one of the encodings. Only then is it
/// worth examining whether it is mojibake.
pub(super) fn has_whole_runs(text: &str) -> bool {
    whole_runs(text) != 0
}

/// Returns those encodings, one bit for each.
fn whole_runs(text: &str) -> u32 {
    // In which encodings no byte is missing after the characters so far, and in which one, two and three are.
    let (mut found, mut whole, mut missing, mut last) = (0, 0, [0; 3], ' ');
    for c in text.chars() {
        if c.is_ascii() {
            found |= std::mem::take(&mut whole);
            missing = [0; 3];
        } else {
            let [continuation, leads @ ..] = BYTES_OF_CHARACTERS.get(c as usize).copied().unwrap_or_default();
            // Small Cyrillic letters after each other are words.
            let is_word = is_small_cyrillic(last) && is_small_cyrillic(c);
            let continuation = if is_word { 0 } else { continuation };
            let begins = if last.is_ascii() { u32::MAX } else { whole };
            let [one, two, three] = missing.map(|missing| missing & continuation);
            let [short, middle, long] = leads.map(|lead| begins & lead);
            (whole, missing) = (one, [two | short, three | middle, long]);
        }
        last = c;
    }
    found | whole
}

/// Reports whether a character is a non-ASCII control. Text does not contain these, except as the result of decoding in
/// a wrong encoding.
pub(super) fn is_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}')
}

/// Reports whether a character is in one of these encodings.
pub(super) fn is_of_bytes(c: char) -> bool {
    c.is_ascii() || ROLES_OF_CHARACTERS.get(c as usize).is_some_and(|roles| *roles != [0; 3])
}

pub(super) fn is_small_cyrillic(c: char) -> bool {
    matches!(c, 'а'..='я')
}
