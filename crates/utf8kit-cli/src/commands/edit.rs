//! `utf8 edit`: edits the text of a file in any encoding. Bytes outside the edit do not change.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use tempfile::TempDir;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::compose;
use utf8kit::AnyEncoding;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_document::{Document, EditError, Unencodable, line_changes};
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::display::{Name, counted, plain};
use utf8kit_files::Ledger;
use utf8kit_files::{Blocks, FileError, InPlace, Input, Skip, Source, edit_file, other_encoding, sniff};

use crate::action::edit::Action;
use crate::action::place::Place;
use crate::args::{EditArgs, OnError};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::output::Output;
use crate::printer::Printer;
use crate::render;

/// Why a file is not edited.
enum Stop {
    Error(Error),
    /// The edit does not fit the text.
    Refused(String),
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Stop {
        Stop::Error(error.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// Runs the command.
pub(crate) fn run(args: &EditArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let action = args.action()?;
    let configured = config.of(&Source::named(&args.path))?.encoding;
    let place = args.place();
    let write = &args.write.in_place;
    let mut ledger = write.ledger().filter(|_| place == Place::Files).map(Ledger::open).transpose()?;
    let in_place = InPlace::new(write.suffix(), write.record.links.hard_links.into(), ledger.as_mut());
    let mut shown: Option<(Vec<u8>, Vec<u8>)> = None;
    let (mut recoded, mut draft, mut replaced_places) = (false, None, None);
    let mut edit = |bytes: &[u8]| -> Result<Option<Vec<u8>>, Stop> {
        let mut document = match args.encoding.or(configured.filter(|charset| is_plausible(*charset, bytes))) {
            Some(charset) => Document::open_as(charset, bytes),
            None => Document::open(bytes),
        }
        .with_unencodable(args.on_error.map_or(Unencodable::Refuse, OnError::unencodable));
        if let Some(reason) = no_text(bytes, args.encoding.is_some())? {
            return Err(Stop::Error(Error::at(&args.path, reason)));
        }
        let (new, count) = new_text(&action, &args.path, document.text(), &mut draft)?;
        replaced_places = count;
        document.set_text(&new).map_err(|error| refused(&error))?;
        recoded = document.is_recoded();
        let put = document.to_bytes().into_owned();
        if let Some(charset) = args.encoding.filter(|_| document.breaks_utf8()) {
            return Err(Stop::Refused(format!(
                "it is utf-8, and text in {charset} would make it invalid: leave out --encoding"
            )));
        }
        shown = Some((bytes.to_vec(), put.clone()));
        Ok(Some(put))
    };
    let done = match place {
        Place::Files => edit_file(&args.path, in_place, printer, edit).map(|_| ()),
        Place::Output | Place::Nowhere => read(&args.path).and_then(|bytes| edit(&bytes)).map(|_| ()),
    };
    let name = Name(&args.path);
    if let Some(file) = draft.filter(|_| done.is_err()).and_then(Draft::keep) {
        printer.message(format_args!("{name}: your edit is kept in {}", Name(&file)));
    }
    match done {
        Ok(()) => {}
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Refused(text)) => {
            printer.message(format_args!("{name}: not edited: {text}"));
            return Ok(Status::Findings);
        }
    }
    if let (Place::Output, Some((_, new))) = (place, &shown) {
        let mut output = Output::create(args.write.output.output.as_deref(), &[&args.path])?;
        output.write(new, printer)?;
        output.commit()?;
    }
    let Some((old, new)) = shown.filter(|(old, new)| old != new) else {
        printer.message(format_args!("{name}: nothing to edit"));
        return Ok(Status::Clean);
    };
    if args.write.preview.diff {
        printer.bytes(render::versions::diff(&old, &new, &args.path, "edited", printer).as_bytes())?;
    }
    let word = if place == Place::Nowhere { "would edit" } else { "edited" };
    let places = replaced_places.unwrap_or_else(|| line_changes(&old, &new).len());
    let places = counted(places as u64, "place");
    let all = if recoded { ", and converted to utf-8 as a whole" } else { "" };
    printer.message(format_args!("{name}: {word} {places}{all}"));
    Ok(if args.write.status.exit_non_zero_on_fix { Status::Findings } else { Status::Clean })
}

/// Reports whether a file's bytes agree with its configured encoding: they are text in it, and neither UTF-8 nor lines
/// in two encodings.
fn is_plausible(charset: Charset, bytes: &[u8]) -> bool {
    let is_of_bytes = charset.writer().bytes_of(' ').is_some_and(|space| space == b" ");
    let may_be = bytes.is_ascii() || utf8kit::validate(bytes).is_err() && Document::open(bytes).encodings().len() == 1;
    bytes.is_empty() || is_of_bytes && may_be && Document::open_as(charset, bytes).opaque().next().is_none()
}

/// Reads a source.
fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let read = Source::named(path).open().and_then(|mut input| input.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| Stop::Error(Error::at(path, error)))
}

fn refused(error: &EditError) -> Stop {
    Stop::Refused(error.to_string())
}

/// Returns why the bytes of a file are not text to edit. `is_named`: the user named their encoding.
fn no_text(bytes: &[u8], is_named: bool) -> Result<Option<String>, Stop> {
    if let Some(format) = sniff(bytes) {
        return Ok(Some(format!("{format} cannot be edited: unpack it first")));
    }
    // A policy that loses nothing, so that only other data is refused.
    let found = Blocks::of(Input::of(bytes.to_vec()))
        .and_then(|blocks| other_encoding(blocks, &RepairPolicy::Unescape, AnyEncoding::Utf8));
    Ok(match found.map_err(|error| Stop::Error(Error::Other(error.to_string())))? {
        Some(Skip::Format(media)) if !is_named => {
            Some(format!("it is {media}, not text: to edit it anyway, name its encoding with --encoding"))
        }
        _ => None,
    })
}

/// Returns the new text, with the number of places that were replaced if that is known, and the draft if it was written
/// in an editor.
fn new_text(
    action: &Action<'_>,
    path: &Path,
    text: &str,
    draft: &mut Option<Draft>,
) -> Result<(String, Option<usize>), Stop> {
    match action {
        Action::Replace(old, new, all) => {
            // In this text, every line end is LF.
            let [old, new] = [old, new].map(|text| text.replace("\r\n", "\n"));
            let (text, count) = replaced(text, &old, &new, *all).map_err(Stop::Refused)?;
            Ok((text, Some(count)))
        }
        Action::Filter(command) => Ok((without_mark(text, filtered(command, text)?), None)),
        Action::Editor => Ok((without_mark(text, in_editor(path, text, draft)?), None)),
    }
}

/// Removes the byte order mark that some programs write. The old text has none, because the document keeps the file's
/// own mark.
fn without_mark(old: &str, mut new: String) -> String {
    const BYTE_ORDER_MARK: char = '\u{FEFF}';
    if new.starts_with(BYTE_ORDER_MARK) && !old.starts_with(BYTE_ORDER_MARK) {
        new.remove(0);
    }
    new
}

/// Replaces a text and counts the places, or explains why it does not occur as expected. Overlapping occurrences count
/// as several.
fn replaced(text: &str, old: &str, new: &str, all: bool) -> Result<(String, usize), String> {
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let places = places(text, old);
    match places[..] {
        [] => Err(format!("the text of --old does not occur{}", nearest(text, old))),
        [one, two, ..] if !all => {
            let lines = match (line(one), line(two)) {
                (one, two) if one == two => format!("first in line {one}"),
                (one, two) => format!("first in lines {one} and {two}"),
            };
            Err(format!("the text of --old occurs {} times, {lines}: give more context, or use --all", places.len()))
        }
        _ => {
            let (mut edited, mut end, mut count) = (String::new(), 0, 0);
            for at in places {
                // Replacing the last occurrence has removed any that overlaps it.
                if let Some(kept) = text.get(end..at) {
                    edited.push_str(kept);
                    edited.push_str(new);
                    end = at + old.len();
                    count += 1;
                }
            }
            edited.push_str(text.get(end..).unwrap_or_default());
            Ok((edited, count))
        }
    }
}

/// Returns the positions of a text in another. A match followed by a combining accent is not one, because the accent
/// changes the last letter.
fn places(text: &str, old: &str) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let next = |at: &usize| Some(at + step + text.get(at + step..)?.find(old)?);
    let ends = |at: &usize| {
        let following = text.get(at + old.len()..).and_then(|rest| rest.chars().next());
        old.chars().next_back().zip(following).is_none_or(|(last, next)| compose(last, next).is_none())
    };
    std::iter::successors(text.find(old), next).filter(ends).collect()
}

