//! `utf8 explain`: explains each code point and each error, bit by bit. All facts about encodings come from the
//! library.

mod legacy;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::path::Path;

use anstyle::Style;
use serde::Serialize;
use utf8kit::explain::{Explanation, explain, intended_sequence};
use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel, Item, MAX_LEN, Utf8, Utf8Bits31, convert};
use utf8kit_encodings::charset::{Charset, Legacy};
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::{Hex, Name, counted};
use utf8kit_encodings::unicode;
use utf8kit_files::json::write_line;
use utf8kit_files::{Block, Blocks, Cut, Input, Source, only_text};

use crate::args::{ExplainArgs, Format};
use crate::columns::{width, wrapped};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input;
use crate::memo::{Memo, described_len};
use crate::printer::{BAD, FAINT, Printer, STRONG};
use crate::render::bits::Pen;

/// The number of bytes read before a place, for boundaries and context. A multiple of every code unit.
const CONTEXT_BYTES_BEFORE: u64 = 64;

/// A placeholder for an offset that is not known yet.
const UNKNOWN_OFFSET: u64 = u64::MAX;

/// The most columns for a place next to a name.
const PLACE_COLUMNS: usize = "at byte 123456789, 4 bytes".len();

/// Width of the column of bytes in other encodings, and the minimum total width for showing it.
const FORM_COLUMNS: usize = 18;
const MIN_COLUMNS_FOR_FORMS: usize = 60;

/// The number of code points or errors shown before and after a place.
const NEIGHBOURS_SHOWN: usize = 3;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let pen = Pen { colors: printer.style(FAINT) == FAINT, columns: printer.columns() };
    let mut explainer = Explainer { format: args.format, pen, refused: None, seen: Memo::default(), printer };
    if let Some(Charset::Legacy(legacy)) = args.encoding.charset()? {
        return legacy::run(args, legacy, &mut explainer);
    }
    let typed = args.encoding.label()?;
    let name = typed.unwrap_or(EncodingLabel::Exact(AnyEncoding::Utf8));
    let configured = |source: &Source| {
        let label = config.of(source)?.label(typed);
        label.ok_or_else(|| {
            Error::at(&source.path, "is configured to be in a legacy encoding: name its encoding with --encoding")
        })
    };
    for text in &args.texts {
        let named = Path::new(text);
        if text == "-" {
            let source = only_text(&Source::named(named), args.unpack.unpack())?;
            explainer.input(configured(&source)?, &source)?;
            continue;
        }
        if let Some(value) = text
            .to_str()
            .filter(|text| text.starts_with("U+") || text.starts_with("u+"))
            .and_then(|text| code_point(text).ok())
        {
            explainer.code_point(name.resolve(&[]).0, value)?;
            continue;
        }
        if named.is_file() {
            let source = only_text(&Source::named(named), args.unpack.unpack())?;
            explainer.input(configured(&source)?, &source)?;
            continue;
        }
        if named.is_dir() || named.extension().is_some() || named.components().count() > 1 {
            let what = if named.is_dir() { "it is a folder" } else { "no such file" };
            let shown = Name(named);
            explainer.printer.message(format_args!("{shown}: {what}, so its name is explained as text"));
        }
        let (encoding, bytes) = (name.resolve(&[]).0, text.as_encoded_bytes());
        explainer.bytes(encoding, &in_encoding(encoding, bytes)?)?;
    }
    for digits in &args.hex {
        let bytes = hex_bytes(digits)?;
        explainer.bytes(name.resolve(&bytes).0, &bytes)?;
    }
    for number in &args.code_point {
        let encoding = name.resolve(&[]).0;
        explainer.code_point(encoding, code_point(number)?)?;
    }
    if let [offset, file] = &args.at[..] {
        let source = only_text(&Source::named(Path::new(file)), args.unpack.unpack())?;
        explainer.place(configured(&source)?, offset, &source)?;
    }
    let nothing = args.texts.is_empty() && args.hex.is_empty() && args.code_point.is_empty();
    if args.bytes.is_some() || (nothing && args.at.is_empty()) {
        let source = only_text(&input::only(args.bytes.as_deref())?, args.unpack.unpack())?;
        explainer.input(configured(&source)?, &source)?;
    }
    Ok(Status::Clean)
}

