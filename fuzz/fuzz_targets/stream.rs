//! A stream that is split anywhere has the same result as one call.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Converter, Encoding as _, Policy, Validator, convert_lossy};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let (from, to) = (encoding(&mut bytes), encoding(&mut bytes));
    let piece = choice(&mut bytes) + 1;
    same_on_every_level(|| {
        let mut validator = Validator::new(from);
        let pushed = bytes.chunks(piece).try_for_each(|part| validator.push(part));
        let verdict = pushed.and_then(|()| validator.finish().map(|_| ()));
        assert_eq!(verdict, from.validate(bytes));

        let mut out = Vec::new();
        let mut converter = Converter::lossy(from, to, Policy::REPLACE);
        for part in bytes.chunks(piece) {
            converter.push(part, &mut out).expect("nothing stops it");
        }
        converter.finish(&mut out).expect("nothing stops it");
        assert_eq!(out, convert_lossy(from, to, bytes, Policy::REPLACE));
        (verdict, out)
    });
});
