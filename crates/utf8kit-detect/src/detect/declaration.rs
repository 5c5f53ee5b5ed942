//! The encoding that a text declares: in XML, HTML, CSS, source files (Python, Emacs, Vim), PO files and mail.

use std::ops::Range;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Charset, Codec};

/// The number of bytes examined at each end of a text.
const MAX_BYTES_SEARCHED: usize = 4096;

/// An encoding that a text declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// The encoding.
    pub(super) charset: Charset,
    /// The kind of the declaration: `XML declaration`.
    pub(super) place: &'static str,
    /// The bytes of its name in the text; `None` if the encoding has another name there.
    pub(super) range: Option<Range<usize>>,
}

impl Declaration {
    /// Reports whether the encoding has units of bytes and is not UTF-8. A declaration of UTF-16 is not a
    /// contradiction, because such text may be stored as UTF-8 in between.
    pub(super) fn is_other_than_utf8(&self) -> bool {
        let is_utf8 = self.charset.writer() == Codec::Native(AnyEncoding::Utf8);
        let is_ascii = matches!(self.charset.writer(), Codec::Legacy(legacy) if legacy.name() == "us-ascii");
        !is_utf8 && !self.charset.writer().is_wide() && !is_ascii
    }

    /// Returns the encoding to read the text in. Text that declares Latin-1 and has bytes of its controls is in
    /// windows-1252, in which these are quotation marks and other signs (Encoding Standard, "Names and labels").
    pub(super) fn codec(&self, text: &[u8]) -> Codec {
        match self.charset.writer() {
            Codec::Native(AnyEncoding::Latin1) if text.iter().any(|byte| matches!(byte, 0x80..=0x9F)) => {
                Codec::Legacy(WESTERN)
            }
            codec => codec,
        }
    }
}

/// Finds the first declaration of a known encoding.
pub(super) fn find(text: &[u8]) -> Option<Declaration> {
    let ascii = |bytes: &[u8]| -> String { bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect() };
    let head = ascii(text.get(..MAX_BYTES_SEARCHED).unwrap_or(text));
    let tail_at = text.len().saturating_sub(MAX_BYTES_SEARCHED);
    let tail = ascii(text.get(tail_at..).unwrap_or_default());
    let range = |label: &str| {
        let within = |part: &str, base: usize| {
            let start = (label.as_ptr() as usize).checked_sub(part.as_ptr() as usize)?;
            // A character is a byte of the text.
            let before = part.get(..start)?.chars().count();
            (start < part.len()).then(|| base + before..base + before + label.len())
        };
        within(&head, 0).or_else(|| within(&tail, tail_at))
    };
    let candidates = [
        ("XML declaration", xml(&head)),
        ("@charset rule", head.strip_prefix("@charset").and_then(value)),
        ("coding line", head.lines().take(2).find_map(coding)),
        ("modeline of Vim", modeline(&head, &tail)),
        ("meta element", meta(&head)),
        ("Content-Type header", header(&head)),
        ("package inputenc", inputenc(&head)),
        ("GEDCOM header", gedcom(&head)),
        ("CHARSET of a vCard", vcard(&head)),
        ("local variables of Emacs", local_variables(&tail)),
    ];
    let known = |(place, label): (_, Option<&str>)| {
        let label = label?;
        // Emacs appends the type of line ends.
        let bare = ["-unix", "-dos", "-mac"].iter().find_map(|suffix| label.strip_suffix(suffix));
        let label = bare.unwrap_or(label);
        Some(Declaration { charset: of_the_web(label)?, place, range: range(label) })
    };
    candidates.into_iter().find_map(known)
}

/// Returns the encoding of a label. ISO 8859-9 and -11 stand for the encodings of Windows, as on the Web, because these
/// have more characters.
fn of_the_web(label: &str) -> Option<Charset> {
    let charset: Charset = label.parse().ok()?;
    match charset.to_string().as_str() {
        "ISO-8859-9" => "windows-1254".parse().ok(),
        "ISO-8859-11" => "windows-874".parse().ok(),
        _ => Some(charset),
    }
}

/// Returns the first known encoding that a text declares: in XML, HTML, CSS, source files, PO files or mail. The text
/// may be in another encoding, for example after a conversion.
///
/// ```
/// use utf8kit_detect::declared;
///
/// let declares = |text: &[u8]| declared(text).map(|charset| charset.to_string());
/// assert_eq!(declares(b"<?xml version=\"1.0\" encoding=\"utf-16le\"?>"), Some("utf-16le".to_owned()));
/// assert_eq!(declares(b"No encoding."), None);
/// ```
pub fn declared(text: &[u8]) -> Option<Charset> {
    find(text).map(|declaration| declaration.charset)
}

/// Returns where a text names the encoding that it declares, in bytes, if it names it there.
///
/// ```
/// use utf8kit_detect::declared_at;
///
/// let text = b"# -*- coding: latin-1 -*-";
/// assert_eq!(&text[declared_at(text).unwrap()], b"latin-1");
/// ```
pub fn declared_at(text: &[u8]) -> Option<Range<usize>> {
    find(text)?.range
}

/// `<?xml version="1.0" encoding="..."?>`
fn xml(head: &str) -> Option<&str> {
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    value(declaration.split_once("encoding")?.1)
}

