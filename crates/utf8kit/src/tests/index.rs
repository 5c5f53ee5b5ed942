//! Compares the index with a model that walks through the text item by item, on every level.

use std::ops::Range;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use serde_json::Value;

use super::support::{HARD, Random, broken_text, on_every_level, text};
use crate::index::{IndexError, LspPosition, TextIndex};
use crate::{AnyEncoding, ColumnUnit, Encoding, LineColumn, LineEnds, Utf8};

const UNITS: [ColumnUnit; 3] = [ColumnUnit::Bytes, ColumnUnit::CodePoints, ColumnUnit::Utf16];
const LINE_ENDS: [LineEnds; 3] = [LineEnds::LineFeed, LineEnds::Universal, LineEnds::Unicode];

/// A text as a list of items.
struct Model {
    /// Where each item begins, and the end.
    starts: Vec<usize>,
    /// The number of UTF-16 code units before each item, and before the end.
    units: Vec<usize>,
    /// Where each line begins, and where it ends without its line end.
    lines: Vec<Range<usize>>,
    len: usize,
}

impl Model {
    fn new(text: &[u8], line_ends: LineEnds) -> Model {
        let mut model = Model { starts: vec![], units: vec![], lines: vec![], len: text.len() };
        let items: Vec<_> = Utf8.items(text).collect();
        let (mut unit, mut start) = (0, 0);
        for (i, item) in items.iter().enumerate() {
            model.starts.push(item.offset);
            model.units.push(unit);
            unit += if item.result.is_ok_and(|value| value > 0xFFFF) { 2 } else { 1 };
            let next = items.get(i + 1).map(|item| item.result);
            let ends = match (line_ends, item.result) {
                (_, Ok(0x0A)) => true,
                (LineEnds::Universal | LineEnds::Unicode, Ok(0x0D)) => next != Some(Ok(0x0A)),
                (LineEnds::Unicode, Ok(value)) => [0x0B, 0x0C, 0x85, 0x2028, 0x2029].contains(&value),
                _ => false,
            };
            if ends {
                let crlf = item.result == Ok(0x0A)
                    && i > 0
                    && items[i - 1].result == Ok(0x0D)
                    && line_ends != LineEnds::LineFeed;
                model.lines.push(start..item.offset - usize::from(crlf));
                start = item.offset + item.len;
            }
        }
        model.starts.push(text.len());
        model.units.push(unit);
        model.lines.push(start..text.len());
        model
    }

    /// The item that contains a byte.
    fn item(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    fn position(&self, offset: usize, unit: ColumnUnit) -> usize {
        match unit {
            ColumnUnit::CodePoints => self.item(offset),
            ColumnUnit::Utf16 => self.units[self.item(offset)],
            _ => offset.min(self.len),
        }
    }

    fn offset(&self, position: usize, unit: ColumnUnit) -> Option<usize> {
        let item = match unit {
            ColumnUnit::CodePoints => position,
            ColumnUnit::Utf16 => self.units.partition_point(|&units| units <= position) - 1,
            _ => self.item(position),
        };
        let beyond = match unit {
            ColumnUnit::Utf16 => position > *self.units.last().unwrap(),
            ColumnUnit::Bytes => position > self.len,
            _ => false,
        };
        self.starts.get(item).copied().filter(|_| !beyond)
    }

    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset) - 1
    }

    fn line_end(&self, line: usize) -> usize {
        self.lines.get(line + 1).map_or(self.len, |line| line.start)
    }

    fn line_column(&self, offset: usize, unit: ColumnUnit) -> LineColumn {
        let line = self.line(self.starts[self.item(offset)]);
        let column = self.position(offset, unit) - self.position(self.lines[line].start, unit);
        LineColumn::new(line as u64 + 1, column as u64 + 1)
    }

    fn offset_at(&self, place: LineColumn, unit: ColumnUnit) -> Option<usize> {
        let line = (place.line as usize).checked_sub(1)?;
        let column = (place.column as usize).checked_sub(1)?;
        let start = self.position(self.lines.get(line)?.start, unit);
        let position = start.checked_add(column)?;
        (position <= self.position(self.line_end(line), unit)).then(|| self.offset(position, unit))?
    }

    fn lsp_position(&self, offset: usize, unit: ColumnUnit) -> LspPosition {
        let start = self.starts[self.item(offset)];
        let line = self.line(start);
        let start = start.min(self.lines[line].end);
        let before = self.position(self.lines[line].start, unit);
        LspPosition::new(line, self.position(start, unit) - before)
    }

    fn lsp_offset(&self, place: LspPosition, unit: ColumnUnit) -> usize {
        let Some(line) = self.lines.get(place.line) else { return self.len };
        let position = self.position(line.start, unit).saturating_add(place.character);
        self.offset(position, unit).map_or(line.end, |offset| offset.min(line.end))
    }
}

