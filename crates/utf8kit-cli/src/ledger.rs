//! The ledger of a repair: enough to take it back, byte for byte. JSON lines; for each file that was changed
//!
//! ```text
//! {"type":"repair","path":"a.txt","encoding":"utf-8"}                     a file begins
//! {"type":"change","offset":3,"before":"ff","after":"efbfbd"}             each change, by its place in the old file
//! {"type":"file","path":"a.txt","changes":1,"size_before":4,"blake3_before":"...","size_after":6,"blake3_after":"..."}
//! ```
//!
//! A ledger that is there already is written on: nothing in it is lost. What a killed process began and did not
//! end with `file` is passed over.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::json::{self, PathFields};
use crate::mend::Edit;
use crate::trouble::Trouble;

/// What tells one file from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Print {
    pub(crate) size: u64,
    pub(crate) blake3: String,
}

/// Takes the print of what passes by.
#[derive(Default)]
pub(crate) struct Printing {
    size: u64,
    hasher: blake3::Hasher,
}

impl Printing {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    pub(crate) fn end(&self) -> Print {
        Print { size: self.size, blake3: self.hasher.finalize().to_hex().to_string() }
    }
}

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Repair {
        #[serde(flatten)]
        path: PathFields,
        encoding: String,
    },
    Change {
        offset: u64,
        /// In hexadecimal, lower case, without spaces.
        before: String,
        after: String,
    },
    File {
        #[serde(flatten)]
        path: PathFields,
        changes: u64,
        size_before: u64,
        blake3_before: String,
        size_after: u64,
        blake3_after: String,
    },
}

/// A ledger that is written.
pub(crate) struct Ledger {
    file: BufWriter<File>,
    path: PathBuf,
    /// Changes of the file at hand.
    changes: u64,
    failed: Option<io::Error>,
}

impl Ledger {
    /// Opens it, to write behind what is there.
    pub(crate) fn open(path: &Path) -> Result<Ledger, Trouble> {
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            if file.metadata()?.is_file() && ends_within_a_line(path)? {
                file.write_all(b"\n")?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| Trouble::at(path, error))?;
        Ok(Ledger { file: BufWriter::new(file), path: path.to_owned(), changes: 0, failed: None })
    }

    /// Whether a path leads to the ledger.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        crate::output::is_at(self.file.get_ref(), path)
    }

    /// A file begins.
    pub(crate) fn begin(&mut self) {
        self.changes = 0;
    }

    /// A change of a file.
    pub(crate) fn change(&mut self, path: &Path, encoding: &str, edit: Edit<'_>) {
        if self.changes == 0 {
            self.write(&Line::Repair { path: PathFields::of(path), encoding: encoding.to_owned() });
        }
        self.changes += 1;
        let (before, after) = (hex(edit.before), hex(edit.after));
        self.write(&Line::Change { offset: edit.offset, before, after });
    }

    /// The file is done: all that is known of it is on the disk when this returns.
    pub(crate) fn end(&mut self, path: &Path, before: &Printing, after: &Printing) -> Result<(), Trouble> {
        if self.changes > 0 {
            let (before, after) = (before.end(), after.end());
            self.write(&Line::File {
                path: PathFields::of(path),
                changes: self.changes,
                size_before: before.size,
                blake3_before: before.blake3,
                size_after: after.size,
                blake3_after: after.blake3,
            });
        }
        let flushed = self.file.flush().and_then(|()| match self.file.get_ref().sync_data() {
            // Pipes and devices cannot be flushed to disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        });
        match self.failed.take().map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(Trouble::at(&self.path, error)),
        }
    }

    fn write(&mut self, line: &Line) {
        if self.failed.is_none() {
            self.failed = json::write_line(line, &mut self.file).err();
        }
    }
}

fn ends_within_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != *b"\n")
}

/// What a ledger says of one repair of a file.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) path: PathFields,
    pub(crate) before: Print,
    pub(crate) after: Print,
    changes: u64,
    /// Where its changes begin in the ledger.
    start: u64,
}

