//! Tests on real servers that repaired or converted dumps restore the intended values.

use std::fs;
use std::path::Path;

use utf8kit_encodings::charset::{Charset, Codec};

use crate::common::{messages, run_in, status};
use crate::servers::{Mariadb, Postgresql};

/// Encodings with text that is common in them.
const TEXTS: [(&str, &str, [&str; 6]); 5] = [
    (
        "western",
        "windows-1252",
        ["café crème", "Größe und Maß", "¿Dónde está?", "l’été à la plage", "Ångström", "déjà vu – « naïf »"],
    ),
    (
        "russian",
        "koi8-r",
        ["Привет, мир", "Москва", "улица Ленина, дом 5", "ещё не всё", "и так далее", "Санкт-Петербург"],
    ),
    (
        "polish",
        "iso-8859-2",
        ["Łódź", "zażółć gęślą jaźń", "święta", "Gdańsk i Kraków", "późno w nocy", "dziękuję bardzo"],
    ),
    (
        "japanese",
        "shift_jis",
        ["東京都千代田区", "ソフトウェアの表示", "予定表を作る", "日本語のテキスト", "株式会社の能力", "これは表です"],
    ),
    ("modern", "utf-8", ["naïve 😀", "日本語", "Привет", "Łódź", "¿qué?", "plain"]),
];

/// Values that need escapes everywhere.
const ESCAPED: [&str; 4] = ["tab\there", "back\\slash \\N \\.", "it's \"quoted\"; --", "two\nlines\r\n"];

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    let codec: Codec = encoding.parse::<Charset>().unwrap().writer();
    text.chars().flat_map(|c| codec.bytes_of(c).unwrap_or_else(|| panic!("{c} in {encoding}"))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Runs the command in a folder, which must succeed.
fn utf8(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(status(&output), 0, "{args:?}: {}", messages(&output));
    messages(&output)
}

/// The rows of each table: text in the encoding with this number, next to text in another encoding.
fn rows() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let mut rows = Vec::new();
    for (index, (table, encoding, texts)) in TEXTS.iter().enumerate() {
        let (_, beside, others) = TEXTS[(index + 1) % TEXTS.len()];
        for (text, other) in texts.iter().zip(others) {
            rows.push((*table, *encoding, *text, beside));
            rows.push((*table, "utf-8", other, beside));
        }
        for text in ESCAPED {
            rows.push((*table, *encoding, text, beside));
        }
    }
    rows
}

/// Every table has a column that mixes an encoding with UTF-8, row by row, and one in another encoding.
#[test]
fn postgresql_restores_five_encodings_as_utf8() {
    let Some(server) = Postgresql::start("SQL_ASCII") else { return };
    let folder = server.folder.path();
    let literal = |bytes: &[u8]| {
        let bytes: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("E'{bytes}'")
    };
    let (mut sql, mut meant) = (String::new(), Vec::new());
    for (table, ..) in TEXTS {
        sql += &format!("create table {table} (id int, a text, b varchar(80), c bytea, d text);\n");
    }
    for (id, (table, encoding, text, beside)) in rows().into_iter().enumerate() {
        let other = TEXTS.iter().find(|(_, encoding, _)| *encoding == beside).unwrap().2[id % 6];
        let (a, b) = (encoded(text, encoding), encoded(other, beside));
        sql += &format!("insert into {table} values ({id}, {}, {}, '\\xe9ff00', null);\n", literal(&a), literal(&b));
        meant.push(format!("{id}|{}|{}|E9FF00|", hex(text.as_bytes()), hex(other.as_bytes())));
    }
    fs::write(folder.join("made.sql"), sql).unwrap();
    let made = server.run("postgres", &folder.join("made.sql"));
    assert!(made.is_ok(), "{made:?}");
    let union: Vec<String> = TEXTS.iter().map(|(table, ..)| format!("select * from {table}")).collect();
    let utf8_hex = |column: &str| format!("upper(encode(convert_to({column}, 'UTF8'), 'hex'))");
    let select = format!(
        "select id || '|' || {} || '|' || {} || '|' || upper(encode(c, 'hex')) || '|' || coalesce(d, '') from ({}) \
         as every order by id",
        utf8_hex("a"),
        utf8_hex("b"),
        union.join(" union all ")
    );
    for (name, options) in [("copied", &[][..]), ("inserted", &["--inserts"]), ("grouped", &["--rows-per-insert=7"])] {
        let dump = folder.join("dump.sql");
        server.dump("postgres", options, &dump);
        let old = fs::read(&dump).unwrap();
        assert_eq!(status(&run_in(folder, ["check", "-q", "--rows", "pgdump", "dump.sql"])), 1);
        let reported = utf8(
            folder,
            &["repair", "--rows", "pgdump", "--per-table", "fallback=auto", "--in-place", "--ledger", name, "dump.sql"],
        );
        utf8(folder, &["check", "--rows", "pgdump", "dump.sql"]);
        let database = format!("create database {name} encoding 'UTF8' template template0");
        server.ask("postgres", &[&database]).unwrap();
        let restored = server.run(name, &dump);
        assert!(restored.is_ok(), "{name}: {restored:?}");
        let values = server.ask(name, &[&select]).unwrap();
        for (value, meant) in values.lines().zip(&meant) {
            assert_eq!(value, meant, "{name}: {reported}");
        }
        assert_eq!(values.lines().count(), meant.len());
        utf8(folder, &["undo", name]);
        assert_eq!(fs::read(&dump).unwrap(), old);
    }
    latin1_is_converted(&server);
}

