//! Tests that generated dumps, whose values are known, are read correctly at any chunk boundaries.

use utf8kit_encodings::charset::Legacy;

use super::chunks::{DumpChunk, DumpChunks};
use super::escapes::Style;
use super::state::Visit;
use super::value::{Value, ValueKind};
use super::{DumpFormat, DumpPolicy, DumpRepair, Evidence, RepairedChunk, TablePolicy};
use utf8kit_testing::Random;

/// A value: its table, row and column, if it is in a table, whether it is of bytes, and its bytes.
type Known = (Option<(String, u64, usize)>, bool, Vec<u8>);

/// Collects values.
struct Values<'c>(&'c DumpChunk, Vec<Known>);

impl Visit for Values<'_> {
    fn value(&mut self, value: Value<'_>) {
        let cell = value.cell.map(|(target, row, column)| {
            let schema = target.schema.as_ref().map_or(String::new(), |schema| format!("{schema}."));
            (schema + &target.table, row, column)
        });
        let bytes = value.style.decode(&self.0.bytes[value.raw.clone()], value.declared.lead()).bytes;
        self.1.push((cell, value.kind == ValueKind::Binary, bytes.into_owned()));
    }
}

fn read(format: DumpFormat, dump: &[u8], size: usize) -> Vec<Known> {
    let (mut all, mut base) = (Vec::new(), 0);
    for chunk in DumpChunks::of_size(size, format, None, dump) {
        let chunk = chunk.unwrap();
        assert_eq!(chunk.base, base as u64);
        assert_eq!(chunk.bytes, dump[base..base + chunk.bytes.len()]);
        base += chunk.bytes.len();
        let mut values = Values(&chunk, Vec::new());
        chunk.visit(&mut values);
        all.extend(values.1);
    }
    assert_eq!(base, dump.len());
    all
}

/// A dump, and the values that it should have.
struct Made {
    random: Random,
    dump: Vec<u8>,
    known: Vec<Known>,
}

const PIECES: [&[u8]; 22] = [
    b"a", b" ", b"'", b"\"", b"\\", b"\n", b"\t", b"\r", b"\xE9", b"\xC3\xA9", b"\xFF", b";", b"--", b"/*", b"*/",
    b"$$", b"(", b")", b",", b"N", b".", b"x41",
];

impl Made {
    fn add(&mut self, text: &str) {
        self.dump.extend_from_slice(text.as_bytes());
    }

    /// Returns bytes that need escapes, or look like it.
    fn bytes(&mut self) -> Vec<u8> {
        let len = self.random.below(6);
        (0..len).flat_map(|_| self.random.pick(&PIECES)).copied().collect()
    }

    fn know(&mut self, cell: Option<(&str, u64, usize)>, is_bytes: bool, bytes: Vec<u8>) {
        let cell = cell.map(|(table, row, column)| (table.to_owned(), row, column));
        self.known.push((cell, is_bytes, bytes));
    }

