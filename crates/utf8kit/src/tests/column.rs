//! Compares columns with decoding each value: random texts split anywhere, with null, empty and sliced values, both
//! widths of offsets, and views in every layout.

use std::borrow::Cow;
use std::vec::Vec;
use std::{format, vec};

use super::oracle;
use super::support::{HARD, Random, broken_text, encoded_text, on_every_level};
use crate::AnyEncoding::Utf8;
use crate::column::{self, Counts, LayoutError, Offset, Validity, Values, views};
use crate::{Encoding as _, Error, Policy};

/// A column in the form of the tests: the bytes of each slot, and whether it is null.
#[derive(Default)]
struct Column {
    data: Vec<u8>,
    offsets: Vec<usize>,
    nulls: Vec<bool>,
    /// The validity bitmap, and the bit at which the column begins.
    bits: Vec<u8>,
    first_bit: usize,
    /// The result of decoding each value.
    bad: Vec<(usize, Error)>,
    counts: Counts,
    /// For each of [`POLICIES`]: the bytes of each slot after repair, and how many slots changed.
    repaired: Vec<(Vec<Vec<u8>>, usize)>,
}

const POLICIES: [Policy<'static>; 5] =
    [Policy::REPLACE, Policy::REPLACE_RUN, Policy::Remove, Policy::SameLength, Policy::Escape];

impl Column {
    /// Creates text with some errors, split at random. `shares` of the splits are moved to boundaries.
    fn random(random: &mut Random) -> Column {
        let wounds = [0, 0, 1, 3, 40][random.below(5)];
        let len = [8, 60, 600, 600, 20_000][random.below(5)];
        let mut text =
            if wounds == 0 { encoded_text(random, Utf8, len) } else { broken_text(random, Utf8, len, wounds) };
        if random.below(4) == 0 {
            // ASCII with some errors has a code path of its own.
            text.iter_mut().for_each(|byte| *byte &= 0x7F);
            for _ in 0..wounds.min(text.len()) {
                let place = random.below(text.len());
                text[place] = [0xFF, 0xC3, 0xA9, 0xE2][random.below(4)];
            }
        }
        let longest = [2, 20, 90, 40_000][random.below(4)];
        let careless = [0, 0, 1, 8][random.below(4)];
        let mut offsets = vec![random.below(text.len().min(9) + 1)];
        while *offsets.last().unwrap() < text.len() && offsets.len() < 30_000 {
            let mut cut = offsets.last().unwrap() + random.below(longest + 1);
            if random.below(8) >= careless {
                while cut < text.len() && text[cut] & 0xC0 == 0x80 {
                    cut += 1;
                }
            }
            offsets.push(cut.min(text.len()));
            if random.below(16) == 0 {
                offsets.push(cut.min(text.len())); // an empty value
            }
        }
        offsets.truncate(offsets.len() - random.below(offsets.len().min(4)));
        Column::new(random, text, offsets)
    }

    /// Adds random nulls, and bits before the first one.
    fn new(random: &mut Random, data: Vec<u8>, offsets: Vec<usize>) -> Column {
        let share = [0, 0, 1, 12][random.below(4)];
        let nulls: Vec<bool> = (1..offsets.len()).map(|_| random.below(16) < share).collect();
        let first_bit = random.below(20);
        let mut bits = vec![random.byte(); (first_bit + nulls.len()).div_ceil(8)];
        for (i, null) in nulls.iter().enumerate() {
            let bit = first_bit + i;
            bits[bit / 8] = bits[bit / 8] & !(1 << (bit % 8)) | u8::from(!null) << (bit % 8);
        }
        let mut column = Column { data, offsets, nulls, bits, first_bit, ..Column::default() };
        column.decode_each();
        column
    }

    fn decode_each(&mut self) {
        let errors: Vec<_> = self.values().map(|value| oracle::errors(Utf8, value)).collect();
        self.counts.values = self.nulls.len();
        for (index, errors) in errors.iter().enumerate() {
            match errors.first() {
                _ if self.nulls[index] => self.counts.nulls += 1,
                Some(&first) => {
                    self.bad.push((index, first));
                    self.counts.bad += 1;
                    self.counts.errors += errors.len() as u64;
                }
                None => {}
            }
        }
        for policy in POLICIES {
            let repair = |(index, value): (usize, &[u8])| match self.nulls[index] {
                true if !errors[index].is_empty() => Vec::new(),
                false if !errors[index].is_empty() || policy == Policy::Escape => {
                    oracle::convert(Utf8, Utf8, value, policy)
                }
                _ => value.to_vec(),
            };
            let slots: Vec<Vec<u8>> = self.values().enumerate().map(repair).collect();
            let changed = self.values().zip(&slots).filter(|(before, after)| before != after).count();
            self.repaired.push((slots, changed));
        }
    }

    fn validity(&self) -> Option<Validity<'_>> {
        self.nulls.contains(&true).then(|| Validity::new(&self.bits, self.first_bit))
    }

    fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|two| &self.data[two[0]..two[1]])
    }

    fn check_offsets<O: Offset + TryFrom<usize, Error: core::fmt::Debug>>(&self, context: &str) {
        let offsets: Vec<O> = self.offsets.iter().map(|&offset| offset.try_into().unwrap()).collect();
        let (data, validity) = (&self.data[..], self.validity());
        let bad = &self.bad;
        let mut found = Vec::new();
        column::for_each_bad(data, &offsets, validity, |index, error| found.push((index, error))).unwrap();
        assert_eq!(&found, bad, "{context}");
        assert_eq!(column::first_bad(data, &offsets, validity), Ok(bad.first().copied()), "{context}");
        assert_eq!(column::is_valid(data, &offsets, validity), Ok(bad.is_empty()), "{context}");
        assert_eq!(column::count(data, &offsets, validity), Ok(self.counts), "{context}");
        for (policy, (slots, changed)) in POLICIES.into_iter().zip(&self.repaired) {
            let (context, changed) = (format!("{context} {policy:?}"), *changed);
            let repaired = column::repair(data, &offsets, validity, policy).unwrap();
            let values = if policy == Policy::Escape { Values::All } else { Values::Bad };
            assert_eq!(
                column::repair_with(data, &offsets, validity, values, |value| Utf8.repair(value, policy)).unwrap(),
                repaired
            );
            let Some(repaired) = repaired else {
                assert_eq!(changed, 0, "{context}");
                continue;
            };
            assert!(changed > 0, "{context}");
            assert_eq!(repaired.changed, changed, "{context}");
            assert_eq!(repaired.data, slots.concat(), "{context}");
            let ends: Vec<O> = slots
                .iter()
                .scan(0, |end, slot| {
                    *end += slot.len();
                    Some(O::try_from(*end).unwrap())
                })
                .collect();
            assert!(repaired.offsets[0] == O::default() && repaired.offsets[1..] == ends, "{context}");
        }
    }

    /// Creates the values as views: inline if they are short, otherwise in one of two buffers, some of them adjacent,
    /// one or many in a row in the same buffer.
    fn views(&self, random: &mut Random) -> (Vec<views::View>, Vec<Vec<u8>>) {
        let mut buffers = vec![Vec::new(), vec![0xFF]];
        let (far, run) = (random.below(3), random.of(&[1, 10, 80]));
        let mut buffer = 0;
        let views = self.values().zip(&self.nulls).map(|(value, null)| {
            let mut view = [if random.below(2) == 0 { 0 } else { 0x80 }; 16];
            view[..4].copy_from_slice(&(value.len() as i32).to_ne_bytes());
            if value.len() <= 12 {
                view[4..][..value.len()].copy_from_slice(value);
            } else {
                if random.below(run) == 0 {
                    buffer = random.below(buffers.len() * 4).saturating_sub(6);
                }
                if random.below(4) < far {
                    buffers[buffer].push(0x80);
                }
                view[4..8].copy_from_slice(&value[..4]);
                view[8..12].copy_from_slice(&(buffer as i32).to_ne_bytes());
                view[12..].copy_from_slice(&(buffers[buffer].len() as i32).to_ne_bytes());
                buffers[buffer].extend_from_slice(value);
            }
            if *null && random.below(4) == 0 { [random.byte(); 16] } else { view }
        });
        (views.collect(), buffers)
    }

    fn check_views(&self, random: &mut Random, context: &str) {
        let (views, buffers) = self.views(random);
        let validity = self.validity();
        let bad = &self.bad;
        let mut found = Vec::new();
        views::for_each_bad(&views, &buffers, validity, |index, error| found.push((index, error))).unwrap();
        assert_eq!(&found, bad, "{context}");
        assert_eq!(views::first_bad(&views, &buffers, validity), Ok(bad.first().copied()), "{context}");
        assert_eq!(views::is_valid(&views, &buffers, validity), Ok(bad.is_empty()), "{context}");
        assert_eq!(views::count(&views, &buffers, validity), Ok(self.counts), "{context}");
        for (policy, (slots, _)) in POLICIES.into_iter().zip(&self.repaired) {
            let repaired = views::repair(&views, &buffers, validity, policy).unwrap();
            let (after, mut all) = (repaired.as_ref().map_or(&views, |r| &r.views), buffers.clone());
            all.extend(repaired.iter().flat_map(|repaired| repaired.buffers.iter().cloned()));
            let mut changed = 0;
            for (i, slot) in slots.iter().enumerate() {
                let bytes = held(&after[i], &all);
                changed += usize::from(after[i] != views[i]);
                match (bytes, self.nulls[i]) {
                    (Some(bytes), false) => assert_eq!(bytes, &slot[..], "{context} {policy:?} {i}"),
                    (bytes, true) => {
                        assert!(std::str::from_utf8(bytes.unwrap()).is_ok(), "{context} {policy:?} {i}")
                    }
                    (None, false) => panic!("{context} {policy:?} {i}"),
                }
            }
            assert_eq!(repaired.map_or(0, |repaired| repaired.changed), changed, "{context} {policy:?}");
        }
    }
}

