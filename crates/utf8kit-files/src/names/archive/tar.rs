//! Reads and rewrites the names in a tar. Everything else is copied.
//!
//! ```text
//! [x: pax records] [L: long name] [K: long link]  header: name, prefix, link  data
//! ```
//!
//! A new name is stored where the old one is: in pax records or a GNU long name, if there are any, and in the header.
//! If it is too long for the header or not ASCII, a POSIX header gets a pax record. Other headers get a long name if it
//! is too long.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};

use tar::{EntryType, Header};

use crate::format::{ArchiveError, Format};

/// The size of a block.
const TAR_BLOCK_BYTES: usize = 512;
/// The size of the fields for the name and the link, and the range of the prefix.
const TAR_FIELD_BYTES: usize = 100;
/// The most bytes of the extended headers before a header.
const MAX_EXTENDED_BYTES: u64 = 1 << 20;

/// A member, or the end of the archive.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The start of its extended headers, of its header, and of the next member.
    start: u64,
    header: u64,
    pub(super) name: Vec<u8>,
    /// The target of a link.
    pub(super) link: Option<Vec<u8>>,
    /// Whether its name cannot be changed.
    pub(super) is_sparse: bool,
}

/// The new name of a member, and the new target of its link.
#[derive(Clone, Debug, Default)]
pub(super) struct Renamed {
    pub(super) name: Option<String>,
    pub(super) link: Option<String>,
}

/// The members of a tar.
#[derive(Debug)]
pub(super) struct Tar {
    pub(super) entries: Vec<Entry>,
}

fn damaged(reason: &str) -> io::Error {
    ArchiveError::Damaged { format: Format::Tar, reason: reason.to_owned() }.into()
}

/// A header before the header of a member, with its content.
struct Before {
    header: Header,
    data: Vec<u8>,
}

/// The headers of one member.
struct Parts {
    before: Vec<Before>,
    header: Header,
    /// The offset of the header, and the end of the data.
    at: u64,
    next: u64,
}

/// Returns a size rounded up to whole blocks.
fn padded(size: u64) -> u64 {
    size.div_ceil(TAR_BLOCK_BYTES as u64).saturating_mul(TAR_BLOCK_BYTES as u64)
}

/// Reads the next member and its extended headers. Returns `None` at the end.
fn next(file: &mut File, start: u64) -> io::Result<Option<Parts>> {
    let (mut at, mut before, mut size) = (start, Vec::new(), None);
    loop {
        file.seek(SeekFrom::Start(at))?;
        let mut block = Vec::with_capacity(TAR_BLOCK_BYTES);
        (&mut *file).take(TAR_BLOCK_BYTES as u64).read_to_end(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if block.len() < TAR_BLOCK_BYTES {
            return Err(ArchiveError::Truncated(Format::Tar).into());
        }
        let header = Header::from_byte_slice(&block).clone();
        if tar_sum(&header) != header.cksum()? {
            return Err(damaged("the checksum of a header is wrong"));
        }
        let kind = header.entry_type();
        let own = header.entry_size()?;
        let is_before = kind.is_gnu_longname() || kind.is_gnu_longlink() || kind.is_pax_local_extensions();
        if is_before || kind.is_pax_global_extensions() {
            if own > MAX_EXTENDED_BYTES {
                return Err(damaged("a name is too long"));
            }
            let mut data = vec![0; own as usize];
            file.read_exact(&mut data)?;
            if kind.is_pax_local_extensions() {
                let pax = records(&data).find(|(key, _)| *key == b"size").map(|(_, value)| value);
                size = pax.and_then(|value| std::str::from_utf8(value).ok()?.parse().ok()).or(size);
            }
            before.push(Before { header, data });
            at += TAR_BLOCK_BYTES as u64 + padded(own);
            continue;
        }
        let mut data = at + TAR_BLOCK_BYTES as u64;
        if kind.is_gnu_sparse() {
            let mut more = block.get(482) == Some(&1);
            while more {
                let mut block = [0; TAR_BLOCK_BYTES];
                file.read_exact(&mut block)?;
                (more, data) = (block[504] == 1, data + TAR_BLOCK_BYTES as u64);
            }
        }
        let next = data.saturating_add(padded(size.unwrap_or(own)));
        return Ok(Some(Parts { before, header, at, next }));
    }
}

/// Returns the checksum of a header.
fn tar_sum(header: &Header) -> u32 {
    let mut copy = header.clone();
    copy.set_cksum();
    copy.cksum().unwrap_or_default()
}

/// Returns the pax records, each as a key and a value.
fn records(data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let (key, value, after) = record(rest)?;
        rest = after;
        Some((key, value))
    })
}

