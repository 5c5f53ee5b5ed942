//! Tests that rows are read as they were written, for any damage and any split of the input.

use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::{BomHandling, Conversion};

use super::*;
use crate::validator::{BadRow, RowValidator, Verdict};
use utf8kit_testing::Random;

fn codec(name: &str) -> Codec {
    name.parse::<Charset>().expect("a name").writer()
}

fn csv(name: &str) -> RowSyntax {
    RowSyntax::new(RowOptions::new(RowFormat::Csv), codec(name)).expect("a syntax")
}

/// Encodes text.
fn bytes_in(codec: Codec, text: &str) -> Vec<u8> {
    text.chars().flat_map(|c| codec.bytes_of(c).expect("a character of it")).collect()
}

/// Returns CSV rows as a careful program writes them.
fn written(random: &mut Random, count: usize) -> Vec<String> {
    let contents =
        ["", "a", "\u{65E5}\u{672C}", "5'3\"", "x,y", "one\ntwo", "\r\n", "\"", "\"\"", ",\"\n\",", "long text"];
    let field = |random: &mut Random| {
        let content: String = (0..random.below(3)).map(|_| random.pick(&contents)).collect();
        if content.contains(['"', ',', '\n', '\r']) || random.below(4) == 0 {
            format!("\"{}\"", content.replace('"', "\"\""))
        } else {
            content
        }
    };
    let row = |random: &mut Random| {
        let fields: Vec<_> = (0..1 + random.below(5)).map(|_| field(random)).collect();
        fields.join(",") + random.pick(&["\n", "\n", "\r\n"])
    };
    (0..count).map(|_| row(random)).collect()
}

/// Returns the end of each row of a text, and the place where it is broken.
fn ends(syntax: &RowSyntax, bytes: &[u8]) -> Vec<(usize, Option<usize>)> {
    syntax.rows(bytes).map(|row| (row.range.end, row.broken)).collect()
}

#[test]
fn rows_are_those_that_were_written() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for name in ["utf-8", "utf-16le", "utf-16be", "utf-32be", "gb18030", "shift_jis"] {
        let (syntax, codec) = (csv(name), codec(name));
        for _ in 0..200 {
            let rows = written(&mut random, 5);
            let encoded: Vec<_> = rows.iter().map(|row| bytes_in(codec, row)).collect();
            let mut at = 0;
            let expected: Vec<_> = encoded
                .iter()
                .map(|row| {
                    at += row.len();
                    (at, None)
                })
                .collect();
            assert_eq!(ends(&syntax, &encoded.concat()), expected, "{name}: {rows:?}");
        }
    }
}

#[test]
fn fields_have_their_values() {
    let syntax = csv("utf-8");
    let row = b"a,\"b,\"\"c\n\",5\" d,,\"x\"y,\"\"\r\n";
    let values: Vec<_> = syntax.fields(row).map(|field| syntax.value(&row[field])).collect();
    assert_eq!(values, ["a", "b,\"c\n", "5\" d", "", "\"x\"y", ""]);
    assert!(syntax.fields(b"\n").eq(std::iter::once(0..0)));
}

#[test]
fn broken_quotes_swallow_nothing() {
    let syntax = csv("utf-8");
    type Ends = &'static [(usize, Option<usize>)];
    let cases: [(&[u8], Ends); 9] = [
        // Nothing closes it.
        (b"a,\"b\nc\nd\n", &[(5, Some(2)), (7, None), (9, None)]),
        // The next quoted field seems to close it.
        (b"a,\"b\nc\nd,\"e\"\n", &[(5, Some(2)), (7, None), (13, None)]),
        // The rest of the line after the closing quote is part of the field.
        (b"\"a\"b,c\nd\n", &[(7, Some(0)), (9, None)]),
        (b"\"say \"hi\" now\",c\nd\n", &[(17, Some(0)), (19, None)]),
        // The first of two broken quotes in a row counts.
        (b"\"a\"b,\"c\nd\n", &[(8, Some(0)), (10, None)]),
        // Whole fields before it may hold line feeds.
        (b"\"a\nb\",\"c\nd\n", &[(9, Some(6)), (11, None)]),
        // A quote within a field is an ordinary character.
        (b"5\" disk,\"x\"\ny\n", &[(12, None), (14, None)]),
        // At the end, with and without a line ending.
        (b"a\n\"", &[(2, None), (3, Some(2))]),
        (b"a\n\"b\"\r", &[(2, None), (6, None)]),
    ];
    for (text, expected) in cases {
        assert_eq!(ends(&syntax, text), expected, "{}", text.escape_ascii());
    }
}

