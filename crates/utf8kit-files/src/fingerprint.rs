//! The identity of a file's content.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _};

/// The number of bytes read at a time.
const BYTES_PER_READ: usize = 256 * 1024;

/// The size and BLAKE3 hash of a file, which identify its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fingerprint {
    /// The size in bytes.
    pub size: u64,
    /// The hash in lowercase hexadecimal.
    pub blake3: String,
}

/// Computes the fingerprint of a stream.
#[derive(Clone, Debug, Default)]
pub struct Fingerprinter {
    size: u64,
    hasher: blake3::Hasher,
}

impl Fingerprinter {
    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hasher.update(bytes);
    }

    /// Returns the fingerprint of all pieces.
    pub fn end(&self) -> Fingerprint {
        Fingerprint { size: self.size, blake3: self.hasher.finalize().to_hex().to_string() }
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a whole open file, independently of its read position.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn of(file: &File) -> io::Result<Fingerprint> {
        let mut fingerprinter = Fingerprinter::default();
        let mut reader = BufReader::with_capacity(BYTES_PER_READ, Rewound::of(file));
        loop {
            let piece = reader.fill_buf()?;
            if piece.is_empty() {
                return Ok(fingerprinter.end());
            }
            fingerprinter.update(piece);
            let len = piece.len();
            reader.consume(len);
        }
    }
}

/// Reads an open file from its beginning, independently of its read position.
pub(super) struct Rewound<'f> {
    file: &'f File,
    started: bool,
}

impl Rewound<'_> {
    pub(super) fn of(file: &File) -> Rewound<'_> {
        Rewound { file, started: false }
    }
}

impl Read for Rewound<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.started, true) {
            self.file.rewind()?;
        }
        self.file.read(buffer)
    }
}