/// Returns the key and the value of the first pax record, and the rest. Returns `None` if it is malformed.
fn record(data: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = data.iter().position(|byte| *byte == b' ')?;
    let len: usize = std::str::from_utf8(data.get(..space)?).ok()?.parse().ok()?;
    let record = data.get(space + 1..len)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((record.get(..equals)?, record.get(equals + 1..)?, data.get(len..)?))
}

/// Appends a pax record. Its length includes the digits of the length.
fn push_record(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    let rest = key.len() + value.len() + 3;
    let mut len = rest + 1;
    while len != rest + len.to_string().len() {
        len = rest + len.to_string().len();
    }
    out.extend_from_slice(len.to_string().as_bytes());
    out.push(b' ');
    out.extend_from_slice(key);
    out.push(b'=');
    out.extend_from_slice(value);
    out.push(b'\n');
}

impl Parts {
    /// Returns the last value of a pax key.
    fn pax(&self, key: &[u8]) -> Option<Vec<u8>> {
        let local = self.before.iter().filter(|one| one.header.entry_type().is_pax_local_extensions());
        let values = local.flat_map(|one| records(&one.data)).filter(|(one, _)| *one == key);
        values.last().map(|(_, value)| value.to_vec())
    }

    /// Returns the content of a GNU long name or link.
    fn long(&self, kind: EntryType) -> Option<Vec<u8>> {
        let found = self.before.iter().rfind(|one| one.header.entry_type() == kind)?;
        Some(found.data.split(|byte| *byte == 0).next().unwrap_or_default().to_vec())
    }

    fn entry(&self, start: u64) -> Entry {
        let name = self.pax(b"path").or_else(|| self.long(EntryType::GNULongName));
        let link = self.pax(b"linkpath").or_else(|| self.long(EntryType::GNULongLink));
        let is_link = self.header.entry_type().is_hard_link() || self.header.entry_type().is_symlink();
        let link = link.or_else(|| self.header.link_name_bytes().map(|link| link.into_owned()));
        Entry {
            start,
            header: self.at,
            name: name.unwrap_or_else(|| self.header.path_bytes().into_owned()),
            link: link.filter(|_| is_link),
            is_sparse: self.pax(b"GNU.sparse.name").is_some(),
        }
    }

    /// Writes the headers, with new names.
    fn write(mut self, new: &Renamed, out: &mut dyn Write) -> io::Result<()> {
        let is_posix = self.header.as_ustar().is_some();
        let mut header = self.header.clone();
        let pairs =
            [(&new.name, b"path".as_slice(), EntryType::GNULongName), (&new.link, b"linkpath", EntryType::GNULongLink)];
        for (text, key, long) in pairs {
            let Some(text) = text.as_deref() else { continue };
            let is_name = long == EntryType::GNULongName;
            let fits = set_field(&mut header, text, is_name);
            // Only pax records are marked as UTF-8.
            let needs_record = is_posix && (!fits || !text.is_ascii()) && self.long(long).is_none();
            if self.pax(key).is_some() || needs_record {
                self.set_pax(key, text)?;
            }
            if self.long(long).is_some() || !fits && !is_posix && self.pax(key).is_none() {
                self.set_long(long, text);
            }
        }
        for one in &self.before {
            let mut header = one.header.clone();
            header.set_size(one.data.len() as u64);
            header.set_cksum();
            out.write_all(header.as_bytes())?;
            out.write_all(&one.data)?;
            let padding = padded(one.data.len() as u64) - one.data.len() as u64;
            io::copy(&mut io::repeat(0).take(padding), out)?;
        }
        header.set_cksum();
        out.write_all(header.as_bytes())
    }

