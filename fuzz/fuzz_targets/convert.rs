//! Any encoding to any other, strictly and lossily, and the measured lengths.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{
    Piece, Policy, convert, convert_into, convert_lossy, convert_lossy_into, converted_len, converted_len_lossy,
};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let (from, to) = (encoding(&mut bytes), encoding(&mut bytes));
    let capacity = choice(&mut bytes) * 4;
    same_on_every_level(|| {
        let strict = convert(from, to, bytes);
        let lossy = convert_lossy(from, to, bytes, Policy::REPLACE);
        assert_eq!(converted_len(from, to, bytes), strict.as_ref().map(|out| out.len() as u64).map_err(|&error| error));
        assert_eq!(converted_len_lossy(from, to, bytes, Policy::REPLACE), lossy.len() as u64);
        let (mut some, mut some_lossy) = (vec![0; capacity], vec![0; capacity]);
        let progress = convert_into(from, to, bytes, Piece::Partial, &mut some);
        some.truncate(progress.written);
        let progress_lossy = convert_lossy_into(from, to, bytes, Piece::Partial, Policy::REPLACE, &mut some_lossy);
        some_lossy.truncate(progress_lossy.written);
        assert!(lossy.starts_with(&some_lossy));
        (strict, lossy, progress, some, progress_lossy, some_lossy)
    });
});
