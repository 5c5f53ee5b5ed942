//! Tests that the targets reject what their sources document.

use utf8kit::{AnyEncoding, Policy};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::counts::Counts;

use super::*;
use crate::rows::{RowFormat, RowOptions, RowSyntax};
use utf8kit_testing::Random;

pub(super) fn syntax(format: RowFormat) -> RowSyntax {
    RowSyntax::new(RowOptions::new(format), Codec::Native(AnyEncoding::Utf8)).expect("a syntax")
}

pub(super) fn demands(target: &str) -> Demands {
    Demands { targets: vec![target.parse().expect("a target")], ..Demands::default() }
}

/// Returns the violations in a line.
fn found(target: &str, line: &[u8]) -> Vec<(usize, usize, &'static str)> {
    let lines = syntax(demands(target).lines());
    let mut found = Vec::new();
    for row in lines.rows(line) {
        let start = row.range.start;
        let refused = demands(target).find(&lines, &line[row.range], start == 0).into_iter();
        found.extend(refused.map(|violation| Violation { offset: start + violation.offset, ..violation }));
    }
    let pass = demands(target).pass(&lines, line, true);
    assert_eq!(pass, found.is_empty(), "{target}: {}", line.escape_ascii());
    found.iter().map(|violation| (violation.offset, violation.len, violation.kind.name())).collect()
}

/// Returns the violations of a target in a line that is not the first: each span, and the reason without the name of
/// the target.
pub(super) fn described<'l>(target: &str, line: &'l str) -> Vec<(&'l str, String)> {
    let (demands, lines) = (demands(target), syntax(RowFormat::Lines));
    let found = demands.find(&lines, line.as_bytes(), false);
    assert_eq!(demands.pass(&lines, line.as_bytes(), false), found.is_empty(), "{line:?}");
    let words = found.iter().map(|violation| {
        let message = demands.describe(violation).message();
        let span = &line[violation.offset..violation.offset + violation.len];
        (span, message.replace(&format!("not allowed by {target}: "), ""))
    });
    words.collect()
}

