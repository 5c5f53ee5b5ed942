//! Code points, UTF-16 units, and from an index to an offset and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::summary::Stats;
use utf8kit::{Encoding as _, count, utf16_len};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let n = choice(&mut bytes);
    same_on_every_level(|| {
        let offset = encoding.code_point_offset(bytes, n);
        if let Some(offset) = offset.filter(|&offset| offset < bytes.len()) {
            assert_eq!(encoding.code_point_index(bytes, offset), n);
        }
        (encoding.count(bytes), encoding.utf16_len(bytes), offset, Stats::of(encoding, bytes, 0..bytes.len()))
    });
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(count(text), text.chars().count());
        assert_eq!(utf16_len(text), text.encode_utf16().count());
    }
});
