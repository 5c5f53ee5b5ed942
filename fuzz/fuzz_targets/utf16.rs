//! UTF-16 units: the same results as std, on every level.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Encoding as _, Utf16};
use utf8kit_fuzz::same_on_every_level;

fuzz_target!(|data: &[u8]| {
    let units: Vec<u16> = data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    same_on_every_level(|| {
        let lossy = Utf16.decode_string_lossy(&units);
        assert_eq!(lossy, String::from_utf16_lossy(&units));
        let mut repaired = units.clone();
        let count = Utf16.repair_in_place(&mut repaired);
        assert_eq!(Utf16.encode_string(&lossy).unwrap_or_default(), repaired);
        let first = Utf16.validate(&units).err();
        assert_eq!((count == 0, Utf16.decode_string(&units).is_ok()), (first.is_none(), first.is_none()));
        (first, count)
    });
});