#[test]
fn each_target_refuses_what_it_should() {
    type Found = &'static [(usize, usize, &'static str)];
    let cases: [(&str, &[u8], Found); 36] = [
        ("postgresql", b"a\0\xF0\x9F\x98\x80\x01\n", &[(1, 1, "nul")]),
        ("redshift", b"a\0\n", &[(1, 1, "nul")]),
        ("bigquery", b"a\0\x01\n", &[(1, 1, "nul")]),
        ("mysql", b"a\0\xF0\x9F\x98\x80\n", &[]),
        ("snowflake", b"a\xF0\x9F\x98\x80\xEF\xBF\xBF\n", &[]),
        ("oracle-al32utf8", b"a\0\xF0\x9F\x98\x80\n", &[]),
        ("mysql-utf8mb3", b"a\0\xF0\x9F\x98\x80\xEF\xBF\xBF\n", &[(2, 4, "supplementary")]),
        ("java", b"a\0\xF0\x9F\x98\x80\n", &[(1, 1, "nul"), (2, 4, "supplementary")]),
        ("xml", b"a\0\x0B\t\r\x7F\n", &[(1, 1, "nul"), (2, 1, "control")]),
        (
            "xml",
            b"\xEF\xBF\xBE\xEF\xBF\xBD\xEF\xBF\xBF\xF0\x9F\xBF\xBF",
            &[(0, 3, "noncharacter"), (6, 3, "noncharacter")],
        ),
        (
            "xml",
            b"&#0;&#x1F;&#xd800;&#9;&#x10FFFF;&#xFFFE;",
            &[
                (0, 4, "character_reference"),
                (4, 6, "character_reference"),
                (10, 8, "character_reference"),
                (32, 8, "character_reference"),
            ],
        ),
        ("xml", b"&#99999999999;&#;&#x;&amp;&#1", &[(0, 14, "character_reference")]),
        ("xml", b"<!-- &#0; --><![CDATA[&#0;]]><?x &#0;?>&#0;", &[(39, 4, "character_reference")]),
        ("xml", b"<!-- \0 &#0;", &[(5, 1, "nul")]),
        ("json", br#"{"a":"\ud83d\ude00"}"#, &[]),
        (
            "json",
            br#"{"a":"\x09\u12\/\"","\u0000":"\"#,
            &[(6, 1, "invalid_escape"), (10, 1, "invalid_escape"), (30, 1, "invalid_escape")],
        ),
        ("json", b"{\"a\":\"x\ny\",\n\"b\":1}\n", &[(7, 1, "control")]),
        ("json", b"{\"a\":\"x,\n\"b\":1}\n", &[]),
        (
            "json",
            br#"{"a":"\ud83d","\udE00":"\\ud800 \u0000 \ud83d\u0041"}"#,
            &[(6, 6, "surrogate_escape"), (15, 6, "surrogate_escape"), (39, 6, "surrogate_escape")],
        ),
        ("json", b"{\"a\":\t\"\t\x01\"}\r\n", &[(7, 1, "control"), (8, 1, "control")]),
        ("json", b"\xEF\xBB\xBF{}", &[(0, 3, "byte_order_mark")]),
        ("json", b"\"\0\"", &[(1, 1, "nul")]),
        ("filename-windows", "caf\u{E9} \u{1F600}.txt".as_bytes(), &[]),
        (
            "filename-windows",
            b"a<b>:c?.txt\n",
            &[(1, 1, "file_name"), (3, 1, "file_name"), (4, 1, "file_name"), (6, 1, "file_name")],
        ),
        ("filename-windows", b"a.b. \n", &[(3, 1, "file_name"), (4, 1, "file_name")]),
        ("filename-windows", b"con\n", &[(0, 3, "device_name")]),
        ("filename-windows", "COM\u{B2}.log.txt".as_bytes(), &[(0, 5, "device_name")]),
        ("filename-windows", b"console\n", &[]),
        ("filename-windows", b"com0.txt\n", &[]),
        ("filename-windows", b"\x01\n", &[(0, 1, "control")]),
        ("filename-macos", "a:b?. caf\u{E9}. \n".as_bytes(), &[(1, 1, "file_name")]),
        ("filename-macos", b"con\n", &[]),
        ("filename-portable", b"a-b_c.TXT\n", &[]),
        ("filename-portable", b"-a b.\n", &[(0, 1, "file_name"), (4, 1, "file_name")]),
        ("filename-portable", "caf\u{E9}\u{9F}\n".as_bytes(), &[(5, 2, "control")]),
        ("filename-portable", b"aux.c\n", &[(0, 3, "device_name")]),
    ];
    for (target, line, expected) in cases {
        assert_eq!(found(target, line), expected, "{target}: {}", line.escape_ascii());
    }
}

/// The grammars of RFC 9839, sections 4.2 and 4.3, verbatim.
#[test]
fn subsets_are_those_of_rfc_9839() {
    const XML: &str = "9 / A / D / 20-D7FF / E000-FFFD / 10000-10FFFF";
    const ASSIGNABLES: &str = "9 / A / D / 20-7E / A0-D7FF / E000-FDCF / FDF0-FFFD / 10000-1FFFD / 20000-2FFFD / \
        30000-3FFFD / 40000-4FFFD / 50000-5FFFD / 60000-6FFFD / 70000-7FFFD / 80000-8FFFD / 90000-9FFFD / \
        A0000-AFFFD / B0000-BFFFD / C0000-CFFFD / D0000-DFFFD / E0000-EFFFD / F0000-FFFFD / 100000-10FFFD";
    let csv = syntax(RowFormat::Csv);
    for (target, grammar) in
        [("rfc9839-scalars", "0-D7FF / E000-10FFFF"), ("rfc9839-xml", XML), ("rfc9839-assignables", ASSIGNABLES)]
    {
        let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
        let ranges = grammar.split(" / ").map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            number(first)..=number(last)
        });
        let (ranges, demands): (Vec<_>, _) = (ranges.collect(), demands(target));
        for c in '\0'..=char::MAX {
            let row = format!("a,\"b{c}\"\n");
            let allowed = ranges.iter().any(|range| range.contains(&u32::from(c)));
            assert_eq!(demands.pass(&csv, row.as_bytes(), true), allowed, "{target} {c:?}");
            if !allowed {
                let found = demands.find(&csv, row.as_bytes(), true);
                assert_eq!((found.len(), found[0].offset, found[0].len), (1, 4, c.len_utf8()), "{target} {c:?}");
            }
        }
    }
}