/// Compares all answers with the model's, at these offsets and at positions of about the same magnitude.
fn compare(text: &[u8], index: &TextIndex, places: &[usize]) {
    let model = Model::new(text, index.line_ends());
    let at = index.on(text).unwrap();
    assert_eq!(index.lines(), model.lines.len());
    for (i, content) in model.lines.iter().enumerate() {
        let line = i as u64 + 1;
        assert_eq!(at.line_range(line), Some(content.start..model.line_end(i)));
        assert_eq!(at.line_content(line), Some(content.clone()));
    }
    assert_eq!((at.line_range(0), at.line_content(index.lines() as u64 + 1)), (None, None));
    for unit in UNITS {
        assert_eq!(index.len(unit), model.position(text.len(), unit));
        for &place in places {
            assert_eq!(at.position(place, unit), model.position(place, unit), "{unit:?} of {place}");
            assert_eq!(at.offset(place, unit), model.offset(place, unit), "{place} {unit:?}");
            let line_column = model.line_column(place, unit);
            assert_eq!(at.line_column(place, unit), line_column, "{unit:?} of {place}");
            assert_eq!(at.offset_at(line_column, unit), model.offset_at(line_column, unit));
            let position = model.lsp_position(place, unit);
            assert_eq!(at.lsp_position(place, unit), position, "{unit:?} of {place}");
            assert_eq!(at.lsp_offset(position, unit), model.lsp_offset(position, unit));
            let converted = UNITS.map(|to| at.convert(place, unit, to));
            let start = model.offset(place, unit);
            assert_eq!(converted, UNITS.map(|to| Some(model.position(start?, to))), "{place} {unit:?}");
            for column in [0, 1, 2, place % 90, usize::MAX] {
                let position = LspPosition::new(place % (model.lines.len() + 1), column);
                assert_eq!(at.lsp_offset(position, unit), model.lsp_offset(position, unit), "{position:?} {unit:?}");
                let place = LineColumn::new(position.line as u64, column as u64);
                assert_eq!(at.offset_at(place, unit), model.offset_at(place, unit), "{place:?} {unit:?}");
            }
        }
        let each = |one: &dyn Fn(usize) -> usize| places.iter().map(|&place| one(place)).collect::<Vec<_>>();
        assert_eq!(at.positions(places, unit), each(&|place| at.position(place, unit)));
        let offsets: Vec<_> = places.iter().map(|&place| at.offset(place, unit)).collect();
        assert_eq!(at.offsets(places, unit), offsets);
        let line_columns: Vec<_> = places.iter().map(|&place| at.line_column(place, unit)).collect();
        assert_eq!(at.line_columns(places, unit), line_columns);
        let positions: Vec<_> = places.iter().map(|&place| at.lsp_position(place, unit)).collect();
        assert_eq!(at.lsp_positions(places, unit), positions);
        let offsets: Vec<_> = positions.iter().map(|&place| at.lsp_offset(place, unit)).collect();
        assert_eq!(at.lsp_offsets(&positions, unit), offsets);
    }
}

