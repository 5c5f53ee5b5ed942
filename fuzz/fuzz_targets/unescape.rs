//! Escapes are undone exactly, and incomplete ones are held back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Policy, repair_in, unescape, unescape_some};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let piece = choice(&mut bytes) + 1;
    same_on_every_level(|| {
        let whole = unescape(encoding, bytes);
        let escaped = repair_in(encoding, bytes, Policy::Escape).into_owned();
        assert_eq!(unescape(encoding, &escaped), bytes);
        let (mut out, mut held) = (Vec::new(), Vec::new());
        for part in bytes.chunks(piece) {
            held.extend_from_slice(part);
            let read = unescape_some(encoding, &held, false, &mut out);
            held.drain(..read);
        }
        let _ = unescape_some(encoding, &held, true, &mut out);
        assert_eq!(out, whole);
        (whole, escaped)
    });
});