    /// Writes a field of `COPY`.
    fn copied(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' => self.add(r"\n"),
                b'\t' => self.add(r"\t"),
                b'\r' => self.add(r"\r"),
                b'\\' => self.add(r"\\"),
                0x80.. => match self.random.below(3) {
                    0 => self.add(&format!("\\{byte:03o}")),
                    1 => self.add(&format!("\\x{byte:02x}")),
                    _ => self.dump.push(byte),
                },
                _ => self.dump.push(byte),
            }
        }
    }

    /// Writes a string of PostgreSQL.
    fn quoted(&mut self, bytes: &[u8]) {
        let has_dollars = bytes.contains(&b'$');
        match self.random.below(3) {
            0 if !has_dollars => {
                self.add("$q$");
                self.dump.extend_from_slice(bytes);
                self.add("$q$");
            }
            1 => {
                self.add("E'");
                for &byte in bytes {
                    match byte {
                        b'\'' => self.add(if self.dump.len().is_multiple_of(2) { "''" } else { "\\'" }),
                        b'\\' => self.add("\\\\"),
                        b'\n' => self.add("\\n"),
                        0x80.. if self.dump.len().is_multiple_of(2) => self.add(&format!("\\{byte:o}")),
                        _ => self.dump.push(byte),
                    }
                }
                self.add("'");
            }
            _ => {
                self.add("'");
                for &byte in bytes {
                    self.dump.extend(std::iter::repeat_n(byte, if byte == b'\'' { 2 } else { 1 }));
                }
                self.add("'");
            }
        }
    }

    /// Writes a string of MySQL.
    fn escaped(&mut self, bytes: &[u8]) {
        let quote = self.random.pick(b"'\"");
        self.dump.push(quote);
        for &byte in bytes {
            match byte {
                b'\n' => self.add("\\n"),
                b'\\' => self.add("\\\\"),
                _ if byte == quote && self.dump.len().is_multiple_of(2) => self.dump.extend([quote, quote]),
                b'\'' | b'"' => self.dump.extend([b'\\', byte]),
                _ => self.dump.push(byte),
            }
        }
        self.dump.push(quote);
    }

    fn comment(&mut self) {
        let comment = self.random.pick(&["-- it's; (\n", "/* it's; */", "\n", " ", "/* \" */\n"]);
        self.add(comment);
    }

    fn postgresql(mut self) -> Made {
        self.add("SET client_encoding = 'SQL_ASCII';\nSELECT pg_catalog.set_config('search_path', '', false);\n");
        self.know(None, false, b"x'(".to_vec());
        self.add("CREATE TABLE s.t (\n  id integer NOT NULL,\n  \"the name\" text DEFAULT 'x''(',\n");
        self.add("  raw bytea, PRIMARY KEY (id)\n);\n");
        let (mut rows, mut others) = (0, 0);
        for _ in 0..4 + self.random.below(4) {
            self.comment();
            match self.random.below(4) {
                0 => {
                    self.add("COPY s.t (id, raw, \"the name\") FROM stdin;\n");
                    for _ in 0..self.random.below(4) {
                        rows += 1;
                        let (number, raw, name) = (rows.to_string(), self.bytes(), self.bytes());
                        self.add(&number);
                        self.know(Some(("s.t", rows, 0)), false, number.into_bytes());
                        self.add("\t");
                        self.copied(&raw);
                        self.know(Some(("s.t", rows, 1)), true, raw);
                        self.add("\t");
                        if self.random.below(4) == 0 {
                            self.add("\\N");
                        } else {
                            self.copied(&name);
                            self.know(Some(("s.t", rows, 2)), false, name);
                        }
                        self.add("\n");
                    }
                    self.add("\\.\n");
                }
                1 => {
                    self.add("INSERT INTO s.t VALUES");
                    for tuple in 0..=self.random.below(3) {
                        rows += 1;
                        self.add(if tuple > 0 { ",\n\t(" } else { " (" });
                        self.add("-1.5, ");
                        let name = self.bytes();
                        self.quoted(&name);
                        self.know(Some(("s.t", rows, 1)), false, name);
                        self.add(", '\\xdead')");
                        self.know(Some(("s.t", rows, 2)), true, b"\\xdead".to_vec());
                    }
                    self.add(";\n");
                }
                2 => {
                    others += 1;
                    self.add("INSERT INTO public.u (a) VALUES (lower(");
                    let value = self.bytes();
                    self.quoted(&value);
                    self.know(Some(("public.u", others, 0)), false, value);
                    self.add(")) ON CONFLICT (a) DO NOTHING;\n");
                }
                _ => {
                    self.add("\\echo it's\nCOMMENT ON TABLE s.t IS ");
                    let value = self.bytes();
                    self.quoted(&value);
                    self.know(None, false, value);
                    self.add(";\n");
                }
            }
        }
        self
    }

    fn mysql(mut self) -> Made {
        self.add("/*M!999999\\- enable the sandbox mode */ \n-- Host: localhost    Database: d\n");
        self.add("/*!40101 SET NAMES utf8mb4 */;\n");
        self.add("CREATE TABLE `t` (\n  `id` int(11),\n  `a ``name` varchar(9) COMMENT ");
        let comment = self.bytes();
        self.escaped(&comment);
        self.know(None, false, comment);
        self.add(",\n  `raw` longblob,\n  KEY `k` (`id`)\n) ENGINE=InnoDB;\n");
        let mut rows = 0;
        for _ in 0..4 + self.random.below(4) {
            self.comment();
            if self.random.below(4) == 0 {
                self.add("DELIMITER ;;\nCREATE TRIGGER x BEGIN INSERT INTO t VALUES (1,");
                let value = self.bytes();
                self.escaped(&value);
                self.know(None, false, value);
                self.add("); END ;;\nDELIMITER ;\n");
                continue;
            }
            let verb = self.random.pick(&["INSERT INTO", "REPLACE INTO", "INSERT IGNORE INTO"]);
            self.add(&format!("{verb} `t` VALUES"));
            for tuple in 0..=self.random.below(3) {
                rows += 1;
                self.add(if tuple > 0 { ",(" } else { " (" });
                self.add("12,");
                let (name, raw) = (self.bytes(), self.bytes());
                self.escaped(&name);
                self.know(Some(("d.t", rows, 1)), false, name);
                let introducer = self.random.pick(&[",", ",_binary ", ",_binary"]);
                self.add(introducer);
                self.escaped(&raw);
                self.know(Some(("d.t", rows, 2)), true, raw);
                self.add(")");
            }
            self.add(";\n");
        }
        self
    }
}

