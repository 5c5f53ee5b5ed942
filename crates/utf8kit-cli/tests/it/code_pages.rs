//! Tests that encodings outside the WHATWG standard agree with other programs.

use std::path::Path;
use std::process::Command;

use crate::common::{has, run_command, run_with, status};

/// Decodes bytes in an encoding, and encodes the text again.
fn ours(name: &str, bytes: &[u8]) -> Vec<u8> {
    let text = run_with(bytes, ["convert", "-f", name]);
    assert_eq!(status(&text), 0, "{name}");
    let back = run_with(&text.stdout, ["convert", "-t", name]);
    assert_eq!((status(&back), &*back.stdout), (0, bytes), "{name}");
    text.stdout
}

/// Returns the output of a program that decodes these bytes.
fn theirs(program: &mut Command, bytes: &[u8]) -> Vec<u8> {
    let output = run_command(program, bytes);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn code_pages_are_those_of_iconv_and_python() {
    let bytes: Vec<u8> = (0..=255).collect();
    if has("iconv") {
        for (name, label) in [
            ("cp437", "IBM437"),
            ("cp737", "CP737"),
            ("cp775", "IBM775"),
            ("cp850", "IBM850"),
            ("cp852", "IBM852"),
            ("cp855", "IBM855"),
            ("cp860", "IBM860"),
            ("cp861", "IBM861"),
            ("cp862", "IBM862"),
            ("cp863", "IBM863"),
            ("cp865", "IBM865"),
            ("cp1125", "CP1125"),
            ("cp866", "IBM866"),
            ("cp037", "IBM037"),
            ("cp500", "IBM500"),
            ("cp1047", "IBM1047"),
        ] {
            let iconv = theirs(Command::new("iconv").args(["-f", label, "-t", "UTF-8"]), &bytes);
            assert!(ours(name, &bytes) == iconv, "{name}");
        }
    }
    if has("python3") {
        let program = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read().decode(sys.argv[1]).encode())";
        for (name, codec) in [
            ("cp437", "cp437"),
            ("cp850", "cp850"),
            ("cp852", "cp852"),
            ("cp866", "cp866"),
            ("cp1125", "cp1125"),
            ("cp037", "cp037"),
            ("cp500", "cp500"),
            ("macintosh", "mac_roman"),
            ("x-mac-ce", "mac_latin2"),
            ("x-mac-greek", "mac_greek"),
            ("x-mac-turkish", "mac_turkish"),
        ] {
            let python = theirs(Command::new("python3").args(["-c", program, codec]), &bytes);
            assert!(ours(name, &bytes) == python, "{name}");
        }
    }
}

#[test]
fn bytes_without_a_character_are_malformed() {
    for (name, label, none) in [
        ("hp-roman8", "HP-ROMAN8", &b"\xFF"[..]),
        ("cp857", "IBM857", b"\xD5\xE7\xF2"),
        ("cp869", "IBM869", b"\x80\x81\x82\x83\x84\x85\x87\x93\x94"),
    ] {
        let bytes: Vec<u8> = (0..=255).filter(|byte| !none.contains(byte)).collect();
        if has("iconv") {
            let iconv = theirs(Command::new("iconv").args(["-f", label, "-t", "UTF-8"]), &bytes);
            assert!(ours(name, &bytes) == iconv, "{name}");
        }
        for byte in none {
            let text = [&b"some text"[..], &[*byte], b" and more\n"].concat();
            let strict = run_with(&text, ["convert", "-f", name]);
            assert_eq!((status(&strict), &*strict.stdout), (1, &b"some text"[..]), "{name} {byte:X}");
            let replaced = run_with(&text, ["convert", "-f", name, "--on-error", "replace"]);
            assert_eq!(String::from_utf8_lossy(&replaced.stdout), "some text\u{FFFD} and more\n");
        }
        let lacking = run_with("some text\u{FFFD}".as_bytes(), ["convert", "-t", name]);
        assert_eq!(status(&lacking), 1, "{name}");
    }
}

#[test]
fn cp1047_is_that_of_java() {
    if !has("java") {
        return;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("Page.java");
    let program = r#"
        class Page {
            public static void main(String[] arguments) throws java.io.IOException {
                byte[] text = new String(System.in.readAllBytes(), "IBM1047").getBytes("UTF-8");
                System.out.write(text, 0, text.length);
                System.out.flush();
            }
        }"#;
    std::fs::write(&path, program).unwrap();
    // Java swaps these two: it decodes the line end of mainframes (15) as a line feed, and their line feed (25) as
    // NEL.
    let bytes: Vec<u8> = (0..=255).filter(|byte| ![0x15, 0x25].contains(byte)).collect();
    assert!(ours("cp1047", &bytes) == theirs(Command::new("java").arg(path), &bytes));
}

#[test]
fn gsm_is_that_of_perl() {
    if !has("perl") {
        return;
    }
    let program = "binmode STDIN; local $/; print encode('UTF-8', decode('gsm0338', <STDIN>))";
    let extension = b"\x0A\x14\x28\x29\x2F\x3C\x3D\x3E\x40\x65";
    let bytes: Vec<u8> =
        (0..128).filter(|&byte| byte != 0x1B).chain(extension.iter().flat_map(|&byte| [0x1B, byte])).collect();
    let perl = theirs(Command::new("perl").args(["-MEncode", "-e", program]), &bytes);
    assert!(ours("gsm0338", &bytes) == perl);
}

/// Accents before their letters, and figures above and below the line, each between escape sequences.
#[test]
fn marc_8_goes_both_ways() {
    let bytes = b"M\xE8uller, Besan\xF0con, 12 m\x1Bp2\x1Bs of H\x1Bb2\x1BsO, \x1Bga\x1Bs\n";
    let text = "Müller, Besançon, 12 m² of H₂O, α\n";
    assert_eq!(String::from_utf8_lossy(&ours("marc-8", bytes)), text);
    let back = run_with(text.as_bytes(), ["convert", "-t", "marc-8"]);
    assert_eq!((status(&back), back.stdout.escape_ascii().to_string()), (0, bytes.escape_ascii().to_string()));
    // An unknown set or a truncated escape sequence is not passed on as text.
    for bad in [&b"a\x1B$1!0,\x1Bsb"[..], b"a\x1B", b"a\x1Bpx\x1Bs"] {
        let output = run_with(bad, ["convert", "-f", "marc-8"]);
        assert_eq!((status(&output), &*output.stdout), (1, &b"a"[..]), "{}", bad.escape_ascii());
    }
}
