//! Compares the index of a text with `str_indices` (which has no index and counts each time), `line-index` (of
//! rust-analyzer) and `ropey` (a rope, which holds the text): build, query and edit, at 1 KB, 1 MB and 100 MB. First
//! checks that all give the same answers.
#![allow(clippy::print_stdout, reason = "it talks to a developer")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use line_index::{LineIndex, TextSize, WideEncoding, WideLineCol};
use ropey::{LineType, Rope};
use utf8kit::ColumnUnit;
use utf8kit::Encoding as _;
use utf8kit::index::{Indexed, LspPosition, TextIndex};

const SIZES: [usize; 3] = [1_000, 1_000_000, 100_000_000];
/// The number of queried positions.
const PLACES: usize = 1000;
const TEXTS: [(&str, &str); 4] = [
    ("ASCII", "fn main() {\n    let greeting = \"hello, world\"; // as ever\n    println!(\"{greeting}\");\n}\n\n"),
    (
        "mostly ASCII",
        "    let greeting = \"hello, world\"; // naïve, but why not\n    println!(\"{greeting} 🎉\");\n\n",
    ),
    ("Russian", "Съешь же ещё этих мягких французских булок,\nда выпей чаю. И ещё раз.\n"),
    ("emoji", "😀🎉🚀👍🏽 и 漢字\n"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("level {}", utf8kit::Level::active());
    for (name, sample) in TEXTS {
        for size in SIZES {
            let text = sample.repeat(size / sample.len() + 1);
            builds(name, &text)?;
            queries(name, &text)?;
            edits(name, &text)?;
        }
    }
    bulk()?;
    broken();
    levels()?;
    Ok(())
}

/// Returns the median time of one call, over at least 0.1 s and 5 rounds.
fn time<R>(mut work: impl FnMut() -> R) -> Duration {
    let mut rounds = Vec::new();
    let start = Instant::now();
    while rounds.len() < 5 || start.elapsed() < Duration::from_millis(100) {
        let round = Instant::now();
        black_box(work());
        rounds.push(round.elapsed());
    }
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}

fn row(what: &str, name: &str, len: usize, cells: &[(&str, f64)]) {
    let cells: Vec<String> = cells.iter().map(|(peer, value)| format!("{peer} {value:.2}")).collect();
    println!("{what:<28} {name:<13} {len:>10}  {}", cells.join("  "));
}

fn builds(name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let speed = |time: Duration| text.len() as f64 / 1e9 / time.as_secs_f64();
    let index = TextIndex::new(text.as_bytes());
    row(
        "build, GB/s",
        name,
        text.len(),
        &[
            ("utf8kit", speed(time(|| TextIndex::new(text.as_bytes())))),
            ("str_indices-counts", speed(time(|| counts(text)))),
            ("line-index", speed(time(|| LineIndex::new(text)))),
            ("ropey", speed(time(|| Rope::from_str(text)))),
        ],
    );
    row("size, % of the text", name, text.len(), &[("utf8kit", 100.0 * index.size() as f64 / text.len() as f64)]);
    let utf16 = index.on(text.as_bytes())?.position(text.len(), ColumnUnit::Utf16);
    assert_eq!(utf16, str_indices::utf16::count(text));
    Ok(())
}

/// The counts by a program without an index.
fn counts(text: &str) -> (usize, usize, usize) {
    (str_indices::chars::count(text), str_indices::utf16::count(text), str_indices::lines_crlf::count_breaks(text))
}

/// Offsets of characters, in random order.
fn places(text: &str) -> Vec<usize> {
    let mut state = 1_u64;
    let mut place = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        utf8kit::floor_char_boundary(text, ((state >> 33) as usize) % text.len())
    };
    (0..PLACES).map(|_| place()).collect()
}

/// A text with our index and the indexes of the peers.
struct Texts<'t> {
    name: &'t str,
    text: &'t str,
    index: Indexed<'t>,
    lines: LineIndex,
    rope: Rope,
}

