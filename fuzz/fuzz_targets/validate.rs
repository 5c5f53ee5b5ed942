//! The first error and all others; for UTF-8 also compared with std.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Encoding as _, Utf8, is_ascii, validate};
use utf8kit_fuzz::{encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    same_on_every_level(|| {
        let first = encoding.validate(bytes).err();
        let all: Vec<_> = encoding.errors(bytes).collect();
        assert_eq!(all.first().copied(), first);
        (all, is_ascii(bytes), Utf8.validate(bytes))
    });
    match (validate(bytes), std::str::from_utf8(bytes)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(ours), Err(theirs)) => {
            assert_eq!(ours.valid_up_to(), theirs.valid_up_to());
            let to_the_end = bytes.len() - theirs.valid_up_to();
            assert_eq!(usize::from(ours.len), theirs.error_len().unwrap_or(to_the_end));
        }
        (ours, theirs) => panic!("{ours:?}, but std: {theirs:?}"),
    }
});