/// Describes where a text occurs in another normal form, or which lines are most similar to its first line.
fn nearest(text: &str, old: &str) -> String {
    let wanted = old.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let pairs = |line: &str| -> Vec<(char, char)> {
        let chars: Vec<char> = line.trim().chars().take(400).flat_map(char::to_lowercase).collect();
        let mut pairs: Vec<_> = chars.iter().copied().zip(chars.iter().copied().skip(1)).collect();
        pairs.sort_unstable();
        pairs
    };
    let composed = |text: &str| text.nfc().collect::<String>();
    if let Some(at) = places(&composed(text), &composed(old)).first() {
        let line = composed(text).get(..*at).unwrap_or_default().matches('\n').count() + 1;
        return format!(" as it is written, but in another normal form (NFC or NFD) in line {line}");
    }
    let own = pairs(wanted);
    let likeness = |line: &str| {
        let mut others = pairs(line).into_iter().peekable();
        let common = own.iter().filter(|pair| {
            while others.next_if(|other| other < *pair).is_some() {}
            others.next_if_eq(*pair).is_some()
        });
        common.count() * 100 / own.len().max(1)
    };
    let mut rated: Vec<(usize, usize, &str)> = text
        .lines()
        .take(100_000)
        .enumerate()
        .map(|(index, line)| (likeness(line), index + 1, line))
        .filter(|(likeness, ..)| *likeness >= 30)
        .collect();
    rated.sort_by_key(|&(likeness, number, _)| (std::cmp::Reverse(likeness), number));
    let shown: Vec<String> =
        rated.iter().take(3).map(|(_, number, line)| format!("\n  line {number}: {}", plain(line))).collect();
    if shown.is_empty() { String::new() } else { format!("; the nearest lines are{}", shown.concat()) }
}

