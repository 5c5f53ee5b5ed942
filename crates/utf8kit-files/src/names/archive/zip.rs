//! Reads and rewrites the names in a zip (PKWARE's APPNOTE.TXT 6.3.10). Nothing is compressed again.
//!
//! ```text
//! local header, name, extra fields, data, [data descriptor]   for each member: the name, the flag and the extra
//! ...                                                         field change, the data is copied
//! central header, name, extra fields, comment                 the same, and where the local header is now
//! ...
//! [zip64 end, zip64 locator], end                             where the central headers are now
//! ```
//!
//! Bit 11 of the flags marks the name and comment as UTF-8. Without it, they should be in code page 437, but in
//! practice are in the code page of the country, or on Unix and macOS in UTF-8. Info-ZIP's extra field 7075 has the
//! name in UTF-8 next to one in another encoding, with a checksum of the latter.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};

use flate2::Crc;
use rawzip::ZipArchive;

use crate::format::{ArchiveError, Format};

/// The flag that marks the name and comment as UTF-8.
const UTF8_FLAG: u16 = 1 << 11;
/// Info-ZIP's extra fields for the name and the comment in UTF-8.
const UNICODE_PATH: u16 = 0x7075;
const UNICODE_COMMENT: u16 = 0x6375;
/// The extra field of zip64.
const ZIP64: u16 = 1;
/// The lengths of the fixed parts of headers.
const LOCAL_HEADER_BYTES: usize = 30;
const CENTRAL_HEADER_BYTES: usize = 46;
const END_RECORD_BYTES: usize = 22;
const LOCATOR_BYTES: usize = 20;
/// The most bytes after the central headers.
const MAX_BYTES_AFTER_HEADERS: u64 = 1 << 24;

/// A member.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The offsets of its headers.
    central: u64,
    local: u64,
    pub(super) name: Vec<u8>,
    pub(super) comment: Vec<u8>,
    /// The name of its Unicode extra field.
    pub(super) known: Option<String>,
    /// Whether it is marked as UTF-8.
    pub(super) is_marked: bool,
    /// Whether it was created on DOS or Windows, where names are in a code page.
    pub(super) is_dos: bool,
}

/// The new name and comment of a member.
pub(super) struct Renamed {
    pub(super) name: String,
    pub(super) comment: Vec<u8>,
}

/// The members of a zip, and the offsets of its parts.
#[derive(Debug)]
pub(super) struct Zip {
    pub(super) records: Vec<Record>,
    directory: u64,
    end: u64,
}

fn damaged(reason: &str) -> io::Error {
    ArchiveError::Damaged { format: Format::Zip, reason: reason.to_owned() }.into()
}

fn truncated() -> io::Error {
    ArchiveError::Truncated(Format::Zip).into()
}

