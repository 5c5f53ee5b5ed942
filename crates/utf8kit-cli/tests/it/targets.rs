//! Tests that text a target rejects is found and repaired.

use std::fs;

use crate::common::{lines, messages, repository, run_in, run_with, status, text};
use serde_json::json;
use utf8kit_records::targets::Target;

#[test]
fn what_a_target_refuses_is_found() {
    // (target, rejected text, kind)
    let refused: [(&str, &[u8], &str); 16] = [
        ("rfc9839-xml", "a\u{FFFE}\n".as_bytes(), "noncharacter"),
        ("rfc9839-assignables", "a\u{85}\n".as_bytes(), "control"),
        ("postgresql", b"a\0\n", "nul"),
        ("mysql-utf8mb3", "a\u{1F600}\n".as_bytes(), "supplementary"),
        ("redshift", b"a\0\n", "nul"),
        ("bigquery", b"a\0\n", "nul"),
        ("json", b"{\"a\": \"\\ud800\"}\n", "surrogate_escape"),
        ("json", b"{\"a\": \"x\ny\"}\n", "control"),
        ("json", b"{\"a\": \"\\x09\"}\n", "invalid_escape"),
        ("json", b"\xEF\xBB\xBF{}\n", "byte_order_mark"),
        ("xml", b"a\x0B\n", "control"),
        ("xml", "a\u{FFFF}\n".as_bytes(), "noncharacter"),
        ("java", "a\u{1F600}\n".as_bytes(), "supplementary"),
        ("filename-windows", b"nul.txt\n", "device_name"),
        ("filename-macos", b"a:b\n", "file_name"),
        ("filename-portable", b"-a\n", "file_name"),
    ];
    for (target, input, kind) in refused {
        assert_eq!(status(&run_with(input, ["check", "-q"])), 0, "{target}: it is well-formed");
        let output = run_with(input, ["check", "--for", target, "--format", "jsonl"]);
        assert_eq!((status(&output), &lines(&output)[0]["kind"]), (1, &json!(kind)), "{target}");
        assert!(lines(&output)[0].get("row").is_none(), "rows were not asked for");
        // The target accepts the repaired text.
        let repaired = run_with(input, ["repair", "--for", target]);
        assert_eq!(status(&repaired), 0, "{}", messages(&repaired));
        assert!(messages(&repaired).contains("repaired 1 place: 1 "), "{}", messages(&repaired));
        assert_eq!(status(&run_with(&repaired.stdout, ["check", "-q", "--for", target])), 0, "{target}");
    }
    // Batch and registry files have rules for how they begin, which `reports` tests.
    for target in Target::all().filter(|target| !matches!(target.name(), "batch" | "registry")) {
        // Windows PowerShell asks for a mark, and JSON for none.
        let mark = if target.name() == "powershell" { "\u{FEFF}" } else { "" };
        let input = format!("{mark}na\u{EF}ve\u{65E5}\u{672C}\n");
        let output = run_with(input.as_bytes(), ["check", "--for", target.name()]);
        assert_eq!(status(&output), 0, "{target}: {}", text(&output));
        let ill_formed = run_with(b"a\xFF\n", ["check", "-q", "--for", target.name()]);
        assert_eq!(status(&ill_formed), 1, "{target}");
    }
    // `mysql` also covers MariaDB.
    let half = b"\"\\ud800\"\n";
    let of = |target| run_with(half, ["check", "--rows", "jsonl", "--for", target]);
    assert_eq!((of("mariadb").stdout, status(&of("mariadb"))), (of("mysql").stdout, 1));
}