/// Converts text from the command line to the encoding to explain.
fn in_encoding(encoding: AnyEncoding, text: &[u8]) -> Result<Vec<u8>, Error> {
    if encoding == AnyEncoding::Utf8 {
        return Ok(text.to_vec());
    }
    convert(Utf8, encoding, text)
        .map_err(|error| Error::usage(format!("TEXT cannot be written in {encoding}: {error}")))
}

/// Parses bytes written as `E2 82 AC`, `e282ac`, `0xE2,0x82` or `\xE2\x82`.
fn hex_bytes(text: &str) -> Result<Vec<u8>, Error> {
    let bare = text.replace("0x", " ").replace("\\x", " ");
    let digits: Vec<u32> = bare
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ',' | ':' | '-' | '_'))
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()
        .filter(|digits: &Vec<u32>| digits.len().is_multiple_of(2))
        .ok_or_else(|| Error::usage("--hex takes pairs of hexadecimal digits, such as 'E2 82 AC'"))?;
    // Two hexadecimal digits are less than 256.
    Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, &digit| byte * 16 + digit) as u8).collect())
}

/// Parses a code point written as `20AC`, `U+20AC`, `0x20AC` or `\u{20AC}`.
fn code_point(text: &str) -> Result<u32, Error> {
    let digits = text.trim_start_matches(['U', 'u', '+', '\\', '{']).trim_start_matches("0x").trim_end_matches('}');
    u32::from_str_radix(digits, 16)
        .map_err(|_| Error::usage("--code-point takes a hexadecimal number, such as 20AC or U+20AC"))
}

/// Returns the bytes of a code point. If the dialect does not allow it, these are the bytes it would have.
fn code_point_bytes(encoding: AnyEncoding, value: u32) -> Result<Vec<u8>, Error> {
    let bytes = encoding.encoded(value).or_else(|kind| match encoding.is_dialect() {
        true => Utf8Bits31.encoded(value),
        false => Err(kind),
    });
    bytes
        .map(|bytes| bytes.to_vec())
        .map_err(|kind| Error::usage(format!("{encoding} cannot hold U+{value:04X}: {kind}")))
}

/// Prints explanations.
struct Explainer<'p> {
    format: Format,
    pen: Pen,
    /// The requested code point, if the encoding cannot hold it and that was not reported yet.
    refused: Option<u32>,
    /// The cached explanation of a code point or error: the text before its offset and after it.
    seen: Memo<[Vec<u8>; 2]>,
    printer: &'p mut Printer,
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Char {
        offset: u64,
        len: usize,
        cp: u32,
        bytes: String,
        pattern: String,
        name: String,
        block: &'static str,
        script: &'static str,
        encodings: BTreeMap<&'static str, String>,
    },
    Error {
        offset: u64,
        len: usize,
        kind: &'static str,
        bytes: String,
        pattern: String,
        message: String,
        expected: Option<[String; 2]>,
        lax: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        encodings: Option<BTreeMap<&'static str, String>>,
    },
}

