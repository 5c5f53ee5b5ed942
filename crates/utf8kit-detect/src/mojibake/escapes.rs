//! Text within escapes: `\u00c3\u00a9` in JSON, JavaScript and .properties, `&Atilde;&copy;` and `&#146;` in HTML. A
//! line of ASCII is judged by the characters that it stands for, and what it was is written in its own spelling.

use std::collections::HashMap;

use crate::mojibake::encodings::is_control;

/// The names in HTML of the characters from U+00A0 to U+00FF.
const HTML_NAMES_OF_LATIN1: &str = "\
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
    Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
    Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
    ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
    uuml yacute thorn yuml";

/// The names of the other characters of windows-1252.
const HTML_NAMES_OF_WINDOWS_1252: [(&str, char); 25] = [
    ("euro", '€'),
    ("sbquo", '‚'),
    ("fnof", 'ƒ'),
    ("bdquo", '„'),
    ("hellip", '…'),
    ("dagger", '†'),
    ("Dagger", '‡'),
    ("circ", 'ˆ'),
    ("permil", '‰'),
    ("Scaron", 'Š'),
    ("lsaquo", '‹'),
    ("OElig", 'Œ'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bull", '•'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("tilde", '˜'),
    ("trade", '™'),
    ("scaron", 'š'),
    ("rsaquo", '›'),
    ("oelig", 'œ'),
    ("Yuml", 'Ÿ'),
];

/// The longest entity, without its signs.
const MAX_BYTES_OF_HTML_NAME: usize = 8;

/// How a line writes characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// `\u00e9`
    Unit,
    /// `&eacute;`, or else `&#233;`
    Name,
    /// `&#233;`
    Decimal,
    /// `&#xE9;`
    Hexadecimal,
}

/// A line of ASCII with escapes of other characters.
#[derive(Debug)]
pub(super) struct EscapedLine {
    /// The line with these characters. What stands for ASCII stays an escape.
    pub(super) text: String,
    spelling: Spelling,
    /// Whether it writes digits as capitals.
    is_upper: bool,
    /// How it writes each character.
    spelled: HashMap<char, String>,
}

impl EscapedLine {
    /// Reports whether all controls are where text has quotation marks, dashes and ellipses of windows-1252: beside
    /// letters. Programs write others in this spelling, such as NEL and the bounds of ranges. In HTML they are
    /// characters.
    pub(super) fn has_marks_of_text(&self) -> bool {
        let chars: Vec<char> = self.text.chars().collect();
        let is_letter = |at: usize| {
            let is_escape = at.checked_sub(1).and_then(|at| chars.get(at)) == Some(&'\\');
            !is_escape && chars.get(at).is_some_and(|c| c.is_alphabetic())
        };
        let is_next_to_letter = |at: usize| at.checked_sub(1).is_some_and(is_letter) || is_letter(at + 1);
        let is_mark = |at: usize, c: char| matches!(c, '\u{85}' | '\u{91}'..='\u{97}') && is_next_to_letter(at);
        self.spelling != Spelling::Unit || chars.iter().enumerate().all(|(at, &c)| !is_control(c) || is_mark(at, c))
    }

    /// Reports whether other controls are also written as escapes, as in patterns and in data within programs.
    pub(super) fn is_program_text(&self) -> bool {
        let escapes = ["\\u00", "\\x", "\\v", "\\f"];
        self.spelling == Spelling::Unit && escapes.into_iter().any(|escape| self.text.contains(escape))
    }

