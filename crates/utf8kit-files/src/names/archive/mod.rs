//! Names in archives: finds problems, and writes an archive with correct names. Compressed data is copied.

mod tar;
mod zip;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use utf8kit_detect::{Confidence, names};
use utf8kit_encodings::charset::{Charset, Codec};

use super::Slot;
use super::check::{CheckedName, NameChecker, UnrenamedName, UnrenamedReason, quoted};
use super::collisions::collide;
use super::evidence::NameEncoding;
use super::problem::{NameProblem, NameProblemKind};
use super::tree::{checked, parts};
use crate::archive::{bare, member_path, sniff};
use crate::decompress::{Unpack, unpacked};
use crate::format::Format;
use crate::{FileError, Source, format_of};

use self::tar::Tar;
use self::zip::Zip;

/// The code pages that programs for DOS and Windows most often used for names.
const DOS: [&str; 2] = ["CP437", "CP850"];

/// A name in an archive.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Member {
    /// The name as `archive!member`.
    pub path: PathBuf,
    /// The name, in bytes.
    pub name: Vec<u8>,
    /// The problems, and the proposed name.
    pub checked: CheckedName,
    /// Whether to mark it as UTF-8.
    marks: bool,
}

/// An archive, zip or tar, and the names in it.
#[derive(Debug)]
#[non_exhaustive]
pub struct NamedArchive {
    /// The names, in order.
    pub members: Vec<Member>,
    path: PathBuf,
    file: File,
    /// The compression of a tar.
    packed: Option<Format>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Zip(Zip),
    Tar(Tar),
}

/// A name as stored in an archive.
struct Raw {
    name: Vec<u8>,
    /// The same name in UTF-8, if the archive also has that.
    known: Option<String>,
    /// Whether the archive marks it as UTF-8, or cannot mark names.
    is_marked: bool,
    is_dos: bool,
}

impl Raw {
    /// Returns the form of the name that is checked.
    fn presumed(&self) -> Vec<u8> {
        self.known.as_ref().map_or_else(|| self.name.clone(), |known| known.clone().into_bytes())
    }
}

impl NamedArchive {
    /// Reads the names in an archive and checks them. Returns `None` if the file is not an archive. A tar may be
    /// compressed.
    ///
    /// # Errors
    /// A [`FileError`] if it cannot be read.
    ///
    /// ```
    /// use utf8kit_files::Unpack;
    /// use utf8kit_files::names::{NameChecker, NameRules, NamedArchive};
    ///
    /// let path = std::env::temp_dir().join("utf8kit-archive-example.txt");
    /// std::fs::write(&path, "text").unwrap();
    /// let checker = NameChecker::new(NameRules::default()).unwrap();
    /// assert!(NamedArchive::open(&path, Unpack::default(), &checker).unwrap().is_none());
    /// # std::fs::remove_file(&path).unwrap();
    /// ```
    pub fn open(path: &Path, unpack: Unpack, checker: &NameChecker) -> Result<Option<NamedArchive>, FileError> {
        let at = |error| FileError::io(path, error);
        let format = match format_of(path).map_err(at)? {
            Some(format) => format,
            None if ends_as_zip(path) => Format::Zip,
            None => return Ok(None),
        };
        let (file, packed) = match format.is_archive() {
            true => (File::open(path).map_err(at)?, None),
            false => match unpacked_tar(path, format, unpack).map_err(at)? {
                Some(file) => (file, Some(format)),
                None => return Ok(None),
            },
        };
        let (raw, kind): (Vec<_>, _) = match format {
            Format::Zip => {
                let zip = Zip::read(&file).map_err(at)?;
                let raw = |record: &zip::Record| Raw {
                    name: record.name.clone(),
                    known: record.known.clone(),
                    is_marked: record.is_marked,
                    is_dos: record.is_dos && !record.is_marked,
                };
                (zip.records.iter().map(raw).collect(), Kind::Zip(zip))
            }
            _ => {
                let tar = Tar::read(&file).map_err(at)?;
                let raw =
                    |entry: &tar::Entry| Raw { name: entry.name.clone(), known: None, is_marked: true, is_dos: false };
                (tar.entries.iter().map(raw).collect(), Kind::Tar(tar))
            }
        };
        let members = members(path, raw, checker);
        let mut archive = NamedArchive { members, path: path.to_owned(), file, packed, kind };
        archive.hold();
        Ok(Some(archive))
    }

