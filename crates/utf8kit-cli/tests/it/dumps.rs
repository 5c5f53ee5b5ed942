//! Tests dumps of databases: errors are reported with table, column and row, and only text values change.

use std::fs;

use serde_json::Value;

use crate::common::{lines, messages, run_in, run_with, status, text};

const PGDUMP: &[u8] = b"-- a dump\n\
SET client_encoding = 'SQL_ASCII';\n\
SET standard_conforming_strings = on;\n\
CREATE TABLE public.people (\n    id integer NOT NULL,\n    name text,\n    photo bytea\n);\n\
COPY public.people (id, name, photo) FROM stdin;\n\
1\tcaf\xE9\t\\\\xdeadbeef\n\
2\t\\N\t\\377\n\
3\tf\xC3\\274r\\n\\\\351\t\\N\n\
4\tf\\303r\t\\N\n\
\\.\n\
INSERT INTO public.people VALUES (5, E'\\351 it''s', '\\xE9'), (6, $$\xE9$$, NULL);\n\
COMMENT ON TABLE public.people IS 'Stra\xDFe';\n\
CREATE TABLE \"caf\xE9\" ();\n";

const MYSQLDUMP: &[u8] = b"-- Host: localhost    Database: shop\n\
/*!40101 SET NAMES utf8mb4 */;\n\
CREATE TABLE `t` (\n  `id` int(11),\n  `name` varchar(50),\n  `raw` blob\n) ENGINE=InnoDB;\n\
INSERT INTO `t` VALUES (1,'caf\xE9','\\0\xFF'),(2,'it\\'s \xC3\xA9;',NULL),\n(3,'a',_binary '\xE9');\n\
INSERT INTO `t` (`raw`, `name`) VALUES (0xE9,\"\\\"\xFF\");\n";

/// Returns the places of errors: offset, schema, table, row, field and name of the column.
fn places(found: &[Value]) -> Vec<String> {
    let errors = found.iter().filter(|line| line["type"] == "error");
    let part = |line: &Value, name: &str| line[name].to_string().replace('"', "");
    let parts = ["offset", "schema", "table", "row", "field", "column_name"];
    errors.map(|line| parts.map(|name| part(line, name)).join(" ")).collect()
}

fn offset(dump: &[u8], of: &[u8]) -> usize {
    dump.windows(of.len()).position(|some| some == of).unwrap()
}

#[test]
fn errors_of_postgresql_have_table_column_and_row() {
    let output = run_with(PGDUMP, ["check", "--rows", "pgdump", "--format", "jsonl", "-"]);
    assert_eq!(status(&output), 1);
    let at = |of: &[u8]| offset(PGDUMP, of);
    let expected = [
        format!("{} public people 1 2 name", at(b"\xE9\t")),
        format!("{} public people 4 2 name", at(b"\\303r")),
        format!("{} public people 5 2 name", at(b"\\351 it")),
        format!("{} public people 6 2 name", at(b"\xE9$$")),
        format!("{} null null null null null", at(b"\xDFe")),
        format!("{} null null null null null", at(b"\xE9\" ()")),
    ];
    let found = lines(&output);
    assert_eq!(places(&found), expected);
    assert_eq!(found[1]["bytes"], "5c333033");
    assert_eq!(found[6]["errors"], 6);
    let output = run_with(PGDUMP, ["check", "--rows", "pgdump", "--format", "short", "-"]);
    let first = "-:10:6: table public.people, row 1, column 2 (name): truncated sequence: E9 lacks 2 bytes";
    assert!(text(&output).starts_with(first), "{}", text(&output));
}

#[test]
fn errors_of_mysql_have_table_column_and_row() {
    let output = run_with(MYSQLDUMP, ["check", "--rows", "mysqldump", "--format", "jsonl", "-"]);
    let at = |of: &[u8]| offset(MYSQLDUMP, of);
    let expected = [format!("{} shop t 1 2 name", at(b"\xE9','")), format!("{} shop t 4 2 name", at(b"\xFF\""))];
    assert_eq!((status(&output), places(&lines(&output))), (1, expected.to_vec()));
}