/// A change that is to be taken back.
pub(crate) struct Change {
    pub(crate) offset: u64,
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

/// How a change begins.
const CHANGE: &[u8] = br#"{"type":"change","#;

/// All that a ledger speaks of, in its order.
pub(crate) fn entries(path: &Path) -> Result<Vec<Entry>, Trouble> {
    let at = |error: io::Error| Trouble::at(path, error);
    let mut reader = BufReader::new(File::open(path).map_err(at)?);
    let (mut entries, mut line, mut offset) = (Vec::new(), Vec::new(), 0_u64);
    // Where the changes of a file begin, and how many there are.
    let mut begun: Option<(u64, u64)> = None;
    let mut understood = false;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(at)?;
        if read == 0 {
            break;
        }
        offset += read as u64;
        if let Some((_, count)) = &mut begun
            && line.starts_with(CHANGE)
            && line.ends_with(b"}\n")
        {
            // Understood when it is its turn.
            *count += 1;
            continue;
        }
        match (serde_json::from_slice::<Line>(&line), &mut begun) {
            (Ok(Line::Repair { .. }), _) => begun = Some((offset, 0)),
            (Ok(Line::File { path, changes, size_before, blake3_before, size_after, blake3_after }), _) => {
                if let Some((start, count)) = begun.take()
                    && count == changes
                {
                    let before = Print { size: size_before, blake3: blake3_before };
                    let after = Print { size: size_after, blake3: blake3_after };
                    entries.push(Entry { path, before, after, changes, start });
                }
            }
            (Ok(Line::Change { .. }), _) => {}
            // What a killed process left.
            (Err(_), _) => {
                begun = None;
                continue;
            }
        }
        understood = true;
    }
    if !understood && offset > 0 {
        return Err(Trouble::at(path, "not a ledger of utf8 repair"));
    }
    Ok(entries)
}

/// The changes of an entry.
pub(crate) fn changes(
    path: &Path,
    entry: &Entry,
) -> io::Result<impl Iterator<Item = io::Result<Change>> + use<>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(entry.start))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut next = move || -> io::Result<Change> {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        match serde_json::from_slice(&line) {
            Ok(Line::Change { offset, before, after }) => match (unhex(&before), unhex(&after)) {
                (Some(before), Some(after)) => Ok(Change { offset, before, after }),
                _ => Err(io::Error::other("a change that is no hexadecimal")),
            },
            _ => Err(io::Error::other("it was changed while it was read")),
        }
    };
    Ok((0..entry.changes).map(move |_| next()))
}

/// The entry that speaks of a file with this print.
pub(crate) fn find<'e>(entries: &'e [Entry], path: &Path, print: &Print) -> Result<&'e Entry, String> {
    let named = |entry: &&Entry| entry.is_named(path);
    let matching = || entries.iter().rev().filter(|entry| entry.after == *print);
    let by_name = matching().find(named);
    if let Some(entry) = by_name.or_else(|| matching().next()) {
        let several = matching().any(|other| other.before != entry.before);
        return if by_name.is_some() || !several {
            Ok(entry)
        } else {
            Err("the ledger speaks of several files that became the same: name it as it was named then"
                .into())
        };
    }
    if entries.iter().any(|entry| entry.before == *print) {
        return Err("it is as it was before the repair: there is nothing to undo".into());
    }
    Err(match entries.iter().rev().find(named) {
        Some(entry) if entry.after.size != print.size => {
            format!("it was changed after the repair: {} bytes then, {} now", entry.after.size, print.size)
        }
        Some(_) => "it was changed after the repair: as long as then, but not the same".into(),
        None => "the ledger does not speak of it".into(),
    })
}

/// Whether the ledger speaks of a file of that name, or of one that is so long.
pub(crate) fn may_be_meant(entries: &[Entry], path: &Path, size: u64) -> bool {
    entries.iter().any(|entry| entry.is_named(path) || entry.after.size == size)
}

impl Entry {
    /// Whether it speaks of a file by this name.
    pub(crate) fn is_named(&self, path: &Path) -> bool {
        self.path == PathFields::of(path)
    }

    /// How many changes there are.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(DIGITS[usize::from(byte & 15)]));
        hex
    })
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?) as u8)).collect()
}
