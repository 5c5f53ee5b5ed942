//! `utf8 encodings`: lists the encodings, or describes one.

use std::fmt;

use utf8kit_encodings::charset::{Charset, Codec, Legacy};

use crate::args::{EncodingsArgs, names};
use crate::error::{Error, Status};
use crate::printer::Printer;

/// The uses of the library's own encodings, by the start of their names.
const OWN_ENCODINGS: [(&str, &str); 9] = [
    ("utf-8-", "UTF-8 for numbers beyond Unicode"),
    ("utf-8", "Unicode, everywhere"),
    ("cesu-8", "Oracle's UTF8, MySQL's utf8mb3: surrogate pairs"),
    ("mutf-8", "Java's class files and JNI: surrogate pairs, NUL in two bytes"),
    ("wtf-8", "file names of Windows: UTF-8 with lone surrogates"),
    ("utf-16", "Unicode, Windows and Java"),
    ("wtf-16", "Unicode, Windows and Java, with lone surrogates"),
    ("utf-32", "Unicode, in memory"),
    ("latin1", "ISO 8859-1, Western Europe"),
];

/// Runs the command.
pub(crate) fn run(args: &EncodingsArgs, printer: &mut Printer) -> Result<Status, Error> {
    match &args.name {
        Some(name) => {
            let charset = names::charset(name).map_err(Error::usage)?;
            printer.print(format_args!("{charset}\n  {}\n  {}\n", about(charset), size(charset)))?;
            printer.print(format_args!("  {}\n", lacking(charset)))?;
            match charset {
                Charset::Legacy(legacy) => printer.print(format_args!("{}", Aliases(legacy)))?,
                Charset::Named(_) => spellings(charset)
                    .try_for_each(|spelling| printer.print(format_args!("  {spelling}\n")))?,
            }
        }
        None => list(printer)?,
    }
    Ok(Status::Clean)
}

/// Lists all encodings with their uses.
pub(super) fn list(printer: &mut Printer) -> Result<(), Error> {
    let charsets = Charset::names().filter_map(|name| Some((name, name.parse().ok()?)));
    charsets
        .into_iter()
        .try_for_each(|(name, charset)| printer.print(format_args!("{name:<24}{}\n", about(charset))))
}

/// Characters in common use, by kind.
const CHARACTERS: [(&str, &str); 16] = [
    ("the euro sign", "\u{20AC}"),
    ("curved quotation marks and dashes", "\u{2018}\u{2019}\u{201C}\u{201D}\u{2013}\u{2014}"),
    ("Western European letters", "äéèñøßç"),
    ("French œ", "œŒ"),
    ("Central European letters", "łőřžč"),
    ("Romanian letters", "ășț"),
    ("Baltic letters", "āėįų"),
    ("Turkish letters", "ğışİ"),
    ("Vietnamese letters", "ạếữơ"),
    ("Greek", "αβγΩ"),
    ("Cyrillic", "абвЯ"),
    ("Hebrew", "אבג"),
    ("Arabic", "ابت"),
    ("Thai", "กขค"),
    ("Chinese, Japanese and Korean", "的一日あア한"),
    ("emoji", "\u{1F600}"),
];

/// Describes which characters in common use an encoding lacks.
fn lacking(charset: Charset) -> String {
    let codec = charset.writer();
    let lacks = |text: &str| text.chars().any(|c| codec.bytes_of(c).is_none());
    let kinds: Vec<&str> = CHARACTERS.iter().filter(|(_, text)| lacks(text)).map(|(kind, _)| *kind).collect();
    match kinds[..] {
        [] => "lacks no character in common use".to_owned(),
        _ => format!("lacks all or some of: {}", kinds.join(", ")),
    }
}

/// Other spellings of the library's own encodings: in IANA's registry, iconv, Python, Java and Windows.
const SPELLINGS: [&str; 38] = [
    "utf8",
    "utf8mb4",
    "cp65001",
    "65001",
    "rfc3629",
    "iso-ir-193",
    "unicode-1-1-utf-8",
    "utf-8-21",
    "utf-8-31",
    "rfc2279",
    "cesu8",
    "mutf8",
    "modified-utf-8",
    "java-utf-8",
    "wtf8",
    "utf16",
    "utf-16-le",
    "utf-16-be",
    "ucs-2",
    "ucs-2le",
    "ucs-2be",
    "unicodelittle",
    "unicodebig",
    "x-utf-16le-bom",
    "utf32",
    "utf-32-le",
    "utf-32-be",
    "ucs-4",
    "ucs-4le",
    "iso-8859-1",
    "iso8859-1",
    "8859_1",
    "latin-1",
    "l1",
    "cp819",
    "ibm819",
    "csisolatin1",
    "windows-28591",
];

/// Returns the other spellings of one of the library's own encodings.
fn spellings(charset: Charset) -> impl Iterator<Item = &'static str> {
    SPELLINGS.into_iter().filter(move |spelling| spelling.parse() == Ok(charset))
}

fn about(charset: Charset) -> &'static str {
    match charset {
        Charset::Legacy(legacy) => legacy.about(),
        _ => {
            let name = charset.to_string();
            OWN_ENCODINGS.iter().find(|(start, _)| name.starts_with(start)).map_or("", |(_, about)| about)
        }
    }
}

/// Describes how many bytes a character takes.
fn size(charset: Charset) -> &'static str {
    match charset.writer() {
        Codec::Legacy(legacy) if legacy.is_single_byte() => "1 byte per character",
        Codec::Legacy(legacy) if legacy.is_sized() => "1 to 4 bytes per character",
        _ if charset.to_string() == "latin1" => "1 byte per character",
        _ => "several bytes per character",
    }
}

/// The other names of an encoding.
struct Aliases(Legacy);

impl fmt::Display for Aliases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for alias in self.0.aliases() {
            match alias.bytes().all(|byte| byte.is_ascii_digit()) {
                true => writeln!(f, "  {alias}, cp{alias:0>3}, ibm-{alias}, windows-{alias}")?,
                false => writeln!(f, "  {alias}")?,
            }
        }
        Ok(())
    }
}
