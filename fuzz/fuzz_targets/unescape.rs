//! Escapes are undone exactly, and incomplete ones are held back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Encoding as _, Piece, Policy};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let piece = choice(&mut bytes) + 1;
    same_on_every_level(|| {
        let whole = encoding.unescape(bytes);
        let escaped = encoding.repair(bytes, Policy::Escape).into_owned();
        assert_eq!(encoding.unescape(&escaped), bytes);
        let (mut out, mut held) = (Vec::new(), Vec::new());
        for part in bytes.chunks(piece) {
            held.extend_from_slice(part);
            let read = encoding.unescape_piece(&held, Piece::Partial, &mut out, |_| {});
            held.drain(..read);
        }
        let _ = encoding.unescape_piece(&held, Piece::Last, &mut out, |_| {});
        assert_eq!(out, whole);
        (whole, escaped)
    });
});
