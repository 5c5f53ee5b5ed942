//! The texts in a source: itself, its decompressed content, or the files in it.

use std::io::{self, Cursor, Read as _};
use std::sync::Arc;

use super::members::Archive;
use super::{head_of, sniff};
use crate::decompress::{Bounded, Meter, Reader, Unpack, decoder};
use crate::format::{ArchiveError, Format};
use crate::source::Content;
use crate::{FileError, Source, Stream};

/// Passes each text in a source to `take`: the source itself, its decompressed content, or the files in the archive in
/// their order, each as `archive!member`. Read errors are also passed, and do not end the loop unless `take` returns an
/// error. Without `unpack`, every source is passed unchanged.
///
/// # Errors
/// Any error of `take`.
///
/// ```
/// use utf8kit_files::{Source, Unpack, each_text};
///
/// let path = std::env::temp_dir().join("utf8kit-each-text-example");
/// std::fs::write(&path, "text").unwrap();
/// each_text(&Source::file(&path), Some(Unpack::default()), &mut |text| {
///     assert_eq!(text.unwrap().path, path);
///     Ok::<_, ()>(())
/// })
/// .unwrap();
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn each_text<E>(
    source: &Source,
    unpack: Option<Unpack>,
    take: &mut dyn FnMut(Result<Source, FileError>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(unpack) = unpack else { return take(Ok(source.clone())) };
    match opened(source, unpack) {
        Ok(Opened::Text(text)) => take(Ok(text)),
        Ok(Opened::Archive(archive)) => archive.each(source, unpack, take),
        Err(error) => take(Err(FileError::io(source.archive_path(), error))),
    }
}

/// Returns the only text in a source, which may be compressed.
///
/// # Errors
/// A [`FileError`] if it cannot be read; [`ArchiveError::Several`] if it is an archive and the source names no member.
pub fn only_text(source: &Source, unpack: Option<Unpack>) -> Result<Source, FileError> {
    let (mut found, mut several) = (None, false);
    let _ = each_text(source, unpack, &mut |text| {
        several = found.is_some() || source.member().is_none() && is_member(source, text.as_ref().ok());
        if several {
            return Err(());
        }
        found = Some(text);
        Ok(())
    });
    match found {
        Some(text) if !several => text,
        _ => Err(FileError::Archive { path: source.path.clone(), error: ArchiveError::Several }),
    }
}

/// Reports whether a text is from an archive.
fn is_member(source: &Source, text: Option<&Source>) -> bool {
    text.is_some_and(|text| text.path != source.path)
}

/// An opened source.
enum Opened {
    Text(Source),
    Archive(Archive),
}

fn opened(source: &Source, unpack: Unpack) -> io::Result<Opened> {
    // The bytes of the head of standard input and pipes must not be lost.
    let is_once = matches!(source.content, Content::Plain) && !source.is_regular()?;
    let meter = Arc::new(Meter::default());
    let Stream { mut reader, live } = source.raw()?;
    let head = head_of(&mut reader, live)?;
    let format = sniff(&head);
    let stream = meter.count(put_back(head, reader));
    match format {
        None if source.member().is_some() => Err(ArchiveError::NoArchive.into()),
        None if !is_once => Ok(Opened::Text(source.clone())),
        None => Ok(Opened::Text(source.once(Stream { reader: stream, live }))),
        Some(format) if format.is_archive() => {
            // A zip file is read at any offset; everything else is read in order.
            let stream = (is_once || format == Format::Tar).then_some(stream);
            Ok(Opened::Archive(Archive { format, stream, meter }))
        }
        Some(format) => {
            let mut stream: Reader =
                Box::new(Bounded::new(decoder(format, stream)?, format, Arc::clone(&meter), unpack));
            let head = head_of(&mut stream, live)?;
            let inner = sniff(&head).filter(|inner| inner.is_archive());
            let stream = put_back(head, stream);
            match inner {
                Some(inner) => Ok(Opened::Archive(Archive { format: inner, stream: Some(stream), meter })),
                None if source.member().is_some() => Err(ArchiveError::NoArchive.into()),
                None if is_once => Ok(Opened::Text(source.once(Stream { reader: stream, live }))),
                None => Ok(Opened::Text(source.packed(format, unpack))),
            }
        }
    }
}

/// Puts the first bytes back before a stream.
fn put_back(head: Vec<u8>, stream: Reader) -> Reader {
    Box::new(Cursor::new(head).chain(stream))
}