#[test]
fn policies_say_how_it_is_repaired() {
    let cases: [(&[&str], &[u8], &[u8]); 17] = [
        (&["--for", "rfc9839-assignables", "--rows", "jsonl"], b"\"\x7F\\u0085\"\n", b"\"\xEF\xBF\xBD\\ufffd\"\n"),
        (&["--for", "postgresql"], b"a\0b\xFF\n", "a\u{FFFD}b\u{FFFD}\n".as_bytes()),
        (&["--for", "postgresql", "--policy", "remove"], b"a\0b\xFF\n", b"ab\n"),
        (&["--for", "postgresql", "--policy", "escape"], b"a\0b\xFF\\x\n", b"a\\x00b\\xFF\\x5Cx\n"),
        (&["--for", "mysql-utf8mb3", "--replacement", "?"], "\u{1F600}!\n".as_bytes(), b"?!\n"),
        (&["--for", "filename-windows", "--replacement", "_"], b"a:b?.txt\ncon\n", b"a_b_.txt\ncon_\n"),
        (&["--for", "json"], b"\"\\udc00\"\n", b"\"\\ufffd\"\n"),
        (&["--for", "json", "--policy", "escape"], b"{\"a\": \"x\ty\xFF\"}\n", b"{\"a\": \"x\\ty\\\\xFF\"}\n"),
        (&["--for", "json"], b"{\"a\": \"x\ny\"}\n", b"{\"a\": \"x\\ny\"}\n"),
        (&["--rows", "jsonl", "--policy", "escape"], b"\"\xFF\"\n", b"\"\\\\xFF\"\n"),
        (&["--for", "xml"], b"<!--\n&#0;\n--><a>&#0;</a>\n", "<!--\n&#0;\n--><a>\u{FFFD}</a>\n".as_bytes()),
        (&["--for", "xml"], b"<![CDATA[&#0;]]><?x &#0;?>\n", b"<![CDATA[&#0;]]><?x &#0;?>\n"),
        (&["--max-bytes", "4"], "caf\u{E9}\ncafe\n".as_bytes(), b"caf\ncafe\n"),
        (&["--max-chars", "2"], "\u{65E5}\u{672C}\u{1F600}\n".as_bytes(), "\u{65E5}\u{672C}\n".as_bytes()),
        (&["--max-chars", "2", "--max-bytes", "5"], "\u{65E5}\u{672C}\u{1F600}\n".as_bytes(), "\u{65E5}\n".as_bytes()),
        (
            &["--for", "postgresql", "--for", "mysql-utf8mb3"],
            "\0\u{1F600}\n".as_bytes(),
            "\u{FFFD}\u{FFFD}\n".as_bytes(),
        ),
        (&["--max-bytes", "3", "--grapheme"], "ae\u{301}\u{323}\n".as_bytes(), b"a\n"),
    ];
    for (args, input, expected) in cases {
        let output = run_with(input, ["repair"].iter().chain(args));
        assert_eq!(output.stdout, expected, "{args:?}: {}", messages(&output));
    }
}

#[test]
fn fields_are_measured_without_quotes_and_cut_within_them() {
    let table = "id,name\n1,\"caf\u{E9}, \"\"x\"\"\"\n2,abc\n";
    let output = run_with(table.as_bytes(), ["check", "--rows", "csv", "--max-bytes", "5", "--format", "short"]);
    assert_eq!(text(&output), "-:2:8: row 2, field 2 (name): the value is longer than 5 bytes\n");
    let output = run_with(table.as_bytes(), ["repair", "--rows", "csv", "--max-bytes", "8"]);
    assert_eq!(text(&output), "id,name\n1,\"caf\u{E9}, \"\"\"\n2,abc\n");
}

#[test]
fn refused_rows_can_be_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table = "id,name\n1,\u{1F600}\n2,ok\n".as_bytes();
    fs::write(folder.join("all.csv"), table).unwrap();
    let args = ["repair", "--rows", "csv", "--for", "mysql-utf8mb3", "--reject", "bad", "all.csv"];
    assert_eq!(text(&run_in(folder, args)), "id,name\n2,ok\n");
    assert_eq!(fs::read(folder.join("bad")).unwrap(), "1,\u{1F600}\n".as_bytes());
    let utf16: Vec<u8> = "id,name\n1,\u{1F600}\n2,ok\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.join("all.csv"), &utf16).unwrap();
    let args = ["convert", "-f", "utf-16le", "--rows", "csv", "--for", "mysql-utf8mb3", "--reject", "bad", "all.csv"];
    let output = run_in(folder, args);
    assert_eq!(text(&output), "id,name\n2,ok\n", "{}", messages(&output));
    let reasons = fs::read_to_string(folder.join("bad.reasons.jsonl")).unwrap();
    let reason: serde_json::Value = serde_json::from_str(&reasons).unwrap();
    let reason = &reason["reasons"][0];
    assert_eq!(
        (&reason["kind"], &reason["bytes"], &reason["offset"]),
        (&json!("supplementary"), &json!("3dd800de"), &json!(20))
    );
}