impl Explainer<'_> {
    /// Explains some bytes.
    fn bytes(&mut self, encoding: AnyEncoding, bytes: &[u8]) -> Result<(), Error> {
        explain(encoding, bytes).try_for_each(|item| self.item(encoding, &item, 0, bytes, false))
    }

    /// Explains a code point. If the encoding cannot hold it, also prints its bytes in other encodings, and why these
    /// bytes would be errors in this one.
    fn code_point(&mut self, encoding: AnyEncoding, value: u32) -> Result<(), Error> {
        let bytes = code_point_bytes(encoding, value)?;
        self.refused = encoding.encoded(value).is_err().then_some(value);
        if self.format == Format::Human && self.refused.take().is_some() {
            let title = format!("U+{value:04X} {}", unicode::name(value));
            let title = self.title("", (STRONG, title.trim_end()), "", &format!("not in {encoding}"));
            let text = title + &self.elsewhere(encoding.name(), value);
            self.printer.print(format_args!("{text}\n"))?;
        }
        self.bytes(encoding, &bytes)
    }

    /// Explains an input of any length.
    fn input(&mut self, name: EncodingLabel, source: &Source) -> Result<(), Error> {
        let error = |error: io::Error| Error::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(error)?.at_rest();
        let encoding = name.resolve(&blocks.head(MAX_LEN).map_err(error)?).0;
        let work = |block: &mut Block| (block.items(encoding), block.base, mem::take(&mut block.bytes));
        blocks.each(Cut::Item(encoding), 1, work, |block| {
            let (range, base, bytes) = block.map_err(error)?;
            let rest = bytes.get(range.start..).unwrap_or_default();
            encoding
                .items(rest)
                .take_while(|item| item.offset < range.len())
                .try_for_each(|item| self.known(encoding, item, base + range.start as u64, rest))
        })
    }

    /// Explains one code point or error of `bytes`, which begin `base` bytes into the input. Uses the cache, because
    /// most texts repeat themselves.
    fn known(&mut self, encoding: AnyEncoding, item: Item, base: u64, bytes: &[u8]) -> Result<(), Error> {
        let (rest, offset) = (bytes.get(item.offset..).unwrap_or_default(), base + item.offset as u64);
        let len = match item.result {
            Ok(_) => item.len,
            Err(_) => {
                let error = encoding.errors(rest).next();
                let sequence = error.map_or(item.len, |error| intended_sequence(encoding, rest, &error).len());
                // The picture also shows the next byte.
                described_len(encoding, rest, item.len, sequence).max(item.len + 1)
            }
        };
        let mut seen = mem::take(&mut self.seen);
        let [before, after] = seen.of(encoding, rest, len, || {
            let text = match explain(encoding, rest).next() {
                Some(item) => self.text(encoding, &item, UNKNOWN_OFFSET, rest, false),
                None => Vec::new(),
            };
            let unknown = UNKNOWN_OFFSET.to_string();
            let at = text.windows(unknown.len()).position(|digits| digits == unknown.as_bytes());
            let (before, after) = text.split_at(at.unwrap_or(text.len()));
            [before.to_vec(), after.get(unknown.len()..).unwrap_or_default().to_vec()]
        });
        self.printer.bytes(before)?;
        self.printer.bytes(itoa::Buffer::new().format(offset).as_bytes())?;
        self.printer.bytes(after)?;
        self.seen = seen;
        Ok(())
    }

    /// Explains the surroundings of a place in a file.
    fn place(&mut self, name: EncodingLabel, offset: &OsStr, source: &Source) -> Result<(), Error> {
        let offset: u64 = (offset.to_str().and_then(|digits| digits.parse().ok()))
            .ok_or_else(|| Error::usage("--at takes a byte offset and a file"))?;
        let start = offset.saturating_sub(CONTEXT_BYTES_BEFORE) & !3;
        let path = &source.path;
        let (head, window) = window(source, start).map_err(|error| Error::at(path, error))?;
        let encoding = name.resolve(&head).0;
        let at = (offset - start) as usize;
        if at >= window.len() {
            let all = source.open().and_then(|mut all| io::copy(&mut all, &mut io::sink()));
            let size = all.map_err(|error| Error::at(path, error))?;
            return Err(Error::at(path, format_args!("offset {offset} is out of range: the size is {size}")));
        }
        // The first boundary with enough input before it.
        let first = encoding.ceil_char_boundary(&window, if start == 0 { 0 } else { MAX_LEN.next_multiple_of(4) });
        let rest = window.get(first..).unwrap_or_default();
        let items: Vec<_> = explain(encoding, rest).collect();
        let held = items.partition_point(|item| first + item.offset <= at).saturating_sub(1);
        for (index, item) in items.iter().enumerate().skip(held.saturating_sub(NEIGHBOURS_SHOWN)) {
            if index > held + NEIGHBOURS_SHOWN {
                break;
            }
            self.item(encoding, item, start + first as u64, rest, index == held)?;
        }
        Ok(())
    }

    /// Explains one code point or error of `bytes`, which begin `base` bytes into the input. `marked` means that it is
    /// the requested one.
    fn item(
        &mut self,
        encoding: AnyEncoding,
        item: &Explanation,
        base: u64,
        bytes: &[u8],
        marked: bool,
    ) -> Result<(), Error> {
        let rest = bytes.get(item.offset..).unwrap_or_default();
        let text = self.text(encoding, item, base + item.offset as u64, rest, marked);
        self.printer.bytes(&text)
    }

    /// Returns the explanation of the code point or error at the start of `rest`.
    fn text(&mut self, encoding: AnyEncoding, item: &Explanation, offset: u64, rest: &[u8], marked: bool) -> Vec<u8> {
        let description = || Description::about(encoding, rest);
        match self.format {
            Format::Jsonl => {
                let mut text = Vec::new();
                // Writing to a `Vec` cannot fail.
                let _ = write_line(&line(encoding, item, offset, &description, self.refused.take()), &mut text);
                text
            }
            Format::Short => {
                let bytes = Hex(item.bytes());
                let text = match item.result {
                    Ok(value) => format!("U+{value:04X} {}", unicode::name(value)),
                    Err(_) => description().message(),
                };
                format!("{offset}: {bytes}: {}\n", text.trim_end()).into_bytes()
            }
            _ => (self.human(encoding, item, offset, marked, &description) + "\n").into_bytes(),
        }
    }

    fn human(
        &self,
        encoding: AnyEncoding,
        item: &Explanation,
        offset: u64,
        marked: bool,
        description: &dyn Fn() -> Description,
    ) -> String {
        let pen = self.pen;
        let place = format!("at byte {offset}, {}", counted(item.len as u64, "byte"));
        let mark = if marked { "> " } else { "" };
        match item.result {
            Ok(value) => {
                let name = format!("U+{value:04X} {}", unicode::name(value));
                let title = self.title(mark, (STRONG, &name), &unicode::picture(value), &place);
                title + &pen.picture(item) + &self.elsewhere(encoding.name(), value)
            }
            Err(kind) => {
                let name = format!("{} {kind}", Hex(item.bytes()));
                let mut text = self.title(mark, (BAD, &name), "", &place) + &pen.picture(item);
                let description = description();
                text += &pen.words("why", &description.what, 0);
                let rest = [description.expected, description.lax].into_iter().flatten();
                rest.for_each(|note| text += &pen.words("", &note, 0));
                text
            }
        }
    }

    /// Returns the lines above a picture: a name, the character, and its place, which moves to a line of its own if it
    /// does not fit.
    fn title(&self, mark: &str, (style, name): (Style, &str), looks: &str, place: &str) -> String {
        let pen = self.pen;
        let looks = if looks.is_empty() { String::new() } else { format!("  {looks}") };
        // A place that is not known yet never gets a line of its own, because its length is unknown.
        let len = place.len().min(PLACE_COLUMNS);
        let fits = width(mark) + width(name) + width(&looks) + 2 + len <= pen.columns;
        let gap = if fits { "  " } else { "\n  " };
        let name = wrapped(name, mark.len(), 2, pen.columns.saturating_sub(width(&looks)));
        let mark = if mark.is_empty() { String::new() } else { pen.paint(STRONG, mark) };
        format!("{mark}{}{looks}{gap}{}\n", pen.paint(style, &name), pen.paint(FAINT, place))
    }

    /// Returns the rows with a code point's bytes in other encodings.
    fn elsewhere(&self, own: &str, value: u32) -> String {
        let mut label = "elsewhere";
        let row = |(bytes, names): (String, Vec<_>)| {
            let (label, names) = (mem::take(&mut label), names.join(", "));
            match self.pen.columns {
                ..MIN_COLUMNS_FOR_FORMS => self.pen.words(label, &format!("{bytes}  {names}"), 2),
                _ => self.pen.words(label, &format!("{bytes:<FORM_COLUMNS$}{names}"), FORM_COLUMNS),
            }
        };
        elsewhere(own, value).into_iter().map(row).collect()
    }
}