/// Makes a dump.
fn made(seed: u64) -> (DumpFormat, Made) {
    let made = Made { random: Random::new(seed * 0x9E37_79B9), dump: Vec::new(), known: Vec::new() };
    match seed % 2 {
        0 => (DumpFormat::PgDump, made.postgresql()),
        _ => (DumpFormat::MysqlDump, made.mysql()),
    }
}

#[test]
fn generated_dumps_are_read_as_meant() {
    for seed in 1..400 {
        let (format, made) = made(seed);
        for size in [1 << 20, 1, 7, 100] {
            let read = read(format, &made.dump, size);
            let differs = read.iter().zip(&made.known).find(|(read, known)| read != known);
            assert!(read == made.known, "{seed} {size}: {differs:?} in\n{}", made.dump.escape_ascii());
        }
    }
}

/// Input that is broken or not a dump is read in the same way at any chunk boundaries.
#[test]
fn cuts_change_nothing() {
    for seed in 1..400 {
        let (format, mut made) = made(seed);
        for _ in 0..=made.random.below(4) {
            let at = made.random.below(made.dump.len());
            let noise =
                made.random.pick(&[&b""[..], b"'", b"\\", b"\0", b"$", b"$x$", b"*/", b"\n", b"(", b"\xE9", b"\\.\n"]);
            let len = made.random.below(3).min(made.dump.len() - at);
            made.dump.splice(at..at + len, noise.iter().copied());
        }
        let whole = read(format, &made.dump, 1 << 20);
        for size in [1, 5, 64] {
            let cut = read(format, &made.dump, size);
            assert!(cut == whole, "{seed} {size}: {}\n{cut:?}\n{whole:?}", made.dump.escape_ascii());
        }
        let each = |policy: &str| DumpPolicy::Each(policy.parse().unwrap());
        for policy in [each("replace"), each("escape"), each("mojibake"), each("fallback=latin1")] {
            let whole = repaired(format, &policy, &made.dump, 1 << 20);
            assert_eq!(repaired(format, &policy, &made.dump, 9), whole, "{seed} {policy:?}");
            assert_eq!(repaired(format, &policy, &whole, 1 << 20), whole, "{seed} {policy:?}");
        }
    }
}