    /// Reads the escapes of a line. `None` if it has none, or other characters beside them.
    pub(super) fn of(line: &str) -> Option<EscapedLine> {
        if !line.contains("\\u") && !line.contains('&') || !line.is_ascii() {
            return None;
        }
        let (mut text, mut rest) = (String::with_capacity(line.len()), line);
        let (mut spelled, mut last, mut is_upper) = (HashMap::new(), None, false);
        while let Some(start) = rest.find(['\\', '&']) {
            let (before, escape) = rest.split_at(start);
            text.push_str(before);
            let (c, len, spelling) = match read(escape) {
                Some(found) => found,
                None => {
                    // A backslash may be escaped itself.
                    let len = if escape.starts_with("\\\\") { 2 } else { 1 };
                    let (same, after) = escape.split_at(len);
                    text.push_str(same);
                    rest = after;
                    continue;
                }
            };
            let (own, after) = escape.split_at(len);
            text.push(c);
            spelled.entry(c).or_insert_with(|| own.to_owned());
            last = Some(spelling);
            is_upper |= own.contains(|c: char| matches!(c, 'A'..='F'));
            rest = after;
        }
        text.push_str(rest);
        last.map(|spelling| EscapedLine { text, spelling, is_upper, spelled })
    }

    /// Writes a text with the escapes of this line.
    pub(super) fn written(&self, text: &str) -> String {
        let mut line = String::with_capacity(text.len());
        for c in text.chars() {
            match self.spelled.get(&c) {
                _ if c.is_ascii() => line.push(c),
                Some(own) => line.push_str(own),
                None => line.push_str(&self.escape(c)),
            }
        }
        line
    }

    fn escape(&self, c: char) -> String {
        let code = u32::from(c);
        match (self.spelling, self.is_upper) {
            (Spelling::Unit, is_upper) => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                let written = units.map(|unit| match is_upper {
                    true => format!("\\u{unit:04X}"),
                    false => format!("\\u{unit:04x}"),
                });
                written.collect()
            }
            (Spelling::Hexadecimal, true) => format!("&#x{code:X};"),
            (Spelling::Hexadecimal, false) => format!("&#x{code:x};"),
            (Spelling::Name, _) => match name(c) {
                Some(name) => format!("&{name};"),
                None => format!("&#{code};"),
            },
            (Spelling::Decimal, _) => format!("&#{code};"),
        }
    }
}

/// Returns the non-ASCII character of the escape that a text begins with, the escape's length, and how it is spelled.
fn read(text: &str) -> Option<(char, usize, Spelling)> {
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    };
    let (code, len, spelling) = if text.starts_with('\\') {
        match (unit(0)?, unit(6)) {
            (high @ 0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                (0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF), 12, Spelling::Unit)
            }
            (code, _) => (code, 6, Spelling::Unit),
        }
    } else {
        let body = text.get(1..)?;
        let end = body.bytes().take(MAX_BYTES_OF_HTML_NAME + 1).position(|byte| byte == b';')?;
        let body = body.get(..end)?;
        let digits = |digits: &str, radix: u32| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            u32::from_str_radix(digits, radix).ok().filter(|_| is_number)
        };
        let (code, spelling) = match (body.strip_prefix("#x").or(body.strip_prefix("#X")), body.strip_prefix('#')) {
            (Some(hexadecimal), _) => (digits(hexadecimal, 16)?, Spelling::Hexadecimal),
            (None, Some(decimal)) => (digits(decimal, 10)?, Spelling::Decimal),
            (None, None) => (u32::from(named(body)?), Spelling::Name),
        };
        (code, end + 2, spelling)
    };
    char::from_u32(code).filter(|c| !c.is_ascii()).map(|c| (c, len, spelling))
}

/// Returns the character of a name in HTML.
fn named(name: &str) -> Option<char> {
    let sign = HTML_NAMES_OF_WINDOWS_1252.into_iter().find(|(other, _)| *other == name).map(|(_, c)| c);
    let latin1 = || HTML_NAMES_OF_LATIN1.split(' ').position(|other| other == name);
    sign.or_else(|| u8::try_from(0xA0 + latin1()?).ok().map(char::from))
}

/// Returns the name of a character in HTML.
fn name(c: char) -> Option<&'static str> {
    let latin1 = u32::from(c).checked_sub(0xA0).and_then(|at| HTML_NAMES_OF_LATIN1.split(' ').nth(at as usize));
    latin1.or_else(|| HTML_NAMES_OF_WINDOWS_1252.into_iter().find(|(_, other)| *other == c).map(|(name, _)| name))
}