/// Returns the bytes of a view, if it is valid.
fn held<'c>(view: &'c views::View, buffers: &'c [Vec<u8>]) -> Option<&'c [u8]> {
    let number = |at: usize| usize::try_from(i32::from_ne_bytes(view[at..at + 4].try_into().unwrap())).ok();
    let len = number(0)?;
    if len <= 12 {
        return Some(&view[4..4 + len]);
    }
    buffers.get(number(8)?)?.get(number(12)?..number(12)? + len)
}

#[test]
fn random_columns_are_validated_as_each_value_is() {
    let mut random = Random(7);
    let columns: Vec<Column> = (0..200).map(|_| Column::random(&mut random)).collect();
    on_every_level(|level| {
        let mut random = Random(8);
        for (round, column) in columns.iter().enumerate() {
            let context = format!("{level} {round}");
            column.check_offsets::<i32>(&context);
            column.check_offsets::<i64>(&context);
            column.check_views(&mut random, &context);
        }
    });
}

/// Splits two hard strings between clean text at every byte, so that there are errors on either side and across.
#[test]
fn every_cut_of_hard_strings() {
    let mut random = Random(11);
    let mut columns = Vec::new();
    for before in HARD {
        for after in [random.of(HARD), random.of(HARD)] {
            let filling = [0, 3, 70][random.below(3)];
            let clean = vec![b'-'; filling];
            let data = [&clean, *before, after, &clean].concat();
            let middle = filling..=data.len() - filling;
            for first in middle.clone() {
                for second in first..=*middle.end() {
                    let offsets = vec![0, filling, first, second, second, data.len()];
                    columns.push(Column::new(&mut random, data.clone(), offsets));
                }
            }
        }
    }
    on_every_level(|level| {
        for column in &columns {
            column.check_offsets::<i32>(&format!("{level} {:X?} {:?}", column.data, column.offsets));
        }
    });
}

