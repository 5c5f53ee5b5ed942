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
            if let Charset::Legacy(legacy) = charset {
                printer.print(format_args!("{}", Aliases(legacy)))?;
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
