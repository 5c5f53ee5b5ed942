//! UTF-16 units: the results of std, on every level.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{from_utf16, from_utf16_lossy, repair_utf16, to_utf16, validate_utf16};
use utf8kit_fuzz::same_on_every_level;

fuzz_target!(|data: &[u8]| {
    let units: Vec<u16> = data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    same_on_every_level(|| {
        let lossy = from_utf16_lossy(&units);
        assert_eq!(lossy, String::from_utf16_lossy(&units));
        let mut repaired = units.clone();
        let count = repair_utf16(&mut repaired);
        assert_eq!(to_utf16(&lossy), repaired);
        let first = validate_utf16(&units).err();
        assert_eq!((count == 0, from_utf16(&units).is_ok()), (first.is_none(), first.is_none()));
        (first, count)
    });
});
