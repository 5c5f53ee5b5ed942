//! The candidate encodings, with their frequency and the languages they serve.

use std::borrow::Cow;
use std::sync::LazyLock;

use utf8kit::{AnyEncoding, Encoding as _, ErrorKind};
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::model::{Each, Language, compose};

/// The log-frequency of each encoding among text that is not UTF-8, up to a constant: on the Web, in files of Windows,
/// DOS, the Macintosh and mainframes, in tenths of a nat. Unknown names are ignored.
const PRIORS_OF_ENCODINGS: &str = "\
    windows-1252 0|windows-1251 0|windows-1250 -10|windows-1254 -15|windows-1253 -5|windows-1255 -5|windows-1256 -5\
    |windows-1257 -18|windows-1258 -10|windows-874 -5|ISO-8859-2 -20|ISO-8859-15 -20|ISO-8859-7 -10|ISO-8859-8 -12\
    |ISO-8859-6 -15|ISO-8859-13 -45|ISO-8859-4 -40|ISO-8859-5 -15|ISO-8859-3 -30|ISO-8859-10 -50|ISO-8859-14 -50\
    |ISO-8859-16 -50|KOI8-R -10|KOI8-U -10|IBM866 -10|x-mac-cyrillic -20|macintosh -20|x-mac-ce -30|x-mac-turkish -35\
    |x-mac-greek -35|x-mac-croatian -40|x-mac-romanian -40|x-mac-icelandic -40|x-mac-arabic -50|x-mac-farsi -60\
    |CP437 -17|CP850 -16|CP852 -20|CP855 -25|CP857 -25|CP858 -30|CP737 -25|CP775 -30|CP860 -35|CP861 -35|CP862 -25\
    |CP863 -45|CP864 -40|CP865 -35|CP869 -35|CP720 -35|CP1125 -40|CP856 -50|hp-roman8 -50|KZ-1048 -30|PTCP154 -40\
    |KOI8-T -40|CP1006 -60|VISCII -90|TCVN -90|ARMSCII-8 -35|Georgian-PS -35|Georgian-Academy -40\
    |MAZOVIA -35|CP895 -35|CWI-2 -40|CSN_369103 -80|MIK -40|CP1131 -45|ISO_6937 -80|MARC-8 -90\
    |CP037 -70|CP500 -75|CP273 -75|CP1140 -80|CP424 -80|CP875 -80|CP1026 -80|CP880 -90|CP870 -90|CP1025 -85|CP420 -90\
    |CP1047 -75|CP277 -80|CP278 -80|CP280 -80|CP284 -80|CP285 -80|CP297 -80|CP871 -90|CP1141 -85|CP1142 -90|CP1143 -90\
    |CP1144 -90|CP1145 -90|CP1146 -90|CP1147 -90|CP1148 -85|CP1149 -100|CP1112 -100\
    |gb18030 -3|Big5 -5|Shift_JIS -3|EUC-JP -5|EUC-KR -3|EUC-TW -30|Johab -30\
    |Shift_JIS-2004 -50|EUC-JIS-2004 -50\
    |utf-8 20|cesu-8 -30|utf-16le -40|utf-16be -40|utf-32le -60|utf-32be -60";

/// The alphabet of short messages. It is considered only for seven-bit data that is not ASCII text.
pub(crate) const SHORT_MESSAGES: &str = "GSM-03.38";

/// The log-frequency of an encoding that is not listed.
const NATS_OF_UNLISTED_ENCODING: f32 = -6.0;