impl Texts<'_> {
    /// Returns the position of a place, and checks that all agree.
    fn position(&self, place: usize) -> Result<LspPosition, Box<dyn Error>> {
        let position = self.index.lsp_position(place, ColumnUnit::Utf16);
        let theirs = self.line_column(place).ok_or("no such place")?;
        assert_eq!((position.line, position.character), (theirs.line as usize, theirs.col as usize));
        assert_eq!(rope_position(&self.rope, place), position);
        assert_eq!(rope_offset(&self.rope, position), place);
        assert_eq!(self.index.lsp_offset(position, ColumnUnit::Utf16), place);
        Ok(position)
    }

    fn line_column(&self, place: usize) -> Option<WideLineCol> {
        let place = TextSize::new(u32::try_from(place).ok()?);
        self.lines.to_wide(WideEncoding::Utf16, self.lines.line_col(place))
    }

    fn line_offset(&self, position: &LspPosition) -> Option<usize> {
        let wide = WideLineCol { line: position.line as u32, col: position.character as u32 };
        let offset = self.lines.offset(self.lines.to_utf8(WideEncoding::Utf16, wide)?)?;
        Some(u32::from(offset) as usize)
    }

    fn row(&self, what: &str, cells: &[(&str, f64)]) {
        row(what, self.name, self.text.len(), cells);
    }
}

/// Returns the nanoseconds per place of a function that processes all places.
fn each(mut sum: impl FnMut() -> usize) -> f64 {
    time(&mut sum).as_secs_f64() * 1e9 / PLACES as f64
}

fn queries(name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let places = places(text);
    let owned = TextIndex::new(text.as_bytes());
    let index = owned.on(text.as_bytes())?;
    let texts = Texts { name, text, index, lines: LineIndex::new(text), rope: Rope::from_str(text) };
    let positions: Result<Vec<LspPosition>, _> = places.iter().map(|&place| texts.position(place)).collect();
    let positions = positions?;
    let Texts { index, rope, .. } = &texts;
    let lsp = |place: usize| index.lsp_position(place, ColumnUnit::Utf16).character;
    let theirs = |place: &usize| texts.line_column(*place).map(|at| at.col as usize);
    texts.row(
        "offset to LSP, ns",
        &[
            ("utf8kit", each(|| places.iter().map(|&place| lsp(place)).sum())),
            ("line-index", each(|| places.iter().filter_map(theirs).sum())),
            ("ropey", each(|| places.iter().map(|&place| rope_position(rope, place).character).sum())),
        ],
    );
    let back = |position: &LspPosition| index.lsp_offset(*position, ColumnUnit::Utf16);
    texts.row(
        "LSP to offset, ns",
        &[
            ("utf8kit", each(|| positions.iter().map(back).sum())),
            ("line-index", each(|| positions.iter().filter_map(|at| texts.line_offset(at)).sum())),
            ("ropey", each(|| positions.iter().map(|&at| rope_offset(rope, at)).sum())),
        ],
    );
    let chars = |place: &usize| index.position(*place, ColumnUnit::CodePoints);
    let mut cells = vec![
        ("utf8kit", each(|| places.iter().map(chars).sum())),
        ("ropey", each(|| places.iter().map(|&place| rope.byte_to_char_idx(place)).sum())),
    ];
    if text.len() < 10_000_000 {
        let count = |&place: &usize| str_indices::chars::from_byte_idx(text, place);
        cells.push(("str_indices", each(|| places.iter().map(count).sum())));
    }
    texts.row("offset to code point, ns", &cells);
    Ok(())
}

const LINES: LineType = LineType::LF_CR;

fn rope_position(rope: &Rope, place: usize) -> LspPosition {
    let line = rope.byte_to_line_idx(place, LINES);
    let start = rope.byte_to_utf16_idx(rope.line_to_byte_idx(line, LINES));
    LspPosition::new(line, rope.byte_to_utf16_idx(place) - start)
}

fn rope_offset(rope: &Rope, position: LspPosition) -> usize {
    let start = rope.byte_to_utf16_idx(rope.line_to_byte_idx(position.line, LINES));
    rope.utf16_to_byte_idx(start + position.character)
}