#[test]
fn other_encodings_are_reported_and_checked_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let dump = |text: &[u8]| {
        let dump = [b"/*!40101 SET NAMES latin1 */;\nINSERT INTO t VALUES ('", text, b"');\n"].concat();
        fs::write(folder.path().join("dump.sql"), dump).unwrap();
        run_in(folder.path(), ["check", "--rows", "mysqldump", "dump.sql"])
    };
    let output = dump(b"caf\xE9");
    assert_eq!(status(&output), 0);
    let reported = messages(&output);
    assert!(
        reported.contains("windows-1252") && reported.contains("utf8 convert --rows mysqldump dump.sql"),
        "{reported}"
    );
    // A conversion by its declaration would encode it twice.
    let reported = messages(&dump("caf\u{E9}".as_bytes()));
    assert!(reported.contains("utf8 convert --rows mysqldump --from utf-8 dump.sql"), "{reported}");
    let output = run_with(
        b"SET client_encoding = 'SJIS';\nINSERT INTO t VALUES (E'\x83\x5C\x81');\n",
        ["check", "--rows", "pgdump", "--format", "short", "-"],
    );
    assert!(text(&output).contains("malformed: 81"), "{}", text(&output));
}

#[test]
fn options_of_other_rows_are_refused() {
    for option in [&["--reject", "bad.sql"][..], &["--delimiter", ";"], &["--for", "postgresql"], &["--fields", "3"]] {
        let args = [&["check", "--rows", "pgdump"], option, &["-"]].concat();
        let output = run_with(b"", args);
        assert_eq!(status(&output), 2, "{option:?}");
        assert!(messages(&output).contains("--rows pgdump cannot be combined with"), "{}", messages(&output));
    }
}

