//! Reads the files in a zip or a tar, one after another.

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};

use super::sparse::Map;
use super::{head_of, sniff};
use crate::decompress::{Bounded, Meter, Reader, Unpack, decoder, unpacked};
use crate::format::{ArchiveError, Format};
use crate::source::{Content, Extracted};
use crate::{FileError, Source, SourceKind};

/// Longer members are stored in a temporary file, not in memory.
const MAX_MEMBER_BYTES_IN_MEMORY: u64 = 8 << 20;

/// Receives each member, or the error that keeps it from being read.
type Take<'t, E> = &'t mut dyn FnMut(Result<Source, FileError>) -> Result<(), E>;

/// An open archive.
pub(super) struct Archive {
    pub(super) format: Format,
    /// The stream from which a tar is read, or a zip copied if it is not a file.
    pub(super) stream: Option<Reader>,
    pub(super) meter: Arc<Meter>,
}

impl Archive {
    /// Passes the members to `take`. If the source names a member, passes only that one.
    pub(super) fn each<E>(self, source: &Source, unpack: Unpack, take: Take<'_, E>) -> Result<(), E> {
        let mut members =
            Members { archive: source.archive_path(), wanted: source.member(), unpack, found: false, take };
        let (meter, format) = (Arc::clone(&self.meter), self.format);
        let read = match format {
            Format::Tar => self.tar(&mut members),
            _ => self.zip(source, &mut members),
        };
        match read {
            Ok(()) if members.wanted.is_none() || members.found => Ok(()),
            Ok(()) => take(Err(FileError::io(&source.path, ArchiveError::NoMember.into()))),
            Err(Stop::Taken(error)) => Err(error),
            // The requested member was found before the error.
            Err(Stop::Archive(_)) if members.wanted.is_some() && members.found => Ok(()),
            Err(Stop::Archive(error)) => take(Err(FileError::io(source.archive_path(), meter.explain(error, format)))),
        }
    }

    fn tar<E>(self, members: &mut Members<'_, '_, E>) -> Result<(), Stop<E>> {
        let Some(stream) = self.stream else { return Ok(()) };
        let written = Arc::default();
        let mut archive = tar::Archive::new(stream);
        for entry in archive.entries()? {
            let mut entry = entry?;
            let kind = entry.header().entry_type();
            if !(kind.is_file() || kind.is_gnu_sparse()) {
                continue;
            }
            let (mut name, mut size) = (entry.path_bytes().into_owned(), entry.size());
            let sparse = Map::of(&mut entry)?;
            if let Some(map) = &sparse {
                name = map.name.clone().unwrap_or(name);
                size = map.size;
            }
            if members.wants(&name) {
                let content: Box<dyn Read + '_> = match sparse {
                    Some(map) => Box::new(map.expand(entry)),
                    None => Box::new(entry),
                };
                let text = Bounded::new(content, Format::Tar, Arc::clone(&self.meter), members.unpack);
                let held = members.held(text.with_others(&written), Some(size));
                let broken = held.is_err();
                members.give(&name, held)?;
                if broken {
                    // The members after it cannot be found.
                    return Ok(());
                }
            }
        }
        // The checksum of the compressed stream comes last.
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
        Ok(())
    }

    fn zip<E>(self, source: &Source, members: &mut Members<'_, '_, E>) -> Result<(), Stop<E>> {
        let file = match self.stream {
            Some(mut stream) => {
                let mut file = tempfile::tempfile()?;
                io::copy(&mut stream, &mut file)?;
                file
            }
            None => source.file_at_path()?,
        };
        let meter = Arc::new(Meter::of_length(file.metadata()?.len()));
        let (mut buffer, written) = (vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE], Arc::default());
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(of_zip)?;
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(of_zip)? {
            let name: Vec<u8> = entry.file_path().as_ref().to_vec();
            if entry.is_dir() || !members.wants(&name) {
                continue;
            }
            let (encrypted, method) = (entry.flags().is_encrypted(), entry.compression_method());
            let held = match archive.get_entry(entry.wayfinder()) {
                Ok(_) if encrypted => Err(ArchiveError::Encrypted.into()),
                Ok(found) => inflated(method, Box::new(meter.watch(found.reader()))).and_then(|text| {
                    let text = found.verifying_reader(text);
                    let text = Bounded::new(text, Format::Zip, Arc::clone(&meter), members.unpack);
                    members.held(text.with_others(&written), None)
                }),
                Err(error) => Err(meter.explain(of_zip(error), Format::Zip)),
            };
            members.give(&name, held)?;
        }
        Ok(())
    }
}