#[test]
fn escapes_in_json_are_what_they_stand_for() {
    let (jsonl, row) = (syntax(RowFormat::Jsonl), br#"{"\u0001\n": "\u0000 \ufdd0 \udbff\udfff \ud800 \\u0001"}"#);
    for (target, expected) in [
        ("rfc9839-scalars", vec![(41, "surrogate_escape")]),
        ("rfc9839-xml", vec![(2, "character_escape"), (14, "nul_escape"), (41, "surrogate_escape")]),
        (
            "rfc9839-assignables",
            vec![
                (2, "character_escape"),
                (14, "nul_escape"),
                (21, "character_escape"),
                (28, "character_escape"),
                (41, "surrogate_escape"),
            ],
        ),
    ] {
        let found = demands(target).find(&jsonl, row, true);
        let found: Vec<_> = found.iter().map(|violation| (violation.offset, violation.kind.name())).collect();
        assert_eq!(found, expected, "{target}");
        assert!(!demands(target).pass(&jsonl, row, true));
    }
}

#[test]
fn values_are_cut_at_boundaries() {
    let cases: [(RowFormat, &str, usize, &str); 9] = [
        (RowFormat::Lines, "caf\u{E9}s\n", 4, "caf\n"),
        (RowFormat::Lines, "caf\u{E9}s\n", 5, "caf\u{E9}\n"),
        (RowFormat::Lines, "caf\u{E9}s\r\n", 6, "caf\u{E9}s\r\n"),
        (RowFormat::Csv, "abcd,\"a\"\"\"\"b\",abc\n", 3, "abc,\"a\"\"\"\"\",abc\n"),
        (RowFormat::Csv, "\"x\ny z\",\u{20AC}\n", 3, "\"x\ny\",\u{20AC}\n"),
        (RowFormat::Tsv, "ab\"c\td\n", 3, "ab\"\td\n"),
        (RowFormat::Jsonl, "{\"abc\": \"\\ud83d\\ude00x\"}\n", 4, "{\"abc\": \"\\ud83d\\ude00\"}\n"),
        (RowFormat::Jsonl, "{\"abc\": \"\\n\\n\\n\\n\"}\n", 3, "{\"abc\": \"\\n\\n\\n\"}\n"),
        (RowFormat::Jsonl, "{\"abc\": 12345}\n", 3, "{\"abc\": 12345}\n"),
    ];
    for (format, row, most, expected) in cases {
        let demands = Demands { max_bytes: Some(most), ..Demands::default() };
        let repair = RowRepair::new(syntax(format), demands, Policy::REPLACE).expect("a policy");
        let repaired = repair.repair(row.as_bytes(), false, &mut Counts::default());
        assert_eq!(String::from_utf8_lossy(&repaired), expected);
        assert_eq!(repair.leaves_unchanged(row.as_bytes(), false), row == expected, "{row}");
    }
}

#[test]
fn characters_are_code_points() {
    let cases: [(RowFormat, &str, usize, &str); 5] = [
        (RowFormat::Lines, "\u{65E5}\u{672C}\u{1F600}s\n", 3, "\u{65E5}\u{672C}\u{1F600}\n"),
        (RowFormat::Lines, "e\u{301}e\u{301}\n", 3, "e\u{301}e\n"),
        (RowFormat::Csv, "\u{E9}\u{E9},\"\u{E9}\"\"\u{E9}\"\n", 2, "\u{E9}\u{E9},\"\u{E9}\"\"\"\n"),
        (RowFormat::Tsv, "\u{E9}\u{E9}\t\u{E9}\n", 2, "\u{E9}\u{E9}\t\u{E9}\n"),
        (RowFormat::Jsonl, "\"\\ud83d\\ude00\\u00e9x\"\n", 2, "\"\\ud83d\\ude00\\u00e9\"\n"),
    ];
    for (format, row, most, expected) in cases {
        let demands = Demands { max_chars: Some(most), ..Demands::default() };
        let repair = RowRepair::new(syntax(format), demands, Policy::REPLACE).expect("a policy");
        let repaired = repair.repair(row.as_bytes(), false, &mut Counts::default());
        assert_eq!(String::from_utf8_lossy(&repaired), expected);
        assert_eq!(repair.leaves_unchanged(row.as_bytes(), false), row == expected, "{row}");
    }
}

#[test]
fn several_targets_refuse_what_one_of_them_refuses() {
    let mut demands = demands("postgresql");
    demands.targets.extend(["mysql-utf8mb3", "redshift"].map(|name| name.parse::<Target>().expect("a target")));
    demands.max_chars = Some(2);
    let found = demands.find(&syntax(RowFormat::Lines), "\0\u{1F600}ab\n".as_bytes(), true);
    let words: Vec<_> = found.iter().map(|violation| demands.describe(violation).message()).collect();
    let expected = [
        "not allowed by postgresql: NUL",
        "not allowed by mysql-utf8mb3: a character of four bytes",
        "the value is longer than 2 characters",
    ];
    assert_eq!(words, expected);
}

#[test]
fn long_values_are_found_wherever_they_are() {
    let pieces: [(RowFormat, &str, &[&str]); 4] = [
        (RowFormat::Csv, "\n", &["a", ",", "abcdefg", "\u{E9}\u{E9}", "\n", "\"x,y\nz\"", "abcdefghij", "\r\n"]),
        (RowFormat::Tsv, "\n", &["a", "\t", "abcdefg", "\u{20AC}", "\n", "\"", "abcdefghij"]),
        (RowFormat::Jsonl, "\n", &["{\"a\": \"b\"}", "{\"a\": \"\\u00e9bcdefghij\"}", "\n", "[1, \"abcdefg\"]"]),
        (RowFormat::Lines, "\n", &["a", "abcdefg", "\u{E9}", "\n", "\n", "\"", ","]),
    ];
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    let mut next = |end| random.below(end);
    for _ in 0..3000 {
        let (format, end, pieces) = &pieces[next(4)];
        let mut rows: String = (0..next(40)).map(|_| pieces[next(pieces.len())]).collect();
        rows.push_str(end);
        let (syntax, demands) = (syntax(*format), Demands { max_bytes: Some(1 + next(24)), ..Demands::default() });
        let mut each = syntax.rows(rows.as_bytes());
        let slowly = each.all(|row| demands.find(&syntax, &rows.as_bytes()[row.range], false).is_empty());
        assert_eq!(demands.pass(&syntax, rows.as_bytes(), false), slowly, "{format:?} {demands:?} {rows:?}");
    }
}

#[test]
fn clusters_are_not_cut_if_asked() {
    // A family of four, and an e with two accents.
    let row = "ab\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}e\u{301}\u{323}\n";
    for (most, graphemes, expected) in [
        (20, false, "ab\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"),
        (20, true, "ab"),
        (27, true, "ab\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"),
    ] {
        let demands = Demands { max_bytes: Some(most), graphemes, ..Demands::default() };
        let repair = RowRepair::new(syntax(RowFormat::Lines), demands, Policy::REPLACE).expect("a policy");
        let repaired = repair.repair(row.as_bytes(), false, &mut Counts::default());
        assert_eq!(String::from_utf8_lossy(&repaired), format!("{expected}\n"), "{most}");
    }
}

#[test]
fn repaired_text_is_accepted() {
    let lines: [&[u8]; 13] = [
        b"a\0b\xFF\n", b"\x7F \xC2\x80 \xF1\xBF\xBF\xBF\n", b"\xF0\x9F\x98\x80 \xED\xA0\x80\n",
        b"&#0; \x0B \xEF\xBF\xBF\n", br#"{"a":"\ud83d","b":"\udc00\ud800"}"#, b"{\"\x01\t\"}\n", b"nul.txt\n",
        b"a?b. .\n", b"\\x41\0\n", b"\xEF\xBB\xBF{}\n", b"plain\n", b"CON:\n", b"aux .\0\n",
    ];
    let policies = [
        Policy::REPLACE,
        Policy::Remove,
        Policy::SameLength,
        Policy::Escape,
        Policy::Replace { each: utf8kit::Each::Run, with: "\u{1F600}?" },
        Policy::Replace { each: utf8kit::Each::Byte, with: "" },
    ];
    for target in Target::all() {
        for policy in policies {
            let mut demands = Demands { targets: vec![target], graphemes: true, ..Demands::default() };
            demands.max_bytes = Some(40);
            let Ok(repair) = RowRepair::new(syntax(RowFormat::Lines), demands.clone(), policy) else {
                let unsuitable = target.is_of_names() && policy == Policy::Escape;
                let refuses_replacements = ["text", "source", "identifiers"].contains(&target.name());
                assert!(unsuitable || refuses_replacements);
                continue;
            };
            for line in lines {
                let lines = syntax(RowFormat::Lines);
                let mut counts = Counts::default();
                let repaired = repair.repair(line, true, &mut counts).into_owned();
                let left = demands.find(&lines, &repaired, true);
                assert!(left.is_empty(), "{target} {policy:?} {}: {left:?}", line.escape_ascii());
                assert!(utf8kit::validate(&repaired).is_ok());
                assert_eq!(repaired == line, counts.total() == 0);
                if repair.leaves_unchanged(line, true) {
                    assert_eq!(repaired, line, "{target} {policy:?}");
                }
            }
        }
    }
}

#[test]
fn repaired_text_of_any_length_is_accepted() {
    let pieces: [&[u8]; 25] = [
        b"a", b"\\u0001", b"\x7F", b"\xC2\x80", b"\xEF\xBF\xBE", b"\xEF\xBB\xBF", b" ", b".", b"con", b"COM\xC2\xB2",
        b"nul.", b"?", b":", b"\0", b"\x01", b"\xFF", b"\xC3\xA9", b"e\xCC\x81", b"\xF0\x9F\x98\x80", b"\xED\xA0\x80",
        b"\\", b"\\ud800", b"&#0;", b"\"", b",",
    ];
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut next = |end| random.below(end);
    let replace = |with| Policy::Replace { each: utf8kit::Each::Run, with };
    let policies =
        [Policy::REPLACE, Policy::Remove, Policy::SameLength, Policy::Escape, replace("?"), replace(":_"), replace("")];
    let targets: Vec<_> = Target::all().collect();
    for _ in 0..20_000 {
        let (target, policy) = (targets[next(targets.len())], policies[next(policies.len())]);
        let format = [RowFormat::Lines, RowFormat::Csv, RowFormat::Tsv, RowFormat::Jsonl][next(4)];
        let mut demands = Demands { targets: vec![target], graphemes: next(2) == 0, ..Demands::default() };
        if next(3) == 0 {
            demands.targets.push(targets[next(targets.len())]);
        }
        let most = Some(1 + next(12));
        *if next(2) == 0 { &mut demands.max_bytes } else { &mut demands.max_chars } = most;
        let format = if format == RowFormat::Lines { demands.lines() } else { format };
        let Ok(repair) = RowRepair::new(syntax(format), demands.clone(), policy) else { continue };
        let row: Vec<u8> = (0..next(12)).flat_map(|_| pieces[next(pieces.len())]).copied().collect();
        let row = if format == RowFormat::Jsonl { [b"\"", &*row, b"\""].concat() } else { row };
        let repaired = repair.repair(&row, true, &mut Counts::default()).into_owned();
        let mut left = demands.find(&syntax(format), &repaired, true);
        // In code, names and earlier damage are kept.
        let is_kept = |kind| matches!(kind, ViolationKind::ReplacementCharacter | ViolationKind::Invisible);
        let is_code = demands.targets.iter().any(|target| target.name() == "source");
        left.retain(|violation| !(is_code && is_kept(violation.kind)));
        let context = || format!("{format:?} {demands:?} {policy:?} {}", row.escape_ascii());
        assert!(left.is_empty(), "{} -> {}: {left:?}", context(), repaired.escape_ascii());
        assert!(utf8kit::validate(&repaired).is_ok(), "{}", context());
    }
}

/// Characters within a name are kept, and the line is read only once to decide that.
#[test]
fn a_long_line_of_code_is_repaired_in_linear_time() {
    let repair = RowRepair::new(syntax(RowFormat::Lines), demands("source"), Policy::Remove).expect("a policy");
    let line = "a\u{FEFF}b (\u{FEFF}) ".repeat(40_000);
    let mut counts = Counts::default();
    let repaired = repair.repair(line.as_bytes(), false, &mut counts);
    assert_eq!(*repaired, *"a\u{FEFF}b () ".repeat(40_000).as_bytes());
    assert_eq!((counts.kept(), counts.total()), (40_000, 40_000));
}

#[test]
fn json_stays_json() {
    let escape = Policy::Escape;
    let question = Policy::Replace { each: utf8kit::Each::Subpart, with: "\"?" };
    let cases: [(&str, Policy<'_>, &[u8], &[u8]); 17] = [
        ("rfc9839-assignables", escape, b"\"\\u0001\x7F\"\n", b"\"\\\\u0001\\\\x7F\"\n"),
        ("rfc9839-assignables", Policy::REPLACE, b"\"\\u0001\x7F\"\n", b"\"\\ufffd\xEF\xBF\xBD\"\n"),
        ("rfc9839-assignables", Policy::Remove, b"\"\\udbff\\udfff\x7F\"\n", b"\"\"\n"),
        ("rfc9839-scalars", Policy::REPLACE, b"\"\\u0000\\ud800\"\n", b"\"\\u0000\\ufffd\"\n"),
        ("xml", escape, b"\"\xEF\xBF\xBE\"\n", b"\"\\\\xEF\\\\xBF\\\\xBE\"\n"),
        ("json", escape, b"{\"a\":\"x\ty\"}\n", b"{\"a\":\"x\\ty\"}\n"),
        ("json", escape, b"\"\x01\xFF\"\n", b"\"\\u0001\\\\xFF\"\n"),
        ("json", escape, b"\"\\\\x41 \\x41 \\\\\"\n", b"\"\\\\x5Cx41 \\\\x5Cx41 \\\\\"\n"),
        ("json", escape, b"\"\\ud800\"\n", b"\"\\\\ud800\"\n"),
        ("json", Policy::REPLACE, b"\"\x01\xFF\\q\"\n", b"\"\\u0001\xEF\xBF\xBD\\\\q\"\n"),
        ("json", Policy::REPLACE, b"[\"\x01\n\"]\n", b"[\"\\u0001\\n\"]\n"),
        ("json", Policy::Remove, b"[\"\x01\xFF\\q\"]\n", b"[\"q\"]\n"),
        ("json", question, b"[\"\x01\xFF\"]\n", b"[\"\\\"?\\\"?\"]\n"),
        ("postgresql", Policy::REPLACE, b"\"\\u0000\\ud800\"\n", b"\"\\ufffd\\ufffd\"\n"),
        ("postgresql", Policy::Remove, b"\"\\u0000\\u0041\"\n", b"\"\\u0041\"\n"),
        ("mysql", escape, b"\"\\u0000\\udc00\"\n", b"\"\\u0000\\\\udc00\"\n"),
        ("snowflake", escape, b"\"\xFF\"\n", b"\"\\\\xFF\"\n"),
    ];
    for (target, policy, line, expected) in cases {
        let format = if target == "json" { RowFormat::Json } else { RowFormat::Jsonl };
        let repair = RowRepair::new(syntax(format), demands(target), policy).expect("a policy");
        let repaired = repair.repair(line, true, &mut Counts::default());
        assert_eq!(repaired.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{target} {policy:?}");
        assert!(syntax(RowFormat::Jsonl).fit(&repaired, Default::default(), true), "{}", repaired.escape_ascii());
    }
}

#[test]
fn escapes_are_reversible() {
    let lines = syntax(RowFormat::Lines);
    let line = b"\\x41 \0 \xFF \\\n";
    let repair = RowRepair::new(lines, demands("postgresql"), Policy::Escape).expect("a policy");
    let repaired = repair.repair(line, false, &mut Counts::default());
    assert_eq!(&*repaired, b"\\x5Cx41 \\x00 \\xFF \\\n");
}
