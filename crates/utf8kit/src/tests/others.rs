//! Tests operations that have no other test: levels for one call, line indexes, prefixes that no further input can
//! change, and serialised summaries.

use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::properties::{POLICIES, cuts, encoding, input, places};
use super::support::on_every_level;
use crate::restrict::*;
use crate::summary::*;
use crate::*;

#[test]
fn a_level_is_of_its_thread_and_its_time() {
    on_every_level(|outside| {
        for level in Level::available() {
            let seen = with_level(level, || {
                let other = std::thread::scope(|scope| scope.spawn(Level::active).join().unwrap());
                let nested = with_level(Level::Swar, Level::active).unwrap();
                (Level::active(), nested, other, Level::active())
            });
            assert_eq!(seen, Ok((level, Level::Swar, outside, level)));
            let panicked = std::panic::catch_unwind(|| with_level(level, || panic!("on purpose")));
            assert!(panicked.is_err());
            assert_eq!(Level::active(), outside);
        }
        let missing = Level::ALL.iter().find(|level| !level.is_available()).unwrap();
        assert_eq!(with_level(*missing, || ()), Err(missing.force().unwrap_err()));
        // A level that is forced in the meantime is kept.
        with_level(Level::Scalar, || Level::Swar.force().unwrap()).unwrap();
        assert_eq!(Level::active(), Level::Swar);
        outside.force().unwrap();
    });
}

#[test]
fn a_pair_whose_halves_meet_is_unwelcome_too() {
    let halves = b"\xED\xA0\x80\x80\xED\xB0\x80";
    let restrictions = Restrictions::new().no_supplementary();
    assert_eq!(&*restrictions.apply(Mutf8, halves, Policy::Remove), b"");
    // In WTF-8 the halves must not be adjacent, so one of them is removed.
    assert_eq!(&*restrictions.apply(Wtf8, halves, Policy::Remove), b"\xED\xA0\x80");
    assert_eq!(&*restrictions.apply(Wtf8, halves, Policy::Escape), b"\xED\xA0\x80\\x80\xED\xB0\x80");
    // The character between them may itself be restricted.
    let (halves, restrictions) = (b"\xED\xA0\x80\0\xED\xB0\x80", Restrictions::new().no_nul());
    assert_eq!(&*restrictions.apply(Wtf8, halves, Policy::Remove), b"\xED\xA0\x80");
    assert_eq!(&*restrictions.apply(Wtf8, halves, Policy::REPLACE), b"\xED\xA0\x80\xEF\xBF\xBD\xED\xB0\x80");
}

#[test]
fn pairs_that_are_joined_by_removing_pairs_are_removed_in_linear_time() {
    let restrictions = Restrictions::new().no_nul().no_supplementary();
    let halves = |unit: [u8; 2]| unit.repeat(500_000);
    let text = [&b"a\0"[..], &halves([0, 0xD8]), b"\0\0", &halves([0, 0xDC]), b"\0\xDC"].concat();
    assert_eq!(&*restrictions.apply(Wtf16Le, &text, Policy::Remove), b"a\0\0\xDC");
}

#[test]
fn what_is_restricted_is_replaced_by_text_of_any_length() {
    let restrictions = Restrictions::new().no_nul();
    for len in (0..70).chain([127, 128, 129, 1000, 100_000]) {
        let with = "€".repeat(len);
        let policy = Policy::Replace { each: Each::Subpart, with: &with };
        let expected = ["a", &with, "b", &with].concat();
        assert_eq!(&*restrictions.apply(Utf8, b"a\0b\0", policy), expected.as_bytes(), "{len} of them");
    }
}

#[test]
fn what_looks_like_an_escape_is_escaped_in_clean_text_too() {
    for restrictions in [Restrictions::new(), Restrictions::new().no_nul(), Restrictions::new().at_most(100)] {
        let applied = restrictions.apply(Utf8, br"a\x41\y", Policy::Escape);
        assert_eq!((&*applied, &*Utf8.unescape(&applied)), (&br"a\x5Cx41\y"[..], &br"a\x41\y"[..]));
    }
}

#[test]
fn latin1_is_measured_as_it_is_converted() {
    for len in 0..200 {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 37) as u8).collect();
        assert_eq!(converted_len(Latin1, Utf8, &bytes).unwrap() as usize, Latin1.decode_string_lossy(&bytes).len());
    }
}