/// Encodings that are used only for these languages.
const LANGUAGES_OF_ENCODINGS: [(&str, &str); 39] = [
    ("CP860", "pt"),
    ("CP861", "is"),
    ("CP863", "fr"),
    ("CP865", "nb nn da sv fi"),
    ("windows-1258", "vi"),
    ("x-mac-arabic", "ar"),
    ("KOI8-T", "tg"),
    ("KZ-1048", "kk"),
    ("PTCP154", "kk tt ky"),
    ("ISO-8859-10", "se is lt kl lv et fo sv nb da fi"),
    ("ARMSCII-8", "hy"),
    ("TCVN", "vi"),
    ("VISCII", "vi"),
    ("Georgian-PS", "ka"),
    ("Georgian-Academy", "ka"),
    ("CP1006", "ur"),
    ("x-mac-farsi", "fa"),
    ("CP1125", "uk"),
    ("CP1131", "be"),
    ("MAZOVIA", "pl"),
    ("CP895", "cs sk"),
    ("CSN_369103", "cs sk"),
    ("CWI-2", "hu"),
    ("MIK", "bg"),
    ("CP273", "de"),
    ("CP1141", "de"),
    ("CP277", "da nb nn"),
    ("CP1142", "da nb nn"),
    ("CP278", "sv fi"),
    ("CP1143", "sv fi"),
    ("CP280", "it"),
    ("CP1144", "it"),
    ("CP284", "es ca gl eu"),
    ("CP1145", "es ca gl eu"),
    ("CP285", "en cy gd ga"),
    ("CP1146", "en cy gd ga"),
    ("CP297", "fr"),
    ("CP1147", "fr"),
    ("CP1026", "tr"),
];

/// The languages of multi-byte encodings. All others except English and Russian are rarely written in them.
const LANGUAGES_OF_MULTI_BYTE_ENCODINGS: [(&str, &str); 9] = [
    ("gb18030", "zh"),
    ("Big5", "zh-hant"),
    ("EUC-TW", "zh-hant"),
    ("Shift_JIS", "ja"),
    ("EUC-JP", "ja"),
    ("Shift_JIS-2004", "ja"),
    ("EUC-JIS-2004", "ja"),
    ("EUC-KR", "ko"),
    ("Johab", "ko"),
];

/// The log-probabilities of languages that are rarely, and never, written in an encoding.
const NATS_OF_RARE_LANGUAGE_IN_ENCODING: f32 = -8.0;
const NATS_OF_INFREQUENT_LANGUAGE_IN_ENCODING: f32 = -2.0;
const NATS_OF_NEVER: f32 = -1000.0;

/// The encodings of Western Europe, and the letters of windows-1252. A language with only these letters is rarely
/// written in other encodings.
const ENCODINGS_OF_WESTERN_EUROPE: &str = "\
    windows-1252 ISO-8859-15 macintosh hp-roman8 CP437 CP850 CP858 CP860 CP861 CP863 CP865 x-mac-icelandic CP037 \
    CP500 CP273 CP1140 CP1047 CP277 CP278 CP280 CP284 CP285 CP297 CP871 CP1141 CP1142 CP1143 CP1144 CP1145 CP1146 \
    CP1147 CP1148 CP1149 ISO_6937 MARC-8";
const LETTERS_OF_WINDOWS_1252: &str = "ŠšŒœŽžŸÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ";
const NATS_OF_WESTERN_LANGUAGE_ELSEWHERE: f32 = -2.0;

/// An encoding may lack one letter in 2,500. Each more costs this many nats, up to a bound.
const MAX_SHARE_OF_LACKING_LETTERS: f32 = 4e-4;
const NATS_PER_LACKING_LETTER: f32 = 300.0;
const MAX_NATS_OF_LACKING_LETTERS: f32 = 6.0;

/// The least number of bytes that are read at once.
const BYTES_PER_PART: usize = 16;

/// An encoding that a text may be in.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) codec: Codec,
    /// Its log-frequency.
    pub(crate) prior: f32,
    /// The size of a code unit in bytes.
    pub(crate) unit: usize,
    pub(crate) is_ebcdic: bool,
    /// Whether ASCII words are the same in it.
    keeps_ascii: bool,
    /// Whether its character at FF occurs in almost no text, unlike in Cyrillic and Arabic encodings.
    pub(crate) has_fill: bool,
    /// The log-probability that a text of each language is in it.
    pub(crate) covers: Each,
    /// The script of the letter that each byte stands for; 0 for a sign, and for any byte of an encoding of several.
    scripts: Box<[u8; 256]>,
    reader: Reader,
}

