//! Compares encodings with `iconv`, where it is installed.

use std::io::Write as _;
use std::process::{Command, Stdio};

use utf8kit_encodings::charset::{Family, Legacy};

/// The differences between encodings here and in the GNU C library, with the reasons.
const DIFFERENCES: &[(&str, &str)] = &[
    ("macintosh", "F0 is the apple as in Apple's mapping file, and C6 the increment"),
    ("x-mac-cyrillic", "FF is the euro, as in Apple's mapping file and the WHATWG standard"),
    ("x-mac-icelandic", "as in Apple's mapping file"),
    ("KOI8-U", "with a letter of Belarusian, as in the WHATWG standard"),
    ("CP424", "as in Unicode's mapping file"),
    ("CP856", "as in Unicode's mapping file: three controls are ASCII"),
    ("windows-1255", "letters and points stay apart, as in the WHATWG standard"),
    ("windows-1258", "letters and tones stay apart, as in the WHATWG standard"),
    ("TCVN5712-1", "letters and tones stay apart"),
];

/// Returns the output of `iconv`; `None` if it fails.
fn iconv(arguments: &[&str], bytes: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new("iconv");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(bytes).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the names that the GNU C library's `iconv` knows. Empty if another `iconv` is installed.
fn known() -> Vec<String> {
    let version = String::from_utf8(iconv(&["--version"], b"").unwrap_or_default()).unwrap_or_default();
    let is_known = version.contains("GLIBC") || version.contains("GNU libc");
    let list = iconv(&["-l"], b"").filter(|_| is_known).unwrap_or_default();
    String::from_utf8_lossy(&list).split_whitespace().map(|name| name.trim_end_matches('/').to_owned()).collect()
}

/// Returns the name that `iconv` has for an encoding.
fn name_of(legacy: Legacy, known: &[String]) -> Option<String> {
    let numbers = legacy.aliases().filter(|alias| alias.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers = numbers.flat_map(|number| [format!("IBM{number:0>3}"), format!("CP{number:0>3}")]);
    let aliases = legacy.aliases().filter(|alias| alias.bytes().any(|byte| !byte.is_ascii_digit()));
    let names = std::iter::once(legacy.name()).chain(aliases).map(str::to_ascii_uppercase);
    names.chain(numbers).find(|name| known.contains(name))
}

#[test]
fn single_bytes_are_read_as_by_iconv() {
    let known = known();
    let mut differing = Vec::new();
    let mut compared = 0;
    for legacy in Legacy::all().filter(|legacy| legacy.is_single_byte()) {
        let Some(name) = name_of(legacy, &known) else { continue };
        let from = format!("--from-code={name}");
        let text_of = |byte: u8| legacy.text_of(&[byte]);
        // The standard decodes unassigned bytes as controls.
        let is_control = |text: &str| legacy.family() == Family::Web && ("\u{80}".."\u{A0}").contains(&text);
        let (mut bytes, mut text, mut none) = (Vec::new(), String::new(), Vec::new());
        for byte in 0..=255 {
            match text_of(byte) {
                Some(c) if is_control(&c) => {}
                Some(c) => {
                    bytes.push(byte);
                    text.push_str(&c);
                }
                None => none.push(byte),
            }
        }
        let is_read = iconv(&[&from, "--to-code=UTF-8"], &bytes).as_deref() == Some(text.as_bytes());
        let read = iconv(&[&from, "--to-code=UTF-8", "-c"], &none).unwrap_or_default();
        compared += 1;
        if !is_read || !read.is_empty() {
            differing.push((legacy.name(), name, String::from_utf8_lossy(&read).into_owned()));
        }
    }
    assert!(compared == 0 || compared > 180, "{compared}");
    differing.retain(|(name, ..)| !DIFFERENCES.iter().any(|(known, _)| known == name));
    assert_eq!(differing, []);
}

/// Multi-byte encodings that differ from the GNU C library's, and the reason. The three counts are: characters that
/// only `iconv` writes, characters that both write in different bytes, and characters whose bytes by `iconv` are read
/// as another character.
const DIFFERENCES_IN_CHARACTERS: &[(&str, [usize; 3], &str)] = &[
    ("gb18030", [0, 6, 6], "six ideographs have the bytes of the edition of 2005, as in the WHATWG standard"),
    ("Big5", [1, 5, 1], "box drawings and U+4EDD have two places each; F9 FE is U+FFED, as in the WHATWG standard"),
    ("EUC-JP", [0, 282, 8], "IBM's rows before JIS X 0212, and signs of JIS X 0208, as in the WHATWG standard"),
    ("Shift_JIS", [0, 0, 8], "signs of JIS X 0208 are read as their wide forms, as in the WHATWG standard"),
    ("EUC-KR", [2, 0, 2], "A3 DC is U+FFE6, and A2 E8 is free, as in the WHATWG standard"),
    ("EUC-JP-MS", [0, 0, 10], "three signs are read as ASCII or wide, and others as wide, also by iconv"),
];

/// Single-byte encodings that write otherwise than the GNU C library, and the reason. The counts are: characters that
/// only `iconv` writes, and characters that both write in different bytes.
const DIFFERENCES_IN_WRITING: &[(&str, [usize; 2], &str)] = &[
    ("CP856", [35, 0], CONTROLS),
    ("CP922", [67, 0], CONTROLS),
    ("CP901", [60, 0], CONTROLS),
    ("CP902", [60, 0], CONTROLS),
    ("KOI8-U", [2, 0], "U+255D and U+256C are letters of Belarusian, as in the WHATWG standard"),
    ("x-mac-cyrillic", [1, 0], "the currency sign is the euro sign, as in the WHATWG standard"),
    ("macintosh", [1, 0], "the increment is U+2206, not U+0394, as in the WHATWG standard"),
    ("x-mac-icelandic", [7, 2], "as in Apple's mapping file"),
    ("CP1046", [0, 4], "forms of four letters have codes of their own, which iconv reads but does not write"),
    ("windows-1258", [5, 4], "marks that are equivalent to others, and accents in an order that changes the text"),
];

const CONTROLS: &str = "signs and boxes of DOS are written as bytes that are read as control characters, also by iconv";

/// Counts the characters of the first three planes that are written or read differently.
fn differences(legacy: Legacy, name: &str) -> [usize; 3] {
    // Some code pages of DOS write U+25D9 as the line end.
    let is_public = |c: &char| !('\u{E000}'..'\u{F900}').contains(c) && *c != '\u{25D9}';
    let characters: Vec<char> = ('\u{A0}'..'\u{30000}').filter(is_public).collect();
    let lines: String = characters.iter().flat_map(|c| [*c, '\n']).collect();
    let file = std::env::temp_dir().join(format!("utf8kit-iconv-{}-{name}", std::process::id()));
    std::fs::write(&file, lines).expect("a temporary file");
    let written = Command::new("iconv").args(["-c", "-f", "UTF-8", "-t", name]).arg(&file).output();
    std::fs::remove_file(&file).expect("the temporary file");
    let written = written.expect("it has listed its names").stdout;
    let end = legacy.bytes_of('\n').expect("a line end");
    let lines: Vec<&[u8]> = written.split(|byte| [*byte] == *end).collect();
    assert_eq!(lines.len(), characters.len() + 1, "{name}");
    let mut found = [0; 3];
    for (&c, &theirs) in characters.iter().zip(&lines).filter(|(_, theirs)| !theirs.is_empty()) {
        let ours = legacy.bytes_of(c);
        let read = legacy.text_of(theirs);
        found[0] += usize::from(ours.is_none());
        found[1] += usize::from(ours.is_some_and(|ours| ours != theirs));
        found[2] += usize::from(read.is_none_or(|text| !text.chars().eq([c])));
    }
    found
}

#[test]
fn characters_of_several_bytes_are_written_and_read_as_by_iconv() {
    let known = known();
    let mut compared = 0;
    // Lines of the others begin with a shift.
    let is_meant = |legacy: &Legacy| {
        !legacy.is_single_byte()
            && !legacy.is_ebcdic()
            && !legacy.name().starts_with("ISO-2022")
            && !legacy.name().starts_with("UTF-7")
    };
    for legacy in Legacy::all().filter(is_meant) {
        let Some(name) = name_of(legacy, &known) else { continue };
        let expected = DIFFERENCES_IN_CHARACTERS.iter().find(|(name, ..)| *name == legacy.name());
        let found = differences(legacy, &name);
        assert_eq!(found, expected.map_or([0; 3], |(_, counts, _)| *counts), "{name}");
        compared += 1;
    }
    assert!(compared == 0 || compared > 12, "{compared}");
}

#[test]
fn characters_of_single_bytes_are_written_as_by_iconv() {
    let known = known();
    let (mut compared, mut differing) = (0, Vec::new());
    for legacy in Legacy::all().filter(|legacy| legacy.is_single_byte() && legacy.bytes_of('\n').is_some()) {
        let Some(name) = name_of(legacy, &known) else { continue };
        let expected = DIFFERENCES_IN_WRITING.iter().find(|(name, ..)| *name == legacy.name());
        let [lacking, other, _] = differences(legacy, &name);
        if [lacking, other] != expected.map_or([0; 2], |(_, counts, _)| *counts) {
            differing.push((name, lacking, other));
        }
        compared += 1;
    }
    assert_eq!(differing, []);
    assert!(compared == 0 || compared > 180, "{compared}");
}