/// Line ends of all kinds, halves of them, and hard strings.
fn lines_text(random: &mut Random, len: usize) -> Vec<u8> {
    const ENDS: &[&str] = &["\n", "\r\n", "\r", "\n\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"];
    let mut bytes = match random.below(3) {
        0 => vec![],
        1 => text(random, len).iter().filter_map(|&value| char::from_u32(value)).collect::<String>().into(),
        _ => broken_text(random, AnyEncoding::Utf8, len, 9),
    };
    for _ in 0..random.below(60) {
        let at = random.below(bytes.len() + 1);
        let put: &[u8] = match random.below(4) {
            0 => random.of(HARD),
            1 => &[random.byte()],
            2 => &[0xE2, 0x80, 0xA8][random.below(3)..],
            _ => random.of(ENDS).as_bytes(),
        };
        bytes.splice(at..at, put.iter().copied());
    }
    bytes
}

fn some_places(random: &mut Random, len: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..40).map(|_| random.below(len + 3)).collect();
    let near = random.below(len + 1);
    places.extend(near..near + 8);
    places.extend([0, 511, 512, 513, 1023, 1024, 1025, len.saturating_sub(1), len, len + 1, usize::MAX]);
    if random.below(2) == 0 {
        places.sort_unstable();
    }
    places
}

#[test]
fn all_answers_are_those_of_a_model() {
    on_every_level(|_| {
        let mut random = Random(27);
        for len in [0, 1, 3, 60, 200, 600, 1500, 3000] {
            for _ in 0..if cfg!(miri) { 1 } else { 5 } {
                let text = lines_text(&mut random, len);
                for line_ends in LINE_ENDS {
                    let index = TextIndex::with_line_ends(&text, line_ends);
                    compare(&text, &index, &some_places(&mut random, text.len()));
                }
            }
        }
    });
}

/// One by one, and many at once in an order in which each line comes after a later one.
#[test]
fn positions_in_long_lines_and_beyond_their_ends() {
    on_every_level(|_| {
        let line = |(letter, len): (&str, usize)| letter.repeat(len) + "\r\n";
        let text: String = [("я", 700), ("x", 1500), ("😀", 5), ("x", 2600), ("", 0)].map(line).concat();
        let text = text.as_bytes();
        let columns = [5000, 2601, 1502, 1400, 700, 11, 3, 0];
        let positions = |line| columns.map(|column| LspPosition::new(line, column));
        let positions: Vec<_> = (0..7).rev().flat_map(positions).collect();
        for line_ends in LINE_ENDS {
            let (index, model) = (TextIndex::with_line_ends(text, line_ends), Model::new(text, line_ends));
            let at = index.on(text).unwrap();
            for unit in UNITS {
                let expected: Vec<_> = positions.iter().map(|&position| model.lsp_offset(position, unit)).collect();
                let single: Vec<_> = positions.iter().map(|&position| at.lsp_offset(position, unit)).collect();
                assert_eq!(single, expected, "{unit:?} {line_ends:?}");
                assert_eq!(at.lsp_offsets(&positions, unit), expected, "{unit:?} {line_ends:?}");
            }
        }
    });
}

#[test]
fn every_place_around_the_edges_of_blocks() {
    on_every_level(|_| {
        let hard: &[&[u8]] = &[
            b"\xF0\x9F\x98\x80", b"\r\n", b"\xE2\x80\xA8", b"\xC2\x85", b"\xF0\x9F\x98", b"\xE2\x80", b"\xBF\xBF\xBF",
        ];
        for hard in hard {
            for front in (504..516).chain(1018..1026).chain([60, 61, 62, 63, 64]) {
                let mut text = vec![b'a'; front];
                text.extend_from_slice(hard);
                text.extend_from_slice(&[b'b'; 1300]);
                let places: Vec<usize> = (front.saturating_sub(4)..front + 8).collect();
                compare(&text, &TextIndex::with_line_ends(&text, LineEnds::Unicode), &places);
            }
        }
    });
}

#[test]
fn line_feeds_are_those_of_the_functions_without_an_index() {
    let mut random = Random(3);
    for _ in 0..60 {
        let text = lines_text(&mut random, 700);
        let index = TextIndex::with_line_ends(&text, LineEnds::LineFeed);
        let at = index.on(&text).unwrap();
        for unit in UNITS {
            for offset in some_places(&mut random, text.len()) {
                let place = Utf8.line_column(&text, offset, unit);
                assert_eq!(at.line_column(offset, unit), place);
                assert_eq!(at.offset_at(place, unit), Utf8.offset_at(&text, place, unit));
            }
        }
    }
}

