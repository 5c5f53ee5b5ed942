//! `utf8 explain` of text in a legacy encoding: the character that bytes stand for, or why they are invalid.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use utf8kit_encodings::charset::Legacy;
use utf8kit_encodings::display::{Hex, counted};
use utf8kit_encodings::unicode;
use utf8kit_files::json::write_line;
use utf8kit_files::{Input, Source, only_text};

use super::{Explainer, Line, code_point, compact, hex_bytes};
use crate::args::{ExplainArgs, Format};
use crate::error::{Error, Status};
use crate::input;
use crate::printer::{BAD, STRONG};

/// The most bytes of a character.
const MAX_CHARACTER_BYTES: usize = 4;

/// The number of bytes read at a time.
const BYTES_PER_READ: usize = 64 * 1024;

/// The number of bytes before and after a position that are also explained.
const BYTES_AROUND: u64 = 8;

/// Explains the inputs that the arguments name.
pub(super) fn run(args: &ExplainArgs, legacy: Legacy, explainer: &mut Explainer<'_>) -> Result<Status, Error> {
    let name = legacy.name();
    if !legacy.is_stateless() {
        return Err(Error::usage(format!(
            "a byte of {name} depends on the bytes before it: see `utf8 convert --from {name}`"
        )));
    }
    let encoded = |c: char| {
        let bytes = legacy.bytes_of(c);
        bytes.ok_or_else(|| Error::usage(format!("{name} lacks U+{:04X}", u32::from(c))))
    };
    let scalar = |text: &str| {
        let value = code_point(text)?;
        let scalar = char::from_u32(value);
        scalar.ok_or_else(|| Error::usage(format!("{name} lacks U+{value:04X}")))
    };
    let open = |path: &Path| -> Result<(Source, Input), Error> {
        let source = only_text(&Source::named(path), args.unpack.unpack())?;
        let input = source.open().map_err(|error| Error::at(&source.path, error))?;
        Ok((source, input))
    };
    for text in &args.texts {
        let (path, typed) = (Path::new(text), text.to_string_lossy());
        if let Some(c) = Some(&typed)
            .filter(|text| text.starts_with("U+") || text.starts_with("u+"))
            .and_then(|text| scalar(text).ok())
        {
            explainer.legacy(legacy, &encoded(c)?, 0)?;
        } else if path.is_file() || text == "-" {
            let (source, input) = open(path)?;
            explainer.stream(legacy, &source.path, input)?;
        } else {
            let bytes: Vec<Vec<u8>> = typed.chars().map(encoded).collect::<Result<_, _>>()?;
            explainer.legacy(legacy, &bytes.concat(), 0)?;
        }
    }
    for digits in &args.hex {
        explainer.legacy(legacy, &hex_bytes(digits)?, 0)?;
    }
    for number in &args.code_point {
        explainer.legacy(legacy, &encoded(scalar(number)?)?, 0)?;
    }
    if let [offset, file] = &args.at[..] {
        let (source, input) = open(Path::new(file))?;
        explainer.around(legacy, offset, &source.path, input)?;
    }
    let nothing = args.texts.is_empty() && args.hex.is_empty() && args.code_point.is_empty();
    if args.bytes.is_some() || (nothing && args.at.is_empty()) {
        let source = input::only(args.bytes.as_deref())?;
        let (source, input) = open(&source.path)?;
        explainer.stream(legacy, &source.path, input)?;
    }
    Ok(Status::Clean)
}

/// Returns the first character of some bytes and its length in bytes. The character is `None` if the bytes are invalid.
fn first(legacy: Legacy, bytes: &[u8]) -> (usize, Option<char>) {
    let found = (1..=MAX_CHARACTER_BYTES.min(bytes.len())).find_map(|len| {
        let text = legacy.text_of(bytes.get(..len)?)?;
        text.chars().next().map(|c| (len, Some(c)))
    });
    found.unwrap_or((1, None))
}