/// Returns a number in a header.
fn number<const N: usize>(header: &[u8], at: usize) -> io::Result<u64> {
    let bytes = header.get(at..at + N).ok_or_else(truncated)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

fn length(header: &[u8], at: usize) -> io::Result<usize> {
    number::<2>(header, at).map(|length| length as usize)
}

/// Writes a number into a header.
fn put(header: &mut [u8], at: usize, len: usize, value: u64) -> io::Result<()> {
    let bytes = value.to_le_bytes();
    let (kept, rest) = bytes.split_at(len.min(8));
    if rest.iter().any(|byte| *byte != 0) {
        return Err(io::Error::other("the names would make it too large for its kind of zip"));
    }
    header.get_mut(at..at + len).ok_or_else(truncated)?.copy_from_slice(kept);
    Ok(())
}

/// Reads some bytes at an offset.
fn read(file: &mut File, at: u64, len: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; len];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Copies the bytes from an offset to another one.
fn copy(file: &mut File, from: u64, to: u64, out: &mut dyn Write) -> io::Result<()> {
    let len = to.checked_sub(from).ok_or_else(|| damaged("members overlap"))?;
    file.seek(SeekFrom::Start(from))?;
    if io::copy(&mut file.take(len), out)? < len {
        return Err(truncated());
    }
    Ok(())
}

/// Returns the checksum used by extra fields.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Passes the extra fields, each with its header, to `take`, and then the rest.
fn each_field(extra: &[u8], take: &mut dyn FnMut(Option<u16>, &[u8])) {
    let mut rest = extra;
    while let (Ok(kind), Ok(len)) = (number::<2>(rest, 0), length(rest, 2)) {
        let Some((field, after_field)) = rest.split_at_checked(4 + len) else { break };
        take(u16::try_from(kind).ok(), field);
        rest = after_field;
    }
    take(None, rest);
}

/// Returns the text of a Unicode extra field, if it belongs to these bytes.
fn unicode(extra: &[u8], kind: u16, bytes: &[u8]) -> Option<String> {
    let mut found = None;
    each_field(extra, &mut |field, data| {
        if field == Some(kind)
            && data.get(4) == Some(&1)
            && number::<4>(data, 5).is_ok_and(|crc| crc == u64::from(checksum(bytes)))
        {
            found = data.get(9..).and_then(|text| String::from_utf8(text.to_vec()).ok());
        }
    });
    found
}

/// Returns the extra fields, with the Unicode fields set to a new name and comment.
fn with_unicode(extra: &[u8], renamed: &Renamed) -> io::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(extra.len());
    let mut failed = None;
    each_field(extra, &mut |kind, field| {
        let text = match kind {
            Some(UNICODE_PATH) => renamed.name.as_bytes(),
            Some(UNICODE_COMMENT) => &renamed.comment,
            _ => return out.extend_from_slice(field),
        };
        let Ok(len) = u16::try_from(text.len() + 5) else {
            failed = Some(io::Error::other("the name is too long for its extra field"));
            return;
        };
        out.extend_from_slice(field.get(..2).unwrap_or_default());
        out.extend_from_slice(&len.to_le_bytes());
        out.push(1);
        out.extend_from_slice(&checksum(text).to_le_bytes());
        out.extend_from_slice(text);
    });
    failed.map_or(Ok(out), Err)
}

