//! Tests the law of views: writing the text of a view gives its bytes, and an edit changes no byte outside it.

use std::sync::atomic::{AtomicUsize, Ordering};

use utf8kit_encodings::charset::{Charset, Family};

use crate::{Document, EditError, LineEnds};
use utf8kit_testing::Random;

/// The encodings that `UTF8KIT_CHARSETS` lists, separated by commas, or all. Single-byte encodings, which differ only
/// in their tables, are represented by one with ASCII, one of mainframes, and two with only a part of ASCII.
fn charsets() -> Vec<Charset> {
    match std::env::var("UTF8KIT_CHARSETS") {
        Ok(names) => names.split(',').map(|name| name.parse().unwrap()).collect(),
        Err(_) => {
            let of_one_byte = |charset: &Charset| {
                let Charset::Legacy(legacy) = charset else { return false };
                legacy.is_single_byte() && legacy.family() != Family::Web
            };
            let is_tested = |charset: &Charset| {
                !of_one_byte(charset) || ["CP437", "CP037", "VISCII", "GREEK7"].contains(&charset.to_string().as_str())
            };
            Charset::names().map(|name| name.parse().unwrap()).filter(is_tested).collect()
        }
    }
}

/// Bytes that begin, end or invalidate a sequence in some encoding.
const ATOMS: [&[u8]; 30] = [
    b"a", b"-", b"+", b"\r", b"\n", b"\r\n", b"AOkA6Q-", b"+AOk-", b"\x1B$B", b"\x1B(B", b"\x1B(J", b"$\"", b"\x1B",
    b"\0", b"\xC3\xA9", b"\xED\xA0\x80", b"\xED\xB0\x80", b"\x82\xA0", b"\x81\x30", b"\x8A\x39", b"\xFF", b"\xFE",
    b"\x88\x62", b"\xD8\x3D", b"\x3D\xD8", b"\xF0\x9F\x98\x80", b"\x8E", b"\xE9", b"\x15", b"\x25",
];

/// Shifts, and the bytes after them.
const SHIFTS: [&[u8]; 24] = [
    b"\x0E", b"\x0F", b"~{", b"~}", b"~", b"~~", b"~\n", b"\x1B$)C", b"\x1B$)A", b"\x1B$B", b"\x1B(B", b"\x1B(J",
    b"\x1B(I", b"0!", b"VP", b"1", b"a", b"\0", b" ", b"\n", b"+AOk", b"+AOkA6Q", b"-", b"!",
];

/// Asserts the law for a string, and that its text is the text of its pieces.
fn holds(charset: Charset, bytes: &[u8], line_ends: LineEnds) {
    let mut document = Document::open_as(charset, bytes);
    if line_ends != LineEnds::default() {
        document = document.with_line_ends(line_ends);
    }
    assert!(document.to_bytes() == bytes, "{charset}: {}", bytes.escape_ascii());
    let context = || format!("{charset}: {}", bytes.escape_ascii());
    let (mut byte, mut text) = (document.mark(), 0);
    for piece in document.view.pieces() {
        assert_eq!((piece.bytes.start, piece.text.start), (byte, text), "{}", context());
        (byte, text) = (piece.bytes.end, piece.text.end);
    }
    assert_eq!((byte, text), (bytes.len(), document.text().len()), "{}", context());
}

