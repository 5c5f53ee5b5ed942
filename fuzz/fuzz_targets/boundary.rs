//! Where items begin: by looking back a few bytes, and by walking from the start.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{ceil_in, floor_in, is_boundary_in, items, truncate_in};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let offset = choice(&mut bytes).min(bytes.len());
    let starts: Vec<usize> = items(encoding, bytes).map(|item| item.offset).chain([bytes.len()]).collect();
    same_on_every_level(|| {
        let (floor, ceil) = (floor_in(encoding, bytes, offset), ceil_in(encoding, bytes, offset));
        assert_eq!(Some(floor), starts.iter().copied().filter(|&start| start <= offset).max());
        assert_eq!(Some(ceil), starts.iter().copied().find(|&start| start >= offset));
        assert_eq!(is_boundary_in(encoding, bytes, offset), starts.contains(&offset));
        (floor, ceil, truncate_in(encoding, bytes, offset).len())
    });
});
