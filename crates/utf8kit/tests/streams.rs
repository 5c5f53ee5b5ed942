//! The cases of `vectors/streams/`, which every binding runs.
#![cfg(feature = "hold")]

use utf8kit::Hold;
use utf8kit::{Converter, PolicyBuf, Utf8};

#[test]
fn cuts_are_those_of_the_vectors() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/streams/cuts.jsonl");
    let cases = std::fs::read_to_string(file).unwrap();
    for case in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let id = &case["id"];
        let policy: PolicyBuf = case["policy"].as_str().unwrap().parse().unwrap();
        let mut converter = Converter::lossy(Utf8, Utf8, policy.as_policy());
        let mut hold = (case["hold"] == "grapheme").then(Hold::default);
        let pieces: Vec<Vec<u8>> =
            case["pieces_hex"].as_array().unwrap().iter().map(|hex| bytes(hex.as_str().unwrap())).collect();
        let expected = case["texts"].as_array().unwrap();
        assert_eq!(expected.len(), pieces.len() + 1, "{id}");
        for (at, expected) in expected.iter().enumerate() {
            let mut out = Vec::new();
            match pieces.get(at) {
                Some(piece) => converter.push(piece, &mut out).unwrap(),
                None => converter.finish(&mut out).unwrap(),
            }
            let mut text = String::from_utf8(out).unwrap();
            if let Some(hold) = &mut hold {
                text = hold.push(&text);
                if at == pieces.len() {
                    text += &hold.finish();
                }
            }
            assert_eq!(text, expected.as_str().unwrap(), "{id}, piece {at}");
        }
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}
