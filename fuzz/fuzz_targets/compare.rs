//! Comparing any two versions finds places within them, and restoring nothing changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit_document::{compare, restore};

fuzz_target!(|input: (&[u8], &[u8])| {
    let (old, new) = input;
    let comparison = compare(old, new);
    for damage in &comparison.damage {
        assert!(old.get(damage.old.clone()).is_some() && new.get(damage.new.clone()).is_some());
    }
    assert_eq!(restore(old, new, &[]), new);
    let restored = restore(old, new, &comparison.damage);
    if comparison.edits.is_empty() && comparison.damage.iter().all(|damage| !damage.doubtful) {
        assert_eq!(restored, old);
    }
    assert!(compare(old, old).damage.is_empty());
});