/// One bad value among many that are stored in their views: at every position of a vector, at every length, cut off
/// before a value that begins with its missing bytes.
#[test]
fn one_bad_value_among_many_in_views() {
    let inline = |value: &[u8]| {
        let mut view = [0x80; 16];
        view[..4].copy_from_slice(&(value.len() as i32).to_ne_bytes());
        view[4..][..value.len()].copy_from_slice(value);
        view
    };
    let bad: &[&[u8]] = &[b"\xC3", b"\xE2\x82", b"\xF0\x9F\x98", b"\xFF", b"\x80", b"\xC0\xAF", b"\xED\xA0\x80"];
    on_every_level(|level| {
        for filling in ["", "a", "mañana", "twelve bytes"] {
            for place in 0..40 {
                let (error, next) = (bad[place % bad.len()], [b"\xA9".as_slice(), b""][place % 2]);
                for before in 0..=12 - error.len() {
                    let value = [&b"------------"[..before], error].concat();
                    let mut views = vec![inline(filling.as_bytes()); 45];
                    views[place] = inline(&value);
                    views[place + 1] = inline(next);
                    let mut found = Vec::new();
                    views::for_each_bad::<&[u8]>(&views, &[], None, |index, _| found.push(index)).unwrap();
                    let expected: Vec<usize> = (place..=place + (1 - place % 2)).collect();
                    assert_eq!(found, expected, "{level} {filling:?} {value:X?}");
                }
            }
        }
    });
}