/// Replaces some bytes by others, wherever they occur.
fn replaced(bytes: &[u8], pairs: &[(&[u8], &[u8])]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match pairs.iter().find(|(from, _)| bytes[at..].starts_with(from)) {
            Some((from, to)) => {
                out.extend_from_slice(to);
                at += from.len();
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

#[test]
fn values_are_repaired_and_nothing_else() {
    let output = run_with(PGDUMP, ["repair", "--rows", "pgdump", "--policy", "fallback=latin1", "-"]);
    let expected = replaced(
        PGDUMP,
        &[
            (b"caf\xE9\t", "caf\u{E9}\t".as_bytes()),
            (b"f\\303r", "f\u{C3}r".as_bytes()),
            (b"E'\\351 it", "E'\u{E9} it".as_bytes()),
            (b"$$\xE9$$", "$$\u{E9}$$".as_bytes()),
            (b"Stra\xDFe", "Stra\u{DF}e".as_bytes()),
        ],
    );
    assert_eq!(output.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string());
    assert_eq!(status(&output), 0);
    assert!(messages(&output).contains("left 1 error outside of values"), "{}", messages(&output));
    let output = run_with(MYSQLDUMP, ["repair", "--rows", "mysqldump", "--policy", "escape", "-"]);
    let expected = replaced(MYSQLDUMP, &[(b"caf\xE9'", b"caf\\\\xE9'"), (b"\\\"\xFF\"", b"\\\"\\\\xFF\"")]);
    assert_eq!(output.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn a_repair_in_place_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.sql");
    fs::write(&file, PGDUMP).unwrap();
    let run = |args: &[&str]| run_in(folder.path(), args);
    // Text in another encoding is not replaced.
    let output = run(&["repair", "--rows", "pgdump", "--in-place", "dump.sql"]);
    assert_eq!((status(&output), fs::read(&file).unwrap()), (2, PGDUMP.to_vec()), "{}", messages(&output));
    assert!(messages(&output).contains("--per-table fallback=auto"), "{}", messages(&output));
    let args =
        ["repair", "--rows", "pgdump", "--per-table", "fallback=auto", "--in-place", "--ledger", "log", "dump.sql"];
    let output = run(&args);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    let repaired = fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&repaired);
    assert!(text.contains("1\tcaf\u{E9}\t\\\\xdeadbeef\n") && text.contains("\t\\377\n"), "{text}");
    // A second run changes nothing.
    assert_eq!(status(&run(&args)), 0);
    assert_eq!(fs::read(&file).unwrap(), repaired);
    assert_eq!(status(&run(&["undo", "log"])), 0);
    assert_eq!(fs::read(&file).unwrap(), PGDUMP);
}

#[test]
fn what_cannot_be_repaired_is_reported() {
    let dump = b"/*!40101 SET NAMES latin1 */;\nINSERT INTO t VALUES ('caf\xE9');\n";
    let output = run_with(dump, ["repair", "--rows", "mysqldump", "-"]);
    assert_eq!((status(&output), &output.stdout[..]), (2, &dump[..]));
    assert!(messages(&output).contains("left 1 value that the dump declares"), "{}", messages(&output));
    let output = run_with(dump, ["mojibake", "--rows", "mysqldump", "-"]);
    assert!(messages(&output).contains("reads the dump twice"), "{}", messages(&output));
    for args in [
        &["--rows", "mysqldump", "--policy", "unescape"][..],
        &["--per-table", "fallback=auto"],
        &["--rows", "pgdump", "--per-table", "mojibake"],
        &["--rows", "pgdump", "--per-table", "replace"],
        &["--rows", "pgdump", "--per-table", "fallback=nonsense"],
        &["--rows", "pgdump", "--encoding", "latin1"],
    ] {
        assert_eq!(status(&run_with(b"", [&["repair"], args, &["-"]].concat())), 2, "{args:?}");
    }
}

#[test]
fn a_sound_dump_stays_as_it_is() {
    let dump = replaced(PGDUMP, &[(b"\xE9", b"e"), (b"\xDF", b"ss"), (b"\\303", b"\\101"), (b"\\351", b"\\105")]);
    let output = run_with(&dump, ["repair", "--rows", "pgdump", "--exit-non-zero-on-fix", "-"]);
    assert_eq!((status(&output), messages(&output), output.stdout), (0, String::new(), dump.clone()));
    assert_eq!(status(&run_with(&dump, ["check", "--rows", "pgdump", "-"])), 0);
}

/// Converts a dump, and returns the result and the messages.
fn converted(dump: &[u8], args: &[&str]) -> (i32, String, String) {
    let output = run_with(dump, [&["convert", "--rows"], args, &["-"]].concat());
    (status(&output), output.stdout.escape_ascii().to_string(), messages(&output))
}

#[test]
fn conversions_honour_and_rewrite_what_a_dump_declares() {
    let dump = b"-- n\xE9\nSET client_encoding = 'LATIN1';\nCOPY t (\"\xE9\", raw) FROM stdin;\n\
                 caf\xE9\\n\\351\t\\\\xe9\n\\.\nINSERT INTO t VALUES (E'it''s \xE9', '\xFF');\n";
    let expected = replaced(
        &replaced(dump, &[(b"\\351", b"\xE9"), (b"LATIN1", b"UTF8")]),
        &[(b"-- n\xE9", b"-- n\xE9"), (b"\xE9", "\u{E9}".as_bytes()), (b"\xFF", "\u{FF}".as_bytes())],
    );
    // The part before the declaration is not in Latin-1.
    let (code, out, reported) = converted(dump, &["pgdump"]);
    assert_eq!((code, &*out), (1, ""), "{reported}");
    assert!(reported.contains("truncated sequence at byte 4 (E9): not utf-8"), "{reported}");
    let rest = &dump[6..];
    let expected = &expected[6..];
    assert_eq!(converted(rest, &["pgdump"]), (0, expected.escape_ascii().to_string(), String::new()));
    // A second conversion changes nothing.
    assert_eq!(converted(expected, &["pgdump"]), (0, expected.escape_ascii().to_string(), String::new()));
    let back = replaced(rest, &[(b"\\351", b"\xE9")]);
    assert_eq!(converted(expected, &["pgdump", "--to", "latin1"]).1, back.escape_ascii().to_string());
}

#[test]
fn bytes_stay_bytes_in_every_encoding() {
    let dump = b"/*!40101 SET NAMES latin1 */;\n/*!40101 SET @saved = @@character_set_client */;\n\
                 /*!50503 SET character_set_client = utf8mb4 */;\n\
                 CREATE TABLE t (a text COMMENT '\xC3\xA9', b blob);\n\
                 /*!40101 SET character_set_client = @saved */;\n\
                 INSERT INTO t VALUES ('\xE9\\'',_binary '\xE9\\0\\\\\x83\\\\'),('\x83',''),(_latin1 '\xE9','\xE9');\n";
    let expected = replaced(
        dump,
        &[
            (b"NAMES latin1", b"NAMES utf8mb4"),
            (b"('\xE9\\'", "('\u{E9}\\'".as_bytes()),
            (b"('\x83'", "('\u{192}'".as_bytes()),
        ],
    );
    assert_eq!(converted(dump, &["mysqldump"]), (0, expected.escape_ascii().to_string(), String::new()));
    // Backslashes are parts of characters in Shift_JIS, within text and within bytes.
    let utf8 = "SET NAMES utf8mb4;\nCREATE TABLE t (a text, b blob);\nINSERT INTO t VALUES ('\u{30BD}\\\\\u{30BD}','";
    let utf8 = [utf8.as_bytes(), b"\x83\\\\\\\\n\\0');\n"].concat();
    let (code, sjis, reported) = converted(&utf8, &["mysqldump", "--to", "shift_jis"]);
    assert_eq!((code, &*reported), (0, ""));
    let plain = sjis.replace("\\'", "'");
    assert!(plain.contains("cp932") && plain.contains(r"'\x83\\\\\\\x83\\','\x83\\\\\\n\\0'"), "{sjis}");
    let output = run_with(&utf8, ["convert", "--rows", "mysqldump", "--to", "shift_jis", "-"]);
    let back = replaced(&utf8, &[]);
    assert_eq!(converted(&output.stdout, &["mysqldump"]).1, back.escape_ascii().to_string());
}

#[test]
fn what_would_be_encoded_twice_is_reported() {
    let dump = "SET NAMES latin1;\nINSERT INTO t VALUES ('caf\u{E9}');\n".as_bytes();
    let (code, out, reported) = converted(dump, &["mysqldump"]);
    assert!(code == 0 && reported.contains("try --from utf-8"), "{reported}");
    let twice = run_with(dump, ["convert", "--rows", "mysqldump", "-"]).stdout;
    let expected = replaced(dump, &[(b"latin1", b"utf8mb4")]).escape_ascii().to_string();
    assert_ne!(out, expected);
    assert_eq!(converted(dump, &["mysqldump", "--from", "utf-8"]), (0, expected.clone(), String::new()));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("twice.sql"), &twice).unwrap();
    let args = ["mojibake", "--rows", "mysqldump", "twice.sql"];
    assert_eq!(run_in(folder.path(), args).stdout.escape_ascii().to_string(), expected);
    for args in [
        &["pgdump", "--from", "auto"][..],
        &["pgdump", "--on-error", "fallback=latin1"],
        &["pgdump", "--to", "utf-16"],
        &["pgdump", "--normalize", "nfc"],
    ] {
        assert_eq!(converted(b"", args).0, 2, "{args:?}");
    }
    let (code, _, reported) = converted(b"SET client_encoding = 'MULE_INTERNAL';\nSELECT '\xE9';\n", &["pgdump"]);
    assert!(code == 1 && reported.contains("declares MULE_INTERNAL, which is not a known encoding"), "{reported}");
}

/// Around each trigger, `mysqldump` sets the mode in which it was created, and restores that of the dump.
#[test]
fn the_mode_of_a_trigger_ends_with_it() {
    let dump = b"/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;\n\
                 /*!50003 SET sql_mode              = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES' */ ;\n\
                 /*!50003 SET sql_mode              = @saved_sql_mode */ ;\n\
                 INSERT INTO `t` VALUES ('it\\'s',\"\xE9\"),('\xE9',_binary '\xE9');\n";
    let output = run_with(dump, ["repair", "--rows", "mysqldump", "--policy", "fallback=latin1", "-"]);
    let expected = replaced(dump, &[(b"\"\xE9\"", "\"\u{E9}\"".as_bytes()), (b"('\xE9'", "('\u{E9}'".as_bytes())]);
    assert_eq!(output.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn options_of_copy_are_honoured() {
    let dump = b"COPY t (a) FROM stdin WITH (FORMAT 'csv', ENCODING 'LATIN1');\n\"caf\xE9\"\n\\.\n\
                 COPY t (a, b) FROM stdin (DELIMITER E'\\t');\nf\xC3\\\\251r\\t\xE9\t\xC3\\251\n\\.\n";
    let output = run_with(dump, ["repair", "--rows", "pgdump", "--policy", "fallback-lines=latin1", "-"]);
    let expected = replaced(dump, &[(b"f\xC3", "f\u{C3}".as_bytes()), (b"\\t\xE9", "\\t\u{E9}".as_bytes())]);
    assert_eq!(output.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string());
    // The declaration of a block stays, and so do its values.
    let dump = &dump[..dump.iter().position(|&byte| byte == b'.').unwrap() + 2];
    assert_eq!(converted(dump, &["pgdump"]).1, dump.escape_ascii().to_string());
    assert!(messages(&output).contains("left 1 value that the dump declares"), "{}", messages(&output));
}

/// A suggested command works verbatim.
#[test]
fn advised_commands_name_the_dump() {
    let folder = tempfile::tempdir().unwrap();
    let reported = |dump: &[u8], args: &[&str]| {
        fs::write(folder.path().join("a b.sql"), dump).unwrap();
        messages(&run_in(folder.path(), [args, &["a b.sql"]].concat()))
    };
    let reported_of = |dump: &[u8], args: &[&str], advice: &str| {
        let reported = reported(dump, args);
        assert!(reported.contains(advice), "{reported}");
    };
    let mixed = b"INSERT INTO t VALUES ('caf\xE9');\n";
    let decode = "utf8 repair --rows mysqldump --per-table fallback=auto 'a b.sql'\n";
    reported_of(mixed, &["convert", "--rows", "mysqldump"], decode);
    reported_of(mixed, &["repair", "--rows", "mysqldump", "--policy", "replace"], decode);
    let latin1 = b"SET NAMES latin1;\nINSERT INTO t VALUES ('caf\xE9');\n";
    reported_of(latin1, &["repair", "--rows", "mysqldump"], "see utf8 check --rows mysqldump 'a b.sql'");
    // No repair changes values that are declared to be in another encoding.
    let reported = reported(latin1, &["check", "--rows", "mysqldump", "--encoding", "utf-8"]);
    assert!(!reported.contains("utf8 repair"), "{reported}");
}

/// Without a table definition, a column that contains non-text bytes is a column of bytes.
#[test]
fn a_value_among_bytes_is_not_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let dump = b"INSERT INTO t VALUES ('\\0\xE9','caf\xE9'),('\xE9\xA7ab','d\xE9j\xE0'),('\x01\xFF','na\xEFve');\n";
    fs::write(folder.path().join("dump.sql"), dump).unwrap();
    let args = ["repair", "--rows", "mysqldump", "--per-table", "fallback=latin1", "dump.sql"];
    let output = run_in(folder.path(), args);
    let pairs: [(&[u8], &[u8]); 3] = [
        (b"caf\xE9", "caf\u{E9}".as_bytes()),
        (b"d\xE9j\xE0", "d\u{E9}j\u{E0}".as_bytes()),
        (b"\xEF", "\u{EF}".as_bytes()),
    ];
    assert_eq!(output.stdout.escape_ascii().to_string(), replaced(dump, &pairs).escape_ascii().to_string());
    assert!(messages(&output).contains("doubtful"), "{}", messages(&output));
}

/// Binary values do not make a dump a binary file.
#[test]
fn dumps_with_binary_values_are_repaired_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    let dump = b"INSERT INTO `t` VALUES (1,'\0\x01\0'),(2,'a\xE2\x82');\n";
    std::fs::write(folder.path().join("dump.sql"), dump).unwrap();
    let output = run_in(folder.path(), ["repair", "--rows", "mysqldump", "--in-place", "--force", "."]);
    let repaired = std::fs::read(folder.path().join("dump.sql")).unwrap();
    assert_eq!(status(&output), 0, "{}", messages(&output));
    assert!(repaired.ends_with("a\u{FFFD}');\n".as_bytes()), "{}", messages(&output));
}
