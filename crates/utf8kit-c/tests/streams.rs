//! Runs the cases of `vectors/streams/`, as every binding does, in the way a C program would.
#![allow(unsafe_code, reason = "calls of C")]

use utf8kit_c::*;

#[test]
fn cuts_are_those_of_the_vectors() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/streams/cuts.jsonl");
    for case in std::fs::read_to_string(file).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let id = &case["id"];
        let policy = match case["policy"].as_str().unwrap() {
            "replace" => UTF8KIT_REPLACE,
            "replace-byte" => UTF8KIT_REPLACE_BYTE,
            "replace-run" => UTF8KIT_REPLACE_RUN,
            "remove" => UTF8KIT_REMOVE,
            other => panic!("{other}"),
        };
        let holds = case["hold"] == "grapheme";
        let mut stream = Stream { policy, ..Stream::default() };
        let pieces = case["pieces_hex"].as_array().unwrap();
        let mut text = Vec::new();
        for (at, expected) in case["texts"].as_array().unwrap().iter().enumerate() {
            let piece = pieces.get(at).map_or(Vec::new(), |hex| bytes(hex.as_str().unwrap()));
            let last = at == pieces.len();
            let mut out = [0; 256];
            // SAFETY: the pointers are from slices.
            let pushed = unsafe {
                utf8kit_stream_push(&mut stream, piece.as_ptr(), piece.len(), last, out.as_mut_ptr(), out.len())
            };
            assert_eq!((pushed.error.status, pushed.read), (UTF8KIT_OK, piece.len()), "{id}");
            text.extend_from_slice(&out[..pushed.written]);
            let mut show = text.len();
            if holds && !last {
                // SAFETY: the pointer is from a slice.
                let settled = unsafe { utf8kit_settled(text.as_ptr(), text.len()) };
                assert_eq!(settled.status, UTF8KIT_OK, "{id}");
                show = settled.value as usize;
            }
            let shown: Vec<u8> = text.drain(..show).collect();
            assert_eq!(shown, expected.as_str().unwrap().as_bytes(), "{id}, piece {at}");
        }
    }
}

#[test]
fn miscalls_are_told() {
    let broken = b"a\xFF";
    // SAFETY: the pointer is from a slice.
    let ill_formed = unsafe { utf8kit_settled(broken.as_ptr(), broken.len()) };
    // SAFETY: NULL is reported.
    let null = unsafe { utf8kit_settled(std::ptr::null(), 1) };
    // SAFETY: nothing is read.
    let empty = unsafe { utf8kit_settled(std::ptr::null(), 0) };
    assert_eq!((ill_formed.value, ill_formed.status), (0, UTF8KIT_ILL_FORMED));
    assert!(null.status < 0);
    assert_eq!((empty.value, empty.status), (0, UTF8KIT_OK));
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}