/// Views of any parts of a buffer, in any order, shared and overlapping, some of them longer than 16 bits can express.
#[test]
fn views_of_parts_of_a_buffer() {
    let mut random = Random(12);
    let view = |start: usize, len: usize| {
        let fields = [len, 0, 0, start].map(|field| (field as i32).to_ne_bytes());
        views::View::try_from(fields.as_flattened()).unwrap()
    };
    for (sorted, longest, len) in [(false, 60, 700), (true, 60, 700), (true, 70_000, 8_000), (true, 3, 700)] {
        let text = "naïve €😀, ".repeat(len).into_bytes();
        let mut places: Vec<(usize, usize)> = (0..700)
            .map(|_| {
                let len = 13 + random.below(longest);
                (random.below(text.len() - len - 64), len)
            })
            .collect();
        if sorted {
            places.sort_unstable();
        }
        // Every hundredth value begins or ends within 😀, which is at byte 10 of 16.
        for (i, (start, len)) in places.iter_mut().enumerate() {
            let end = crate::ceil_char_boundary(&text, *start + *len);
            let (new_start, new_end) = match (i % 100, i) {
                (0, ..300) => (*start / 16 * 16 + 12, end + 16),
                (0, _) => (crate::floor_char_boundary(&text, *start), (*start + 13).next_multiple_of(16) + 12),
                _ => (crate::floor_char_boundary(&text, *start), end),
            };
            (*start, *len) = (new_start, new_end - new_start);
        }
        let views: Vec<views::View> = places.iter().map(|&(start, len)| view(start, len)).collect();
        let is_bad = |&(start, len): &(usize, usize)| std::str::from_utf8(&text[start..start + len]).is_err();
        let expected: Vec<usize> = (0..places.len()).filter(|&i| is_bad(&places[i])).collect();
        assert_eq!(expected, [0, 100, 200, 300, 400, 500, 600]);
        on_every_level(|level| {
            let mut found = Vec::new();
            views::for_each_bad(&views, &[&text], None, |index, _| found.push(index)).unwrap();
            assert_eq!(found, expected, "{level} {sorted} {longest}");
        });
    }
}

/// More views than are classified together: in order, reversed and shuffled, adjacent or with rubbish between them,
/// some stored in their views, at most one of them bad.
#[test]
fn one_bad_value_among_thousands_in_views() {
    let mut random = Random(13);
    let values = ["short", "thirteen bytes", "naïve €😀 and more of it", "twelve bytes", "äöüäöüäöü"];
    for (round, between) in ["", "", "-", "\u{FFFD}"].into_iter().enumerate() {
        let (mut buffer, mut views) = (Vec::new(), Vec::new());
        for i in 0..2500 {
            let value = values[if round == 0 { 1 + i % 2 } else { random.below(values.len()) }].as_bytes();
            let mut view = [0; 16];
            view[..4].copy_from_slice(&(value.len() as i32).to_ne_bytes());
            if value.len() <= 12 {
                view[4..][..value.len()].copy_from_slice(value);
            } else {
                let rubbish = if round == 3 && i % 500 == 0 { b"\x80\xFF".as_slice() } else { b"" };
                buffer.extend([between.as_bytes(), rubbish].concat());
                view[12..].copy_from_slice(&(buffer.len() as i32).to_ne_bytes());
                buffer.extend_from_slice(value);
            }
            views.push(view);
        }
        let reversed: Vec<views::View> = views.iter().rev().copied().collect();
        let mut shuffled = views.clone();
        for i in 1..shuffled.len() {
            shuffled.swap(i, random.below(i + 1));
        }
        on_every_level(|level| {
            for (order, views) in [&views, &reversed, &shuffled].into_iter().enumerate() {
                assert_eq!(views::is_valid(views, &[&buffer], None), Ok(true), "{level} {round} {order}");
                for i in [0, 63, 64, 1023, 1024, 2499] {
                    let mut views = views.clone();
                    let is_long = held(&views[i], &[buffer.clone()]).is_some_and(|value| value.len() > 12);
                    let mut damaged = buffer.clone();
                    if is_long {
                        let start = i32::from_ne_bytes(views[i][12..].try_into().unwrap()) as usize;
                        damaged[start + 12] = 0xFF;
                    } else {
                        views[i][4] = 0xFF;
                    }
                    let mut found = Vec::new();
                    views::for_each_bad(&views, &[&damaged], None, |index, _| found.push(index)).unwrap();
                    assert_eq!(found, [i], "{level} {round} {order}");
                    // The last byte of a value is cut off, or the first of the next one is added.
                    if is_long && held(&views[i], &[buffer.clone()]).is_some_and(|value| !value.is_ascii()) {
                        let [len, start] =
                            [0, 12].map(|at| i32::from_ne_bytes(views[i][at..at + 4].try_into().unwrap()));
                        let (at, number) = if i % 2 == 0 { (0, len - 1) } else { (12, start + 1) };
                        views[i][at..at + 4].copy_from_slice(&number.to_ne_bytes());
                        let expected =
                            held(&views[i], &[buffer.clone()]).map(|value| std::str::from_utf8(value).is_ok());
                        assert_eq!(views::is_valid(&views, &[&buffer], None).ok(), expected, "{level} {round} {order}");
                    }
                }
            }
        });
    }
}