/// Returns the line of a code point or error. `refused` is the code point it would be, if the encoding cannot hold
/// that.
fn line(
    encoding: AnyEncoding,
    item: &Explanation,
    offset: u64,
    description: &dyn Fn() -> Description,
    refused: Option<u32>,
) -> Line {
    let encodings = |value| by_name(encoding.name(), value);
    let (len, bytes) = (item.len, compact(item.bytes()));
    let pattern = Pen::pattern(item);
    match item.result {
        Ok(cp) => Line::character(offset, len, cp, bytes, pattern, encoding.name()),
        Err(kind) => {
            let expected = item.expected.map(|(low, high)| [format!("{low:02x}"), format!("{high:02x}")]);
            let (kind, message, lax) = (kind.name(), description().message(), item.lax_value);
            let encodings = refused.map(encodings);
            Line::Error { offset, len, kind, bytes, pattern, message, expected, lax, encodings }
        }
    }
}

/// Returns bytes as hexadecimal digits.
fn compact(bytes: &[u8]) -> String {
    Hex(bytes).to_string().replace(' ', "").to_ascii_lowercase()
}

/// Returns a code point's bytes in encodings other than its own.
fn by_name(own: &str, value: u32) -> BTreeMap<&'static str, String> {
    let others = elsewhere(own, value).into_iter().flat_map(|(bytes, names)| {
        let bytes = bytes.replace(' ', "").to_ascii_lowercase();
        names.into_iter().map(move |name| (name, bytes.clone()))
    });
    others.collect()
}