#[test]
fn parts_are_of_nearly_equal_length() {
    for (len, n) in (0..40).flat_map(|len| (0..12).map(move |n| (len, n))) {
        let parts: Vec<_> = Utf8.split(&[b'a'; 40][..len], n).collect();
        assert_eq!(parts, (0..n).map(|i| len * i / n..len * (i + 1) / n).collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_of_a_cut_off_text_is_what_a_stream_lets_through((encoding, bytes) in input()) {
        let trimmed = encoding.trim_partial(&bytes);
        let mut converter = Converter::lossy(encoding, encoding, Policy::SameLength);
        converter.push(&bytes, &mut Vec::new()).unwrap();
        prop_assert_eq!(trimmed.len() as u64, converter.offset());
        prop_assert_eq!(trimmed.len() + converter.pending().len(), bytes.len());
    }

    #[test]
    fn what_is_restricted_is_found_and_dealt_with(
        (encoding, bytes) in input(),
        raw in prop::collection::vec(
            prop::sample::select(&[0_u32, 0xFDD0, 0xFFFE, 0x1_F600, 0x10_FFFF, 0x61][..]),
            0..6,
        ),
        switches in any::<[bool; 3]>(),
        budget in prop::option::of(0..200_usize),
        policy in prop::sample::select(POLICIES),
    ) {
        let more = raw.iter().filter_map(|&value| encoding.encoded(value).ok()).flat_map(|bytes| bytes.to_vec());
        let bytes: Vec<u8> = bytes.into_iter().chain(more).collect();
        let mut restrictions = Restrictions::new();
        [restrictions.nul, restrictions.noncharacters, restrictions.supplementary] = switches;
        restrictions.max_len = budget;
        let refused = |value: u32| {
            (switches[0] && value == 0)
                || (switches[1] && (value & 0xFFFE == 0xFFFE || (0xFDD0..0xFDF0).contains(&value)) && value < 0x11_0000)
                || (switches[2] && value > 0xFFFF)
        };
        let end = budget.map_or(bytes.len(), |budget| encoding.floor_char_boundary(&bytes, budget));
        let expected: Vec<usize> = encoding.items(&bytes)
            .filter(|item| item.offset < end && item.result.is_ok_and(refused))
            .map(|item| item.offset)
            .collect();
        let found: Vec<_> = restrictions.find(encoding, &bytes).collect();
        let (over, characters): (Vec<&Restricted>, Vec<&Restricted>) =
            found.iter().partition(|found| found.kind == RestrictedKind::OverBudget);
        prop_assert_eq!(characters.iter().map(|found| found.offset).collect::<Vec<_>>(), expected);
        prop_assert_eq!(over.first().map(|found| found.offset), (end < bytes.len()).then_some(end));
        prop_assert_eq!(restrictions.allows(encoding, &bytes), found.is_empty());

        let applied = restrictions.apply(encoding, &bytes, policy);
        prop_assert!(restrictions.allows(encoding, &applied), "{:X?} from {:X?}", applied, bytes);
        prop_assert_eq!(encoding.validate(&applied), Ok(()));
        let repaired = encoding.repair(&bytes, policy);
        if (Restrictions { max_len: None, ..restrictions }).allows(encoding, &bytes) {
            prop_assert_eq!(&*applied, encoding.truncate(&repaired, budget.unwrap_or(usize::MAX)));
        }
        if policy == Policy::Escape && budget.is_none() {
            prop_assert_eq!(encoding.unescape(&applied), bytes);
        }
    }

    #[test]
    fn strings_are_cut_between_characters(text in any::<String>(), n in 1..5_usize) {
        for index in 0..=text.len() + 1 {
            let floor = floor_char_boundary(text.as_bytes(), index);
            let ceil = ceil_char_boundary(text.as_bytes(), index);
            prop_assert_eq!(floor, (0..=index).rev().find(|&i| text.is_char_boundary(i)).unwrap());
            prop_assert_eq!(ceil, (index..=text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len()));
            prop_assert_eq!(truncate(text.as_bytes(), index), &text.as_bytes()[..floor]);
        }
        let parts: Vec<&str> = Utf8.split(text.as_bytes(), n).map(|part| &text[part]).collect();
        prop_assert_eq!((parts.len(), parts.concat()), (n, text));
    }

    #[test]
    fn the_front_item_is_the_first((encoding, bytes) in input()) {
        let first = encoding.items(&bytes).next();
        let step = encoding.decode(&bytes).map(|step| (step.len(), step.result));
        prop_assert_eq!(step, first.map(|item| (item.len, item.result)));
    }

    #[test]
    fn summaries_merge_alike_after_travelling(
        (encoding, bytes) in input(),
        places in places(),
        base in prop_oneof![Just(0), any::<u64>(), u64::MAX - 50..=u64::MAX],
        keep in 0..4_usize,
    ) {
        let travelled = |summary: &Summary| Summary::from_bytes(&summary.to_bytes()).unwrap();
        let parts: Vec<Summary> = cuts(&places, bytes.len())
            .windows(2)
            .map(|cut| Summary::of(encoding, &bytes, cut[0]..cut[1], base, keep))
            .collect();
        let merged = |a: &Summary, b: &Summary| {
            let mut both = travelled(a);
            both.merge(&travelled(b));
            travelled(&both)
        };
        let forwards = parts.iter().fold(Summary::new(keep), |all, part| merged(&all, part));
        let backwards = parts.iter().rfold(Summary::new(keep), |all, part| merged(part, &all));
        prop_assert_eq!(&forwards, &backwards);
        prop_assert_eq!(&forwards, &Summary::of(encoding, &bytes, 0..bytes.len(), base, keep));
        let written = forwards.to_bytes();
        for end in 0..written.len() {
            prop_assert!(Summary::from_bytes(&written[..end]).is_err());
        }
        prop_assert!(Summary::from_bytes(&[&written[..], &[0]].concat()).is_err());
        if forwards.is_valid() {
            prop_assert!(written.len() < 64, "{} bytes", written.len());
        }
    }

    #[test]
    fn stats_merge_alike_after_travelling((encoding, bytes) in input(), places in places()) {
        let travelled = |stats: &Stats| Stats::from_bytes(&stats.to_bytes()).unwrap();
        // Split anywhere, in windows of the minimum size.
        let around = encoding.longest() - 1;
        let parts: Vec<Stats> = cuts(&places, bytes.len())
            .windows(2)
            .map(|cut| {
                let start = cut[0].saturating_sub(around) / encoding.unit() * encoding.unit();
                let end = (cut[1] + around).min(bytes.len());
                Stats::of(encoding, &bytes[start..end], cut[0] - start..cut[1] - start)
            })
            .collect();
        let merged = |a: &Stats, b: &Stats| {
            let mut both = travelled(a);
            both.merge(&travelled(b));
            travelled(&both)
        };
        let forwards = parts.iter().fold(Stats::new(), |all, part| merged(&all, part));
        let backwards = parts.iter().rfold(Stats::new(), |all, part| merged(part, &all));
        prop_assert_eq!(&forwards, &backwards);
        prop_assert_eq!(forwards, Stats::of(encoding, &bytes, 0..bytes.len()));
    }

    #[test]
    fn histograms_merge_alike_after_travelling(
        positions in prop::collection::vec((0..3_usize, prop_oneof![0..5000_u64, any::<u64>()], 0..3_u64), 0..20),
    ) {
        let mut parts = [Histogram::new(), Histogram::new(), Histogram::new()];
        let mut whole = Histogram::new();
        for &(part, position, count) in &positions {
            parts[part].add_many(position, count);
            whole.add_many(position, count);
        }
        let merged = parts.iter().fold(Histogram::new(), |mut all, part| {
            all.merge(&Histogram::from_bytes(&part.to_bytes()).unwrap());
            Histogram::from_bytes(&all.to_bytes()).unwrap()
        });
        prop_assert_eq!(&merged, &whole);
        let mut again = Histogram::new();
        whole.iter().for_each(|(position, count)| again.add_many(position, count));
        let added = positions.iter().map(|&(_, _, count)| count).sum::<u64>();
        prop_assert_eq!(again.iter().map(|(_, count)| count).sum::<u64>(), added);
    }

    #[test]
    fn made_up_bytes_are_read_or_refused(
        tag in prop::sample::select(&b"SHTx"[..]),
        rest in prop::collection::vec(any::<u8>(), 0..60),
        encoding in encoding(),
    ) {
        let bytes = [&[tag, 1][..], &rest].concat();
        if let Ok(mut summary) = Summary::from_bytes(&bytes) {
            prop_assert_eq!(summary.to_bytes(), &bytes[..]);
            summary.merge(&summary.clone());
            summary.merge(&Summary::of(encoding, &rest, 0..rest.len(), u64::MAX, 9));
        }
        if let Ok(mut stats) = Stats::from_bytes(&bytes) {
            prop_assert_eq!(stats.to_bytes(), &bytes[..]);
            stats.merge(&stats.clone());
            let _ = (stats.lines(), stats.utf8_bytes(), stats.utf16_bytes(), stats.utf32_bytes());
        }
        if let Ok(mut histogram) = Histogram::from_bytes(&bytes) {
            prop_assert_eq!(histogram.to_bytes(), &bytes[..]);
            histogram.merge(&histogram.clone());
        }
    }
}

#[test]
fn format_errors_say_what_is_wrong() {
    let written = Summary::of(Utf8, b"\xFF", 0..1, 0, 1).to_bytes();
    assert_eq!(Summary::from_bytes(&written[..4]), Err(FormatError::Truncated));
    assert_eq!(Stats::from_bytes(&written), Err(FormatError::Unknown));
    assert_eq!(Summary::from_bytes(&[&written[..], b"!"].concat()), Err(FormatError::Invalid));
    assert_eq!(FormatError::Truncated.to_string(), "the bytes end too early");
}