    /// Excludes names that cannot be changed alone.
    fn hold(&mut self) {
        for (index, member) in self.members.iter_mut().enumerate() {
            let reason = match &self.kind {
                Kind::Tar(tar) => {
                    let is_sparse = tar.entries.get(index).is_some_and(|entry| entry.is_sparse);
                    is_sparse.then(|| {
                        UnrenamedReason::Unusable("it is a sparse file, with its name in several places".to_owned())
                    })
                }
                Kind::Zip(zip) => {
                    let comment = zip.records.get(index).and_then(|record| comment(&record.comment, &member.checked));
                    comment.is_none().then_some(UnrenamedReason::UncertainComment)
                }
            };
            if let Some(reason) = reason.filter(|_| member.checked.becomes.is_some() || member.marks) {
                let would_be = member.checked.becomes.take();
                member.checked.held = Some(UnrenamedName { would_be, reason });
                member.marks = false;
            }
        }
    }

    /// Returns how many names change or are newly marked as UTF-8.
    pub fn changes(&self) -> usize {
        self.members.iter().filter(|member| member.checked.becomes.is_some() || member.marks).count()
    }

    /// Writes the archive with the names that are certain. Everything else is copied.
    ///
    /// # Errors
    /// A [`FileError`] if it cannot be read or written, or is compressed.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), FileError> {
        let at = |error| FileError::io(&self.path, error);
        if let Some(format) = self.packed {
            let why = format!("the names are in a {format}-compressed archive: decompress it first");
            return Err(at(io::Error::other(why)));
        }
        match &self.kind {
            Kind::Zip(zip) => {
                let renamed = |(record, member): (&zip::Record, &Member)| {
                    let name = match &member.checked.becomes {
                        Some(becomes) => becomes.clone(),
                        None if member.marks => String::from_utf8(record.name.clone()).ok()?,
                        None => return None,
                    };
                    Some(zip::Renamed { name, comment: comment(&record.comment, &member.checked)? })
                };
                let new: Vec<_> = zip.records.iter().zip(&self.members).map(renamed).collect();
                zip.write(&self.file, &new, out).map_err(at)
            }
            Kind::Tar(tar) => {
                // A hard link refers to another member by name; a symbolic link often does.
                let names: BTreeMap<_, _> =
                    self.members.iter().map(|member| (bare(&member.name), &member.checked)).collect();
                let renamed = |(entry, member): (&tar::Entry, &Member)| {
                    let link = entry.link.as_ref().filter(|link| utf8kit::validate(link).is_err());
                    let link = link.and_then(|link| match names.get(bare(link)) {
                        Some(checked) => checked.becomes.clone(),
                        None => codec(&member.checked).or_else(|| self.codec())?.text_of(link),
                    });
                    tar::Renamed { name: member.checked.becomes.clone(), link }
                };
                let new: Vec<_> = tar.entries.iter().zip(&self.members).map(renamed).collect();
                tar.write(&self.file, &new, out).map_err(at)
            }
        }
    }

    /// Returns the encoding of all names that are not UTF-8, if they share one.
    fn codec(&self) -> Option<Codec> {
        let renamed = self.members.iter().filter(|member| member.checked.becomes.is_some());
        let mut codecs = renamed.filter_map(|member| codec(&member.checked));
        let first = codecs.next()?;
        codecs.all(|codec| codec == first).then_some(first)
    }
}

/// Reports whether a file is a zip that follows other data, such as a self-extracting program.
fn ends_as_zip(path: &Path) -> bool {
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let zip = || Zip::read(&File::open(path).ok()?).ok();
    is_file && zip().is_some_and(|zip| !zip.records.is_empty())
}

/// Returns the encoding that a name is in.
fn codec(checked: &CheckedName) -> Option<Codec> {
    checked.from?.parse().ok().map(Charset::writer)
}