/// Asserts that an insertion at each place changes no byte outside it.
fn insertions_hold(charset: Charset, bytes: &[u8], new: &str) {
    let document = Document::open_as(charset, bytes);
    let text = document.text().to_owned();
    let places = (0..=text.len()).filter(|&at| text.is_char_boundary(at));
    for at in places {
        let mut document = document.clone();
        let context = || format!("{charset}: {} with {new:?} at {at} of {text:?}", bytes.escape_ascii());
        match document.replace(at..at, new) {
            Ok(()) => {}
            Err(EditError::Lacking(_)) => continue,
            Err(error) => panic!("{error}: {}", context()),
        }
        let [before, after] = [&text[..at], &text[at..]];
        assert_eq!(document.text(), [before, new, after].concat(), "{}", context());
        let put = document.to_bytes().into_owned();
        let piece = document.view.pieces().find(|piece| piece.text.start < at && at < piece.text.end);
        if let Some(piece) = piece {
            // The place is within a piece, which is encoded again.
            assert!(put.starts_with(&bytes[..piece.bytes.start]), "{}", context());
            assert!(put.ends_with(&bytes[piece.bytes.end..]), "{}", context());
            continue;
        }
        let outside = document.view.pieces().find(|piece| piece.text.end >= at);
        let start = outside
            .map_or(bytes.len(), |piece| if at == piece.text.start { piece.bytes.start } else { piece.bytes.end });
        assert!(put.starts_with(&bytes[..start]), "{}: {}", context(), put.escape_ascii());
        assert!(put.ends_with(&bytes[start..]), "{}: {}", context(), put.escape_ascii());
        assert!(put.len() > bytes.len(), "{}", context());
        // Inserted text is read back unchanged, except that a line feed after a lone CR joins it to a line end.
        if document.opaque().next().is_none() && !document.text().contains("\r\n") {
            let again = Document::open_as(charset, &*put);
            assert_eq!(again.text(), document.text(), "{}: {}", context(), put.escape_ascii());
        }
    }
}

/// All strings of one byte, and some of two.
#[test]
fn strings_of_one_or_two_bytes() {
    let charsets = charsets();
    on_all_cores(charsets.len(), |number| {
        let charset = charsets[number];
        insertions_hold(charset, b"", "x");
        for value in (0..0x1_0100_u32).filter(|value| *value < 0x100 || value % 17 == 0) {
            let bytes = one_or_two(value);
            holds(charset, &bytes, LineEnds::Lf);
            holds(charset, &bytes, LineEnds::Exact);
            if value < 0x100 || value % 3 == 0 {
                insertions_hold(charset, &bytes, "x");
            }
        }
    });
}

/// Returns the string of a number, which has one byte or two.
fn one_or_two(value: u32) -> Vec<u8> {
    match value.checked_sub(0x100) {
        None => vec![value as u8],
        Some(value) => (value as u16).to_be_bytes().to_vec(),
    }
}

/// Calls a function for each number below `count`, on all cores.
fn on_all_cores(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.by_ref().take_while(|number| *number < count).for_each(&work);
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(run);
        }
    });
}

/// Ten minutes on two cores, optimised.
#[test]
#[ignore = "takes minutes; run it with --release"]
fn all_strings_of_three_bytes() {
    // If a line feed ends every piece, a document can hold many strings, one per line.
    let strings = |first: u8| (0..0x1_0000_u32).map(move |rest| [first, (rest >> 8) as u8, rest as u8]);
    let charsets = charsets();
    on_all_cores(charsets.len() * 256, |number| {
        let (charset, first) = (charsets[number / 256], number as u8);
        if crate::view::feed(charset.writer()) == Some(b"\n") {
            let lines: Vec<u8> = strings(first).flat_map(|[a, b, c]| [a, b, c, b'\n']).collect();
            holds(charset, &lines, LineEnds::Lf);
        } else {
            strings(first).for_each(|bytes| holds(charset, &bytes, LineEnds::Lf));
        }
    });
}

/// A minute on one core, optimised.
#[test]
#[ignore = "takes minutes; run it with --release"]
fn insertions_into_all_strings_of_one_or_two_bytes() {
    let charsets = charsets();
    on_all_cores(charsets.len() * 257, |number| {
        let (charset, first) = (charsets[number / 257], (number % 257) as u32 * 0x100);
        for value in first..first + 0x100 {
            let bytes = one_or_two(value);
            holds(charset, &bytes, LineEnds::Lf);
            insertions_hold(charset, &bytes, "x");
        }
    });
}