impl Explainer<'_> {
    /// Explains an input of any length.
    fn stream(&mut self, legacy: Legacy, path: &Path, mut input: Input) -> Result<(), Error> {
        let (mut held, mut base) = (Vec::new(), 0);
        loop {
            let read = (&mut input).take(BYTES_PER_READ as u64).read_to_end(&mut held);
            let is_last = read.map_err(|error: io::Error| Error::at(path, error))? == 0;
            let keep = if is_last { 0 } else { MAX_CHARACTER_BYTES };
            let done = self.items(legacy, &held, base, keep)?;
            held.drain(..done);
            base += done as u64;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Explains the surroundings of a place, starting at a line break or at the beginning.
    fn around(&mut self, legacy: Legacy, offset: &OsStr, path: &Path, mut input: Input) -> Result<(), Error> {
        let offset: u64 = (offset.to_str().and_then(|digits| digits.parse().ok()))
            .ok_or_else(|| Error::usage("--at takes a byte offset and a file"))?;
        let mut bytes = Vec::new();
        let read = (&mut input).take(offset + BYTES_AROUND).read_to_end(&mut bytes);
        read.map_err(|error: io::Error| Error::at(path, error))?;
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let Some(before) = bytes.get(..at).filter(|_| at < bytes.len()) else {
            return Err(Error::at(path, format_args!("offset {offset} is out of range: the size is {}", bytes.len())));
        };
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
        let mut start = line;
        // Character boundaries depend on decoding from the beginning of the line.
        while start + (BYTES_AROUND as usize) < at {
            start += first(legacy, bytes.get(start..).unwrap_or_default()).0;
        }
        self.legacy(legacy, bytes.get(start..).unwrap_or_default(), start as u64)
    }

    /// Explains some bytes, which begin `base` bytes into the input.
    fn legacy(&mut self, legacy: Legacy, bytes: &[u8], base: u64) -> Result<(), Error> {
        self.items(legacy, bytes, base, 0).map(drop)
    }

    /// Explains some bytes except for at most the last `keep`, and returns how many were explained.
    fn items(&mut self, legacy: Legacy, bytes: &[u8], base: u64, keep: usize) -> Result<usize, Error> {
        let mut at = 0;
        while at + keep < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let (len, c) = first(legacy, rest);
            let text = self.legacy_text(legacy, rest.get(..len).unwrap_or_default(), c, base + at as u64);
            self.printer.bytes(&text)?;
            at += len;
        }
        Ok(at.min(bytes.len()))
    }

    /// Returns the explanation of a character, or of an invalid byte.
    fn legacy_text(&self, legacy: Legacy, bytes: &[u8], c: Option<char>, offset: u64) -> Vec<u8> {
        let (len, name) = (bytes.len(), legacy.name());
        let bits = bytes.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join("  ");
        let why = format!("{} is not a character in {name}", Hex(bytes));
        let place = format!("at byte {offset}, {}", counted(len as u64, "byte"));
        match (self.format, c) {
            (Format::Jsonl, _) => {
                let pattern = vec!["xxxxxxxx"; len].join(" ");
                let bytes = compact(bytes);
                let line = match c {
                    Some(c) => Line::character(offset, len, u32::from(c), bytes, pattern, name),
                    None => Line::malformed(offset, bytes, pattern, why),
                };
                let mut text = Vec::new();
                // Writing to a `Vec` cannot fail.
                let _ = write_line(&line, &mut text);
                text
            }
            (Format::Short, Some(c)) => {
                let what = format!("U+{:04X} {}", u32::from(c), unicode::name(u32::from(c)));
                format!("{offset}: {}: {}\n", Hex(bytes), what.trim_end()).into_bytes()
            }
            (Format::Short, None) => format!("{offset}: {}: {why}\n", Hex(bytes)).into_bytes(),
            (_, Some(c)) => {
                let value = u32::from(c);
                let title = format!("U+{value:04X} {}", unicode::name(value));
                let title = self.title("", (STRONG, title.trim_end()), &unicode::picture(value), &place);
                let rows = self.pen.row("bytes", &bits) + &self.pen.words("in", &format!("{}  {name}", Hex(bytes)), 2);
                (title + &rows + &self.elsewhere(name, value) + "\n").into_bytes()
            }
            (_, None) => {
                let title = self.title("", (BAD, &format!("{} malformed", Hex(bytes))), "", &place);
                (title + &self.pen.row("bytes", &bits) + &self.pen.words("why", &why, 0) + "\n").into_bytes()
            }
        }
    }
}
