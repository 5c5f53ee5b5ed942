//! Tests that PostgreSQL and MariaDB load what `check --for` accepts, and reject what it rejects.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use utf8kit_testing::Random;

use crate::common::{has, run_in, status};
use crate::readers::{SAME_JSON, csv, filtered, jsonl, python, values};
use crate::servers::{Mariadb, Postgresql};

/// Values of a column. The databases reject some of them.
const CASES: [&[u8]; 12] = [
    b"plain",
    "na\u{EF}ve \u{65E5}\u{672C}".as_bytes(),
    "\u{1F600}".as_bytes(),
    "\u{10FFFF}".as_bytes(),
    "\u{FFFF}\u{FDD0}".as_bytes(),
    b"a\x01\x7Fb",
    b"nul\0l",
    b"\xC0\xAF",
    b"\xED\xA0\x80",
    b"\xF4\x90\x80\x80",
    b"caf\xE9",
    b"\xE2\x82",
];

/// Checks each case for a target, and loads it. `tolerated` cases load although they are invalid.
fn compare(folder: &Path, target: &str, tolerated: &[&[u8]], load: impl Fn(&Path) -> bool) {
    for case in CASES {
        let file = folder.join("rows.csv");
        fs::write(&file, [b"first\n", case, b"\nlast\n"].concat()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let args = [OsStr::new("check"), "-q".as_ref(), "--for".as_ref(), target.as_ref(), file.as_ref()];
        let passes = status(&run_in(folder, args)) == 0;
        assert_eq!(load(&file), passes || tolerated.contains(&case), "{target}: {}", case.escape_ascii());
    }
}

/// Reports whether the last terminated row ends with CR LF.
fn ends_with_crlf(rows: &[u8]) -> bool {
    let end = rows.iter().rposition(|&byte| byte == b'\n');
    end.is_some_and(|end| rows[..end].ends_with(b"\r"))
}

/// Checks that generated rows that pass are loaded with the same values. `load` loads a file of rows that end with CR
/// LF or LF, and returns the values in hexadecimal; `load_json` does so for JSON lines.
fn compare_rows(
    folder: &Path,
    target: &str,
    load: impl Fn(&Path, bool) -> Result<String, String>,
    load_json: impl Fn(&Path, bool) -> Result<String, String>,
) {
    let file = folder.join("good");
    let mut random = Random::new(0xD1B5_4A32_D192_ED03);
    let mut passed = 0;
    for trial in 0..25 {
        let good = filtered(folder, &csv(&mut random), &["csv", "--fields", "2", "--for", target]);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let loaded = load(&file, ends_with_crlf(&good));
        assert_eq!(loaded.as_deref(), Ok(&*values(&good)), "{trial}: {}", good.escape_ascii());
        let lines = filtered(folder, &jsonl(&mut random), &["jsonl", "--for", target]);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let loaded = load_json(&file, ends_with_crlf(&lines)).unwrap_or_else(|error| panic!("{trial}: {error}"));
        fs::write(folder.join("loaded"), loaded).unwrap();
        if has("python3") {
            python(folder, SAME_JSON, &["good", "loaded"]);
        }
        passed += good.len() + lines.len();
    }
    assert!(passed > 15_000, "{passed}");
}

/// Checks that `--max-chars` and `--max-bytes` match the capacity of columns of ten characters or 255 bytes.
fn compare_lengths(folder: &Path, target: &str, option: &str, most: usize, load: impl Fn(&Path) -> bool) {
    for character in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}", "e\u{301}"] {
        let one = if option == "--max-bytes" { character.len() } else { character.chars().count() };
        for count in [most / one, most / one + 1] {
            let file = folder.join("long.csv");
            fs::write(&file, character.repeat(count) + "\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            let most = most.to_string();
            let args = ["check", "-q", "--rows", "csv", "--for", target, option, &most, "long.csv"];
            let passes = status(&run_in(folder, args)) == 0;
            assert_eq!((passes, load(&file)), (count * one <= most.parse().unwrap(), passes), "{character} {count}");
        }
    }
}

#[test]
fn postgresql_loads_what_passes() {
    let Some(server) = Postgresql::start("UTF8") else { return };
    let folder = &server.folder;
    let ask = |statements: &[&str]| server.ask("postgres", statements);
    let query = |sql: &str| ask(&[sql]).is_ok();
    assert!(query("create table lines (line text)"));
    compare(folder.path(), "postgresql", &[], |file| {
        // Not \copy: psql reads lines only up to a NUL, and drops the rest.
        query(&format!("copy lines from '{}' with (format csv)", file.display()))
    });
    assert!(query(
        "create table rows (a text, b text); create table json (a jsonb); create table short (a varchar(10))"
    ));
    let hex = "upper(encode(convert_to(coalesce(a, ''), 'UTF8'), 'hex'))";
    let select = format!("select {hex} || ' ' || {} from rows", hex.replace("(a,", "(b,"));
    compare_rows(
        folder.path(),
        "postgresql",
        |file, _| ask(&["truncate rows", &format!("copy rows from '{}' (format csv)", file.display()), &select]),
        |file, _| {
            let copy = format!("copy json from '{}' (format csv, delimiter e'\\x02', quote e'\\x01')", file.display());
            ask(&["truncate json", &copy, "select a from json"])
        },
    );
    compare_lengths(folder.path(), "postgresql", "--max-chars", 10, |file| {
        query(&format!("copy short from '{}' with (format csv)", file.display()))
    });
}

#[test]
fn mariadb_loads_what_passes() {
    let Some(server) = Mariadb::start() else { return };
    let folder = &server.folder;
    let ask = |sql: &str| server.ask(&["--default-character-set=utf8mb4"], sql);
    let query = |sql: &str| ask(sql).is_ok();
    for (target, set) in [("mysql", "utf8mb4"), ("mysql-utf8mb3", "utf8mb3")] {
        assert!(query(&format!("create or replace table mysql.lines_of_test (line text) character set {set}")));
        // MariaDB accepts surrogates, but no reader of its data accepts them as UTF-8.
        compare(folder.path(), target, &[b"\xED\xA0\x80"], |file| {
            query(&format!(
                "load data infile '{}' into table mysql.lines_of_test \
                 character set utf8mb4 fields terminated by ',' escaped by ''",
                file.display()
            ))
        });
    }
    assert!(query(
        "create database test; create table test.t (a text, b text) character set utf8mb4; \
         create table test.j (a json) character set utf8mb4; \
         create table test.s (a varchar(10)) character set utf8mb4; \
         create table test.x (a tinytext) character set utf8mb4"
    ));
    let load = |file: &Path, table: &str, syntax: &str, crlf: bool| {
        let end = if crlf { r"lines terminated by '\r\n'" } else { "" };
        format!(
            "truncate test.{table}; load data infile '{}' into table test.{table} character set utf8mb4 \
             fields terminated by {syntax} escaped by '' {end};",
            file.display()
        )
    };
    let csv = "',' optionally enclosed by '\"'";
    compare_rows(
        folder.path(),
        "mysql",
        |file, crlf| ask(&(load(file, "t", csv, crlf) + "select concat(hex(a), ' ', hex(b)) from test.t")),
        |file, crlf| ask(&(load(file, "j", "x'01'", crlf) + "select a from test.j")),
    );
    compare_lengths(folder.path(), "mysql", "--max-chars", 10, |file| query(&load(file, "s", csv, false)));
    compare_lengths(folder.path(), "mysql", "--max-bytes", 255, |file| query(&load(file, "x", csv, false)));
}