/// Lets a program filter the text.
fn filtered(command: &[OsString], text: &str) -> Result<String, Error> {
    let (program, arguments) = command.split_first().ok_or_else(|| Error::usage("no COMMAND given"))?;
    let shown = program.to_string_lossy().into_owned();
    let at = |error: io::Error| Error::Other(format!("{shown}: {error}"));
    let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(at)?;
    let input = child.stdin.take();
    let output = thread::scope(|scope| {
        // A program may stop reading before the end of the text.
        scope.spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(at)?;
    if !output.status.success() {
        return Err(Error::Other(format!("{shown}: {}; nothing was edited", output.status)));
    }
    // A program that is run for its side effects, such as `sed -i`, prints nothing.
    if output.stdout.is_empty() && !text.is_empty() {
        return Err(Error::Other(format!("{shown}: it printed nothing; nothing was edited")));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Error::Other(format!("{shown}: its output is not UTF-8; nothing was edited")))
}

/// The text while it is edited, in a folder that only the user can read. It is removed unless it is kept.
struct Draft {
    folder: TempDir,
    file: PathBuf,
}

impl Draft {
    fn write(path: &Path, text: &str) -> io::Result<Draft> {
        let folder = private_folder("utf8-edit-")?;
        let file = folder.path().join(path.file_name().unwrap_or_else(|| "text".as_ref()));
        std::fs::write(&file, text)?;
        Ok(Draft { folder, file })
    }

    /// Reports whether the user wrote something other than the old text.
    fn differs(&self, text: &str) -> bool {
        std::fs::read(&self.file).is_ok_and(|written| written != text.as_bytes())
    }

    /// Keeps the file, if it still exists, and returns its path.
    fn keep(self) -> Option<PathBuf> {
        let Draft { folder, file } = self;
        file.exists().then(|| folder.keep()).map(|_| file)
    }
}

/// Creates a folder for temporary files that only the user can read.
#[cfg(unix)]
fn private_folder(prefix: &str) -> io::Result<TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let private = std::fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix(prefix).permissions(private).tempdir()
}

/// Creates a folder for temporary files, in the user's own folder for them.
#[cfg(not(unix))]
fn private_folder(prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir()
}

/// Lets the user edit the text.
fn in_editor(path: &Path, text: &str, draft: &mut Option<Draft>) -> Result<String, Error> {
    let named = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    // The variable may also contain arguments.
    let mut line = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| "vi".into());
    line.push(" \"$1\"");
    let at = |error: io::Error| Error::Other(format!("the editor: {error}"));
    let written = Draft::write(path, text).map_err(at)?;
    let status = Command::new("sh").arg("-c").arg(line).arg("sh").arg(&written.file).status();
    let done = status.and_then(|status| match status.success() {
        true => std::fs::read_to_string(&written.file),
        false => Err(io::Error::other(format!("{status}; nothing was edited"))),
    });
    // An editor may have saved before it crashed.
    *draft = Some(written).filter(|written| done.is_ok() || written.differs(text));
    done.map_err(at)
}
