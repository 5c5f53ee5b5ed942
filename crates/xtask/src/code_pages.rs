//! Generates the tables of code pages: from Python's codecs, which Python generates from Unicode's mapping files, and
//! for CP1047, for which Unicode has no mapping file, from `iconv` of the GNU C library.

use std::fmt::Write as _;
use std::fs;

use crate::run::command;
use crate::{Result, target};

/// The generated file.
pub(crate) const PATH: &str = "crates/utf8kit-text/src/charset/code_pages/tables.rs";

/// The first lines of the file.
const HEADER: &str = "\
//! The characters of code pages, 16 to a line. Written by `cargo xtask gen`, from Python's codecs and `iconv`.
";

/// A code page.
struct Page {
    name: &'static str,
    about: &'static str,
    /// The first byte of the table; those before are ASCII.
    first: usize,
    /// The mapping file in Unicode's data that Python uses; `None` if only `iconv` has the code page.
    mapping: Option<&'static str>,
}

const PAGES: [Page; 6] = [
    Page {
        name: "CP437",
        about: "DOS, United States",
        first: 128,
        mapping: Some("VENDORS/MICSFT/PC/CP437.TXT"),
    },
    Page {
        name: "CP850",
        about: "DOS, Western Europe",
        first: 128,
        mapping: Some("VENDORS/MICSFT/PC/CP850.TXT"),
    },
    Page {
        name: "CP852",
        about: "DOS, Central Europe",
        first: 128,
        mapping: Some("VENDORS/MICSFT/PC/CP852.TXT"),
    },
    Page {
        name: "CP037",
        about: "EBCDIC, United States",
        first: 0,
        mapping: Some("VENDORS/MICSFT/EBCDIC/CP037.TXT"),
    },
    Page {
        name: "CP500",
        about: "EBCDIC, international",
        first: 0,
        mapping: Some("VENDORS/MICSFT/EBCDIC/CP500.TXT"),
    },
    Page { name: "CP1047", about: "EBCDIC, open systems", first: 0, mapping: None },
];

/// Decodes all bytes by a codec of Python that is generated from a mapping file of Unicode.
const PYTHON: &str = "
import importlib, sys
name, mapping = sys.argv[1:]
assert mapping in importlib.import_module('encodings.' + name).__doc__, mapping
sys.stdout.buffer.write(bytes(range(256)).decode(name).encode())
";

/// Returns the file, or `None` where its sources are not installed.
pub(crate) fn tables() -> Result<Option<Vec<u8>>> {
    let bytes = target().join("every-byte");
    fs::write(&bytes, (0..=255).collect::<Vec<u8>>())?;
    let mut out = HEADER.to_owned();
    for Page { name, about, first, mapping } in &PAGES {
        let mut source = match mapping {
            Some(mapping) => {
                let mut python = command("python3", "-c");
                python.args([PYTHON, &name.to_lowercase(), mapping]);
                python
            }
            None => {
                let mut iconv = command("iconv", "-t UTF-8 -f");
                iconv.arg(name.replace("CP", "IBM")).arg(&bytes);
                iconv
            }
        };
        let output = source.output();
        let Some(output) = output.ok().filter(|output| output.status.success()) else { return Ok(None) };
        let chars: Vec<char> = String::from_utf8(output.stdout)?.chars().collect();
        let is_ascii = |(byte, c): (usize, &char)| *c as usize == byte;
        if chars.len() != 256 || !chars.iter().enumerate().take(*first).all(is_ascii) {
            return Err(format!("{name} is not a page of 256 characters over ASCII").into());
        }
        let from = mapping.unwrap_or("IBM1047 of the GNU C library");
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
        '\u{A0}' | '\u{AD}' => format!("'{}'", c.escape_unicode()),
        '\'' | '\\' => format!("'\\{c}'"),
        '"' => "'\"'".to_owned(),
        _ => format!("{c:?}"),
    }
}