impl Line {
    /// Returns the line of a character.
    fn character(offset: u64, len: usize, cp: u32, bytes: String, pattern: String, own: &str) -> Line {
        let (block, script) = (unicode::block(cp), unicode::script(cp));
        let (name, encodings) = (unicode::name(cp), by_name(own, cp));
        Line::Char { offset, len, cp, bytes, pattern, name, block, script, encodings }
    }

    /// Returns the line of a byte that is not a character of a legacy encoding.
    fn malformed(offset: u64, bytes: String, pattern: String, message: String) -> Line {
        let (kind, len) = ("malformed", bytes.len() / 2);
        Line::Error { offset, len, kind, bytes, pattern, message, expected: None, lax: None, encodings: None }
    }
}

/// Returns a code point's bytes in other encodings, grouped by equal bytes.
fn elsewhere(own: &str, value: u32) -> Vec<(String, Vec<&'static str>)> {
    let mut forms: Vec<(String, Vec<&'static str>)> = Vec::new();
    let mut add = |bytes: &[u8], name| {
        let bytes = Hex(bytes).to_string();
        match forms.iter_mut().find(|form| form.0 == bytes) {
            Some(form) => form.1.push(name),
            None => forms.push((bytes, vec![name])),
        }
    };
    for other in AnyEncoding::ALL.iter().filter(|other| other.name() != own) {
        if let Ok(bytes) = (*other).encoded(value) {
            add(&bytes, other.name());
        }
    }
    let scalar = char::from_u32(value).filter(|scalar| !scalar.is_ascii());
    for &legacy in Legacy::common().iter().filter(|other| other.name() != own) {
        if let Some(bytes) = scalar.and_then(|scalar| legacy.bytes_of(scalar)) {
            add(&bytes, legacy.name());
        }
    }
    forms
}

/// Returns the first bytes of an input, and the bytes from `start`.
fn window(source: &Source, start: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut input = source.open()?;
    let (mut head, mut window) = (Vec::new(), Vec::new());
    (&mut input).take(MAX_LEN as u64).read_to_end(&mut head)?;
    let read = head.len() as u64;
    if start < read {
        window.extend_from_slice(head.get(start as usize..).unwrap_or_default());
    } else if let Input::File(file) = &mut input
        && file.metadata()?.is_file()
    {
        file.seek(SeekFrom::Start(start))?;
    } else {
        io::copy(&mut (&mut input).take(start - read), &mut io::sink())?;
    }
    (&mut input).take(2 * CONTEXT_BYTES_BEFORE).read_to_end(&mut window)?;
    Ok((head, window))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_many_spellings() {
        for text in ["E2 82 AC", "e282ac", "0xE2,0x82,0xAC", "\\xE2\\x82\\xAC"] {
            assert_eq!(hex_bytes(text).ok().as_deref(), Some(&b"\xE2\x82\xAC"[..]), "{text}");
        }
        assert!(hex_bytes("E2 8").is_err());
        let bytes = |encoding, text| code_point(text).and_then(|value| code_point_bytes(encoding, value));
        for text in ["20AC", "U+20AC", "u+20ac", "0x20AC", "\\u{20AC}"] {
            assert_eq!(bytes(AnyEncoding::Utf8, text).ok().as_deref(), Some(&b"\xE2\x82\xAC"[..]));
        }
        assert_eq!(bytes(AnyEncoding::Utf8, "D800").ok().as_deref(), Some(&b"\xED\xA0\x80"[..]));
        assert!(bytes(AnyEncoding::Latin1, "20AC").is_err());
    }
}
