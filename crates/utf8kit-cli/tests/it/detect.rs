//! Tests `utf8 detect`.

use std::fs;

use crate::common::{lines, run_in, run_with, status, text};
use serde_json::json;

#[test]
fn guesses_with_evidence() {
    let cases: [(&[u8], &str, &str); 6] = [
        ("na\u{EF}ve".as_bytes(), "utf-8", "certain"),
        (b"\xFF\xFEa\0", "utf-16le", "certain"),
        (b"a\0b\0c\0", "utf-16le", "likely"),
        (b"\xED\xA0\xBD\xED\xB8\x80", "cesu-8", "likely"),
        (b"nul: \xC0\x80", "mutf-8", "likely"),
        (b"\xF0\xD2\xC9\xD7\xC5\xD4, \xCD\xC9\xD2!", "KOI8-U", "certain"),
    ];
    for (bytes, encoding, confidence) in cases {
        let output = run_with(bytes, ["detect", "--format", "jsonl"]);
        let guess = &lines(&output)[0];
        assert_eq!((&guess["encoding"], &guess["confidence"]), (&json!(encoding), &json!(confidence)));
        assert!(guess["evidence"].as_array().is_some_and(|evidence| !evidence.is_empty()));
    }
}

#[test]
fn short_is_the_label_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "na\u{EF}ve").unwrap();
    fs::write(folder.path().join("b"), b"\xFF\xFEa\0").unwrap();
    fs::write(folder.path().join("c"), b"\x7FELF\0\0\0\xFF\x81\x8D").unwrap();
    let output = run_in(folder.path(), ["detect", "--format", "short", "a", "b", "c"]);
    assert_eq!((status(&output), text(&output).as_str()), (0, "utf-8\nutf-16le\nunknown\n"));
}

#[test]
fn twice_encoded_text_is_undone_by_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("twice"), "caf\u{C3}\u{A9}").unwrap();
    let output = run_in(folder.path(), ["detect", "twice"]);
    assert_eq!(status(&output), 0);
    assert!(text(&output).contains("utf8 mojibake twice"));
    let undone = run_in(folder.path(), ["convert", "--to", "windows-1252", "twice"]);
    assert_eq!(text(&undone), "caf\u{E9}");
}

#[test]
fn an_error_behind_the_sample_is_seen() {
    let mut bytes = "\u{44F}".repeat(800_000).into_bytes();
    bytes.push(0xFF);
    let guess = &lines(&run_with(&bytes, ["detect", "--format", "jsonl"]))[0];
    assert_eq!((&guess["encoding"], &guess["confidence"]), (&json!("utf-8"), &json!("likely")));
}

#[test]
fn folders_are_walked_in_order_without_their_binary_files() {
    let folder = tempfile::tempdir().unwrap();
    (0..60).for_each(|i| fs::write(folder.path().join(format!("{i:02}")), "na\u{EF}ve").unwrap());
    fs::write(folder.path().join("program"), b"\x7FELF\0\xFF").unwrap();
    let paths = |args: &[&str]| -> Vec<String> {
        let output = run_in(folder.path(), ["detect", "--format", "jsonl"].iter().chain(args));
        lines(&output).iter().map(|line| line["path"].as_str().unwrap().to_owned()).collect()
    };
    let all: Vec<String> = (0..60).map(|i| format!("{i:02}")).collect();
    assert_eq!(paths(&["-j4", "."]), all);
    assert_eq!(paths(&["--binary", "."]).len(), 61);
    assert_eq!(paths(&["program"]), ["program"]);
}

#[test]
fn json_says_how_sure_the_suggestion_is() {
    let utf8 = "na\u{EF}ve caf\u{E9}\n".repeat(4).into_bytes();
    let mixed = [&utf8[..], b"na\xEFve caf\xE9\n"].concat();
    let latin = b"f\xFCr gr\xF6\xDFere H\xE4user \xFCber alle Stra\xDFen, sch\xF6n und gr\xFCn\n";
    let by_line = "utf8 repair -p fallback-lines=windows-1252";
    for (bytes, mixed, suggestion, sure) in [
        (&utf8[..], json!(null), json!(null), false),
        (&mixed, json!("windows-1252"), json!(by_line), true),
        (latin, json!(null), json!("utf8 convert --from windows-1252"), true),
        (
            b"b\xFBti\nI\xF0ikavos\n\x84Logitech diNovo\x93\n",
            json!(null),
            json!("utf8 convert --from windows-1257"),
            true,
        ),
        // No command is suggested when several encodings are possible.
        (b"one na\x8Bve try", json!(null), json!(null), false),
    ] {
        let line = &lines(&run_with(bytes, ["detect", "--format", "jsonl"]))[0];
        let reported = (&line["mixed"], &line["suggestion"], &line["sure"]);
        assert_eq!(reported, (&mixed, &suggestion, &json!(sure)), "{line}");
    }
}

#[test]
fn lines_of_two_encodings_are_no_legacy_text() {
    let mixed = "\u{433}\u{43E}\u{434}\n".repeat(9).into_bytes();
    let mixed = [&mixed[..], b"Gr\xFC\xDFe\n"].concat();
    assert_eq!(lines(&run_with(&mixed, ["detect", "--format", "jsonl"]))[0]["encoding"], "utf-8");
    let korean = "\u{C548}\u{B155}\u{D558}\u{C138}\u{C694}, ".repeat(40);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("korean"), run_with(korean.as_bytes(), ["convert", "-t", "euc-kr"]).stdout).unwrap();
    assert!(text(&run_in(folder.path(), ["detect", "korean"])).contains("EUC-KR"));
}

#[test]
fn all_encodings_that_a_text_may_be_in_are_named_with_what_it_reads_as() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, shown, others) in [
        ("open", &b"wait\x85\n"[..], "  as windows-1252: wait…\n  as CP850: waità\n", json!(["CP850", "CP852"])),
        // Encodings in which the text reads equally well are listed.
        (
            "rival",
            b"Necunoscut, list\xE3 de lungime mare\nInterfa\xFE\xE3 de ie\xBAire\n",
            "  as windows-1250: listă de lungime mare\n  as ISO-8859-16: listă de lungime mare\n",
            json!(["ISO-8859-16"]),
        ),
        (
            "chance",
            b"format=\xAE\xE6\xA6\xA1\n\xE6\x98\x9F\xE6\x9C\x9F\n",
            "  as Big5: format=格式\n  as CP737: format=χόοκ\n",
            json!(["CP737", "CP855"]),
        ),
        ("sure", b"f\xFCr gr\xF6\xDFere H\xE4user \xFCber alle Stra\xDFen, sch\xF6n und gr\xFCn\n", "", json!([])),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let reported = text(&run_in(folder.path(), ["detect", name]));
        assert!(reported.contains(shown) && reported.contains("  as ") != shown.is_empty(), "{reported}");
        let line = &lines(&run_in(folder.path(), ["detect", "--format", "jsonl", name]))[0];
        assert_eq!(line["others"], others, "{line}");
    }
}