/// Returns a comment in UTF-8, decoded in the encoding of its name if it is not UTF-8.
fn comment(comment: &[u8], checked: &CheckedName) -> Option<Vec<u8>> {
    if utf8kit::validate(comment).is_ok() {
        return Some(comment.to_vec());
    }
    codec(checked)?.text_of(comment).map(String::into_bytes)
}

/// Returns a compressed tar, decompressed into a temporary file. Returns `None` if it contains something else.
fn unpacked_tar(path: &Path, format: Format, unpack: Unpack) -> io::Result<Option<File>> {
    let mut stream = unpacked(Source::file(path).raw()?.reader, format, unpack)?;
    let mut head = Vec::new();
    io::copy(&mut io::Read::take(&mut stream, 512), &mut head)?;
    if sniff(&head) != Some(Format::Tar) {
        return Ok(None);
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&head)?;
    io::copy(&mut stream, &mut file)?;
    file.rewind()?;
    Ok(Some(file))
}

/// Checks the names in an archive.
fn members(path: &Path, raw: Vec<Raw>, checker: &NameChecker) -> Vec<Member> {
    // A name that occurs twice, as in a tar that was appended to, counts as one name.
    let unique: BTreeMap<Vec<u8>, bool> = raw.iter().map(|raw| (raw.presumed(), raw.is_dos)).collect();
    let names: Vec<_> = unique.keys().cloned().collect();
    let mut all = checked(checker, std::slice::from_ref(&names)).pop().unwrap_or_default();
    if !checker.is_explicit() {
        from_dos(&names, &unique.into_values().collect::<Vec<_>>(), &mut all, checker);
    }
    let mut slots: Vec<_> = names.iter().zip(&mut all).map(|(name, checked)| Slot { name, checked }).collect();
    collide(&mut slots, checker.rules.numbered, |_| false);
    let all: BTreeMap<_, _> = names.into_iter().zip(all).collect();
    let member = |raw: Raw| {
        let mut checked = all.get(&raw.presumed()).cloned().unwrap_or_default();
        let name = std::str::from_utf8(&raw.name).ok();
        let mut problem = |kind, what: String| {
            checked.problems.insert(0, NameProblem { offset: 0, len: raw.name.len(), kind, what });
        };
        let mut marks = false;
        match (&raw.known, name) {
            (Some(known), _) if known.as_bytes() != raw.name => {
                let has = format!("its Unicode extra field has {}", quoted(known));
                match name {
                    None => problem(NameProblemKind::NotUtf8, format!("not UTF-8: {has}")),
                    Some(_) => problem(NameProblemKind::Unmarked, has),
                }
                if checked.held.is_none() && checked.becomes.is_none() {
                    checked.becomes = Some(known.clone());
                }
            }
            (_, Some(name)) if !raw.is_marked && !name.is_ascii() => {
                problem(
                    NameProblemKind::Unmarked,
                    "UTF-8, but not marked as such: Windows reads another name".to_owned(),
                );
                marks = true;
            }
            _ => {}
        }
        Member { path: member_path(path, bare(&raw.name)), name: raw.name, checked, marks }
    };
    raw.into_iter().map(member).collect()
}

/// Decodes names from DOS and Windows whose encoding is uncertain in the code pages of these systems, if all names are
/// plausible there.
fn from_dos(names: &[Vec<u8>], is_dos: &[bool], all: &mut [CheckedName], checker: &NameChecker) {
    let is_open = |checked: &CheckedName| checked.becomes.is_none() && checked.confidence == Some(Confidence::Possible);
    let open: Vec<_> =
        names.iter().zip(is_dos).zip(all.iter_mut()).filter(|((_, dos), checked)| **dos && is_open(checked)).collect();
    let read = |name: &&str| name.parse().ok().map(Charset::writer);
    let fits = |codec: &Codec| {
        open.iter().all(|((name, _), _)| parts(name).all(|part| part.is_ascii() || names::reads(*codec, part)))
    };
    let Some(codec) = DOS.iter().filter_map(read).find(fits) else { return };
    for ((name, _), slot) in open {
        *slot = checker.check(name, Some(NameEncoding { codec, confidence: Confidence::Likely }), None);
    }
}