fn csv_read_by(reader: Reader, fields: Option<FieldCount>) -> RowSyntax {
    let options = RowOptions { reader, fields, ..RowOptions::new(RowFormat::Csv) };
    RowSyntax::new(options, codec("utf-8")).expect("a syntax")
}

/// Returns the kinds of problems of each row.
fn wrong(syntax: &RowSyntax, text: &[u8]) -> Vec<Vec<&'static str>> {
    let mut rows = syntax.rows(text).peekable();
    let first = rows.peek().map_or(0..0, |row| row.range.clone());
    let shape = syntax.shape(&text[first]);
    let kinds = |row: Row| {
        let first = row.range.start == 0;
        let violations = syntax.violations(&text[row.range.clone()], shape, first);
        assert_eq!(syntax.fit(&text[row.range], shape, first), violations.is_empty());
        let quote = row.broken.map(|_| "broken_quote");
        quote.into_iter().chain(violations.iter().map(|violation| violation.kind.name())).collect()
    };
    rows.map(kinds).collect()
}

#[test]
fn each_program_reads_rows_in_its_own_way() {
    let (standard, postgresql, mysql) = (Reader::STANDARD, Reader::POSTGRESQL, Reader::MYSQL);
    type Wrong = &'static [&'static [&'static str]];
    let cases: [(Reader, Option<FieldCount>, &[u8], Wrong); 28] = [
        (standard, None, b"1,5\" pipe\n2,6\" pipe\n", &[&[], &[]]),
        (mysql, None, b"1,5\" pipe\n2,6\" pipe\n", &[&[], &[]]),
        (postgresql, None, b"1,5\" pipe\n2,6\" pipe\n", &[&["broken_quote"], &["broken_quote"]]),
        (standard, None, b"\"two\nlines\"x,3\nc\n", &[&["broken_quote"], &[]]),
        (postgresql, None, b"\"two\nlines\"x,3\nc\n", &[&["broken_quote"], &[]]),
        (standard, None, b"a\rb\nc\r\n\"\r\"\n\"c\"\r", &[&["row_end"], &[], &[], &["row_end"]]),
        (postgresql, None, b"a\nb\r\nc\n", &[&[], &["row_end"], &[]]),
        (mysql, None, b"a\r\nb\n\"\n\"\r\nc", &[&[], &["row_end"], &[], &[]]),
        (postgresql, None, b"a\n\\.\n\"\n\\.\n\"\n\\.b\n", &[&[], &["end_marker"], &["end_marker"], &[]]),
        (standard, None, b"a\n\\.\n", &[&[], &[]]),
        (
            standard,
            Some(FieldCount::Header),
            b"a,b\n1\n1,2,3\n\"1\n,\",2\n",
            &[&[], &["field_count"], &["field_count"], &[]],
        ),
        (standard, Some(FieldCount::Exactly(1)), b"a\n\nb,\n", &[&[], &["field_count"], &["field_count"]]),
        (postgresql, Some(FieldCount::Exactly(1)), b"a\n\nb,\n", &[&[], &[], &["field_count"]]),
        (standard, Some(FieldCount::Exactly(1)), b"\xEF\xBB\xBF\n\xEF\xBB\xBF\n", &[&["field_count"], &[]]),
        (standard, Some(FieldCount::Header), b"\xEF\xBB\xBF\r\na\r\n", &[&[], &["field_count"]]),
        (postgresql, Some(FieldCount::Header), b"\xEF\xBB\xBF\na\n", &[&[], &[]]),
        (standard, Some(FieldCount::Exactly(2)), b"a\n,", &[&["field_count"], &[]]),
        (standard, None, b"\xEF\xBB\xBF\"a\"\n", &[&[]]),
        (standard, None, b"a\n\xEF\xBB\xBF\"a\"\n\xEF\xBB\xBFb\n", &[&[], &["inner_mark"], &[]]),
        (postgresql, None, b"\xEF\xBB\xBF\"a\"\n", &[&["broken_quote"]]),
        (mysql, Some(FieldCount::Exactly(2)), b"\xEF\xBB\xBF\"a,b\"\n", &[&[]]),
        (mysql, None, b"a\n\"b\"\r\n", &[&[], &["row_end"]]),
        (mysql, None, b"a,\nb,\n", &[&[], &[]]),
        (mysql, None, b"a,\nb,", &[&[], &["row_end"]]),
        (standard, None, b"a\n\"b\nc\n", &[&[], &["broken_quote"], &[]]),
        (standard, None, b"x,\"a\"b\ny\"\n", &[&["broken_quote"], &[]]),
        (postgresql, None, b"x,\"a\"b\ny\"\n", &[&["broken_quote"], &["broken_quote"]]),
        (postgresql.and(mysql), None, b"1,5\" pipe\r\n\\.\r\n", &[&["broken_quote"], &["end_marker"]]),
    ];
    for (reader, fields, text, expected) in cases {
        assert_eq!(wrong(&csv_read_by(reader, fields), text), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn the_last_row_has_as_many_fields_without_a_line_end() {
    for (quote, long) in [(None, false), (Some(Quote::Unquoted), false), (None, true)] {
        for format in [RowFormat::Csv, RowFormat::Tsv] {
            let options =
                RowOptions { delimiter: Some(';'), quote, fields: Some(FieldCount::Header), ..RowOptions::new(format) };
            let syntax = RowSyntax::new(options, codec("utf-8")).expect("a syntax");
            let rows = "a;b\n".repeat(if long { 100 } else { 1 });
            for (last, fits) in [("c;d", true), ("c;d;e", false), ("c", false), (";", true)] {
                let text = rows.clone() + last;
                let shape = syntax.shape(b"a;b\n");
                assert_eq!(syntax.fit(text.as_bytes(), shape, true), fits, "{format:?} {quote:?} {last}");
            }
        }
    }
}

#[test]
fn rows_without_quotes_have_no_byte_that_is_taken_for_one() {
    let tsv = |reader, name| {
        let options = RowOptions { reader, ..RowOptions::new(RowFormat::Tsv) };
        RowSyntax::new(options, codec(name)).expect("a syntax")
    };
    for name in ["utf-8", "utf-16le", "gb18030"] {
        let text = bytes_in(codec(name), "\"a\t\u{101}\n\ta\u{1}\n");
        assert_eq!(wrong(&tsv(Reader::POSTGRESQL, name), &text), [&[][..], &["quote_byte"]], "{name}");
        assert_eq!(wrong(&tsv(Reader::MYSQL, name), &text), [[""; 0], []], "{name}");
    }
}

#[test]
fn rows_of_other_encodings_have_the_same_shape() {
    let options =
        RowOptions { fields: Some(FieldCount::Header), reader: Reader::POSTGRESQL, ..RowOptions::new(RowFormat::Csv) };
    for name in ["utf-16le", "utf-32be", "gb18030"] {
        let syntax = RowSyntax::new(options, codec(name)).expect("a syntax");
        let text = bytes_in(codec(name), "a,b\n1\n1,2\r\n3,\"\r\"\n\r,\n\\.\n");
        let expected: [&[&str]; 6] =
            [&[], &["field_count"], &["row_end"], &[], &["row_end"], &["end_marker", "field_count"]];
        assert_eq!(wrong(&syntax, &text), expected, "{name}");
    }
}

#[test]
fn json_lines_are_parsed() {
    let jsonl = |reader| {
        let options = RowOptions { reader, ..RowOptions::new(RowFormat::Jsonl) };
        RowSyntax::new(options, codec("utf-8")).expect("a syntax")
    };
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let broken = [
        "",
        "{",
        "{\"a\":1",
        "{\"a\" 1}",
        "{a:1}",
        "[1,]",
        "'a'",
        "{} {}",
        "\"a",
        "\"\t\"",
        "\"\\x09\"",
        "01",
        "1.",
        "NaN",
        "nul",
        "\u{FEFF}1",
        "[1,\r2]",
        "\u{A0}1",
        "-",
        "\"\\u12\"",
        "{\"a\":1,}",
        "tru",
        "[1 2]",
        &nested(513),
        &"1".repeat(4301),
    ];
    let good = [
        "{}",
        "\"\\u0000\\ud800\"",
        " [1, -0.5e+7 ,\tnull]",
        "1e400",
        "\"\u{7F}\u{2028}\"",
        "{\"a\":1,\"a\":2}",
        &nested(512),
        &format!("[\"[{}\", {}]", "[".repeat(600), "1".repeat(4300)),
    ];
    for (lines, expected) in [(&broken[..], &["invalid_json"][..]), (&good, &[])] {
        for line in lines {
            let expected = if line.contains('\r') { &["row_end"] } else { expected };
            assert_eq!(wrong(&jsonl(Reader::STANDARD), format!("{line}\n").as_bytes()), [expected], "{line}");
        }
    }
    let refused = [
        (Reader::POSTGRESQL, "1e400"),
        (Reader::POSTGRESQL, "[1e-16384]"),
        (Reader::POSTGRESQL, &*format!("0.{}", "1".repeat(16_384))),
        (Reader::POSTGRESQL, "[0.0e1073741825]"),
        (Reader::MYSQL, &nested(32)),
        (Reader::MYSQL, "-1e400"),
        (Reader::MYSQL, &"1".repeat(309)),
    ];
    for (reader, line) in refused {
        assert_eq!(wrong(&jsonl(reader), line.as_bytes()), [["invalid_json"]], "{line}");
        assert_eq!(wrong(&jsonl(Reader::STANDARD), line.as_bytes()), [[""; 0]], "{line}");
    }
    assert_eq!(wrong(&jsonl(Reader::MYSQL), nested(31).as_bytes()), [[""; 0]]);
    assert_eq!(wrong(&jsonl(Reader::POSTGRESQL), b"[1e-16383, 1e308, 0e1073741822]"), [[""; 0]]);
    let violations = jsonl(Reader::STANDARD).violations(b"{\"a\" 1}\n", Shape::default(), true);
    assert_eq!((violations[0].offset, &*violations[0].what), (5, "not JSON: expected `:`"));
    let utf16 = RowSyntax::new(RowOptions::new(RowFormat::Jsonl), codec("utf-16le")).expect("a syntax");
    let text = bytes_in(codec("utf-16le"), "\u{FEFF}{}\n{\n1\r\n");
    assert_eq!(wrong(&utf16, &text), [&[][..], &["invalid_json"], &[]]);
}

#[test]
fn a_byte_order_mark_is_before_the_first_field() {
    for name in ["utf-8", "utf-16le"] {
        let syntax = csv(name);
        let text = bytes_in(codec(name), "\u{FEFF}\"a\nb\",c\nd\n");
        assert_eq!(syntax.rows(&text).count(), 2, "{name}");
        let header = Header::of(&syntax, &bytes_in(codec(name), "\u{FEFF}\"a\",c\n"));
        let row = bytes_in(codec(name), "x,y\n");
        let place = Places::new(&syntax, &header, 2, &row).at(2 * row.len() / 4);
        assert_eq!(place.to_string(), "row 2, field 2 (c)", "{name}");
    }
}

#[test]
fn signs_that_cannot_be_told_apart_are_refused() {
    let with = |delimiter: char, name: &str| {
        RowSyntax::new(RowOptions { delimiter: Some(delimiter), ..RowOptions::new(RowFormat::Csv) }, codec(name))
    };
    assert!(with('|', "utf-8").is_ok() && with('|', "utf-16le").is_ok() && with('|', "euc-jp").is_ok());
    for name in ["gb18030", "shift_jis", "big5"] {
        assert_eq!(with('|', name), Err(RowSyntaxError::Ambiguous('|', codec(name))), "{name}");
        assert!(with(';', name).is_ok(), "{name}");
    }
    assert_eq!(with('0', "gb18030"), Err(RowSyntaxError::Ambiguous('0', codec("gb18030"))));
    assert_eq!(with('\u{A7}', "utf-8"), Err(RowSyntaxError::NotOneUnit('\u{A7}', codec("utf-8"))));
    assert!(with('\u{A7}', "windows-1252").is_ok());
    assert_eq!(with('"', "utf-8"), Err(RowSyntaxError::Same('"')));
    assert_eq!(with('\n', "utf-8"), Err(RowSyntaxError::Same('\n')));
    // In two-byte units, any ASCII byte is half of a character.
    for shifting in ["iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz"] {
        assert_eq!(with(',', shifting), Err(RowSyntaxError::Stateful(codec(shifting))));
    }
    let lines = RowOptions { quote: Some(Quote::Unquoted), ..RowOptions::new(RowFormat::Lines) };
    assert_eq!(RowSyntax::new(lines, codec("utf-8")), Err(RowSyntaxError::NoFields(RowFormat::Lines)));
}

/// Returns well-written CSV with bytes changed, added and removed.
fn damaged(random: &mut Random, codec: Codec) -> Vec<u8> {
    let mut bytes = bytes_in(codec, &written(random, 30).concat());
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, b'"'),
            2 => bytes.insert(at, 0xFF),
            _ => bytes[at] = random.below(256) as u8,
        }
    }
    bytes
}

/// Reassembles the input from its good and bad rows. Also returns the numbers of the bad ones.
fn filtered(validator: &RowValidator, input: &[u8], size: usize) -> (Vec<u8>, Vec<(u64, u64)>) {
    let (mut merged, mut bad) = (Vec::new(), Vec::new());
    for chunk in Chunks::of_size(size, validator.syntax().clone(), input) {
        let checked = validator.validate(chunk.expect("memory can be read"), Vec::new());
        assert_eq!(checked.chunk.base, merged.len() as u64);
        let mut number = checked.chunk.first;
        merged.extend_from_slice(&checked.chunk.bytes);
        for verdict in &checked.verdicts {
            match verdict {
                Verdict::Good { range, .. } => {
                    let rows = &checked.chunk.bytes[range.clone()];
                    number += validator.syntax().rows(rows).count() as u64;
                }
                Verdict::Bad { range, .. } => {
                    bad.push((number, checked.chunk.base + range.start as u64));
                    number += 1;
                }
            }
        }
    }
    (merged, bad)
}

#[test]
fn chunks_of_any_size_say_the_same() {
    let mut random = Random::new(0xD1B5_4A32_D192_ED03);
    for (index, name) in (0..).zip(["utf-8", "utf-16le", "gb18030"].repeat(300)) {
        let reader = [Reader::STANDARD, Reader::MYSQL, Reader::POSTGRESQL][index / 3 % 3];
        let fields = (index % 2 == 0).then_some(FieldCount::Header);
        let options = RowOptions { reader, fields, ..RowOptions::new(RowFormat::Csv) };
        let validator = RowValidator::well_formed(RowSyntax::new(options, codec(name)).expect("a syntax"));
        let input = damaged(&mut random, codec(name));
        let whole = filtered(&validator, &input, 1 << 20);
        assert!(whole.0 == input, "{name}");
        for size in [1, 7, 64, 300] {
            assert!(filtered(&validator, &input, size) == whole, "{name}, {size}: {}", input.escape_ascii());
        }
        // The bad rows are exactly those that are bad on their own.
        let first = validator.syntax().rows(&input).next().map_or(0..0, |row| row.range);
        let shape = validator.syntax().shape(&input[first]);
        let is_good = |bytes: &[u8]| validator.plan_accepts(bytes) && validator.syntax().fit(bytes, shape, false);
        let rows = (1..).zip(validator.syntax().rows(&input));
        let bad: Vec<_> = rows
            .filter(|(_, row)| row.broken.is_some() || !is_good(&input[row.range.clone()]))
            .map(|(number, row)| (number, row.range.start as u64))
            .collect();
        assert_eq!(whole.1, bad, "{name}: {}", input.escape_ascii());
    }
}

#[test]
fn a_row_without_end_is_cut_and_stays_one_row() {
    let validator = RowValidator::well_formed(csv("utf-8"));
    let mut input = b"first\n".to_vec();
    input.resize(input.len() + 2 * LONGEST_ROW + 10, b'x');
    input.extend_from_slice(b"\nlast\n");
    let chunks: Vec<_> = Chunks::new(validator.syntax().clone(), &input[..]).map(Result::unwrap).collect();
    assert!(chunks.iter().flat_map(|chunk| &chunk.bytes).eq(&input));
    let shape: Vec<_> = chunks.iter().map(|chunk| (chunk.first, chunk.rows, chunk.part)).collect();
    assert_eq!(shape, [(1, 1, false), (2, 0, true), (2, 0, true), (2, 1, true), (3, 1, false)]);
    // A row of the maximum length.
    let mut input = vec![b'x'; LONGEST_ROW - 1];
    input.extend_from_slice(b"\nlast\n");
    assert!(Chunks::new(validator.syntax().clone(), &input[..]).all(|chunk| !chunk.unwrap().part));
}

#[test]
fn a_quote_that_nothing_closes_costs_one_look_ahead() {
    let validator = RowValidator::well_formed(csv("utf-8"));
    let mut input = b"a,\"b\n".to_vec();
    while input.len() < LONGEST_ROW + 1000 {
        input.extend_from_slice(b"good,row\n");
    }
    input.extend_from_slice(b"x,\"y\"\n");
    let (merged, bad) = filtered(&validator, &input, 1 << 18);
    assert!(merged == input);
    assert_eq!(bad, [(1, 0)]);
}

#[test]
fn problems_have_their_place_and_field() {
    let header = |syntax: &RowSyntax| Header::of(syntax, &bytes_in(syntax.codec(), "id,name\n"));
    type Problems = &'static [(&'static str, usize, &'static str)];
    let cases: [(&str, &[u8], Problems); 4] = [
        (
            "utf-8",
            b"1,\xC3(,\xFF\n",
            &[("truncated", 2, "row 9, field 2 (name)"), ("invalid_byte", 5, "row 9, field 3")],
        ),
        (
            "utf-8",
            b"\"1\"x,\xFF\n",
            &[("broken_quote", 0, "row 9, field 1 (id)"), ("invalid_byte", 5, "row 9, field 2 (name)")],
        ),
        ("gb18030", b"\xC4\xE3,\xFF\n", &[("malformed", 3, "row 9, field 2 (name)")]),
        ("utf-16le", b"1\0,\0\0\xD8\n\0", &[("surrogate", 4, "row 9, field 2 (name)")]),
    ];
    for (name, bytes, expected) in cases {
        let validator = RowValidator::well_formed(csv(name));
        let header = header(validator.syntax());
        let broken = validator.syntax().rows(bytes).next().and_then(|row| row.broken);
        let row = BadRow {
            number: 9,
            offset: 0,
            bytes,
            part: None,
            continues: false,
            broken,
            shape: Shape::default(),
            validator: &validator,
            header: &header,
        };
        let mut places = row.places();
        let problems: Vec<_> = row
            .problems()
            .map(|problem| (problem.kind.name(), problem.offset, places.at(problem.offset).to_string()))
            .collect();
        let problems: Vec<_> = problems.iter().map(|(kind, at, place)| (*kind, *at, place.as_str())).collect();
        assert_eq!(problems, expected, "{name}");
    }
}

#[test]
fn rows_are_converted_one_by_one() {
    let syntax = csv("utf-8");
    let mut conversion = Conversion::new("utf-8".parse().unwrap(), "koi8-r".parse().unwrap());
    conversion.bom = BomHandling::Strip;
    let text = "\u{FEFF}\u{416},a\n\u{E9},b\n\u{417},c\n".as_bytes();
    let validator = RowValidator::convertible(syntax, &conversion.start(&text[..4]));
    let chunk = Chunks::new(validator.syntax().clone(), text).next().unwrap().unwrap();
    let checked = validator.validate(chunk, Vec::new());
    assert_eq!(checked.out, b"\xF6,a\n\xFA,c\n");
    assert!(
        matches!(&checked.verdicts[1], Verdict::Bad { range, .. } if text[range.clone()] == *"\u{E9},b\n".as_bytes())
    );
}

#[test]
fn rows_without_quotes_have_none_in_utf8_either() {
    let options = RowOptions { quote: Some(Quote::Unquoted), ..RowOptions::new(RowFormat::Csv) };
    let syntax = RowSyntax::new(options, codec("utf-16le")).unwrap();
    assert_eq!(syntax.in_utf8().unwrap().quote(), None);
}
