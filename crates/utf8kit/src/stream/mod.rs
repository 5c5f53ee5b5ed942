//! Streams: input in pieces. However it is split, the result is the same as for the whole.
//!
//! Output that no further input can change is returned at once. The rest is kept until the next call: at most
//! [`Encoding::longest`](crate::Encoding::longest) minus one bytes. Offsets in errors and changes count from the start
//! of the stream.

mod converter;
#[cfg(feature = "hold")]
mod hold;
#[cfg(feature = "std")]
mod io;
#[cfg(feature = "alloc")]
mod text;
mod validator;

pub use converter::{Checkpoint, Converter};
#[cfg(feature = "hold")]
pub use hold::{Hold, settled};
#[cfg(feature = "std")]
pub use io::{Reader, Writer};
#[cfg(feature = "alloc")]
pub use text::TextStream;
pub use validator::Validator;

/// Capacity for the bytes held between calls: an escape or half of a surrogate pair before an incomplete unit.
const HELD_BYTES: usize = 8;

/// Capacity for the held bytes and the front of the next piece.
const JOINED_BYTES: usize = 3 * HELD_BYTES;

/// Bytes that need more input.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: [u8; HELD_BYTES],
    len: usize,
}

impl Held {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    fn set(&mut self, bytes: &[u8]) {
        // A longer rest would be a bug in the engine, but must not panic.
        debug_assert!(bytes.len() < HELD_BYTES);
        self.len = bytes.len().min(HELD_BYTES);
        for (place, &byte) in self.bytes.iter_mut().zip(bytes) {
            *place = byte;
        }
    }

    /// Writes the held bytes and the front of `input` to `joined`. Returns the number of bytes.
    #[inline]
    fn join(&self, input: &[u8], joined: &mut [u8; JOINED_BYTES]) -> usize {
        joined[..HELD_BYTES].copy_from_slice(&self.bytes);
        let capacity = &mut joined[self.len..];
        for (place, &byte) in capacity.iter_mut().zip(input) {
            *place = byte;
        }
        self.len + input.len().min(capacity.len())
    }
}
