//! The merged summaries of two parts are the summary of the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::summary::Summary;
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let (cut, keep) = (choice(&mut bytes).min(bytes.len()), choice(&mut bytes) % 8);
    same_on_every_level(|| {
        let whole = Summary::of(encoding, bytes, 0..bytes.len(), 0, keep);
        let mut merged = Summary::of(encoding, bytes, 0..cut, 0, keep);
        merged.merge(&Summary::of(encoding, bytes, cut..bytes.len(), 0, keep));
        assert_eq!(format!("{merged:?}"), format!("{whole:?}"));
        format!("{whole:?}")
    });
});
