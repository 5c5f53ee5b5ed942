//! Lookup tables for stateless encodings, filled on demand: each character is requested from the underlying codec
//! once, and looked up from then on. The tables therefore cost nothing at the start, hold only the characters of the
//! text, and cannot disagree with the codec.
//!
//! The encoders of `encoding_rs` search for a character, which keeps them small. They wrote Chinese text as GB 18030
//! at 30 MB/s and Russian text as KOI8-R at 180 MB/s; with these tables both exceed 450 MB/s. Reading gains less,
//! about a third. (Tables built at the start from the decoders take milliseconds, and must handle encoders that are
//! not the inverse of their decoder.)

/// The number of output bytes that are collected before they are passed on.
const BUFFER: usize = 1024;

/// The bytes of characters. An entry holds the bytes, starting with the lowest; the last is never 0. The entry 0 means
/// that the character has not been requested yet.
#[derive(Default)]
pub(super) struct Characters {
    /// The entries of characters that take at most two bytes in UTF-8.
    low: Vec<u32>,
    /// The entries of all characters, in pages of 256.
    pages: Vec<Option<Box<[u32; 256]>>>,
}

/// The number of characters that take at most two bytes in UTF-8.
const LOW: usize = 0x800;

/// The number of pages, which covers the planes in use. Other characters are requested each time.
const PAGES: usize = 0x300;

/// The entry of a character that the encoding lacks.
const LACKING: u32 = u32::MAX;

impl Characters {
    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks, which is returned
    /// with its position. `ascii` means that ASCII characters are their own bytes. `ask` returns the bytes of a
    /// character.
    pub(super) fn write(
        &mut self,
        text: &str,
        ascii: bool,
        out: &mut Vec<u8>,
        ask: impl Fn(char) -> Option<Vec<u8>>,
    ) -> Option<(usize, char)> {
        self.low.resize(LOW, 0);
        let mut buffer = [0; BUFFER];
        let (mut at, mut len) = (0, 0);
        let mut lacking = None;
        while let Some(rest @ [_, ..]) = text.as_bytes().get(at..) {
            if len > BUFFER - 8 {
                out.extend_from_slice(&buffer[..len]);
                len = 0;
            }
            let whole = rest.first_chunk();
            if let Some(chunk) = whole {
                let one =
                    |byte: u8| self.low.get(usize::from(byte)).copied().filter(|bytes| (1..0x100).contains(bytes));
                let run = match ascii {
                    true => run_of_ascii(chunk, &mut buffer[len..len + 8]),
                    false => run_by(chunk, &mut buffer[len..len + 8], |byte| {
                        one(byte).filter(|_| byte.is_ascii()).map(|bytes| bytes as u8)
                    }),
                };
                if run > 0 {
                    (len, at) = (len + run, at + run);
                    continue;
                }
            }
            let (scalar, size) = front(whole.copied().unwrap_or_else(|| padded(rest)));
            let bytes = match self.known(scalar) {
                0 => match self.learn(scalar, &ask) {
                    Ok(bytes) => bytes,
                    Err(long) => {
                        out.extend_from_slice(&buffer[..len]);
                        out.extend_from_slice(&long);
                        (len, at) = (0, at + size);
                        continue;
                    }
                },
                bytes => bytes,
            };
            if bytes == LACKING {
                lacking = char::from_u32(scalar).map(|scalar| (at, scalar));
                break;
            }
            buffer[len..len + 4].copy_from_slice(&bytes.to_le_bytes());
            (len, at) = (len + 4 - bytes.leading_zeros() as usize / 8, at + size);
        }
        out.extend_from_slice(&buffer[..len]);
        lacking
    }

    fn known(&self, scalar: u32) -> u32 {
        let scalar = scalar as usize;
        match self.low.get(scalar) {
            Some(&bytes) => bytes,
            None => self.pages.get(scalar / 256).and_then(Option::as_deref).map_or(0, |page| page[scalar % 256]),
        }
    }

    /// Requests the bytes of a character. Bytes that do not fit an entry are returned separately.
    fn learn(&mut self, scalar: u32, ask: impl Fn(char) -> Option<Vec<u8>>) -> Result<u32, Vec<u8>> {
        let bytes = match char::from_u32(scalar).and_then(ask) {
            Some(bytes) if bytes.len() > 4 || bytes.ends_with(&[0]) => return Err(bytes),
            Some(bytes) => u64::from_le_bytes(padded(&bytes)) as u32,
            None => LACKING,
        };
        let scalar = scalar as usize;
        if let Some(low) = self.low.get_mut(scalar) {
            *low = bytes;
            return Ok(bytes);
        }
        self.pages.resize(PAGES, None);
        if let Some(page) = self.pages.get_mut(scalar / 256) {
            page.get_or_insert_with(|| Box::new([0; 256]))[scalar % 256] = bytes;
        }
        Ok(bytes)
    }
}

/// The characters of byte sequences: a tree that branches by byte.
#[derive(Default)]
pub(super) struct Bytes {
    /// The nodes, indexed by byte, starting with the root. 0: unknown; [`BRANCH`]: the next node; otherwise a
    /// [`leaf`].
    nodes: Vec<[u64; 256]>,
}

/// The index of a node is stored above this bit.
const BRANCH: u32 = 40;

/// The most nodes, of 2 KiB each: enough for text in any language, and a small bound for noise.
const NODES: usize = 1024;