#[derive(Clone)]
enum Reader {
    /// The character of each byte, or U+FFFD if there is none. `true` if marks follow their letters.
    Table(Box<[char; 256]>, bool),
    Native(AnyEncoding),
    Legacy(Legacy),
}

/// The codes of the languages of windows-1252.
static WESTERN_LANGUAGES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let is_there = |language: &Language| {
        language.script() == "Latn"
            && language.lacking(|c| c.is_ascii() || LETTERS_OF_WINDOWS_1252.contains(c)) < MAX_SHARE_OF_LACKING_LETTERS
    };
    Language::all().filter(is_there).map(Language::code).collect()
});

/// All of them.
pub(crate) static CANDIDATES: LazyLock<Vec<Candidate>> = LazyLock::new(|| {
    let row = |row: &str| {
        let (name, prior) = row.trim().split_once(' ')?;
        Candidate::new(name, prior.parse::<i8>().ok()?.into())
    };
    PRIORS_OF_ENCODINGS.split('|').filter_map(row).collect()
});

impl Candidate {
    /// Returns the candidate for an encoding.
    pub(crate) fn of(codec: Codec) -> Option<&'static Candidate> {
        let name = if codec.name() == "GBK" { "gb18030" } else { codec.name() };
        CANDIDATES.iter().find(|one| one.codec.name() == name)
    }

    /// Returns the candidate for a legacy encoding, however rare it is.
    pub(crate) fn legacy(legacy: Legacy) -> Cow<'static, Candidate> {
        let codec = Codec::Legacy(legacy);
        match Candidate::of(codec) {
            Some(one) => Cow::Borrowed(one),
            None => Cow::Owned(Candidate::with(legacy.name(), codec, NATS_OF_UNLISTED_ENCODING)),
        }
    }

    /// Returns the candidate for an encoding, if it is a legacy one or among all of them.
    pub(crate) fn known(codec: Codec) -> Option<Cow<'static, Candidate>> {
        match codec {
            Codec::Legacy(legacy) => Some(Candidate::legacy(legacy)),
            Codec::Native(_) => Candidate::of(codec).map(Cow::Borrowed),
        }
    }

    /// Reports whether it is UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        self.codec == Codec::Native(AnyEncoding::Utf8)
    }

    /// Reports whether each character is one byte.
    pub(crate) fn is_single_byte(&self) -> bool {
        matches!(self.reader, Reader::Table(..))
    }

    /// Reports whether non-ASCII bytes mostly stand for letters of the script that their neighbours are in, as they do
    /// in words.
    pub(crate) fn is_in_one_script(&self, bytes: &[u8]) -> bool {
        let (mut same, mut other) = (0, 0);
        let pairs = bytes.iter().zip(bytes.iter().skip(1));
        for (one, next) in pairs.filter(|(one, next)| !(*one | *next).is_ascii()) {
            match (self.scripts[usize::from(*one)], self.scripts[usize::from(*next)]) {
                (0, _) | (_, 0) => {}
                (one, next) if one == next => same += 1,
                _ => other += 1,
            }
        }
        other * 2 <= same
    }

    /// Reports whether ASCII words are the same in it.
    pub(crate) fn keeps_ascii(&self) -> bool {
        self.keeps_ascii
    }

    /// Returns the characters of some bytes, if the encoding is a table.
    pub(crate) fn characters(&self, bytes: &[u8]) -> Option<impl Iterator<Item = char>> {
        let Reader::Table(table, _) = &self.reader else { return None };
        Some(bytes.iter().map(|&byte| table[usize::from(byte)]))
    }

    /// Returns the beginning of some bytes that can be read apart from the rest.
    pub(crate) fn part<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let len = match self.reader {
            _ if bytes.len() < 2 * BYTES_PER_PART => None,
            Reader::Table(_, false) => Some(BYTES_PER_PART),
            // White space is no part of longer characters, and no mark follows it.
            _ if self.keeps_ascii => {
                let mut rest = bytes.iter().skip(BYTES_PER_PART);
                rest.position(u8::is_ascii_whitespace).map(|at| BYTES_PER_PART + at + 1)
            }
            _ => None,
        };
        len.and_then(|len| bytes.get(..len)).unwrap_or(bytes)
    }

    /// Returns the candidate of a name, whose log-frequency is in tenths of a nat.
    fn new(name: &str, tenths: f32) -> Option<Candidate> {
        let codec = match name.parse::<AnyEncoding>() {
            Ok(native) => Codec::Native(native),
            Err(_) => Codec::Legacy(Legacy::labelled(name)?),
        };
        Some(Candidate::with(name, codec, tenths / 10.0))
    }

    fn with(name: &str, codec: Codec, prior: f32) -> Candidate {
        let reader = match codec {
            Codec::Native(native) => Reader::Native(native),
            Codec::Legacy(legacy) if legacy.is_single_byte() => table(legacy),
            Codec::Legacy(legacy) => Reader::Legacy(legacy),
        };
        let unit = if let Reader::Native(native) = reader { native.unit() } else { 1 };
        let is_ebcdic = matches!(codec, Codec::Legacy(legacy) if legacy.is_ebcdic());
        let covers = covers(name, &reader);
        let is_alien = |c: char| c >= 'Ͱ' && c.is_alphabetic() || c == '\u{FFFD}';
        let has_fill = matches!(&reader, Reader::Table(table, _) if !is_ebcdic && !is_alien(table[0xFF]));
        let keeps_ascii = unit == 1 && !is_ebcdic && name != SHORT_MESSAGES;
        let script = |byte| match &reader {
            Reader::Table(table, _) => script(table[byte]),
            _ => 0,
        };
        let scripts = Box::new(std::array::from_fn(script));
        Candidate { codec, prior, unit, is_ebcdic, keeps_ascii, has_fill, covers, scripts, reader }
    }

    /// Appends the characters of bytes, with U+FFFD for each error. Returns whether the end cuts off a character, which
    /// is left out.
    pub(crate) fn read(&self, bytes: &[u8], text: &mut Vec<char>) -> bool {
        let start = text.len();
        self.read_all(bytes, text);
        let may_be_cut = text.len() > start + 1
            && match self.reader {
                Reader::Table(..) => false,
                Reader::Native(native) => ends_within(native, bytes),
                Reader::Legacy(_) => true,
            };
        may_be_cut && text.pop_if(|c| *c == '\u{FFFD}').is_some()
    }

    fn read_all(&self, bytes: &[u8], text: &mut Vec<char>) {
        match &self.reader {
            Reader::Table(table, false) => text.extend(bytes.iter().map(|&byte| table[usize::from(byte)])),
            Reader::Table(table, true) => {
                for &byte in bytes {
                    let c = table[usize::from(byte)];
                    match text.last_mut() {
                        Some(last) if is_mark(c) => match compose(*last, c) {
                            Some(whole) => *last = whole,
                            None => text.push(c),
                        },
                        _ => text.push(c),
                    }
                }
            }
            Reader::Native(native) => {
                let error = |item: utf8kit::Item| item.result.ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
                text.extend(native.items(bytes).map(error));
            }
            Reader::Legacy(legacy) => {
                for c in legacy.lossy_text_of(bytes).chars() {
                    match text.last_mut() {
                        // In library encodings, accents precede their letter. Before anything else they are damage.
                        Some(last) if is_mark(c) => *last = compose(*last, c).unwrap_or('\u{FFFD}'),
                        _ => text.push(c),
                    }
                }
            }
        }
    }
}