    /// Sets the value of a pax record, or adds the record. Fails if other records cannot be read and would be lost.
    fn set_pax(&mut self, key: &[u8], text: &str) -> io::Result<()> {
        let is_local = |one: &Before| one.header.entry_type().is_pax_local_extensions();
        if !self.before.iter().any(is_local) {
            let mut header = self.header.clone();
            header.set_entry_type(EntryType::XHeader);
            set_field(&mut header, "PaxHeaders/name", true);
            set_field(&mut header, "", false);
            self.before.push(Before { header, data: Vec::new() });
        }
        let Some(one) = self.before.iter_mut().rfind(|one| is_local(one)) else { return Ok(()) };
        let (mut data, mut rest) = (Vec::new(), &*one.data);
        while let Some((old, value, after)) = record(rest) {
            // The records are UTF-8 now.
            if old != key && old != b"hdrcharset" {
                push_record(old, value, &mut data);
            }
            rest = after;
        }
        if !rest.is_empty() {
            return Err(damaged("a record of an extended header is malformed"));
        }
        push_record(key, text.as_bytes(), &mut data);
        one.data = data;
        Ok(())
    }

    /// Sets the value of a GNU long name, or adds it.
    fn set_long(&mut self, kind: EntryType, text: &str) {
        let data = [text.as_bytes(), b"\0"].concat();
        if let Some(one) = self.before.iter_mut().rfind(|one| one.header.entry_type() == kind) {
            one.data = data;
            return;
        }
        let mut header = self.header.clone();
        header.set_entry_type(kind);
        set_field(&mut header, "././@LongLink", true);
        set_field(&mut header, "", false);
        self.before.push(Before { header, data });
    }
}

/// Writes a name or a link into a header. If it does not fit, it is cut at a boundary, and the function reports that.
/// The prefix is used for names that need it.
fn set_field(header: &mut Header, text: &str, is_name: bool) -> bool {
    let is_posix = header.as_ustar().is_some();
    let bytes = header.as_mut_bytes();
    let mut put = |at: usize, len: usize, text: &[u8]| {
        if let Some(field) = bytes.get_mut(at..at + len) {
            field.fill(0);
            field.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        }
    };
    if is_name && is_posix {
        put(345, 155, b"");
        let slash = |at: &usize| text.as_bytes().get(*at) == Some(&b'/') && text.len() - at - 1 <= TAR_FIELD_BYTES;
        if text.len() > TAR_FIELD_BYTES
            && let Some(cut) = (1..text.len().saturating_sub(1).min(156)).find(slash)
        {
            put(345, 155, text.as_bytes().get(..cut).unwrap_or_default());
            put(0, TAR_FIELD_BYTES, text.as_bytes().get(cut + 1..).unwrap_or_default());
            return true;
        }
    }
    let start = if is_name { 0 } else { 157 };
    put(start, TAR_FIELD_BYTES, utf8kit::truncate(text.as_bytes(), TAR_FIELD_BYTES));
    text.len() <= TAR_FIELD_BYTES
}

impl Tar {
    /// Reads the headers.
    pub(super) fn read(file: &File) -> io::Result<Tar> {
        let (mut file, mut entries, mut start) = (file.try_clone()?, Vec::new(), 0);
        while let Some(parts) = next(&mut file, start)? {
            entries.push(parts.entry(start));
            start = parts.next;
        }
        Ok(Tar { entries })
    }

    /// Writes the tar with the new names.
    pub(super) fn write(&self, file: &File, new: &[Renamed], out: &mut dyn Write) -> io::Result<()> {
        let (mut file, mut at) = (file.try_clone()?, 0);
        for (entry, new) in self.entries.iter().zip(new) {
            if new.name.is_none() && new.link.is_none() {
                continue;
            }
            file.seek(SeekFrom::Start(at))?;
            io::copy(&mut (&mut file).take(entry.start - at), out)?;
            let Some(parts) = next(&mut file, entry.start)? else {
                return Err(io::Error::other("it was changed while it was read"));
            };
            parts.write(new, out)?;
            at = entry.header + TAR_BLOCK_BYTES as u64;
        }
        file.seek(SeekFrom::Start(at))?;
        io::copy(&mut file, out).map(drop)
    }
}