#[test]
fn after_edits_it_is_as_if_built_anew() {
    on_every_level(|_| {
        let mut random = Random(41);
        for round in 0..if cfg!(miri) { 2 } else { 12 } {
            let mut text = lines_text(&mut random, [0, 900, 5000, 90_000][round % 4]);
            let mut index = TextIndex::with_line_ends(&text, LINE_ENDS[round % 3]);
            for _ in 0..if round % 4 == 3 { 15 } else { 40 } {
                let start = random.below(text.len() + 1);
                let most = random.of(&[0, 1, 5, 600, 3000, 90_000]);
                let end = (start + random.below(most + 1)).min(text.len());
                let most = random.of(&[0, 1, 2, 40, 700, 4000, 80_000]);
                let mut put = lines_text(&mut random, most / 2);
                put.truncate(most);
                text.splice(start..end, put);
                index.edit(start..end, &text).unwrap();
                let anew = TextIndex::with_line_ends(&text, index.line_ends());
                let (at, same) = (index.on(&text).unwrap(), anew.on(&text).unwrap());
                assert_eq!(index.lines(), anew.lines());
                assert!(index.size() < 240 + text.len() / 50, "{} of {}", index.size(), text.len());
                for unit in UNITS {
                    assert_eq!(index.len(unit), anew.len(unit));
                    let places = some_places(&mut random, text.len());
                    assert_eq!(at.positions(&places, unit), same.positions(&places, unit));
                    assert_eq!(at.offsets(&places, unit), same.offsets(&places, unit));
                    assert_eq!(at.line_columns(&places, unit), same.line_columns(&places, unit));
                    let positions = same.lsp_positions(&places, unit);
                    assert_eq!(at.lsp_positions(&places, unit), positions);
                    assert_eq!(at.lsp_offsets(&positions, unit), same.lsp_offsets(&positions, unit));
                }
            }
            let some: Vec<u8> = text.iter().copied().take(6000).collect();
            let range = some.len().min(text.len())..text.len();
            index.edit(range, &some).unwrap();
            compare(&some, &index, &some_places(&mut random, some.len()));
        }
    });
}

/// Megabytes from which parts are removed and to which parts are added, small ones and most of the text.
#[test]
fn after_edits_of_a_long_text_it_is_as_if_built_anew() {
    let mut random = Random(43);
    let some = lines_text(&mut random, 3000);
    let mut text = some.repeat(if cfg!(miri) { 2 } else { 6_000_000 / some.len() });
    let mut index = TextIndex::with_line_ends(&text, LineEnds::Unicode);
    for round in 0..if cfg!(miri) { 2 } else { 120 } {
        let start = random.below(text.len() + 1);
        let most = random.of(&[0, 1, 700, 40_000, 1_500_000, 5_000_000]);
        let end = (start + random.below(most + 1)).min(text.len());
        let most = random.of(&[0, 1, 700, 40_000, 1_500_000, 5_000_000]);
        let put = some.repeat(most / some.len() + 1);
        text.splice(start..end, put[..random.below(most + 1)].iter().copied());
        text.truncate(8_000_000);
        // Truncating the rest is also an edit.
        let old = index.len(ColumnUnit::Bytes);
        let range = if text.len() == 8_000_000 { start..old } else { start..end };
        index.edit(range, &text).unwrap();
        assert!(index.size() < 240 + text.len() / 50, "{} of {}", index.size(), text.len());
        let anew = TextIndex::with_line_ends(&text, LineEnds::Unicode);
        let (at, same) = (index.on(&text).unwrap(), anew.on(&text).unwrap());
        assert_eq!(index.lines(), anew.lines(), "{round}");
        let places: Vec<usize> = (0..300).map(|_| random.below(text.len() + 3)).collect();
        for unit in UNITS {
            assert_eq!(index.len(unit), anew.len(unit), "{round}");
            assert_eq!(at.positions(&places, unit), same.positions(&places, unit), "{round}");
            assert_eq!(at.offsets(&places, unit), same.offsets(&places, unit), "{round}");
            let positions = same.lsp_positions(&places, unit);
            assert_eq!(at.lsp_positions(&places, unit), positions, "{round}");
            assert_eq!(at.lsp_offsets(&positions, unit), same.lsp_offsets(&positions, unit), "{round}");
        }
    }
}