/// Returns a number of the script of a letter, as far as encodings of single bytes have some; 0 for other characters.
fn script(c: char) -> u8 {
    match c {
        _ if !c.is_alphabetic() => 0,
        ..'\u{370}' | '\u{1E00}'..='\u{1EFF}' => 1,
        ..'\u{400}' => 2,
        ..'\u{530}' => 3,
        ..'\u{590}' => 4,
        ..'\u{600}' => 5,
        ..'\u{700}' | '\u{FB50}'..='\u{FEFF}' => 6,
        ..'\u{E80}' => 7,
        _ => 8,
    }
}

/// Reports whether bytes end within a sequence.
fn ends_within(native: AnyEncoding, bytes: &[u8]) -> bool {
    native
        .errors(bytes)
        .last()
        .is_some_and(|error| error.kind == ErrorKind::Truncated && error.range().end == bytes.len())
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{33F}')
}

/// Returns the characters of a single-byte encoding. Controls of the Web's decoders do not count as characters, nor
/// does the no-break space at FF in DOS code pages, because FF is more likely fill. EBCDIC's NEL is a line end.
fn table(legacy: Legacy) -> Reader {
    let is_ascii = !legacy.is_ebcdic();
    let of = |byte: usize| {
        let c = legacy.text_of(&[byte as u8]).and_then(|text| text.chars().next());
        let is_filling = byte == 0xFF && c == Some('\u{A0}');
        let c = c.map(|c| if c == '\u{85}' && !is_ascii { '\n' } else { c });
        c.filter(|c| !is_ascii || !is_filling && !matches!(c, '\u{80}'..='\u{9F}')).unwrap_or('\u{FFFD}')
    };
    let table: Box<[char; 256]> = Box::new(std::array::from_fn(of));
    let composes = table.iter().any(|c| is_mark(*c));
    Reader::Table(table, composes)
}

