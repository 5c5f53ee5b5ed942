//! Documents, and damage between two versions of a file. This is a module of its own because few programs need it, and
//! it also needs the tables of `detect`.
//!
//! Texts of any length are passed in pieces, with [`give`], before the call that uses them. Positions in a text count
//! UTF-16 code units, as in JavaScript; positions in a file count bytes.
use std::collections::HashSet;
use std::ops::Range;

use utf8kit::ColumnUnit;
use utf8kit_document::{Damage, DamageKind, Document, EditError, LineEnds, Unencodable, compare};

use crate::memory::{Memory, with_memory};

/// The state of the module between calls.
#[derive(Default)]
pub(crate) struct State {
    /// Texts of any length for the next call.
    given: [Vec<u8>; 2],
    /// Damaged places for the next restoration to undo.
    places: HashSet<[usize; 4]>,
}

/// Writes the names of the kinds of damage to `output`, one per line.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn damage_names() {
    with_memory(|memory| memory.write_lines(&DamageKind::ALL.map(DamageKind::name)));
}

/// Adds the first `len` bytes of `input` to the first (0) or second (1) text for the next call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn give(which: usize, len: usize) {
    with_memory(|memory| {
        let Memory { input, states, .. } = memory;
        if let Some(given) = states.of::<State>().given.get_mut(which) {
            given.extend_from_slice(&input[..len.min(input.len())]);
        }
    });
}

/// Opens the first given text as a document. The name of its encoding is the first `len` bytes of `input`; without one,
/// it is detected. `exact` shows line ends as they are. `unencodable` is the handling of characters that the encoding
/// lacks: 0 refuse, 1 transliterate, 2 escape, 3 recode. Returns -1 if the encoding is unknown.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn document(len: usize, exact: u32, unencodable: u32) -> i32 {
    with_memory(|memory| {
        let bytes = std::mem::take(&mut memory.states.of::<State>().given[0]);
        let document = match memory.name(len) {
            "" => Document::open(bytes),
            name => {
                let Ok(charset) = name.parse() else { return -1 };
                Document::open_as(charset, bytes)
            }
        };
        let document = document.with_unencodable(match unencodable {
            0 => Unencodable::Refuse,
            1 => Unencodable::Transliterate,
            2 => Unencodable::Escape,
            _ => Unencodable::Recode,
        });
        let document = if exact != 0 { document.with_line_ends(LineEnds::Exact) } else { document };
        memory.open.add(document)
    })
}

/// Runs `work` on a document, with its result in `output` and `numbers`.
fn with_document<R: Default>(
    handle: usize,
    work: impl FnOnce(&mut Document<'static>, &[u8], &mut Vec<u8>, &mut Vec<f64>) -> R,
) -> R {
    with_memory(|memory| {
        let Memory { output, numbers, open, states, .. } = memory;
        output.clear();
        numbers.clear();
        let given = std::mem::take(&mut states.of::<State>().given[0]);
        let Some(document) = open.get::<Document<'static>>(handle) else { return R::default() };
        work(document, &given, output, numbers)
    })
}

/// Writes the text of a document to `output`, as UTF-8.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn text(handle: usize) {
    with_document(handle, |document, _, output, _| output.extend_from_slice(document.text().as_bytes()));
}

/// Writes the bytes of a document to `output`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bytes(handle: usize) {
    with_document(handle, |document, _, output, _| output.extend_from_slice(&document.to_bytes()));
}

/// Writes the names of a document's encodings to `output`, one per line, and to `numbers` the length of its byte order
/// mark, whether it was edited, and whether an edit has made it UTF-8.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn facts(handle: usize) {
    with_document(handle, |document, _, output, numbers| {
        let names: Vec<String> = document.encodings().iter().map(|codec| codec.name().to_ascii_lowercase()).collect();
        *output = names.join("\n").into_bytes();
        let flags = [document.is_edited(), document.is_recoded()].map(|flag| f64::from(u8::from(flag)));
        numbers.extend([document.mark() as f64, flags[0], flags[1]]);
    });
}

/// Replaces a range of a document's text by the given text. Returns 0 on success; 1 if the range does not consist of
/// whole characters; 2 if the encoding lacks a character. Then `numbers` has its place in the new text, line, column
/// and code point, and `output` the name of the encoding.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn replace(handle: usize, start: usize, end: usize) -> u32 {
    with_document(handle, |document, given, output, numbers| {
        let Ok(new) = str::from_utf8(given) else { return 1 };
        let Some(range) = range_in(document, start..end) else { return 1 };
        let result = document.replace(range.clone(), new);
        refused(result, || edited(document.text(), range, new), output, numbers)
    })
}

/// Makes the given text the text of a document, by a small edit; see [`replace`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn set_text(handle: usize) -> u32 {
    with_document(handle, |document, given, output, numbers| {
        let Ok(new) = str::from_utf8(given) else { return 1 };
        let result = document.set_text(new);
        refused(result, || new.to_owned(), output, numbers)
    })
}