/// Returns a reader for the content of a zip member.
fn inflated<'r>(method: CompressionMethod, stream: Box<dyn Read + Send + 'r>) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(match method {
        CompressionMethod::STORE => stream,
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(stream)),
        CompressionMethod::BZIP2 => decoder(Format::Bzip2, stream)?,
        CompressionMethod::ZSTD => decoder(Format::Zstd, stream)?,
        CompressionMethod::XZ => decoder(Format::Xz, stream)?,
        method => return Err(ArchiveError::Method(method.to_string()).into()),
    })
}

fn of_zip(error: rawzip::Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// Why reading an archive stops.
enum Stop<E> {
    /// An error of `take`.
    Taken(E),
    /// The archive cannot be read.
    Archive(io::Error),
}

impl<E> From<io::Error> for Stop<E> {
    fn from(error: io::Error) -> Self {
        Stop::Archive(error)
    }
}

/// The members of an archive, and who receives them.
struct Members<'s, 't, E> {
    archive: &'s Path,
    wanted: Option<&'s [u8]>,
    unpack: Unpack,
    found: bool,
    take: Take<'t, E>,
}

impl<E> Members<'_, '_, E> {
    fn wants(&self, name: &[u8]) -> bool {
        self.wanted.is_none_or(|wanted| bare(wanted) == bare(name))
    }

    fn held(&self, mut text: impl Read, size: Option<u64>) -> io::Result<Extracted> {
        let mut bytes = Vec::new();
        let mut length = (&mut text).take(MAX_MEMBER_BYTES_IN_MEMORY).read_to_end(&mut bytes)? as u64;
        let held = if length < MAX_MEMBER_BYTES_IN_MEMORY {
            Extracted::Memory(bytes.into())
        } else {
            let mut file = tempfile::tempfile()?;
            file.write_all(&bytes)?;
            length += io::copy(&mut text, &mut file)?;
            Extracted::File(Arc::new(file))
        };
        match size {
            Some(size) if length < size => Err(ArchiveError::Truncated(Format::Tar).into()),
            _ => Ok(held),
        }
    }

    /// Passes a member to `take`.
    fn give(&mut self, name: &[u8], held: io::Result<Extracted>) -> Result<(), Stop<E>> {
        self.found = true;
        let path = member_path(self.archive, bare(name));
        let source = held.and_then(|held| self.source(&path, held));
        (self.take)(source.map_err(|error| FileError::io(&path, error))).map_err(Stop::Taken)
    }

    /// Returns a member as a source. A compressed member is decompressed; an archive is an error.
    fn source(&self, path: &Path, held: Extracted) -> io::Result<Source> {
        let format = sniff(&head_of(&mut held.reader()?, false)?);
        let packed = match format {
            Some(format) if format.is_archive() => return Err(ArchiveError::Nested(format).into()),
            Some(format) => {
                let text = &mut unpacked(held.reader()?, format, self.unpack)?;
                if let Some(inner) = sniff(&head_of(text, false)?).filter(|inner| inner.is_archive()) {
                    return Err(ArchiveError::Nested(inner).into());
                }
                Some((format, self.unpack))
            }
            None => None,
        };
        let kind = if self.wanted.is_some() { SourceKind::Named } else { SourceKind::Walked };
        Ok(Source { packed, kind, content: Content::Extracted(held), ..Source::file(path) })
    }
}

/// Returns a member's name without a leading `./`.
pub(crate) fn bare(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"./").unwrap_or(name)
}

/// Returns the displayed path of a member.
pub(crate) fn member_path(archive: &Path, name: &[u8]) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push("!");
    path.push(os_string(name));
    path.into()
}

#[cfg(unix)]
fn os_string(name: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(name.to_vec())
}

#[cfg(not(unix))]
fn os_string(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}