impl Zip {
    /// Reads the central headers.
    pub(super) fn read(file: &File) -> io::Result<Zip> {
        let mut reader = file.try_clone()?;
        let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let broken = |error: rawzip::Error| damaged(&error.to_string());
        let archive = ZipArchive::from_file(file.try_clone()?, &mut buffer).map_err(broken)?;
        let (directory, end) = (archive.directory_offset(), archive.eocd_offset());
        let mut places = Vec::new();
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            places.push((entry.central_directory_offset(), entry.local_header_offset()));
        }
        let record = |(central, local): (u64, u64)| -> io::Result<Record> {
            let header = central_header(&mut reader, central)?;
            let (name, extra, comment) = parts(&header)?;
            Ok(Record {
                central,
                local,
                known: unicode(extra, UNICODE_PATH, name),
                name: name.to_vec(),
                comment: unicode(extra, UNICODE_COMMENT, comment).map_or_else(|| comment.to_vec(), String::into_bytes),
                is_marked: number::<2>(&header, 8)? & u64::from(UTF8_FLAG) != 0,
                is_dos: matches!(header.get(5), Some(0 | 6 | 10 | 11 | 14)),
            })
        };
        let records = places.into_iter().map(record).collect::<io::Result<_>>()?;
        Ok(Zip { records, directory, end })
    }

    /// Writes the zip with the new names.
    pub(super) fn write(&self, file: &File, new: &[Option<Renamed>], out: &mut dyn Write) -> io::Result<()> {
        let mut file = file.try_clone()?;
        let renamed = |index: usize| new.get(index).and_then(Option::as_ref);
        let mut order: Vec<_> = (0..self.records.len()).collect();
        order.sort_by_key(|&index| self.records.get(index).map(|record| record.local));
        // The shift of each local header, and of everything after the last.
        let (mut moved, mut shift, mut at) = (vec![0_i64; order.len()], 0_i64, 0);
        for index in order {
            let Some(record) = self.records.get(index) else { continue };
            copy(&mut file, at, record.local, out)?;
            at = record.local;
            moved.iter_mut().skip(index).take(1).for_each(|moved| *moved = shift);
            if let Some(renamed) = renamed(index) {
                let fixed = read(&mut file, at, LOCAL_HEADER_BYTES)?;
                if !fixed.starts_with(b"PK\x03\x04") {
                    return Err(damaged("a member is not where the directory says"));
                }
                let len = LOCAL_HEADER_BYTES + length(&fixed, 26)? + length(&fixed, 28)?;
                let header = read(&mut file, at, len)?;
                let written = local_header(&header, renamed)?;
                out.write_all(&written)?;
                at += len as u64;
                shift += written.len() as i64 - len as i64;
            }
        }
        copy(&mut file, at, self.directory, out)?;
        let (mut at, before) = (self.directory, shift);
        let mut by_place: Vec<_> = (0..self.records.len()).collect();
        by_place.sort_by_key(|&index| self.records.get(index).map(|record| record.central));
        for index in by_place {
            let Some(record) = self.records.get(index) else { continue };
            copy(&mut file, at, record.central, out)?;
            let header = central_header(&mut file, record.central)?;
            at = record.central + header.len() as u64;
            let by = moved.get(index).copied().unwrap_or_default();
            let written = new_central_header(&header, renamed(index), by)?;
            out.write_all(&written)?;
            shift += written.len() as i64 - header.len() as i64;
        }
        self.write_end(&mut file, at, (before, shift), out)
    }

    /// Writes the data after the central headers, which end at an offset. `before` is the shift of the directory,
    /// `shift` of its end.
    fn write_end(&self, file: &mut File, at: u64, (before, shift): (i64, i64), out: &mut dyn Write) -> io::Result<()> {
        let len = file.metadata()?.len().checked_sub(at).ok_or_else(truncated)?;
        if len > MAX_BYTES_AFTER_HEADERS {
            return Err(damaged("unexpected data after its directory"));
        }
        let mut tail = read(file, at, len as usize)?;
        let end = usize::try_from(self.end - at).map_err(|_| truncated())?;
        let grown = shift - before;
        if let Some(locator) = end.checked_sub(LOCATOR_BYTES)
            && tail.get(locator..locator + 4) == Some(b"PK\x06\x07")
        {
            // The record precedes its locator. Its offset may not include data before the zip.
            let stored = number::<8>(&tail, locator + 8)?;
            put(&mut tail, locator + 8, 8, by(stored, shift)?)?;
            let head = tail.get(..locator).unwrap_or_default();
            let record = memchr::memmem::rfind(head, b"PK\x06\x06").ok_or_else(truncated)?;
            let (size, offset) = (number::<8>(&tail, record + 40)?, number::<8>(&tail, record + 48)?);
            put(&mut tail, record + 40, 8, by(size, grown)?)?;
            put(&mut tail, record + 48, 8, by(offset, before)?)?;
        }
        for (place, change) in [(12, grown), (16, before)] {
            let value = number::<4>(&tail, end + place)?;
            if value != u64::from(u32::MAX) {
                put(&mut tail, end + place, 4, by(value, change)?)?;
            }
        }
        if tail.len() < end + END_RECORD_BYTES {
            return Err(truncated());
        }
        out.write_all(&tail)
    }
}

/// Returns a number plus a signed offset.
fn by(value: u64, change: i64) -> io::Result<u64> {
    value.checked_add_signed(change).ok_or_else(|| damaged("an offset is beyond its file"))
}