/// `# -*- coding: latin-1 -*-`, `# vim: set fileencoding=latin-1 :`, as in PEP 263.
fn coding(line: &str) -> Option<&str> {
    let after = line.split_once("coding")?.1;
    let name = after.strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()).then(|| value(name))?
}

/// `vim: set fenc=latin1:` in the first or last five lines.
fn modeline<'t>(head: &'t str, tail: &'t str) -> Option<&'t str> {
    let lines = head.lines().take(5).chain(tail.lines().rev().take(5));
    lines
        .filter(|line| ["vim:", "vi:", "ex:"].iter().any(|mark| line.contains(mark)))
        .find_map(|line| ["fileencoding=", "fenc="].iter().find_map(|name| Some(line.split_once(name)?.1)))
        .and_then(value)
}

/// `<meta charset="...">`, `<meta http-equiv="Content-Type" content="text/html; charset=...">`
fn meta(head: &str) -> Option<&str> {
    let elements = head.split("<meta").skip(1).filter_map(|rest| rest.split('>').next());
    elements.filter_map(|element| element.split_once("charset")).find_map(|(_, after)| value(after))
}

/// `Content-Type: text/plain; charset=...` in a mail, an HTTP header or a PO file.
fn header(head: &str) -> Option<&str> {
    value(head.split_once("content-type:")?.1.lines().next()?.split_once("charset")?.1)
}

/// `\usepackage[latin1]{inputenc}`
fn inputenc(head: &str) -> Option<&str> {
    let option = head.split_once("]{inputenc}")?.0.rsplit_once('[')?.1.rsplit(',').next()?.trim();
    Some(match option {
        "applemac" => "macintosh",
        "ansinew" => "windows-1252",
        "latin9" => "iso-8859-15",
        "latin10" => "iso-8859-16",
        "utf8x" => "utf-8",
        other => other,
    })
}

/// `1 CHAR ANSI`
fn gedcom(head: &str) -> Option<&str> {
    let value = head.strip_prefix("\u{EF}\u{BB}\u{BF}").unwrap_or(head).strip_prefix("0 head")?;
    Some(match value.split_once("1 char ")?.1.lines().next()?.trim() {
        "ansi" => "windows-1252",
        "ibmpc" | "ibm" | "msdos" => "cp437",
        "unicode" => "utf-16",
        other => other,
    })
}

/// `N;CHARSET=windows-1251:...`
fn vcard(head: &str) -> Option<&str> {
    // The colon after it begins the text.
    value(head.strip_prefix("begin:vcard")?.split_once(";charset=")?.1.split(':').next()?)
}

/// `coding: latin-1` below `Local Variables:`
fn local_variables(tail: &str) -> Option<&str> {
    tail.split_once("local variables:")?.1.lines().find_map(coding)
}

/// Returns the value after a colon or an equals sign, with or without quotes.
fn value(after: &str) -> Option<&str> {
    let name = after.trim_start_matches([' ', '\t', ':', '=', '"', '\'']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.:".contains(c)).unwrap_or(name.len());
    name.get(..end).filter(|name| !name.is_empty()).map(|name| name.trim_end_matches([':', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_all_kinds() {
        let cases: [(&str, Option<&str>); 21] = [
            ("BEGIN:VCARD\nN;CHARSET=koi8-r:Anna-Lena\n", Some("KOI8-R")),
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>\n<a/>", Some("ISO-8859-2")),
            ("<?xml version='1.0'?>\n<a encoding='koi8-r'/>", None),
            ("@charset \"windows-1251\";", Some("windows-1251")),
            ("#!/usr/bin/python\n# -*- coding: cp1250-unix -*-\n", Some("windows-1250")),
            ("# encoding=koi8-r", Some("KOI8-R")),
            ("\n\n# coding: koi8-r", None),
            ("a\n\n\n\n\n\n\n/* vim: set fenc=cp1251 ts=4: */\n", Some("windows-1251")),
            ("<html><head><META CHARSET=Shift_JIS>", Some("Shift_JIS")),
            ("<meta http-equiv='Content-Type' content='text/html; charset=big5'>", Some("Big5")),
            ("<p>the charset=big5 element</p>", None),
            ("msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=EUC-KR\\n\"\n", Some("EUC-KR")),
            ("From: a\nContent-Type: text/plain;charset=\"iso-8859-15\"\n\nb", Some("ISO-8859-15")),
            ("Content-Type: text/plain\n\ncharset=koi8-r", None),
            ("text\n\n;; Local Variables:\n;; coding: euc-jp-unix\n;; End:\n", Some("EUC-JP")),
            ("<?xml version=\"1.0\" encoding=\"unheard-of\"?>", None),
            ("# coding: utf-8", Some("utf-8")),
            ("\\documentclass{a}\n\\usepackage[applemac]{inputenc}\n", Some("macintosh")),
            ("0 HEAD\n1 SOUR X\n1 CHAR IBMPC\n", Some("CP437")),
            ("BEGIN:VCARD\nN;CHARSET=windows-1251:x\n", Some("windows-1251")),
            ("plain text", None),
        ];
        for (text, name) in cases {
            let found = find(text.as_bytes()).map(|found| found.charset.to_string());
            assert_eq!(found.as_deref(), name, "{text}");
        }
    }
}
