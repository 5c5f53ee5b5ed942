//! Compares the reference implementation with the oracle for all strings and values, or at all edges.

use std::vec::Vec;

use super::oracle;
use super::support::{EDGES, dialects, each_in_a_thread};
use crate::reference::validate::{boundary_before, boundary_before_in_short};
use crate::{AnyEncoding, ENCODE_BUFFER, Encoding, chunks, validate};

/// Calls `each` for all strings with one byte from each set, in order.
fn product(sets: &[&[u8]], mut each: impl FnMut(&[u8])) {
    let mut places = std::vec![0; sets.len()];
    let mut string: Vec<u8> = sets.iter().map(|set| set[0]).collect();
    loop {
        each(&string);
        let mut i = sets.len();
        loop {
            if i == 0 {
                return;
            }
            i -= 1;
            places[i] += 1;
            if places[i] < sets[i].len() {
                string[i] = sets[i][places[i]];
                break;
            }
            places[i] = 0;
            string[i] = sets[i][0];
        }
    }
}

const ALL_BYTES: &[u8] = &{
    let mut all = [0; 256];
    let mut i = 0;
    while i < 256 {
        all[i] = i as u8;
        i += 1;
    }
    all
};

#[track_caller]
fn front_is_right(encoding: AnyEncoding, bytes: &[u8]) {
    let step = encoding.decode(bytes).unwrap();
    assert_eq!((step.len(), step.result), oracle::front(encoding, bytes), "{encoding}: {bytes:X?}");
}

// The rest after the first item is another string of the same set, or a shorter one.

#[test]
fn every_string_of_three_bytes() {
    each_in_a_thread(dialects(), |dialect| {
        for len in 1..=3 {
            product(&[ALL_BYTES, ALL_BYTES, ALL_BYTES][..len], |bytes| front_is_right(dialect, bytes));
        }
    });
}

#[test]
fn every_string_of_four_edge_bytes() {
    each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
        product(&[EDGES; 4], |bytes| front_is_right(encoding, bytes));
    });
}

#[test]
fn strings_of_six_edge_bytes() {
    const REST: &[u8] = &[0x41, 0x80, 0x84, 0x88, 0x90, 0xA0, 0xB0, 0xBF, 0xED];
    each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
        for len in 5..=6 {
            product(&[EDGES, REST, REST, REST, REST, REST][..len], |bytes| front_is_right(encoding, bytes));
        }
    });
}

#[test]
fn incomplete_says_whether_more_bytes_could_change_the_item() {
    let halves: &[&[u8]] =
        &[b"\xED\xB0\x80", b"\xB0\x80", b"\x80\xED\xB0\x80", b"\x00\xDC", b"\xDC\x00", b"\x41\x41\x41"];
    let suffixes: Vec<&[u8]> = EDGES.chunks(1).chain(halves.iter().copied()).collect();
    each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
        let mut is_right = |bytes: &[u8]| {
            let step = encoding.decode(bytes).unwrap();
            let item = oracle::front(encoding, bytes);
            let changes = |suffix: &&[u8]| oracle::front(encoding, &[bytes, suffix].concat()) != item;
            assert_eq!(step.incomplete, suffixes.iter().any(changes), "{encoding}: {bytes:X?}");
        };
        for len in 1..=2 {
            product(&[EDGES; 2][..len], &mut is_right);
        }
        const THIRD: &[u8] = &[0x41, 0x80, 0x9F, 0xA0, 0xB0, 0xBF, 0xD8, 0xDC, 0xED];
        product(&[EDGES, THIRD, THIRD], &mut is_right);
        const SURROGATE: [&[u8]; 6] =
            [&[0xED, 0xD8], &[0x80, 0xA0, 0xB0], &[0x80, 0xBF], &[0x41, 0xED, 0xE2], &[0x9F, 0xA0, 0xB0], &[0x80]];
        for len in 4..=6 {
            product(&SURROGATE[..len], &mut is_right);
        }
    });
}

/// ASCII, continuations, and leads of each length.
const OF_EACH_LENGTH: &[u8] = b"\x41\x80\xBF\xC2\xE1\xF1\xF8\xFF";

#[test]
fn the_boundary_before_a_byte_is_the_same_in_short_inputs() {
    for len in 0..=5 {
        product(&std::vec![OF_EACH_LENGTH; len], |bytes| {
            for end in 0..=len + 1 {
                assert_eq!(
                    boundary_before_in_short(bytes, end),
                    boundary_before(bytes, end),
                    "{bytes:02X?} before {end}"
                );
            }
        });
    }
}

#[test]
fn utf8_is_what_the_standard_library_takes_for_it() {
    let agrees = |bytes: &[u8]| {
        let theirs = core::str::from_utf8(bytes);
        let ours = validate(bytes);
        assert_eq!(ours.ok(), theirs.ok(), "{bytes:X?}");
        if let (Err(ours), Err(theirs)) = (ours, theirs) {
            assert_eq!(ours.valid_up_to(), theirs.valid_up_to(), "{bytes:X?}");
            assert_eq!(ours.error_len(), theirs.error_len(), "{bytes:X?}");
            let to_the_end = bytes.len() - ours.valid_up_to();
            assert_eq!(usize::from(ours.len), theirs.error_len().unwrap_or(to_the_end), "{bytes:X?}");
        }
        assert!(
            chunks(bytes)
                .map(|chunk| (chunk.valid, chunk.invalid))
                .eq(bytes.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid()))),
            "{bytes:X?}"
        );
    };
    each_in_a_thread(ALL_BYTES.chunks(128), |leads| {
        for len in 1..=3 {
            product(&[leads, ALL_BYTES, ALL_BYTES][..len], agrees);
        }
    });
    product(&[EDGES; 4], |bytes| {
        agrees(bytes);
        #[cfg(feature = "alloc")]
        assert_eq!(crate::repair(bytes), std::string::String::from_utf8_lossy(bytes));
    });
}

#[test]
fn every_value_is_written_and_read_back() {
    each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
        let edges = (0..32).flat_map(|bit| (-2..=2).map(move |near| (1u32 << bit).wrapping_add_signed(near)));
        let firsts = [0x880, 0x1_0880, 0x21_0880, 0x421_0880].into_iter().flat_map(|first| [first - 1, first]);
        let strides = (0..u32::MAX).step_by(65_521);
        for value in (0..=0x20_0000).chain(edges).chain(firsts).chain(strides) {
            let mut bytes = [0; ENCODE_BUFFER];
            let written = encoding.encode(value, &mut bytes);
            let expected = oracle::write(encoding, value);
            assert_eq!(written.map(|len| &bytes[..len]), expected.as_deref().map_err(|&kind| kind), "{value:X}");
            if let Ok(len) = written {
                let step = encoding.decode(&bytes[..len]).unwrap();
                assert_eq!((step.result, step.len()), (Ok(value), len), "{encoding}: {value:X}");
            }
        }
    });
}
