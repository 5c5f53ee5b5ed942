//! Code points, UTF-16 units, and from an index to an offset and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{count, count_in, index_of_in, offset_of_in, utf16_len, utf16_len_in};
use utf8kit::summary::Stats;
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let n = choice(&mut bytes);
    same_on_every_level(|| {
        let offset = offset_of_in(encoding, bytes, n);
        if let Some(offset) = offset.filter(|&offset| offset < bytes.len()) {
            assert_eq!(index_of_in(encoding, bytes, offset), n);
        }
        (
            count_in(encoding, bytes),
            utf16_len_in(encoding, bytes),
            offset,
            Stats::of(encoding, bytes, 0..bytes.len()),
        )
    });
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(count(text), text.chars().count());
        assert_eq!(utf16_len(text), text.encode_utf16().count());
    }
});