/// Reads a central header with its variable part.
fn central_header(file: &mut File, at: u64) -> io::Result<Vec<u8>> {
    let fixed = read(file, at, CENTRAL_HEADER_BYTES)?;
    read(file, at, CENTRAL_HEADER_BYTES + length(&fixed, 28)? + length(&fixed, 30)? + length(&fixed, 32)?)
}

/// Returns the name, the extra fields and the comment of a central header.
fn parts(header: &[u8]) -> io::Result<(&[u8], &[u8], &[u8])> {
    let rest = header.get(CENTRAL_HEADER_BYTES..).ok_or_else(truncated)?;
    let (name, rest) = rest.split_at_checked(length(header, 28)?).ok_or_else(truncated)?;
    let (extra, comment) = rest.split_at_checked(length(header, 30)?).ok_or_else(truncated)?;
    Ok((name, extra, comment))
}

/// Sets the flag and the lengths of a header, and appends the name and the extra fields.
fn fill(fixed: &[u8], flags: usize, lengths: usize, renamed: &Renamed, extra: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = fixed.to_vec();
    let others = number::<2>(fixed, flags)? & !u64::from(UTF8_FLAG);
    let mark = if renamed.name.is_ascii() && renamed.comment.is_ascii() { 0 } else { u64::from(UTF8_FLAG) };
    put(&mut out, flags, 2, others | mark)?;
    put(&mut out, lengths, 2, renamed.name.len() as u64)?;
    put(&mut out, lengths + 2, 2, extra.len() as u64)?;
    out.extend_from_slice(renamed.name.as_bytes());
    out.extend_from_slice(extra);
    Ok(out)
}

/// Returns a local header with a new name.
fn local_header(header: &[u8], renamed: &Renamed) -> io::Result<Vec<u8>> {
    let (fixed, rest) = header.split_at_checked(LOCAL_HEADER_BYTES).ok_or_else(truncated)?;
    let extra = rest.get(length(header, 26)?..).ok_or_else(truncated)?;
    fill(fixed, 6, 26, renamed, &with_unicode(extra, renamed)?)
}

/// Returns a central header for a moved local header, with a new name if there is one.
fn new_central_header(header: &[u8], renamed: Option<&Renamed>, moved: i64) -> io::Result<Vec<u8>> {
    let (name, extra, comment) = parts(header)?;
    let fixed = header.get(..CENTRAL_HEADER_BYTES).ok_or_else(truncated)?;
    let mut extra = extra.to_vec();
    let offset = number::<4>(fixed, 42)?;
    let is_long = |at: usize| number::<4>(fixed, at).is_ok_and(|value| value == u64::from(u32::MAX));
    if is_long(42) {
        // In zip64, the offset follows the sizes that are present.
        let after_field = 4 + 8 * (usize::from(is_long(24)) + usize::from(is_long(20)));
        let (mut start, mut field_at) = (0, None);
        each_field(&extra, &mut |kind, field| {
            field_at = field_at.or((kind == Some(ZIP64)).then_some(start));
            start += field.len();
        });
        let at = field_at.ok_or_else(|| damaged("a member has no offset"))? + after_field;
        let stored = number::<8>(&extra, at)?;
        put(&mut extra, at, 8, by(stored, moved)?)?;
    }
    let mut out = match renamed {
        Some(renamed) => {
            let mut out = fill(fixed, 8, 28, renamed, &with_unicode(&extra, renamed)?)?;
            put(&mut out, 32, 2, renamed.comment.len() as u64)?;
            out.extend_from_slice(&renamed.comment);
            out
        }
        None => [fixed, name, &extra, comment].concat(),
    };
    if !is_long(42) {
        let offset = by(offset, moved)?;
        if offset >= u64::from(u32::MAX) {
            return Err(io::Error::other("the names would make it too large for a zip without zip64"));
        }
        put(&mut out, 42, 4, offset)?;
    }
    Ok(out)
}