/// Returns text as an entry: up to four bytes and their number.
fn leaf(text: &[u8]) -> Option<u64> {
    let mut padded = [0; 4];
    padded.get_mut(..text.len())?.copy_from_slice(text);
    (!text.is_empty()).then_some(u64::from(u32::from_le_bytes(padded)) | (text.len() as u64) << 32)
}

impl Bytes {
    /// Reports whether more characters can be added.
    pub(super) fn has_capacity(&self) -> bool {
        self.nodes.len() < NODES
    }

    /// Appends the text of the known characters at the start of the input, and returns how many bytes they take.
    /// `ascii` means that ASCII bytes are their own text.
    pub(super) fn read(&self, input: &[u8], ascii: bool, text: &mut String) -> usize {
        let Some(root) = self.nodes.first() else { return 0 };
        let mut buffer = [0; BUFFER];
        let mut at = 0;
        loop {
            let (start, mut len) = (at, 0);
            'fill: while len <= BUFFER - 8 {
                let rest = input.get(at..).unwrap_or_default();
                if let Some(chunk) = rest.first_chunk() {
                    let one = |byte: u8| Some(root[usize::from(byte)]).filter(|entry| entry >> 32 == 1);
                    let run = match ascii {
                        true => run_of_ascii(chunk, &mut buffer[len..len + 8]),
                        false => run_by(chunk, &mut buffer[len..len + 8], |byte| one(byte).map(|entry| entry as u8)),
                    };
                    if run > 0 {
                        (len, at) = (len + run, at + run);
                        continue;
                    }
                }
                let (mut node, mut entry) = (root, 0);
                let mut read = 0;
                for &byte in rest {
                    entry = node[usize::from(byte)];
                    read += 1;
                    match self.nodes.get((entry >> BRANCH) as usize) {
                        Some(next) if entry >> BRANCH > 0 => node = next,
                        _ => break,
                    }
                }
                if entry == 0 || entry >> BRANCH > 0 {
                    break 'fill;
                }
                if let Some(to) = buffer.get_mut(len..len + 4) {
                    to.copy_from_slice(&(entry as u32).to_le_bytes());
                }
                (len, at) = (len + (entry >> 32) as usize, at + read);
            }
            // Always valid: all entries were text before.
            text.push_str(utf8kit::validate(buffer.get(..len).unwrap_or_default()).unwrap_or_default());
            if at == start || len <= BUFFER - 8 {
                return at;
            }
        }
    }

    /// Adds the text of all single bytes that have one, once.
    pub(super) fn learn_all(&mut self, char_of: impl Fn(u8) -> Option<char>) {
        if self.nodes.is_empty() {
            for byte in 0..=255 {
                if let Some(c) = char_of(byte) {
                    self.learn(&[byte], c.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    /// Adds the text of some bytes.
    pub(super) fn learn(&mut self, bytes: &[u8], text: &str) {
        let Some((&last, before)) = bytes.split_last().filter(|_| self.has_capacity()) else { return };
        let Some(leaf) = leaf(text.as_bytes()) else { return };
        if self.nodes.is_empty() {
            self.nodes.push([0; 256]);
        }
        let mut index = 0;
        for &byte in before {
            let next = self.nodes.len();
            let Some(entry) = self.nodes.get_mut(index).map(|node| &mut node[usize::from(byte)]) else {
                return;
            };
            index = match (*entry, (*entry >> BRANCH) as usize) {
                (0, _) => {
                    *entry = (next as u64) << BRANCH;
                    self.nodes.push([0; 256]);
                    next
                }
                (_, 0) => return, // no character begins another
                (_, branch) => branch,
            };
        }
        if let Some(node) = self.nodes.get_mut(index) {
            node[usize::from(last)] = leaf;
        }
    }
}

/// Copies a chunk's leading ASCII and returns its length. (Where ASCII alternates with other characters, it is looked
/// up like them, which is faster than a mispredicted branch at each word.)
fn run_of_ascii(chunk: &[u8; 8], to: &mut [u8]) -> usize {
    if u64::from_le_bytes(*chunk) & 0x8080_8080_8080_8080 != 0 {
        return 0;
    }
    to.copy_from_slice(chunk);
    8
}

/// Writes one byte for each byte of a chunk, as long as there is one, and returns their number.
fn run_by(chunk: &[u8; 8], to: &mut [u8], one: impl Fn(u8) -> Option<u8>) -> usize {
    let mut run = 0;
    for (to, &byte) in to.iter_mut().zip(chunk) {
        let Some(one) = one(byte) else { break };
        *to = one;
        run += 1;
    }
    run
}

/// Returns the first bytes of a slice, padded with zeros.
fn padded(bytes: &[u8]) -> [u8; 8] {
    let mut padded = [0; 8];
    padded.iter_mut().zip(bytes).for_each(|(to, &byte)| *to = byte);
    padded
}

/// Returns the first character of well-formed text and its length in bytes.
fn front([first, second, third, fourth, ..]: [u8; 8]) -> (u32, usize) {
    let six = |byte: u8| u32::from(byte & 0x3F);
    let first_of = |bits: u8| u32::from(first & bits);
    match first {
        ..0x80 => (u32::from(first), 1),
        0x80..0xE0 => (first_of(0x1F) << 6 | six(second), 2),
        0xE0..0xF0 => (first_of(0xF) << 12 | six(second) << 6 | six(third), 3),
        _ => (first_of(7) << 18 | six(second) << 12 | six(third) << 6 | six(fourth), 4),
    }
}