/// Returns a text with a range replaced.
fn edited(text: &str, range: Range<usize>, new: &str) -> String {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    [part(0..range.start), new, part(range.end..text.len())].concat()
}

/// Reports the result of an edit, with the place in the new text at which it was rejected.
fn refused(
    result: Result<(), EditError>,
    new: impl FnOnce() -> String,
    output: &mut Vec<u8>,
    numbers: &mut Vec<f64>,
) -> u32 {
    let lacking = match result {
        Ok(()) => return 0,
        Err(EditError::Lacking(lacking)) => lacking,
        Err(_) => return 1,
    };
    let place = new().get(..lacking.offset).map_or(0, utf8kit::utf16_len);
    let scalar = f64::from(u32::from(lacking.scalar));
    numbers.extend([place as f64, lacking.line as f64, lacking.column as f64, scalar]);
    *output = lacking.encoding.name().to_ascii_lowercase().into_bytes();
    2
}

/// Writes the start and the end of the byte range of a range of a document's text to `numbers`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bytes_range(handle: usize, start: usize, end: usize) -> u32 {
    with_document(handle, |document, _, _, numbers| {
        let Some(range) = range_in(document, start..end) else { return 1 };
        let range = document.to_bytes_range(range);
        numbers.extend([range.start as f64, range.end as f64]);
        0
    })
}

/// Writes the start and the end of the text range of a range of a document's bytes to `numbers`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn text_range(handle: usize, start: usize, end: usize) {
    with_document(handle, |document, _, _, numbers| {
        let range = document.to_text_range(start..end.max(start));
        let position = |offset| document.position_of(offset, ColumnUnit::Utf16) as f64;
        numbers.extend([range.start, range.end].map(position));
    });
}

/// Writes to `numbers` the places of a document's original text that stand for bytes that are not text: the start and
/// the end of each in the text, and in the bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn opaque(handle: usize) {
    with_document(handle, |document, _, _, numbers| {
        let original = document.original_text();
        let (mut at, mut units) = (0, 0);
        for (text, bytes) in document.opaque() {
            let mut place = |end: usize| {
                units += utf8kit::utf16_len(original.get(at..end).unwrap_or_default());
                at = end;
                units as f64
            };
            let (start, end) = (place(text.start), place(text.end));
            numbers.extend([start, end, bytes.start as f64, bytes.end as f64]);
        }
    });
}

/// Compares the two given texts, the old version of a file and the new one. Writes to `output` the name of the encoding
/// of the new one, and to `numbers` the number of damaged places, each of them (its kind, an index of `damage_names`,
/// its start and end in the old version and in the new one, its line and column, whether it is doubtful), and the edits
/// (start and end in the old version, and in the new one).
#[unsafe(no_mangle)]
pub(crate) extern "C" fn compare_versions() {
    with_memory(|memory| {
        let [old, new] = std::mem::take(&mut memory.states.of::<State>().given);
        let comparison = compare(&old, &new);
        let numbers = &mut memory.numbers;
        numbers.clear();
        numbers.push(comparison.damage.len() as f64);
        for damage in &comparison.damage {
            let kind = DamageKind::ALL.iter().position(|&kind| kind == damage.kind).unwrap_or_default();
            numbers.push(kind as f64);
            numbers.extend(place_of(damage).map(|end| end as f64));
            numbers.extend([damage.line as f64, damage.column as f64, f64::from(u8::from(damage.doubtful))]);
        }
        for edit in &comparison.edits {
            numbers.extend([edit.old.start, edit.old.end, edit.new.start, edit.new.end].map(|end| end as f64));
        }
        memory.output = comparison.view.written().to_ascii_lowercase().into_bytes();
    });
}

/// Undoes the damage between the two given texts, and writes the result to `output`. Doubtful places stay unchanged;
/// with `listed`, so do places not passed to [`list`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn restore_version(listed: u32) {
    with_memory(|memory| {
        let [old, new] = std::mem::take(&mut memory.states.of::<State>().given);
        let places = std::mem::take(&mut memory.states.of::<State>().places);
        let comparison = compare(&old, &new);
        let mut damage = comparison.damage.clone();
        damage.retain(|one| listed == 0 || places.contains(&place_of(one)));
        memory.output = comparison.restore(&old, &new, &damage);
    });
}

/// Selects a damaged place for [`restore_version`], by its start and end in the old version and in the new one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn list(old_start: usize, old_end: usize, new_start: usize, new_end: usize) {
    with_memory(|memory| memory.states.of::<State>().places.insert([old_start, old_end, new_start, new_end]));
}

/// Returns the start and end of a damaged place in the old version, and in the new one.
fn place_of(damage: &Damage) -> [usize; 4] {
    [damage.old.start, damage.old.end, damage.new.start, damage.new.end]
}

/// Returns the byte range of a range of UTF-16 code units; `None` if it does not consist of whole characters of the
/// text.
fn range_in(document: &Document<'_>, range: Range<usize>) -> Option<Range<usize>> {
    let offset = |position| document.offset_of(position, ColumnUnit::Utf16);
    (range.start <= range.end).then_some(offset(range.start)?..offset(range.end)?)
}