/// Values in text that was found well formed for earlier values, but which begin or end within a character.
#[test]
fn parts_of_earlier_values_are_validated_at_both_ends() {
    let buffer = b"\xC3\xA9123456789abc\xC3\xA9".to_vec();
    let view = |start: i32, len: i32| -> views::View {
        let fields = [len, 0, 0, start].map(i32::to_ne_bytes);
        views::View::try_from(fields.as_flattened()).unwrap()
    };
    for (start, len) in [(0, 15), (1, 15), (1, 14)] {
        for known in [1, 63, 64, 1023, 1024, 1025, 3000] {
            let mut views = vec![view(0, 16); known];
            views.push(view(start, len));
            on_every_level(|level| {
                let mut found = Vec::new();
                views::for_each_bad(&views, &[&buffer], None, |index, _| found.push(index)).unwrap();
                assert_eq!(found, [known], "{level} {start} {len}");
            });
        }
    }
}

/// Only long values, ASCII except for one sequence in the last block of views, within a value or across two, in order
/// and reversed. Then a bad value that is stored in its view, among long ones.
#[test]
fn one_sequence_behind_ascii_in_long_views() {
    let view = |start: i32, len: i32| -> views::View {
        let fields = [len, 0, 0, start].map(i32::to_ne_bytes);
        views::View::try_from(fields.as_flattened()).unwrap()
    };
    on_every_level(|level| {
        for len in [16, 30] {
            let mut ordered: Vec<views::View> = (0..3000).map(|i| view(i * len, len)).collect();
            let mut buffer = vec![b'a'; 3000 * len as usize];
            let cut = 2900 * len as usize;
            for (at, bad) in [(cut, vec![]), (cut - 1, vec![2899, 2900]), (cut - 2, vec![])] {
                buffer[at..at + 2].copy_from_slice("é".as_bytes());
                let reversed: Vec<views::View> = ordered.iter().rev().copied().collect();
                let from_behind: Vec<usize> = bad.iter().rev().map(|i| 2999 - i).collect();
                for (views, bad) in [(&ordered, &bad), (&reversed, &from_behind)] {
                    let mut found = vec![];
                    views::for_each_bad(views, &[&buffer], None, |index, _| found.push(index)).unwrap();
                    assert_eq!(&found, bad, "{level} {len} {at}");
                }
                buffer[at..at + 2].fill(b'a');
            }
            ordered[1500] = *b"\x04\0\0\0caf\xE9\0\0\0\0\0\0\0\0";
            ordered[1500][..4].copy_from_slice(&4_i32.to_ne_bytes());
            assert_eq!(views::is_valid(&ordered, &[&buffer], None), Ok(false), "{level} {len}");
        }
    });
}

