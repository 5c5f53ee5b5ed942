//! Computes the length of the output: for well-formed parts by the pair's [`Route`], for the rest by running the engine
//! into a small buffer.

use super::engine::Engine;
use super::limits::MEASURING_BUFFER_BYTES;
use super::pair::{Pair, before_backslash};
use super::progress::Status;
use super::route::Route;

use crate::dispatch::{self, count};
use crate::encoding::AnyEncoding;
use crate::kernels::count::{Starts, Utf16Units};
use crate::out::Out;

impl Engine<'_> {
    /// Returns how many bytes [`Engine::run`] would write for the whole input, and why it would stop.
    #[inline]
    pub(crate) fn measure(mut self, mut input: &[u8]) -> (u64, Status) {
        let (mut total, mut base) = (0, 0);
        let mut scratch = [0_u8; MEASURING_BUFFER_BYTES];
        loop {
            let ahead = if self.escapes() { before_backslash(input) } else { input };
            let (read, written) = clean(&self.pair, ahead);
            total += written;
            base += read as u64;
            input = &input[read..];
            self.advance(read);
            let progress = self.run(input, base, true, &mut Out::in_buffer(&mut scratch), &mut None);
            total += progress.written as u64;
            base += progress.read as u64;
            input = &input[progress.read..];
            match progress.status {
                Status::OutputFull if progress.read > 0 => {}
                Status::OutputFull => {
                    // The replacement does not fit in the buffer.
                    let (read, written) = self.measure_error(input);
                    total += written;
                    base += read as u64;
                    input = &input[read..];
                }
                status => return (total, status),
            }
        }
    }
}

/// Returns the length of a well-formed prefix, and its length in the target: (bytes read, bytes written).
#[inline]
fn clean(pair: &Pair, input: &[u8]) -> (usize, u64) {
    // In 64 bits, because a 32-bit `usize` cannot hold the length of 1 GiB as UTF-32.
    let units = |count: usize| count as u64 * pair.to.unit() as u64;
    let clean_prefix = |grammar| dispatch::clean_prefix_long(grammar, input);
    match pair.route {
        Route::Copy(shared) | Route::ThroughUtf16 { shared, .. } => {
            let clean = clean_prefix(shared);
            (clean, clean as u64)
        }
        Route::CopyUnits | Route::Swap => {
            let clean = dispatch::clean_units(pair.from, input);
            (clean, clean as u64)
        }
        Route::Widen(grammar) if pair.from == AnyEncoding::Utf8 => {
            let clean = clean_prefix(grammar);
            let text = &input[..clean];
            let wide = pair.to.unit() == 2;
            (clean, units(if wide { count(text, Utf16Units) } else { count(text, Starts) }))
        }
        Route::WidenAscii(grammar) => {
            let clean = clean_prefix(grammar);
            (clean, units(clean))
        }
        Route::Extend => (input.len(), units(input.len())),
        _ if pair.from == AnyEncoding::Latin1 && pair.to == AnyEncoding::Utf8 => {
            let two_bytes = input.iter().map(|&byte| usize::from(byte >> 7)).sum::<usize>();
            (input.len(), (input.len() + two_bytes) as u64)
        }
        _ => (0, 0),
    }
}