/// Each edit inserts a letter somewhere, or removes it again. The edited texts for the index are prepared in advance,
/// because moving 100 MB would evict everything else from the caches. The rope owns its text.
fn edits(name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let mut places = places(text);
    places.truncate(if text.len() > 10_000_000 { 4 } else { 100 });
    let mut index = TextIndex::new(text.as_bytes());
    let mut flat = Flat::new(text);
    let with_letter = |place: usize| {
        let (before, after) = text.as_bytes().split_at(place);
        [before, b"x", after].concat()
    };
    let longer: Vec<Vec<u8>> = places.iter().map(|&place| with_letter(place)).collect();
    let changes: Vec<_> = places
        .iter()
        .zip(&longer)
        .flat_map(|(&place, longer)| [(place..place, 1, &longer[..]), (place..place + 1, -1, text.as_bytes())])
        .collect();
    let ours = time(|| changes.iter().try_for_each(|(range, _, text)| index.edit(range.clone(), text)));
    let vectors = time(|| changes.iter().for_each(|(range, more, text)| flat.edit(range.start, *more, text)));
    let mut rope = Rope::from_str(text);
    let ropes = time(|| {
        for &place in &places {
            rope.insert(place, "x");
            rope.remove(place..place + 1);
        }
    });
    let again = time(|| LineIndex::new(text));
    let each = |all: Duration| all.as_secs_f64() * 1e6 / changes.len() as f64;
    row(
        "edit, us",
        name,
        text.len(),
        &[
            ("utf8kit", each(ours)),
            ("plain-vector", each(vectors)),
            ("ropey", each(ropes)),
            ("line-index-again", again.as_secs_f64() * 1e6),
        ],
    );
    Ok(())
}

/// The same checkpoints as a plain vector of absolute counts, for comparison.
struct Flat(Vec<[u64; 4]>);

impl Flat {
    fn new(text: &str) -> Flat {
        let mut at = [0_u64; 4];
        let blocks = text.as_bytes().chunks(512).map(|block| {
            let before = at;
            at[0] += block.len() as u64;
            at[1] += block.iter().filter(|&&byte| byte as i8 >= -64).count() as u64;
            before
        });
        Flat(blocks.collect())
    }

    /// Counts the block again and adds the difference to all blocks after it; blocks are not divided.
    fn edit(&mut self, place: usize, more: isize, text: &[u8]) {
        let behind = self.0.partition_point(|before| before[0] <= place as u64);
        let start = self.0[behind - 1][0] as usize;
        let end = self.0.get(behind).map_or(text.len(), |next| next[0].saturating_add_signed(more as i64) as usize);
        black_box(utf8kit::Utf8.utf16_len(&text[start..end.min(text.len())]));
        for before in &mut self.0[behind..] {
            before[0] = before[0].wrapping_add_signed(more as i64);
            before[1] = before[1].wrapping_add_signed(more as i64);
            before[2] = before[2].wrapping_add_signed(more as i64);
        }
    }
}

/// Looks up ten thousand positions at once.
fn bulk() -> Result<(), Box<dyn Error>> {
    for (name, sample) in TEXTS {
        let text = sample.repeat(1_000_000 / sample.len() + 1);
        let index = TextIndex::new(text.as_bytes());
        let at = index.on(text.as_bytes())?;
        let mut many: Vec<usize> = (0..10).flat_map(|_| places(&text)).collect();
        let each = |time: Duration| time.as_secs_f64() * 1e9 / many.len() as f64;
        let unsorted = each(time(|| at.lsp_positions(&many, ColumnUnit::Utf16)));
        many.sort_unstable();
        let sorted = time(|| at.lsp_positions(&many, ColumnUnit::Utf16)).as_secs_f64() * 1e9 / many.len() as f64;
        row("10,000 at once, ns each", name, text.len(), &[("unsorted", unsorted), ("sorted", sorted)]);
    }
    Ok(())
}

/// Invalid text: an error every hundred bytes, and Latin-1.
fn broken() {
    let mut errors = TEXTS[2].1.repeat(12_000).into_bytes();
    errors.iter_mut().step_by(100).for_each(|byte| *byte = 0xFF);
    let latin1 = b"caf\xE9 au lait, na\xEFve, d\xE9j\xE0 vu\n".repeat(30_000);
    for (name, text) in [("an error/100", errors), ("Latin-1", latin1)] {
        let speed = text.len() as f64 / 1e9 / time(|| TextIndex::new(&text)).as_secs_f64();
        row("build, GB/s", name, text.len(), &[("utf8kit", speed)]);
    }
}

/// Each level of instructions.
fn levels() -> Result<(), Box<dyn Error>> {
    for level in utf8kit::Level::available() {
        for (name, sample) in TEXTS {
            let text = sample.repeat(1_000_000 / sample.len() + 1);
            let build = || time(|| TextIndex::new(text.as_bytes()));
            let speed = text.len() as f64 / 1e9 / utf8kit::with_level(level, build)?.as_secs_f64();
            row("build, GB/s", name, text.len(), &[(level.name(), speed)]);
        }
    }
    Ok(())
}