/// The result of a repair is used, whether owned or borrowed; equal bytes are not a change.
#[test]
fn repairs_may_borrow() {
    let (data, offsets) = (b"fine\xFFtea", [0, 4, 5, 8]);
    let repaired = column::repair_with(data, &offsets, None, Values::All, |value| match value {
        b"\xFF" => Cow::Borrowed(b"?"),
        value => Cow::Owned(value.to_vec()),
    });
    let repaired = repaired.unwrap().unwrap();
    assert_eq!((&*repaired.data, &*repaired.offsets, repaired.changed), (&b"fine?tea"[..], &offsets[..], 1));
    let mut view = [0; 16];
    (view[0], view[4]) = (1, 0xFF);
    let repaired = views::repair_with::<&[u8]>(&[view], &[], None, Values::Bad, |_| Cow::Borrowed(b"?"));
    let repaired = repaired.unwrap().unwrap();
    assert_eq!((repaired.views[0][4], repaired.changed), (b'?', 1));
}

/// At most one bad split in columns of many short values, where splits are found in groups of sixteen: at every value.
#[test]
fn one_bad_cut_among_many() {
    on_every_level(|level| {
        // The second column is less dense, and longer than the chunk that is validated before its splits are tested.
        for (values, len, step) in [(800, 5, 1), (2000, 20, 7)] {
            let text = "ab€".repeat(values * len / 5);
            let whole: Vec<i32> = (0..=values).map(|i| (len * i) as i32).collect();
            assert_eq!(column::is_valid(text.as_bytes(), &whole, None), Ok(true));
            for index in (1..values).step_by(step) {
                let mut offsets = whole.clone();
                offsets[index] -= 1 + (index % 2) as i32;
                let mut bad = Vec::new();
                column::for_each_bad(text.as_bytes(), &offsets, None, |index, _| bad.push(index)).unwrap();
                assert_eq!(bad, [index - 1, index], "{level}");
            }
        }
    });
}

/// One byte is wrong, or one offset too small or too large, after much that is right: ASCII, text, and both by turns.
#[test]
fn one_problem_far_behind() {
    on_every_level(|level| {
        for (part, other) in [("abcde", "abcde"), ("ab€", "ab€"), ("abcde", "ab€")] {
            let text = [part.repeat(14_000), other.repeat(8_000)].concat().into_bytes();
            let whole: Vec<i64> = (0..=text.len() / 10).map(|i| 10 * i as i64).collect();
            assert_eq!(column::is_valid(&text, &whole, None), Ok(true), "{level}");
            for index in [6_399, 9_998, 10_999] {
                let place = |found| Ok(Some((index, found)));
                let mut damaged = text.clone();
                damaged[10 * index] = 0xFF;
                let error = Error::new(0, 1, crate::ErrorKind::InvalidByte);
                assert_eq!(column::first_bad(&damaged, &whole, None), place(error), "{level}");
                let mut offsets = whole.clone();
                offsets[index] = offsets[index - 1] - 1;
                assert_eq!(
                    column::first_bad(&text, &offsets, None),
                    Err(LayoutError::DescendingOffset { index }),
                    "{level}"
                );
                offsets[index] = whole[index] + (1 << 32);
                let beyond = LayoutError::OffsetBeyondData { index };
                assert_eq!(column::first_bad(&text, &offsets, None), Err(beyond), "{level}");
            }
        }
    });
}

#[test]
fn the_fixed_examples_of_the_trap() {
    on_every_level(|_| {
        // The sequence crosses the end of the value before the one with another error.
        let bad = |data: &[u8], offsets: &[i32]| {
            let mut bad = Vec::new();
            column::for_each_bad(data, offsets, None, |index, error| bad.push((index, error.offset))).unwrap();
            bad
        };
        assert_eq!(bad(b"a\xE2\x82\xAC\xFF", &[0, 3, 5]), [(0, 1), (1, 0)]);
        assert_eq!(bad(b"a\xE2\x82\xACbc\xFF", &[0, 3, 3, 7]), [(0, 1), (2, 0)]);
        assert_eq!(bad(b"\xFF\xE2\x82\xACb", &[0, 2, 5]), [(0, 0), (1, 0)]);
        assert_eq!(bad("a€".as_bytes(), &[0, 4, 4, 4]), []);
    });
}