#[test]
fn what_does_not_belong_to_the_index_is_refused() {
    let mut index = TextIndex::new(b"four");
    assert_eq!(index.on(b"five!").unwrap_err(), IndexError::Text { expected: 4, len: 5 });
    assert_eq!(index.edit(3..5, b"fou").unwrap_err(), IndexError::Range { range: 3..5, len: 4 });
    #[expect(clippy::reversed_empty_ranges, reason = "a mistake to be reported")]
    let backwards = 2..1;
    assert_eq!(index.edit(backwards.clone(), b"").unwrap_err(), IndexError::Range { range: backwards, len: 4 });
    assert_eq!(index.edit(0..1, b"f").unwrap_err(), IndexError::Text { expected: 3, len: 1 });
    assert_eq!(
        index.edit(0..1, b"f").unwrap_err().to_string(),
        "text length mismatch: the index was built for 3 bytes, got 1"
    );
    assert_eq!(index.len(ColumnUnit::Bytes), 4);
}

#[test]
fn other_text_of_the_same_length_panics_nowhere() {
    let mut random = Random(5);
    for _ in 0..100 {
        let (one, mut other) = (lines_text(&mut random, 2000), lines_text(&mut random, 2000));
        other.resize(one.len(), 0xF0);
        let mut index = TextIndex::with_line_ends(&one, LineEnds::Unicode);
        for _ in 0..2 {
            let at = index.on(&other).unwrap();
            let places = some_places(&mut random, one.len());
            for unit in UNITS {
                let positions = at.lsp_positions(&places, unit);
                let _ = (at.offsets(&places, unit), at.positions(&places, unit), at.lsp_offsets(&positions, unit));
                for place in at.line_columns(&places, unit) {
                    let _ = (at.offset_at(place, unit), at.line_content(place.line));
                }
            }
            index.edit(0..9.min(one.len()), &other).unwrap();
        }
    }
}

#[test]
fn it_takes_two_percent_of_the_text() {
    for len in [0, 100, 1023, 1024, 20_000, 1_000_000] {
        let index = TextIndex::new(&vec![b'x'; len]);
        assert!(index.size() <= size_of::<TextIndex>() + 80 + len * 18 / 1000, "{} of {len}", index.size());
    }
}

/// The cases of `vectors/lsp/`, which every binding runs.
#[test]
fn positions_of_the_language_server_protocol() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/lsp/positions.jsonl");
    let vectors = std::fs::read_to_string(file).unwrap();
    let names = ["utf-8", "utf-16", "utf-32"].into_iter().zip([UNITS[0], UNITS[2], UNITS[1]]);
    let units: std::collections::BTreeMap<_, _> = names.collect();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    for line in vectors.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let hex = case["hex"].as_str().unwrap().as_bytes().chunks(2);
        let text: Vec<u8> = hex.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect();
        let line_ends = match case["line_ends"].as_str().unwrap() {
            "lf" => LineEnds::LineFeed,
            "unicode" => LineEnds::Unicode,
            _ => LineEnds::Universal,
        };
        let index = TextIndex::with_line_ends(&text, line_ends);
        let at = index.on(&text).unwrap();
        for (name, &unit) in &units {
            assert_eq!(index.len(unit), number(&case["length"][name]), "{}", case["id"]);
            for place in case["positions"].as_array().unwrap() {
                let expected = LspPosition::new(number(&place["line"]), number(&place[name]));
                assert_eq!(at.lsp_position(number(&place["offset"]), unit), expected, "{} {place}", case["id"]);
            }
        }
        for place in case["offsets"].as_array().unwrap() {
            let position = LspPosition::new(number(&place[1]), number(&place[2]));
            let unit = units[place[0].as_str().unwrap()];
            assert_eq!(at.lsp_offset(position, unit), number(&place[3]), "{} {place}", case["id"]);
        }
    }
}