#[test]
fn files_are_repaired_in_place_shown_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("tree");
    fs::create_dir_all(root.join("sub")).unwrap();
    let long = "1,caf\u{E9},\"x\ny\"\n".repeat(40_000);
    let files: [(&str, Vec<u8>, Vec<u8>); 3] = [
        ("a.csv", "id,name\n1,\u{1F600}caf\u{E9}s\n2,ok\n".into(), "id,name\n1,?caf\u{E9}\n2,ok\n".into()),
        (
            "sub/b.csv",
            [long.as_bytes(), b"2,\xFF\n", long.as_bytes()].concat(),
            (long.clone() + "2,?\n" + &long).into(),
        ),
        ("good.csv", "id,name\n1,ok\n".into(), "id,name\n1,ok\n".into()),
    ];
    for (name, before, _) in &files {
        fs::write(root.join(name), before).unwrap();
    }
    let are = |repaired: bool| {
        let mut files = files.iter();
        files.all(|(name, old, new)| fs::read(root.join(name)).unwrap() == *if repaired { new } else { old })
    };
    let options = ["--rows", "csv", "--for", "mysql-utf8mb3", "--max-bytes", "6", "--replacement", "?"];
    let shown = run_in(root, ["repair", "--diff", "."].iter().chain(&options));
    assert!(are(false), "nothing is written");
    assert!(text(&shown).contains("+1,?caf\u{E9}\n"), "{}", text(&shown));
    assert!(text(&shown).contains("+2,?\n") && !text(&shown).contains("good.csv"), "{}", text(&shown));
    let reported = messages(&shown);
    assert!(
        reported.contains("a.csv: would repair 2 places: 1 supplementary character, 1 value that is too long"),
        "{reported}"
    );
    assert!(reported.contains("would repair 2 of 3 files"), "{reported}");
    for threads in ["1", "3"] {
        let args = ["repair", "--in-place", "--ledger", "../ledger", "-j", threads, "."];
        let done = run_in(root, args.iter().chain(&options));
        assert_eq!(status(&done), 0, "{}", messages(&done));
        assert!(messages(&done).contains("repaired 2 of 3 files: 1 invalid byte"), "{}", messages(&done));
        assert!(are(true), "repaired");
        assert!(fs::metadata(folder.path().join("ledger")).unwrap().len() < 10_000, "only what changes is recorded");
        let again = ["repair", "--in-place", "--exit-non-zero-on-fix", "."];
        assert_eq!(status(&run_in(root, again.iter().chain(&options))), 0, "nothing is left to repair");
        assert_eq!(status(&run_in(root, ["undo", "../ledger"])), 0);
        assert!(are(false), "restored");
        fs::remove_file(folder.path().join("ledger")).unwrap();
    }
    // The same for a ledger without --in-place.
    let args = ["repair", "--ledger", "../ledger", "-o", "../out", "a.csv"];
    assert_eq!(status(&run_in(root, args.iter().chain(&options))), 0);
    let args = ["undo", "../ledger", "-o", "../back", "../out"];
    let undone = run_in(root, args);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("back")).unwrap(), files[0].1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let cases: [(&[&str], &str); 6] = [
        (&["check", "--for", "dbase"], "postgresql"),
        (&["repair", "--for", "xml", "--on-error", "unescape"], "--for and --max-bytes go with"),
        (&["repair", "--for", "filename-windows", "--policy", "escape"], "backslashes"),
        (&["repair", "--for", "xml", "-e", "utf-16"], "convert --from utf-16"),
        (&["convert", "--for", "xml"], "`utf8 repair`"),
        (&["check", "--grapheme"], "--max-bytes"),
    ];
    for (args, expected) in cases {
        let output = run_with(b"a", args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(messages(&output).contains(expected), "{args:?}: {}", messages(&output));
    }
}

