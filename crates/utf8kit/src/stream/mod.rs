//! Input in pieces: however it is cut, the result is that of the whole.
//!
//! Everything that no further input can change comes out at once; what can still change is kept until the next call: at
//! most [`Encoding::longest`](crate::Encoding::longest) minus one bytes. Offsets in errors and changes count from the
//! start of the stream.

mod converter;
#[cfg(feature = "std")]
mod io;
#[cfg(feature = "alloc")]
mod summary;
#[cfg(feature = "alloc")]
mod text;
mod validator;

pub use converter::{Checkpoint, Converter};
#[cfg(feature = "std")]
pub use io::{Reader, Writer};
#[cfg(feature = "alloc")]
pub use summary::SummaryStream;
#[cfg(feature = "alloc")]
pub use text::TextStream;
pub use validator::Validator;

/// The most that is kept between calls: an escape or half a surrogate pair before an unfinished unit.
const HELD: usize = 8;

/// What is held and the front of the next piece.
const JOINED: usize = 3 * HELD;

/// Bytes that wait for more.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: [u8; HELD],
    len: usize,
}

impl Held {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    fn set(&mut self, bytes: &[u8]) {
        // A longer rest would be a bug of the engine, and must not panic.
        debug_assert!(bytes.len() < HELD);
        self.len = bytes.len().min(HELD);
        for (place, &byte) in self.bytes.iter_mut().zip(bytes) {
            *place = byte;
        }
    }

    /// What is held and the front of `input`, in `joined`; says how much of it is filled.
    #[inline]
    fn join(&self, input: &[u8], joined: &mut [u8; JOINED]) -> usize {
        joined[..HELD].copy_from_slice(&self.bytes);
        let room = &mut joined[self.len..];
        for (place, &byte) in room.iter_mut().zip(input) {
            *place = byte;
        }
        self.len + input.len().min(room.len())
    }
}