/// If a line feed ends every piece, each string is a line of one document, and text is inserted in each line before its
/// first piece, then before its second, and so on. In other encodings, a part of all strings is tested.
#[test]
#[ignore = "takes minutes; run it with --release"]
fn insertions_into_all_strings_of_three_bytes() {
    let charsets = charsets();
    on_all_cores(charsets.len() * 256, |number| {
        let (charset, first) = (charsets[number / 256], number as u8);
        let codec = charset.writer();
        if crate::view::feed(codec) != Some(b"\n") {
            for rest in (u32::from(first) % 61..0x1_0000).step_by(61) {
                insertions_hold(charset, &[first, (rest >> 8) as u8, rest as u8], "x");
            }
            return;
        }
        let lines = (0..0x1_0000_u32).flat_map(|rest| [first, (rest >> 8) as u8, rest as u8, b'\n']);
        let bytes: Vec<u8> = lines.collect();
        let document = Document::open_as(charset, &bytes);
        for nth in 0..4 {
            let (mut edited, mut wanted) = (document.clone(), Vec::with_capacity(bytes.len()));
            wanted.extend_from_slice(&bytes[..document.mark()]);
            let (mut in_line, mut inserted) = (0, 0);
            for piece in document.view.pieces() {
                if in_line == nth {
                    edited.replace(piece.text.start + inserted..piece.text.start + inserted, "x").unwrap();
                    inserted += 1;
                    wanted.push(b'x');
                }
                wanted.extend_from_slice(&bytes[piece.bytes.clone()]);
                let is_end = document.text()[piece.text].ends_with('\n');
                in_line = if is_end { 0 } else { in_line + 1 };
            }
            assert!(edited.to_bytes() == wanted, "{charset}: {first:02X}, before piece {nth} of each line");
        }
    });
}