/// Repairs a dump in chunks of about `size` bytes.
fn repaired(format: DumpFormat, policy: &DumpPolicy, dump: &[u8], size: usize) -> Vec<u8> {
    let chunks = || DumpChunks::of_size(size, format, None, dump).map(Result::unwrap);
    let mut evidence = Evidence::default();
    chunks().for_each(|chunk| evidence.merge(&Evidence::of(&chunk, false)));
    let repair = DumpRepair::new(format, policy.clone()).unwrap().with_evidence(evidence);
    let mut all = Vec::new();
    for chunk in chunks() {
        let RepairedChunk { chunk, out, edits, .. } = repair.repair(chunk);
        let out = out.unwrap_or_else(|| chunk.bytes.clone());
        // The edits describe the difference exactly.
        let (mut before, mut after) = (0, 0);
        for (range, becomes) in edits {
            assert_eq!(chunk.bytes[before..range.start], out[after..becomes.start]);
            (before, after) = (range.end, becomes.end);
        }
        assert_eq!(chunk.bytes[before..], out[after..]);
        all.extend(out);
    }
    all
}

/// The expected repair of some bytes.
type Text<'t> = &'t dyn Fn(&[u8]) -> String;

#[test]
fn only_values_are_repaired() {
    let latin1 = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let each = |policy: &str| DumpPolicy::Each(policy.parse().unwrap());
    let policies: [(_, Text<'_>); 2] = [(each("replace"), &lossy), (each("fallback-lines=latin1"), &latin1)];
    for seed in 1..200 {
        let (format, made) = made(seed);
        for (policy, becomes) in &policies {
            let meant = made.known.iter().cloned().map(|(cell, is_bytes, bytes)| match is_bytes {
                false if std::str::from_utf8(&bytes).is_err() => (cell, false, becomes(&bytes).into_bytes()),
                _ => (cell, is_bytes, bytes),
            });
            let meant: Vec<Known> = meant.collect();
            let whole = repaired(format, policy, &made.dump, 1 << 20);
            assert_eq!(read(format, &whole, 1 << 20), meant, "{seed} {}", made.dump.escape_ascii());
            assert_eq!(repaired(format, policy, &made.dump, 13), whole, "{seed}");
            assert_eq!(repaired(format, policy, &whole, 100), whole, "{seed}: twice is once");
            if meant == made.known {
                assert_eq!(whole, made.dump, "{seed}");
            }
        }
    }
}

#[test]
fn columns_and_rows_decide() {
    let (russian, japanese) = ("Привет, мир", "日本語のテキスト");
    let koi8: Vec<u8> =
        russian.chars().flat_map(|c| Legacy::labelled("koi8-r").unwrap().bytes_of(c).unwrap()).collect();
    let sjis: Vec<u8> =
        japanese.chars().flat_map(|c| Legacy::labelled("shift_jis").unwrap().bytes_of(c).unwrap()).collect();
    let mut dump = b"INSERT INTO `t` (`a`, `b`, `c`) VALUES".to_vec();
    for row in 0..20 {
        dump.extend_from_slice(if row == 0 { b" ('" } else { b",('" });
        dump.extend_from_slice(if row % 2 == 0 { &koi8 } else { russian.as_bytes() });
        dump.extend_from_slice(b"','");
        // Damage by a client that did not support Shift_JIS.
        sjis.iter().for_each(|&byte| Style::Mysql(b'\'').put(byte, &mut dump));
        dump.extend_from_slice(b"','caf\xE9')");
    }
    dump.extend_from_slice(b";\n");
    let policy = DumpPolicy::PerTable(TablePolicy::Fallback(Vec::new()));
    let whole = repaired(DumpFormat::MysqlDump, &policy, &dump, 1 << 20);
    let meant = [russian, japanese, "caf\u{E9}"].map(|text| text.as_bytes().to_vec());
    let values: Vec<_> = read(DumpFormat::MysqlDump, &whole, 1 << 20).into_iter().map(|known| known.2).collect();
    assert!(values.chunks(3).all(|row| row == meant), "{}", String::from_utf8_lossy(&whole));
    assert_eq!(repaired(DumpFormat::MysqlDump, &policy, &dump, 50), whole);
}
