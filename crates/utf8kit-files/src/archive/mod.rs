//! Compressed files and archives, recognised by their content. The files in them are read like others.
//!
//! ```text
//! file or pipe -> compressed? decompress it                      -> text
//!              -> zip or tar, compressed or not? read its files  -> compressed? decompress each -> text
//! ```
//!
//! Archives within archives are not opened. A member is stored while it is processed, in memory or, if it is large, in
//! an unnamed temporary file, so that it can be read several times and by many threads.

mod members;
mod sparse;
mod texts;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub(super) use members::{bare, member_path};
pub use texts::{each_text, only_text};

use utf8kit_encodings::chunks::read_once;

use crate::format::Format;

/// Number of bytes needed to recognise a format: the header of tar.
const TAR_HEADER_LEN: usize = 512;

/// Recognises a compression or archive format by the first 512 bytes. `None` if it is not a known one.
///
/// ```
/// use utf8kit_files::{Format, sniff};
///
/// assert_eq!(sniff(b"\x1F\x8B\x08\0"), Some(Format::Gzip));
/// assert_eq!(sniff(b"text"), None);
/// ```
pub fn sniff(head: &[u8]) -> Option<Format> {
    let begins = |magic: &[u8]| head.starts_with(magic);
    // A skippable frame of zstd may come first.
    let skippable = matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]);
    let bzip2 = |head: &[u8]| matches!(head.get(4..10), Some(b"1AY&SY" | b"\x17\x72\x45\x38\x50\x90"));
    Some(match head {
        _ if begins(b"\x1F\x8B\x08") => Format::Gzip,
        _ if begins(b"\x28\xB5\x2F\xFD") || skippable => Format::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9', ..] if bzip2(head) => Format::Bzip2,
        _ if begins(b"\xFD7zXZ\0") => Format::Xz,
        _ if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") => Format::Zip,
        _ if is_tar(head) => Format::Tar,
        _ => return None,
    })
}

/// Reports whether the first bytes of a live stream may begin a known format, given that more may follow. They are text
/// if they are shorter than a tar header and lack its run of zeros.
fn may_be_packed(head: &[u8]) -> bool {
    const MAGICS: [&[u8]; 5] = [b"\x1F\x8B\x08", b"\x28\xB5\x2F\xFD", b"\xFD7zXZ\0", b"PK\x03\x04", b"PK\x05\x06"];
    let skippable = matches!(head, [0x50..=0x5F] | [0x50..=0x5F, 0x2A] | [0x50..=0x5F, 0x2A, 0x4D]);
    let bzip2 = head.len() < 10 && matches!(head, [b'B'] | [b'B', b'Z'] | [b'B', b'Z', b'h', ..]);
    let begins = MAGICS.iter().any(|magic| magic.len() > head.len() && magic.starts_with(head));
    begins || skippable || bzip2 || head.len() < TAR_HEADER_LEN && head.windows(4).any(|run| run == [0; 4])
}

/// Reports whether `head` is a tar header, by its checksum.
fn is_tar(head: &[u8]) -> bool {
    let (Some(head), Some(field)) = (head.get(..TAR_HEADER_LEN), head.get(148..156)) else { return false };
    let digits = field.iter().copied().filter(u8::is_ascii_digit);
    let stored = digits.fold(0_u32, |sum, digit| sum.wrapping_mul(8).wrapping_add(u32::from(digit - b'0')));
    // The checksum field itself counts as spaces.
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    head[0] != 0 && stored == sum(head) - sum(field) + 8 * u32::from(b' ')
}

/// Returns the compression or archive format of a file. `None` if it is not a regular file.
///
/// # Errors
/// Fails if it cannot be read.
pub fn format_of(path: &Path) -> io::Result<Option<Format>> {
    // Opening a pipe would wait for a writer.
    Ok(if fs::metadata(path)?.is_file() { sniff(&head_of(&mut File::open(path)?, false)?) } else { None })
}

/// Returns the first bytes of a stream. Of a live stream, it reads only as many as are needed to recognise a format.
fn head_of(stream: &mut impl Read, live: bool) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(TAR_HEADER_LEN);
    let is_enough = |head: &[u8]| live && !head.is_empty() && (sniff(head).is_some() || !may_be_packed(head));
    while head.len() < TAR_HEADER_LEN
        && !is_enough(&head)
        && read_once(stream, TAR_HEADER_LEN - head.len(), &mut head)? > 0
    {}
    Ok(head)
}