/// An edit closes the shift that it leaves open, and reopens the shift around it.
#[test]
fn edits_leave_the_shift_states_around_them_right() {
    /// An encoding, bytes, the text after which new text is inserted, and the resulting bytes.
    type Case = (&'static str, &'static [u8], &'static str, &'static str, &'static [u8]);
    let cases: [Case; 14] = [
        ("iso-2022-kr", b"\x0E\0", "\0", "x", b"\x0E\0\x0Fx"),
        ("iso-2022-kr", b"\x1B$)C\x0E0!", "가", "x", b"\x1B$)C\x0E0!\x0Fx"),
        ("iso-2022-kr", b"\x1B$)C\x0E0!", "가", "나", b"\x1B$)C\x0E0!\x0F\x1B$)C\x0E3*\x0F"),
        ("iso-2022-kr", b"a", "a", "가나", b"a\x1B$)C\x0E0!3*\x0F"),
        ("iso-2022-cn", b"\x1B$)A\x0EVP", "中", "x", b"\x1B$)A\x0EVP\x0Fx"),
        ("hz", b"~{VP", "中", "x", b"~{VP~}x"),
        ("hz", b"~{VPN", "\u{FFFD}", "x", b"~{VPN~~}x"),
        ("hz", b"~{VP~}a", "中", "文", b"~{VP~}~{ND~}a"),
        ("iso-2022-jp", b"\x1B$B$\"", "あ", "x", b"\x1B$B$\"\x1B(Bx"),
        ("iso-2022-jp", b"\x1B$B$\"$\"", "あ", "x", b"\x1B$B$\"\x1B(Bx\x1B$B$\""),
        ("utf-7", b"+AOk", "é", "x", b"+AOk-x"),
        ("utf-7", b"+AOk!", "é", "x", b"+AOk-x!"),
        ("utf-7", b"+AOk\n", "é", "é", b"+AOk-+AOk-\n"),
        ("utf-7", b"+AOkA6Q!", "é", "x", b"+AOk-x+AOk-!"),
    ];
    for (charset, bytes, behind, new, want) in cases {
        let mut document = Document::open_as(charset.parse().unwrap(), bytes);
        assert!(document.text().starts_with(behind), "{charset}: {:?}", document.text());
        document.replace(behind.len()..behind.len(), new).unwrap();
        assert_eq!(document.to_bytes().escape_ascii().to_string(), want.escape_ascii().to_string(), "{charset}");
    }
}

/// Pairs stay designated if the designation is edited, as strict decoders such as Python's and iconv require.
#[test]
fn edits_leave_pairs_designated() {
    /// An encoding, bytes, the replaced text and its replacement, and the new bytes.
    type Case = (&'static str, &'static [u8], &'static str, &'static str, &'static [u8]);
    let cases: [Case; 7] = [
        ("iso-2022-kr", b"\x1B$)C\x0E0!\x0Fa\n\x0E3*\x0F", "가", "", b"\x1B$)Ca\n\x0E3*\x0F"),
        ("iso-2022-kr", b"\x1B$)C\x0E0!\x0Fa\x0E3*\x0F", "가a", "b", b"b\x1B$)C\x0E3*\x0F"),
        ("iso-2022-kr", b"\x1B$)C\x0E0!\x0Fa\x0E3*\x0F", "가", "나", b"\x1B$)C\x0E3*\x0Fa\x0E3*\x0F"),
        // They were not designated before either.
        ("iso-2022-kr", b"\x0E0!\x0Fa\x0E3*\x0F", "가", "", b"a\x0E3*\x0F"),
        // Everything up to the end of the line depends on the designation.
        ("iso-2022-cn", b"\x1B$)A\x0EVP\x0Fa\x0END\x0F\n", "中", "", b"a\x1B$)A\x0END\x0F\n"),
        ("iso-2022-cn", b"\x1B$)A\x0EVP\x0Fa\x0END\x0F\n", "a", "\n", b"\x1B$)A\x0EVP\x0F\n\x1B$)A\x0END\x0F\n"),
        ("hz", b"~{VP~}a~{ND~}", "中", "", b"a~{ND~}"),
    ];
    for (charset, bytes, old, new, want) in cases {
        let mut document = Document::open_as(charset.parse().unwrap(), bytes);
        let at = document.text().find(old).unwrap();
        document.replace(at..at + old.len(), new).unwrap();
        let put = document.to_bytes();
        assert_eq!(put.escape_ascii().to_string(), want.escape_ascii().to_string(), "{charset}");
    }
}

/// The bytes of compressed text depend on all text before them, so an edit would change the bytes after it.
#[test]
fn compressed_text_is_not_edited() {
    let bytes = b"\x12\x9C\xBE\xC1\xBA\xB2\xB0";
    let mut document = Document::open_as("SCSU".parse().unwrap(), &bytes[..]);
    assert_eq!(document.text(), "Москва");
    let error = document.replace(0..2, "м").unwrap_err();
    assert_eq!(error.to_string(), "text in SCSU cannot be edited: convert it to UTF-8 first");
    assert_eq!(document.to_bytes(), &bytes[..]);
}

/// The designation of pairs is rewritten once, however many edits follow, or once in each line that needs it.
#[test]
fn pairs_are_designated_again_once() {
    let lines: [(&str, &[u8], &[u8]); 2] = [
        (
            "iso-2022-kr",
            b"\x1B$)C\x0E0!\x0Fa\nb\x0E3*\x0Fc\nb\x0E3*\x0Fc\n",
            b"a\nbx\x1B$)C\x0E3*\x0Fc\nbx\x0E3*\x0Fc\n",
        ),
        (
            "iso-2022-cn",
            b"\x1B$)A\x0EVP\x0Fab\x0END\x0Fcb\x0END\x0Fc\nb\x1B$)A\x0END\x0Fc\n",
            b"abx\x1B$)A\x0END\x0Fcbx\x0END\x0Fc\nbx\x1B$)A\x0END\x0Fc\n",
        ),
    ];
    for (charset, bytes, want) in lines {
        let mut document = Document::open_as(charset.parse().unwrap(), bytes);
        let first = document.text().chars().next().unwrap().len_utf8();
        document.replace(0..first, "").unwrap();
        let places: Vec<usize> = document.text().match_indices('b').map(|(at, _)| at + 1).collect();
        for at in places.into_iter().rev() {
            document.replace(at..at, "x").unwrap();
        }
        let put = document.to_bytes();
        assert_eq!(put.escape_ascii().to_string(), want.escape_ascii().to_string(), "{charset}");
    }
}

#[test]
fn mixtures_of_shifts() {
    let mut random = Random::new(0x0F4A_7C15_2545_F491);
    for _ in 0..6000 {
        let charset = random.pick(&["iso-2022-kr", "iso-2022-cn", "hz", "iso-2022-jp", "utf-7"]).parse().unwrap();
        let bytes: Vec<u8> = (0..random.below(9)).flat_map(|_| random.pick(&SHIFTS)).copied().collect();
        holds(charset, &bytes, LineEnds::Lf);
        insertions_hold(charset, &bytes, random.pick(&["x", "\n", "é", "日", "가나", "-", "A", "1\n2", "~", "{"]));
    }
}

#[test]
fn mixtures_of_hard_strings() {
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    let charsets = charsets();
    for _ in 0..4000 {
        let charset = random.pick(&charsets);
        let bytes: Vec<u8> = (0..random.below(9)).flat_map(|_| random.pick(&ATOMS)).copied().collect();
        holds(charset, &bytes, LineEnds::Lf);
        holds(charset, &bytes, LineEnds::Exact);
        insertions_hold(charset, &bytes, random.pick(&["x", "\n", "é", "日", "-", "A", "1\n2"]));
        assert_eq!(Document::open(&bytes).to_bytes(), bytes);
    }
}

#[test]
fn long_texts_have_the_text_of_their_pieces() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for charset in charsets() {
        let bytes: Vec<u8> = (0..4000).flat_map(|_| random.pick(&ATOMS)).copied().collect();
        holds(charset, &bytes, LineEnds::Lf);
        holds(charset, &bytes, LineEnds::Exact);
        let document = Document::open_as(charset, &bytes);
        let pieces: Vec<_> = document.view.pieces().collect();
        for _ in 0..20 {
            let at = random.below(pieces.len());
            let piece = &pieces[at];
            if !piece.text.is_empty() {
                // The escape sequences before it have no text of their own, and belong to it.
                let escapes = pieces[..at].iter().rev().take_while(|one| one.text.is_empty());
                let start = escapes.last().map_or(piece.bytes.start, |first| first.bytes.start);
                assert_eq!(document.to_bytes_range(piece.text.clone()), start..piece.bytes.end, "{charset}");
                assert_eq!(document.to_text_range(piece.bytes.clone()), piece.text, "{charset}");
            }
        }
    }
}

/// In a file with lines in UTF-8 and in another encoding, an edit changes no byte outside it, and a new line takes the
/// encoding of the line before it.
#[test]
fn lines_in_two_encodings() {
    let legacy = b"caf\xE9 tr\xE8s cher, d\xE9j\xE0 vu\r\n";
    let utf8 = "na\u{EF}ve et d\u{E9}sol\u{E9}, \u{E0} bient\u{F4}t\n".as_bytes();
    let mut random = Random::new(0x6C62_272E_07BB_0142);
    for _ in 0..200 {
        let lines: Vec<&[u8]> =
            (0..4 + random.below(8)).map(|_| random.pick(&[legacy, utf8, &b"plain ASCII\n"[..]])).collect();
        let bytes = lines.concat();
        let document = Document::open(&bytes);
        if document.encodings().len() < 2 || document.opaque().next().is_some() {
            continue;
        }
        let line = random.below(lines.len());
        let at = document.text().split_inclusive('\n').take(line).map(str::len).sum::<usize>();
        let mut edited = document.clone();
        edited.replace(at..at, "\u{E9}").unwrap();
        let is_utf8 = |line: &[u8]| !line.is_ascii() && std::str::from_utf8(line).is_ok();
        let mut want = lines.clone();
        // ASCII belongs to the line before it, and the first line to the one after it.
        let owner = lines[..=line].iter().rfind(|line| !line.is_ascii());
        let owner = owner.or_else(|| lines.iter().find(|line| !line.is_ascii())).unwrap();
        let new = if is_utf8(owner) { "\u{E9}".as_bytes() } else { b"\xE9" };
        let with = [new, lines[line]].concat();
        want[line] = &with;
        assert_eq!(edited.to_bytes(), want.concat(), "{}", bytes.escape_ascii());
    }
}

/// The current text, however it is obtained, includes the edits, and a rejected edit changes nothing.
#[test]
fn a_refused_edit_changes_nothing() {
    let mut random = Random::new(0x4528_21E6_38D0_1377);
    for round in 0..500 {
        let mut document = Document::open_as("windows-1252".parse().unwrap(), &b"one\r\ntw\xF6\r\nthree"[..]);
        let mut want = document.text().to_owned();
        for _ in 0..8 {
            let places: Vec<_> = (0..=want.len()).filter(|&at| want.is_char_boundary(at)).collect();
            let (a, b) = (random.pick(&places), random.pick(&places));
            let new = random.pick(&["", "x", "\u{E9}", "\u{65E5}", "a\u{65E5}b", "l\nm"]);
            let before = document.to_bytes().into_owned();
            match document.replace(a.min(b)..a.max(b), new) {
                Ok(()) => want.replace_range(a.min(b)..a.max(b), new),
                Err(EditError::Lacking(lacking)) => {
                    assert_eq!((lacking.scalar, document.to_bytes()), ('\u{65E5}', before.into()));
                }
                Err(error) => panic!("{error}"),
            }
            if round % 2 == 0 {
                assert_eq!(document.text(), want);
            }
        }
        assert_eq!(document.text(), want);
        let again = Document::open_as("windows-1252".parse().unwrap(), document.to_bytes().into_owned());
        assert_eq!(again.text(), want);
    }
}

/// Many successive edits give the same result as setting the last text at once.
#[test]
fn edits_add_up() {
    let mut random = Random::new(0xD1B5_4A32_D192_ED03);
    for _ in 0..3000 {
        let bytes: Vec<u8> = (0..random.below(12)).flat_map(|_| random.pick(&ATOMS)).copied().collect();
        let charset = random.pick(&["utf-8", "utf-16le", "windows-1252", "gb18030", "iso-2022-jp"]).parse().unwrap();
        let mut document = Document::open_as(charset, &bytes);
        for _ in 0..6 {
            let mut want = document.text().to_owned();
            let places: Vec<_> = (0..=want.len()).filter(|&at| want.is_char_boundary(at)).collect();
            let (a, b) = (random.pick(&places), random.pick(&places));
            let new = random.pick(&["", "x", "\n", "ab", "one\ntwo"]);
            want.replace_range(a.min(b)..a.max(b), new);
            document.replace(a.min(b)..a.max(b), new).unwrap();
            assert_eq!(document.text(), want, "{}", bytes.escape_ascii());
        }
        let put = document.to_bytes().into_owned();
        if document.opaque().next().is_none() && !document.text().contains("\r\n") {
            assert_eq!(Document::open_as(charset, &put).text(), document.text(), "{charset} {}", bytes.escape_ascii());
        }
    }
}

/// Text added to a line of UTF-8 among lines in another encoding is UTF-8, however few such lines there are.
#[test]
fn few_lines_of_utf8_stay_utf8() {
    let other = b"dol\x9Eina tipa, \xE8etudi\npo\x9Aevnice zaklju\xE8ne\nni obi\xE8ajna datoteka\n".repeat(8);
    let old = [&other, "Preglednica različic, ki jih še ni:\n".as_bytes(), &other].concat();
    let mut document = Document::open(&old);
    assert_eq!(document.encodings().len(), 2);
    let at = document.text().find(" različic").unwrap();
    document.replace(at..at, " dolžin").unwrap();
    let wanted = [&other, "Preglednica dolžin različic, ki jih še ni:\n".as_bytes(), &other].concat();
    assert_eq!(document.to_bytes(), wanted);
}

/// Characters that form one piece, such as a run of Base64, are written once, however often they are edited.
#[test]
fn edits_in_one_piece_are_written_together() {
    let mut random = Random::new(0x3C6E_F372_FE94_F82B);
    for name in ["utf-7", "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312"] {
        let charset: Charset = name.parse().unwrap();
        let mut source = Document::open_as(charset, &b""[..]);
        source.set_text("a“文中я\nя文“中中\n").unwrap();
        let bytes = source.to_bytes().into_owned();
        for _ in 0..300 {
            let mut document = Document::open_as(charset, &bytes);
            for _ in 0..3 {
                let places: Vec<usize> = document.text().char_indices().map(|(at, _)| at).collect();
                let [one, other] = [0; 2].map(|_| random.below(places.len()));
                let end = if random.below(2) == 0 { one } else { one.max(other) };
                document.replace(places[one]..places[end], random.pick(&["", "b", "文", "“я"])).unwrap();
            }
            let written = document.to_bytes();
            let read = Document::open_as(charset, &*written);
            assert_eq!(read.text(), document.text(), "{name}: {}", written.escape_ascii());
            for (at, scalar) in document.text().char_indices() {
                let range = document.to_bytes_range(at..at + scalar.len_utf8());
                let back = document.to_text_range(range.clone());
                let holds = range.end <= written.len() && back.start <= at && at + scalar.len_utf8() <= back.end;
                assert!(holds, "{name}: {} at {at}: {range:?}, {back:?}", written.escape_ascii());
            }
        }
    }
}