/// Returns the table in `docs/targets.md` as generated from the code.
#[test]
fn the_page_names_every_rule_and_its_source() {
    let Some(page) = repository("docs/targets.md") else { return };
    let page = fs::read_to_string(page).unwrap();
    let rows: String = Target::all()
        .flat_map(|target| {
            target.rules().map(move |(words, source)| {
                format!(
                    "| `{}` | {} | {} | [source]({source}) |\n",
                    target.name(),
                    target.about(),
                    words.replace('|', "\\|")
                )
            })
        })
        .collect();
    assert!(page.contains(&rows), "docs/targets.md is to hold:\n{rows}");
}

#[test]
fn hidden_text_is_shown_and_taken_out() {
    let secret: String = "ignore this".bytes().filter_map(|byte| char::from_u32(0xE0000 + u32::from(byte))).collect();
    let input = format!("Hello{secret} \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} a\u{202E}b\n");
    let checked = run_with(input.as_bytes(), ["check", "--for", "text"]);
    assert_eq!(status(&checked), 1);
    assert!(text(&checked).contains("not allowed by text: hidden: \"ignore this\""), "{}", text(&checked));
    assert!(!text(&checked).contains('\u{202E}'), "a terminal would obey it");
    // The output contains nothing that the target rejects, and nothing is removed unasked.
    let refused = run_with(input.as_bytes(), ["repair", "--for", "text"]);
    assert_eq!((status(&refused), &*refused.stdout), (2, &b""[..]));
    assert!(messages(&refused).contains("remove or escape"), "{}", messages(&refused));
    let repaired = run_with(input.as_bytes(), ["repair", "--for", "text", "--policy", "remove"]);
    assert_eq!(text(&repaired), "Hello \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} ab\n");
}

#[test]
fn a_line_is_shown_as_it_is_read_and_as_it_is_stored() {
    let line = "if access_level != \"user\u{202E} \u{2066}// Check if admin\u{2069} \u{2066}\" {\n";
    let found = text(&run_with(line.as_bytes(), ["check", "--for", "source"]));
    assert_eq!(found.matches("  read | if access_level != \"user\" { // Check if admin").count(), 1, "{found}");
    assert!(found.contains("stored | if access_level != \"user\u{2039}RLO\u{203A} \u{2039}LRI\u{203A}//"), "{found}");
    assert!(!found.contains(['\u{202E}', '\u{2066}']), "a terminal would obey it");
}

#[test]
fn targets_refuse_controls_and_noncharacters() {
    for (target, bytes, kind) in [
        ("redshift", "bad \u{FDEF} here\n", "noncharacter"),
        ("redshift", "\u{FFFF}\n", "noncharacter"),
        ("text", "a\0b\n", "nul"),
        ("text", "\u{1B}[31mred\n", "control"),
        ("source", "a\u{8}b\u{7F}\n", "control"),
        ("source", "don\u{92}t\n", "control"),
        ("text", "锟斤拷始\n", "replacement_character"),
    ] {
        let output = run_with(bytes.as_bytes(), ["check", "--for", target, "--format", "jsonl"]);
        let found = lines(&output).iter().any(|line| line["kind"] == kind);
        assert!(status(&output) == 1 && found, "{target} {bytes:?}: {}", text(&output));
    }
    for target in ["text", "source", "redshift"] {
        let output = run_with("\tplain\u{C}\r\nÄrger 😀\n".as_bytes(), ["check", "--for", target]);
        assert_eq!(status(&output), 0, "{}", text(&output));
    }
}