/// A dump of a database in UTF-8 as LATIN1, converted to UTF-8 again, is the dump as UTF-8.
fn latin1_is_converted(server: &Postgresql) {
    let folder = server.folder.path();
    let texts = ["na\u{EF}ve", "\u{DF}\u{FF}\\", "it's \u{E9}"].map(|text| text.replace('\'', "''"));
    let values = texts.map(|text| format!("('{text}')")).join(", ");
    server.ask("postgres", &["create database latin encoding 'UTF8' template template0"]).unwrap();
    server.ask("latin", &["create table t (a text)", &format!("insert into t values {values}")]).unwrap();
    let plain = |file: &str| {
        let dump = fs::read_to_string(folder.join(file)).unwrap();
        let lines = dump.lines().filter(|line| !line.contains("restrict "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for options in [&[][..], &["--inserts"]] {
        server.dump("latin", &[options, &["--encoding=LATIN1"]].concat(), &folder.join("latin1.sql"));
        server.dump("latin", &[options, &["--encoding=UTF8"]].concat(), &folder.join("utf8.sql"));
        utf8(folder, &["convert", "--rows", "pgdump", "latin1.sql", "-o", "converted.sql"]);
        assert_eq!(plain("converted.sql"), plain("utf8.sql"));
    }
}

/// The classic damage: UTF-8 in tables declared as latin1, next to a sound table.
#[test]
fn mariadb_restores_utf8_out_of_latin1() {
    let Some(server) = Mariadb::start() else { return };
    let folder = server.folder.path();
    let texts: Vec<&str> = TEXTS.iter().flat_map(|(.., texts)| texts.iter().copied()).chain(ESCAPED).collect();
    let mut sql = "create database shop; use shop; \
                   create table old (id int, a varchar(200), b blob) default charset=latin1; \
                   create table new (id int, a varchar(200), b blob) default charset=utf8mb3; "
        .to_owned();
    for (id, text) in texts.iter().enumerate() {
        let hex = hex(text.as_bytes());
        // Simulates a client that sends UTF-8 but declares latin1.
        sql += &format!("insert into old values ({id}, convert(x'{hex}' using latin1), x'00E9FF275C0A'); ");
        if !text.contains('\u{1F600}') {
            sql += &format!("insert into new values ({id}, convert(x'{hex}' using utf8mb4), x'E9'); ");
        }
    }
    server.ask(&[], &sql).unwrap();
    let meant: Vec<String> =
        texts.iter().enumerate().map(|(id, text)| format!("{id}\t{}\t00E9FF275C0A", hex(text.as_bytes()))).collect();
    let in_order = "select id, hex(convert(a using utf8mb4)), hex(b) from shop.new order by id";
    let before = server.ask(&[], in_order).unwrap();
    let restore = |file: &str| {
        // The values are now UTF-8, so the table must be, as well.
        let mut bytes = fs::read(folder.join(file)).unwrap();
        let latin1 = b"DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci";
        let start = bytes.windows(latin1.len()).position(|some| some == latin1).unwrap();
        bytes.splice(start..start + latin1.len(), *b"DEFAULT CHARSET=utf8mb4");
        fs::write(folder.join("restore.sql"), bytes).unwrap();
        server.ask(&[], "drop database shop; create database shop").unwrap();
        let restored = server.run("shop", &folder.join("restore.sql"));
        assert!(restored.is_ok(), "{restored:?}");
    };
    let check_old = || {
        let old = server.ask(&[], "select id, hex(convert(a using utf8mb4)), hex(b) from shop.old order by id");
        assert_eq!(old.unwrap().lines().collect::<Vec<_>>(), meant);
    };
    let dumps: [(&str, &[&str]); 3] =
        [("grouped", &[]), ("single", &["--skip-extended-insert", "--complete-insert"]), ("hex", &["--hex-blob"])];
    for (name, options) in dumps {
        server.dump(&[options, &["shop"]].concat(), &folder.join(name));
    }
    // Read in the table's declared encoding, the value is the bytes of UTF-8.
    server.dump(&["--default-character-set=latin1", "shop", "old"], &folder.join("latin1"));
    for (name, _) in dumps {
        utf8(folder, &["mojibake", "--rows", "mysqldump", name, "-o", "repaired"]);
        restore("repaired");
        check_old();
        assert_eq!(server.ask(&[], in_order).unwrap(), before);
    }
    utf8(folder, &["convert", "--rows", "mysqldump", "--from", "utf-8", "latin1", "-o", "converted"]);
    restore("converted");
    check_old();
}
