//! Latin-1 to text and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{from_latin1, latin1_to_utf8_len, to_latin1, utf8_to_latin1_len};
use utf8kit_fuzz::same_on_every_level;

fuzz_target!(|data: &[u8]| {
    same_on_every_level(|| {
        let text = from_latin1(data);
        assert!(text.chars().eq(data.iter().copied().map(char::from)));
        assert_eq!(latin1_to_utf8_len(data), text.len());
        assert_eq!(to_latin1(&text).as_deref(), Ok(data));
        let other = String::from_utf8_lossy(data);
        let narrow = to_latin1(&other);
        assert_eq!(
            narrow.as_ref().map(Vec::len).map_err(|&error| error),
            utf8_to_latin1_len(other.as_bytes())
        );
        narrow
    });
});