/// Returns the log-probability that a text of each language is in an encoding. It decreases with the share of letters
/// that the encoding lacks.
fn covers(name: &str, reader: &Reader) -> Each {
    let eastern = LANGUAGES_OF_MULTI_BYTE_ENCODINGS.iter().find(|(known, _)| *known == name);
    let home = LANGUAGES_OF_ENCODINGS.iter().find(|(known, _)| *known == name);
    let is_of = |codes: &str, language: Language| codes.split(' ').any(|code| code == language.code());
    let is_western = ENCODINGS_OF_WESTERN_EUROPE.split(' ').any(|western| western == name);
    let mut known = vec![false; 0x1_0000];
    if let Reader::Table(table, _) = reader {
        for c in table.iter() {
            if let Some(known) = known.get_mut(*c as usize) {
                *known = true;
            }
        }
    }
    let of = |language: Language| {
        if let Some((_, own)) = eastern {
            let is_second = matches!((*own, language.code()), ("zh", "zh-hant") | (_, "en" | "ru"));
            return if language.code() == *own {
                0.0
            } else if is_second {
                NATS_OF_INFREQUENT_LANGUAGE_IN_ENCODING
            } else {
                NATS_OF_RARE_LANGUAGE_IN_ENCODING
            };
        }
        let Reader::Table(_, composes) = reader else { return 0.0 };
        let has = |c: char| known.get(c as usize).copied().unwrap_or(false);
        let is_abroad = !is_western && language.script() == "Latn" && WESTERN_LANGUAGES.contains(&language.code());
        let is_eastern = matches!(language.script(), "Hans" | "Hant" | "Jpan" | "Kore");
        if is_eastern {
            return NATS_OF_NEVER;
        }
        let lacking = match language.script() {
            "Latn" if *composes => 0.0,
            _ => language.lacking(has),
        };
        let away = home.is_some_and(|(_, codes)| !is_of(codes, language));
        let lack = if lacking < MAX_SHARE_OF_LACKING_LETTERS {
            0.0
        } else {
            -(NATS_PER_LACKING_LETTER * lacking).min(MAX_NATS_OF_LACKING_LETTERS)
        };
        lack + if away { NATS_OF_NEVER } else { 0.0 } + if is_abroad { NATS_OF_WESTERN_LANGUAGE_ELSEWHERE } else { 0.0 }
    };
    Language::each(of)
}
