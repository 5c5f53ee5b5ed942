//! Tests that nothing outside the slices is read or written: inputs and outputs are next to pages that must not be
//! accessed, at either end. An access ends the process, and with it the test, by a signal.
#![cfg(all(unix, feature = "std", feature = "summary"))]
#![allow(unsafe_code, reason = "memory with a forbidden page on each side comes from the system")]

use utf8kit::summary::{Stats, Summary};
use utf8kit::{
    AnyEncoding, Encoding as _, Latin1, Level, Piece, Policy, Utf8, Utf16, Utf16Le, Utf32, code_point_offset,
    convert_into, convert_lossy_into, converted_len, converted_len_lossy, count, is_ascii, utf16_len, validate,
};

/// Memory between two pages that must not be accessed.
struct Guarded {
    start: *mut u8,
    len: usize,
    page: usize,
}

impl Guarded {
    /// Allocates at least `room` bytes.
    fn new(capacity: usize) -> Guarded {
        // SAFETY: only returns a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let len = capacity.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: new memory at an address that the system chooses.
        let all = unsafe { libc::mmap(std::ptr::null_mut(), len + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(all, libc::MAP_FAILED);
        // SAFETY: one page into memory of at least three pages.
        let start = unsafe { all.cast::<u8>().add(page) };
        // SAFETY: the pages between the first and the last, which this function has allocated.
        let allowed = unsafe { libc::mprotect(start.cast(), len, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(allowed, 0);
        Guarded { start, len, page }
    }

    /// Returns `len` bytes right after the first forbidden page, or right before the last one.
    fn slice(&mut self, len: usize, at_end: bool) -> &mut [u8] {
        assert!(len <= self.len);
        let offset = if at_end { self.len - len } else { 0 };
        // SAFETY: within the memory.
        let start = unsafe { self.start.add(offset) };
        // SAFETY: within the memory, which is initialised with zeros and borrowed nowhere else.
        unsafe { std::slice::from_raw_parts_mut(start, len) }
    }

    fn holding(&mut self, bytes: &[u8], at_end: bool) -> &[u8] {
        let slice = self.slice(bytes.len(), at_end);
        slice.copy_from_slice(bytes);
        slice
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the start of the memory.
        let all = unsafe { self.start.sub(self.page) };
        // SAFETY: the whole memory, of which no part is borrowed any more.
        unsafe { libc::munmap(all.cast(), self.len + 2 * self.page) };
    }
}

const LONGEST: usize = 256;
/// The maximum output: six bytes per item in any encoding, and items of one byte.
const CAPACITY: usize = 6 * LONGEST;

/// Returns texts of one width and of several, with errors, and with escapes.
fn texts() -> Vec<Vec<u8>> {
    let long = |text: &[u8]| text.iter().copied().cycle().take(LONGEST + 8).collect();
    [
        "plain ascii text, ".as_bytes(),
        "приветмир".as_bytes(),
        "漢字仮名".as_bytes(),
        "😀🙏🌍".as_bytes(),
        "aé漢😀 mixed ünd ".as_bytes(),
        b"some \xFF bad\xE2\x82 \xED\xA0\xBD\xED\xB8\x80 \xF0\x9F\x98 \xC0\x80 text ",
        b"\xE6\xBC\x80\x80\xF4\x90\x80\x80\xF8\xC3",
        br"\x41\xE2\x82\xAC\xFF ",
    ]
    .into_iter()
    .map(long)
    .collect()
}

/// The level applies to the whole process, so only one test runs at a time.
fn on_every_level(check: impl Fn()) {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = TURN.lock().unwrap();
    for level in Level::available() {
        level.force().unwrap();
        check();
    }
}

/// Calls `check` for every length, at both ends.
fn each_place(mut check: impl FnMut(usize, bool)) {
    for len in 0..=LONGEST {
        check(len, false);
        check(len, true);
    }
}

#[test]
fn reading() {
    let encoded = |encoding, text: &[u8]| utf8kit::convert_lossy(Utf8, encoding, text, Policy::REPLACE);
    on_every_level(|| {
        let mut memory = Guarded::new(LONGEST);
        for text in texts() {
            for &encoding in AnyEncoding::ALL {
                // The broken text itself, and text that is well formed in the encoding.
                for bytes in [&encoded(encoding, &text), &text] {
                    each_place(|len, at_end| read(encoding, memory.holding(&bytes[..len.min(bytes.len())], at_end)));
                }
            }
        }
    });
}

fn read(encoding: AnyEncoding, bytes: &[u8]) {
    let len = bytes.len();
    let first = encoding.validate(bytes).err();
    assert_eq!(first, encoding.errors(bytes).next());
    let total = encoding.count(bytes);
    assert_eq!(total, encoding.items(bytes).count());
    assert_eq!(encoding.code_point_offset(bytes, total), Some(len));
    assert!(encoding.code_point_offset(bytes, total / 2).is_some());
    assert!(encoding.code_point_index(bytes, len / 2) <= total);
    assert!(encoding.utf16_len(bytes) >= total);
    assert!(encoding.floor_char_boundary(bytes, len / 2) <= encoding.ceil_char_boundary(bytes, len / 2));
    assert_eq!(encoding.decode_last(bytes).is_none(), len == 0);
    assert!(encoding.compare(bytes, encoding, bytes).is_eq());
    assert_eq!(Stats::of(encoding, bytes, 0..len).bytes, len as u64);
    assert_eq!(Summary::of(encoding, bytes, 0..len, 0, 4).is_valid(), first.is_none());
    if encoding == AnyEncoding::Utf8 {
        assert_eq!(is_ascii(bytes), bytes.iter().all(u8::is_ascii));
        assert!(Utf8.unescape(bytes).len() <= len);
        if let Ok(text) = validate(bytes) {
            assert_eq!(count(text), total);
            assert!(utf16_len(text) >= total);
            assert_eq!(code_point_offset(text, total), Some(len));
        }
    }
}

#[test]
fn converting_and_repairing() {
    on_every_level(|| {
        let (mut memory, mut output) = (Guarded::new(LONGEST), Guarded::new(CAPACITY));
        for text in texts() {
            for &from in AnyEncoding::ALL {
                let bytes = utf8kit::convert_lossy(Utf8, from, &text, Policy::REPLACE);
                for &to in AnyEncoding::ALL {
                    // For all pairs, test every fifth length, with a different offset for each pair.
                    let all = from == AnyEncoding::Utf8 || to == AnyEncoding::Utf8;
                    let turn = (from as usize + to as usize) % 5;
                    each_place(|len, at_end| {
                        if all || len % 5 == turn {
                            let bytes = memory.holding(&bytes[..len.min(bytes.len())], at_end);
                            convert(from, to, bytes, &mut output, at_end);
                        }
                    });
                }
                each_place(|len, at_end| {
                    let bytes = memory.holding(&text[..len], at_end);
                    let exact = converted_len_lossy(from, from, bytes, Policy::REPLACE) as usize;
                    for capacity in [exact, exact / 2] {
                        let out = output.slice(capacity, at_end);
                        assert!(from.repair_into(bytes, Piece::Last, Policy::REPLACE, out).written <= capacity);
                    }
                });
            }
        }
    });
}

/// Converts into a buffer of exactly the right size, and into half of it.
fn convert(from: AnyEncoding, to: AnyEncoding, bytes: &[u8], output: &mut Guarded, at_end: bool) {
    let exact = converted_len_lossy(from, to, bytes, Policy::REPLACE) as usize;
    let out = output.slice(exact, at_end);
    assert_eq!(convert_lossy_into(from, to, bytes, Piece::Last, Policy::REPLACE, out).written, exact);
    let out = output.slice(exact / 2, at_end);
    assert!(convert_lossy_into(from, to, bytes, Piece::Last, Policy::REPLACE, out).written <= exact / 2);
    let strict = converted_len(from, to, bytes)
        .or_else(|error| converted_len(from, to, &bytes[..error.valid_up_to()]))
        .unwrap_or(0) as usize;
    let out = output.slice(strict, at_end);
    assert!(convert_into(from, to, bytes, Piece::Last, out).written <= strict);
}

/// The short paths, which only types have, with buffers smaller than whole vectors, just large enough for these, and
/// larger.
#[test]
fn short_conversions() {
    let types = |text: &[u8], units: &[u8], out: &mut Guarded, at_end: bool| {
        for capacity in [text.len(), 2 * text.len() + 40, 4 * text.len() + 300] {
            let out = out.slice(capacity, at_end);
            assert!(convert_into(Utf8, Utf16Le, text, Piece::Last, out).written <= capacity);
            assert!(convert_into(Utf8, Latin1, text, Piece::Last, out).written <= capacity);
            assert!(convert_into(Utf16Le, Utf8, units, Piece::Last, out).written <= capacity);
        }
    };
    on_every_level(|| {
        let mut memory = [Guarded::new(LONGEST), Guarded::new(2 * LONGEST)];
        let mut output = Guarded::new(4 * LONGEST + 300);
        for text in texts() {
            let all = utf8kit::convert_lossy(Utf8, Utf16Le, &text, Policy::REPLACE);
            each_place(|len, at_end| {
                let [bytes, units] = &mut memory;
                let units = units.holding(&all[..(2 * len).min(all.len())], at_end);
                types(bytes.holding(&text[..len], at_end), units, &mut output, at_end);
            });
        }
    });
}

#[test]
fn units_and_words() {
    on_every_level(|| {
        let (mut memory, mut output) = (Guarded::new(4 * LONGEST), Guarded::new(CAPACITY));
        for text in texts() {
            each_place(|len, at_end| {
                let bytes = memory.holding(&text[..len], at_end);
                let units = Utf8.utf16_len(bytes);
                // SAFETY: any bit pattern is a valid unit.
                let (_, out, _) = unsafe { output.slice(2 * units, at_end).align_to_mut::<u16>() };
                let written = convert_into(Utf8, Utf16, bytes, Piece::Last, out).written;
                assert!(Utf16.validate(&out[..written]).is_ok());
                out.iter_mut().step_by(3).for_each(|unit| *unit = 0xD800);
                Utf16.repair_in_place(out);
                assert!(Utf16.validate(out).is_ok());
                // SAFETY: any bit pattern is a valid word.
                let (_, out, _) = unsafe { output.slice(4 * len, at_end).align_to_mut::<u32>() };
                let written = convert_into(Utf8, Utf32, bytes, Piece::Last, out).written;
                assert!(Utf32.validate(&out[..written]).is_ok());
            });
        }
    });
}
