//! Latin-1 to text and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Encoding as _, Latin1, Utf8, converted_len};
use utf8kit_fuzz::same_on_every_level;

fuzz_target!(|data: &[u8]| {
    same_on_every_level(|| {
        let text = Latin1.decode_string_lossy(data);
        assert!(text.chars().eq(data.iter().copied().map(char::from)));
        assert_eq!(converted_len(Latin1, Utf8, data), Ok(text.len() as u64));
        assert_eq!(Latin1.encode_string(&text).as_deref(), Ok(data));
        let other = String::from_utf8_lossy(data);
        let narrow = Latin1.encode_string(&other);
        assert_eq!(
            narrow.as_ref().map(Vec::len).map_err(|&error| error),
            converted_len(Utf8, Latin1, other.as_bytes()).map(|len| len as usize)
        );
        narrow
    });
});