#[test]
fn broken_layouts_are_errors() {
    use LayoutError::*;
    on_every_level(|_| {
        let data = b"some text";
        let is_valid = |offsets: &[i64]| column::is_valid(data, offsets, None);
        assert_eq!(is_valid(&[]), Ok(true));
        assert_eq!(is_valid(&[9]), Ok(true));
        assert_eq!(is_valid(&[-1]), Err(NegativeOffset { index: 0 }));
        assert_eq!(is_valid(&[10]), Err(OffsetBeyondData { index: 0 }));
        assert_eq!(is_valid(&[0, -5, 2]), Err(NegativeOffset { index: 1 }));
        assert_eq!(is_valid(&[0, 5, 2, 9]), Err(DescendingOffset { index: 2 }));
        assert_eq!(is_valid(&[0, 5, 10, 2]), Err(OffsetBeyondData { index: 2 }));
        assert_eq!(is_valid(&[0, i64::MAX]), Err(OffsetBeyondData { index: 1 }));
        assert_eq!(is_valid(&[0, 1 << 32, 1 << 32]), Err(OffsetBeyondData { index: 1 }));
        assert_eq!(is_valid(&[i64::MIN, i64::MAX]), Err(NegativeOffset { index: 0 }));
        let long: Vec<i64> = (0..10_000).map(|i| if i == 7777 { 0 } else { i }).collect();
        assert_eq!(column::is_valid(&[b'a'; 10_000], &long, None), Err(DescendingOffset { index: 7777 }));
        // Errors before the invalid offset are reported.
        let mut bad = Vec::new();
        let outcome = column::for_each_bad(&[0xFF; 10_000], &long, None, |index, _| bad.push(index));
        assert_eq!((outcome, bad.first()), (Err(DescendingOffset { index: 7777 }), Some(&0)));

        let bits = [0xFF];
        let nine = [0; 10];
        for (offset, bits_left) in [(0, 8), (3, 5), (8, 0), (usize::MAX, 0)] {
            let validity = Some(Validity::new(&bits, offset));
            let error = Err(ValidityTooShort { values: 9, bits: bits_left });
            assert_eq!(column::is_valid::<i32>(b"", &nine, validity), error);
            assert_eq!(column::count::<i32>(b"", &nine, validity).map(|_| true), error);
            assert_eq!(column::repair::<i32>(b"", &nine, validity, Policy::REPLACE).map(|_| true), error);
            assert_eq!(views::is_valid(&[[0; 16]; 9], &[b""], validity), error);
        }
        assert_eq!(column::is_valid::<i32>(b"", &nine[1..], Some(Validity::new(&bits, 0))), Ok(true));

        let view = |len: i32, buffer: i32, offset: i32| {
            let fields = [len, 0, buffer, offset].map(i32::to_ne_bytes);
            views::View::try_from(fields.as_flattened()).unwrap()
        };
        let buffers = [vec![b'a'; 20], vec![b'b'; 13]];
        let is_valid = |view: views::View| views::is_valid(&[[0; 16], view], &buffers, None);
        assert_eq!(is_valid(view(13, 1, 0)), Ok(true));
        assert_eq!(is_valid(view(-1, 1, 0)), Err(NegativeViewLength { index: 1 }));
        assert_eq!(is_valid(view(13, 2, 0)), Err(NoSuchBuffer { index: 1 }));
        assert_eq!(is_valid(view(13, -1, 0)), Err(NoSuchBuffer { index: 1 }));
        assert_eq!(is_valid(view(13, 1, 1)), Err(ViewBeyondBuffer { index: 1 }));
        assert_eq!(is_valid(view(13, 0, -1)), Err(ViewBeyondBuffer { index: 1 }));
        assert_eq!(is_valid(view(i32::MAX, 0, i32::MAX)), Err(ViewBeyondBuffer { index: 1 }));
        // Null slots are skipped, whatever their views.
        let null = Some(Validity::new(&[0b01], 0));
        assert_eq!(views::is_valid(&[[0; 16], [0xFF; 16]], &buffers, null), Ok(true));
        let repaired = views::repair(&[[0; 16], [0xFF; 16]], &buffers, null, Policy::REPLACE).unwrap().unwrap();
        assert_eq!(repaired.views, [[0; 16]; 2]);
        // Errors before an invalid view are reported.
        let mut bad = Vec::new();
        let short = |byte| [1_i32.to_ne_bytes(), [byte, 0, 0, 0], [0; 4], [0; 4]].as_flattened().try_into().unwrap();
        let views = [short(b'a'), short(0xFF), view(-1, 0, 0), short(0xFF)];
        let outcome = views::for_each_bad(&views, &buffers, None, |index, _| bad.push(index));
        assert_eq!((outcome, bad), (Err(NegativeViewLength { index: 2 }), vec![1]));
    });
}
