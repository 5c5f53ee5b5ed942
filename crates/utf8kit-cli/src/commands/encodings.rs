//! `utf8 encodings`: lists the encodings, or describes one.

use utf8kit_encodings::charset::{Charset, Codec};

use crate::args::{EncodingsArgs, names};
use crate::columns::wrapped;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// The columns for the name of an encoding.
const NAME_COLUMNS: usize = 24;

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
    if args.names.is_empty() {
        list(printer)?;
    }
    // All names are understood before the first is described.
    let charsets: Result<Vec<Charset>, String> = args.names.iter().map(|name| names::charset(name)).collect();
    for charset in charsets.map_err(Error::usage)? {
        printer.print(format_args!("{charset}\n  {}\n  {}\n", about(charset), size(charset)))?;
        let lacking = wrapped(&lacking(charset), 2, 4, printer.columns());
        printer.print(format_args!("  {lacking}\n"))?;
        let is_number = |alias: &str| alias.bytes().all(|byte| byte.is_ascii_digit());
        for alias in charset.aliases() {
            match charset {
                Charset::Legacy(_) if is_number(alias) => {
                    printer.print(format_args!("  {alias}, cp{alias:0>3}, ibm-{alias}, windows-{alias}\n"))?
                }
                _ => printer.print(format_args!("  {alias}\n"))?,
            }
        }
    }
    Ok(Status::Clean)
}

/// Lists all encodings with their uses.
pub(super) fn list(printer: &mut Printer) -> Result<(), Error> {
    let charsets = Charset::names().filter_map(|name| Some((name, name.parse().ok()?)));
    charsets.into_iter().try_for_each(|(name, charset): (&str, _)| {
        let about = wrapped(about(charset), NAME_COLUMNS, NAME_COLUMNS, printer.columns());
        printer.print(format_args!("{name:<NAME_COLUMNS$}{about}\n"))
    })
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
        Codec::Legacy(legacy) if legacy.is_sized() => match legacy.name() {
            "gb18030" => "1, 2 or 4 bytes per character",
            "EUC-JP" => "1 to 3 bytes per character",
            _ => "1 or 2 bytes per character",
        },
        _ if charset.to_string() == "latin1" => "1 byte per character",
        _ => "several bytes per character",
    }
}
