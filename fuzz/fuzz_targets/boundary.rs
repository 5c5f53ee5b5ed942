//! Boundaries found by looking back a few bytes equal those found by scanning from the start.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::Encoding as _;
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let offset = choice(&mut bytes).min(bytes.len());
    let starts: Vec<usize> = encoding.items(bytes).map(|item| item.offset).chain([bytes.len()]).collect();
    same_on_every_level(|| {
        let (floor, ceil) = (encoding.floor_char_boundary(bytes, offset), encoding.ceil_char_boundary(bytes, offset));
        assert_eq!(Some(floor), starts.iter().copied().filter(|&start| start <= offset).max());
        assert_eq!(Some(ceil), starts.iter().copied().find(|&start| start >= offset));
        assert_eq!(encoding.is_char_boundary(bytes, offset), starts.contains(&offset));
        (floor, ceil, encoding.truncate(bytes, offset).len())
    });
});
