//! Generates the tables of code pages: from Python's codecs, which Python generates from Unicode's mapping files, and
//! where Unicode has no mapping file, from `iconv` of the GNU C library.

use std::fmt::Write as _;
use std::fs;

use crate::run::command;
use crate::{Result, target};

/// The generated file.
pub(crate) const PATH: &str = "crates/utf8kit-text/src/charset/code_pages/tables.rs";

/// The first lines of the file.
const HEADER: &str = "\
//! The characters of code pages, 16 to a line; U+FFFD is none. Written by `cargo xtask gen`, from Python's codecs and
//! `iconv`.
";

/// A code page.
struct Page {
    name: &'static str,
    about: &'static str,
    /// The first byte of the table; those before are ASCII.
    first: usize,
    source: Source,
}

/// Who knows the characters of a code page.
enum Source {
    /// A codec of Python, and the mapping file in Unicode's data that it is generated from.
    Python(&'static str, &'static str),
    /// `iconv` of the GNU C library, by the name that the code page has there.
    Iconv(&'static str),
}

use Source::{Iconv, Python};

const fn page(name: &'static str, about: &'static str, first: usize, source: Source) -> Page {
    Page { name, about, first, source }
}

const PAGES: [Page; 21] = [
    page("CP437", "DOS, United States", 128, Python("cp437", "VENDORS/MICSFT/PC/CP437.TXT")),
    page("CP737", "DOS, Greek", 128, Python("cp737", "VENDORS/MICSFT/PC/CP737.TXT")),
    page("CP775", "DOS, Baltic", 128, Python("cp775", "VENDORS/MICSFT/PC/CP775.TXT")),
    page("CP850", "DOS, Western Europe", 128, Python("cp850", "VENDORS/MICSFT/PC/CP850.TXT")),
    page("CP852", "DOS, Central Europe", 128, Python("cp852", "VENDORS/MICSFT/PC/CP852.TXT")),
    page("CP855", "DOS, Cyrillic", 128, Python("cp855", "VENDORS/MICSFT/PC/CP855.TXT")),
    page("CP857", "DOS, Turkish", 128, Python("cp857", "VENDORS/MICSFT/PC/CP857.TXT")),
    page("CP860", "DOS, Portuguese", 128, Python("cp860", "VENDORS/MICSFT/PC/CP860.TXT")),
    page("CP861", "DOS, Icelandic", 128, Python("cp861", "VENDORS/MICSFT/PC/CP861.TXT")),
    page("CP862", "DOS, Hebrew", 128, Python("cp862", "VENDORS/MICSFT/PC/CP862.TXT")),
    page("CP863", "DOS, French of Canada", 128, Python("cp863", "VENDORS/MICSFT/PC/CP863.TXT")),
    page("CP865", "DOS, Nordic", 128, Python("cp865", "VENDORS/MICSFT/PC/CP865.TXT")),
    page("CP869", "DOS, Greek of IBM", 128, Python("cp869", "VENDORS/MICSFT/PC/CP869.TXT")),
    page("CP1125", "DOS, Ukrainian", 128, Iconv("CP1125")),
    page(
        "MAC_CE",
        "Macintosh, Central Europe",
        128,
        Python("mac_latin2", "MAPPINGS/VENDORS/MICSFT/MAC/LATIN2.TXT"),
    ),
    page("MAC_GREEK", "Macintosh, Greek", 128, Python("mac_greek", "MAPPINGS/VENDORS/APPLE/GREEK.TXT")),
    page(
        "MAC_TURKISH",
        "Macintosh, Turkish",
        128,
        Python("mac_turkish", "MAPPINGS/VENDORS/APPLE/TURKISH.TXT"),
    ),
    page("HP_ROMAN8", "HP-UX", 128, Python("hp_roman8", "dkuug.dk/i18n/charmaps/HP-ROMAN8")),
    page("CP037", "EBCDIC, United States", 0, Python("cp037", "VENDORS/MICSFT/EBCDIC/CP037.TXT")),
    page("CP500", "EBCDIC, international", 0, Python("cp500", "VENDORS/MICSFT/EBCDIC/CP500.TXT")),
    page("CP1047", "EBCDIC, open systems", 0, Iconv("IBM1047")),
];

/// Decodes all bytes by a codec of Python that is generated from a mapping file of Unicode.
const PYTHON: &str = "
import importlib, sys
name, mapping = sys.argv[1:]
assert mapping in importlib.import_module('encodings.' + name).__doc__, mapping
sys.stdout.buffer.write(bytes(range(256)).decode(name, 'replace').encode())
";

/// Returns the file, or `None` where its sources are not installed.
pub(crate) fn tables() -> Result<Option<Vec<u8>>> {
    let bytes = target().join("every-byte");
    fs::write(&bytes, (0..=255).collect::<Vec<u8>>())?;
    let mut out = HEADER.to_owned();
    for Page { name, about, first, source } in &PAGES {
        let (mut program, from) = match source {
            Python(codec, mapping) => {
                let mut python = command("python3", "-c");
                python.args([PYTHON, codec, mapping]);
                (python, (*mapping).to_owned())
            }
            Iconv(label) => {
                let mut iconv = command("iconv", "-t UTF-8 -f");
                iconv.arg(label).arg(&bytes);
                (iconv, format!("{label} of the GNU C library"))
            }
        };
        let output = program.output();
        let Some(output) = output.ok().filter(|output| output.status.success()) else { return Ok(None) };
        let chars: Vec<char> = String::from_utf8(output.stdout)?.chars().collect();
        let is_ascii = |(byte, c): (usize, &char)| *c as usize == byte;
        if chars.len() != 256 || !chars.iter().enumerate().take(*first).all(is_ascii) {
            return Err(format!("{name} is not a page of 256 characters over ASCII").into());
        }
        let len = 256 - first;
        writeln!(out, "\n/// {about}: {from}.\n#[rustfmt::skip]")?;
        writeln!(out, "pub(crate) const {name}: [char; {len}] = [")?;
        for line in chars[*first..].chunks(16) {
            let line: Vec<_> = line.iter().map(|&c| literal(c)).collect();
            writeln!(out, "    {},", line.join(", "))?;
        }
        writeln!(out, "];")?;
    }
    Ok(Some(out.into_bytes()))
}

/// Returns a character as Rust writes it, so that it can be seen.
fn literal(c: char) -> String {
    match c {
        '\u{A0}' | '\u{AD}' | char::REPLACEMENT_CHARACTER => format!("'{}'", c.escape_unicode()),
        '\'' | '\\' => format!("'\\{c}'"),
        '"' => "'\"'".to_owned(),
        _ => format!("{c:?}"),
    }
}
