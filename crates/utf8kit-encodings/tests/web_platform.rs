//! Tests that decoders behave as the Web Platform Tests expect, apart from the differences listed in
//! `vectors/web/README.md`.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests may")]

use serde_json::Value;
use utf8kit::AnyEncoding;
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::{Converter, Invalid, Plan};

fn lines(name: &str) -> Vec<Value> {
    let path = format!("{}/../../vectors/web/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    // A published crate does not include the vectors.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn unhex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Returns the encoding that the standard means by a name.
fn codec(name: &str) -> Codec {
    name.parse::<Charset>().unwrap().writer()
}

fn plan(name: &str, invalid: Invalid) -> Plan {
    Plan::new(codec(name), Codec::Native(AnyEncoding::Utf8), invalid)
}

/// Returns the name here of the encoding that a label stands for. `None` if the standard does not decode it.
fn meaning<'l>(encoding: &'l str, label: &str) -> Option<&'l str> {
    Some(match (encoding, label) {
        ("windows-1252", "cp1252" | "windows-1252" | "x-cp1252") => encoding,
        ("windows-1252", "ascii" | "us-ascii" | "ansi_x3.4-1968") => "us-ascii",
        ("windows-1252", _) => "latin1",
        ("windows-1254", label) if !label.contains("1254") => "ISO-8859-9",
        ("windows-874", "iso-8859-11" | "iso8859-11" | "iso885911") => "ISO-8859-11",
        ("koi8-u" | "KOI8-U", "koi8-ru") => "KOI8-RU",
        ("utf-16le", "utf-16") => "utf-16",
        ("replacement", _) => return None,
        _ => encoding,
    })
}

#[test]
fn labels_are_those_of_the_standard() {
    let mut wrong = Vec::new();
    for line in lines("labels") {
        let encoding = line["encoding"].as_str().unwrap();
        for label in line["labels"].as_array().unwrap() {
            let label = label.as_str().unwrap();
            let Some(expected) = meaning(encoding, label) else { continue };
            for written in [label.to_owned(), label.to_ascii_uppercase()] {
                let found = written.parse::<Charset>().map_or(String::new(), |found| found.to_string());
                if !found.eq_ignore_ascii_case(expected) {
                    wrong.push(format!("{written}: {found}, not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn single_bytes_are_mapped_or_not() {
    for line in lines("labels") {
        let Some(unmapped) = line.get("unmapped_hex").map(unhex) else { continue };
        let plan = plan(line["encoding"].as_str().unwrap(), Invalid::Strict);
        for byte in 0..=u8::MAX {
            let mut out = Vec::new();
            let done = Converter::new(&plan).push(&[byte], true, &mut out, &mut Counts::default());
            assert_eq!(done.is_ok(), !unmapped.contains(&byte), "{}: {byte:02X}", line["encoding"]);
        }
    }
}

/// Decodes pieces, and returns the output after each.
fn decoded(plan: &Plan, pieces: &[&[u8]]) -> Vec<String> {
    let (mut converter, mut texts) = (Converter::new(plan), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        let mut out = Vec::new();
        let last = index + 1 == pieces.len();
        converter.push(piece, last, &mut out, &mut Counts::default()).unwrap();
        texts.push(String::from_utf8(out).unwrap());
    }
    texts
}

#[test]
fn pieces_are_decoded_as_in_browsers() {
    for line in lines("decoding") {
        let encoding = line["encoding"].as_str().unwrap();
        let pieces = line["pieces"].as_array().unwrap();
        let inputs: Vec<_> = pieces.iter().map(|piece| unhex(&piece["input_hex"])).collect();
        if line.get("fatal").is_some() {
            let strict = plan(encoding, Invalid::Strict);
            let done = Converter::new(&strict).push(&inputs[0], true, &mut Vec::new(), &mut Counts::default());
            assert!(done.is_err(), "{line}");
            continue;
        }
        let texts: Vec<_> = pieces.iter().map(|piece| piece["text"].as_str().unwrap().to_owned()).collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let lossy = plan(encoding, Invalid::REPLACE);
        assert_eq!(decoded(&lossy, &inputs), texts, "{line}");
        let whole = inputs.concat();
        for size in 1..=5 {
            let pieces: Vec<&[u8]> = whole.chunks(size).chain([&[][..]]).collect();
            assert_eq!(decoded(&lossy, &pieces).concat(), texts.concat(), "{size}: {line}");
        }
    }
}
