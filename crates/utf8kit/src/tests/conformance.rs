//! Runs every conformance vector through every operation that supports it, on every level.

use std::string::String;
use std::vec::Vec;

use serde_json::Value;

use super::support::on_every_level;
use crate::explain::explain;
use crate::summary::Summary;
use crate::{
    AnyEncoding, Converter, Encoding, Error, ErrorKind, Piece, Policy, Status, Validator, convert, convert_into,
    convert_lossy, convert_lossy_into, converted_len, converted_len_lossy,
};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors");
/// The number of cases. It is a failure if one does not run.
const CASES: usize = 3247;

struct Case {
    fields: Value,
    from: AnyEncoding,
    input: Vec<u8>,
}

impl Case {
    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    fn list(&self, field: &str) -> &[Value] {
        self.fields.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn hex(&self, field: &str) -> Option<Vec<u8>> {
        self.text(field).map(from_hex)
    }

    fn id(&self) -> &str {
        self.text("id").unwrap()
    }

    fn to(&self) -> AnyEncoding {
        self.text("to").unwrap().parse().unwrap()
    }

    fn is_strict(&self) -> bool {
        match self.text("mode").unwrap() {
            "strict" => true,
            "lossy" => false,
            other => panic!("mode {other}"),
        }
    }

    fn is_valid(&self) -> bool {
        self.fields["valid"].as_bool().unwrap()
    }

    fn errors(&self) -> Vec<Error> {
        self.list("errors").iter().map(error).collect()
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().as_chunks::<2>();
    assert!(digits.1.is_empty(), "{text}");
    digits.0.iter().map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn kind(value: &Value) -> ErrorKind {
    ErrorKind::from_name(value.as_str().unwrap()).unwrap()
}

fn error(value: &Value) -> Error {
    Error::new(number(&value["offset"]), number(&value["len"]) as u8, kind(&value["kind"]))
}

/// Returns the parts of an error that are in the cases.
fn plain(error: Error) -> Error {
    Error::new(error.offset, error.len, error.kind)
}

/// Returns `None` in the archive of this crate, which contains only the crate and its original manifest.
fn cases() -> Option<Vec<Case>> {
    if std::fs::exists(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml.orig")).unwrap() {
        return None;
    }
    let mut cases = Vec::new();
    for file in std::fs::read_dir(VECTORS).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let fields: Value = serde_json::from_str(line).unwrap();
                let from = fields["from"].as_str().unwrap().parse().unwrap();
                let input = from_hex(fields["input_hex"].as_str().unwrap());
                cases.push(Case { fields, from, input });
            }
        }
    }
    Some(cases)
}

#[test]
fn every_case_holds_on_every_level() {
    let Some(cases) = cases() else { return };
    on_every_level(|level| {
        let mut run = 0;
        for case in &cases {
            let held = std::panic::catch_unwind(|| match case.text("op").unwrap() {
                "check" => check(case),
                "convert" => conversion(case),
                "explain" => explanation(case),
                "decode_stream" => stream(case),
                other => panic!("no such operation: {other}"),
            });
            assert!(held.is_ok(), "{} on {level}: {}", case.id(), case.fields);
            run += 1;
        }
        assert_eq!(run, CASES);
    });
}

fn check(case: &Case) {
    let (from, input) = (case.from, &case.input[..]);
    let expected = case.errors();
    let first = expected.first().copied();
    assert_eq!(expected.is_empty(), case.is_valid());

    assert_eq!(from.errors(input).map(plain).collect::<Vec<_>>(), expected);
    assert_eq!(from.validate(input).err().map(plain), first);
    let valid_up_to = case.fields.get("valid_up_to").map(number);
    assert_eq!(first.map(|error| error.valid_up_to() as u64), valid_up_to);

    let parts: Vec<_> = from.chunks(input).collect();
    assert_eq!(parts.iter().filter_map(|part| part.error.map(plain)).collect::<Vec<_>>(), expected);
    assert_eq!(parts.iter().flat_map(|part| [part.valid, part.invalid].concat()).collect::<Vec<_>>(), input);

    let repaired = case.hex("repaired_hex");
    if repaired.is_some() || case.is_valid() {
        assert_eq!(&*from.repair(input, Policy::REPLACE), repaired.as_deref().unwrap_or(input));
    }

    let summary = Summary::of(from, input, 0..input.len(), 0, usize::MAX);
    assert_eq!(summary.first_errors.iter().map(|placed| plain(placed.error)).collect::<Vec<_>>(), expected);
    assert_eq!(summary.errors, expected.len() as u64);
    for &kind in ErrorKind::ALL {
        let of_kind = expected.iter().filter(|error| error.kind == kind).count();
        assert_eq!(summary.of_kind(kind), of_kind as u64);
    }
    assert_eq!(from.count(input) as u64, summary.code_points + summary.errors);

    for cut in 0..=input.len() {
        let mut validator = Validator::new(from);
        let pushed = validator.push(&input[..cut]).and_then(|()| validator.push(&input[cut..]));
        let finished = pushed.and_then(|()| validator.finish()).map_err(plain);
        assert_eq!(finished, first.map_or(Ok(input.len() as u64), Err), "cut at {cut}");
    }
}

/// Returns the input without a U+FEFF at the start, if the case requires that.
fn without_mark(case: &Case) -> &[u8] {
    let mark = case.from.encoded(0xFEFF).ok().filter(|_| case.text("bom") == Some("strip"));
    mark.and_then(|mark| case.input.strip_prefix(mark.as_bytes())).unwrap_or(&case.input)
}

fn conversion(case: &Case) {
    let (from, to, input) = (case.from, case.to(), without_mark(case));
    assert_eq!(case.errors().is_empty(), case.is_valid());
    if !case.is_strict() {
        let output = case.hex("output_hex").unwrap();
        assert_eq!(convert_lossy(from, to, input, Policy::REPLACE), output);
        assert_eq!(converted_len_lossy(from, to, input, Policy::REPLACE), output.len() as u64);
        let mut changes = Vec::new();
        let mut observed = Vec::new();
        let mut converter = Converter::lossy(from, to, Policy::REPLACE);
        let note = |change: crate::Change<'_>| {
            changes.push(Error::new(change.offset, change.before.len() as u8, change.kind.unwrap()));
        };
        let mut note = note;
        converter.push_observed(input, &mut observed, &mut note).unwrap();
        converter.finish_observed(&mut observed, &mut note).unwrap();
        assert_eq!((observed, changes), (output.clone(), case.errors()));
        for capacity in 0..output.len() + 2 {
            let mut out = std::vec![0; capacity];
            let progress = convert_lossy_into(from, to, input, Piece::Last, Policy::REPLACE, &mut out);
            out.truncate(progress.written);
            assert!(output.starts_with(&out));
            assert_eq!(progress.status == Status::Done, capacity >= output.len(), "{progress:?} in {capacity}");
        }
        return;
    }
    let first = case.errors().first().copied();
    let converted = convert(from, to, input);
    assert_eq!(converted.as_ref().err().copied().map(plain), first);
    let len = converted.as_ref().map(|converted| converted.len() as u64).map_err(|&error| error);
    assert_eq!(converted_len(from, to, input), len);
    assert_eq!(converted.ok(), case.hex("output_hex"));
    if let Some(output) = case.hex("output_hex") {
        for capacity in 0..output.len() + 2 {
            let mut out = std::vec![0; capacity];
            let progress = convert_into(from, to, input, Piece::Partial, &mut out);
            out.truncate(progress.written);
            assert!(output.starts_with(&out));
            // After a buffer that is too small, conversion can continue.
            assert_eq!([out, convert(from, to, &input[progress.read..]).unwrap()].concat(), output);
            assert_eq!(progress.status == Status::OutputFull, capacity < output.len(), "{progress:?} in {capacity}");
        }
    }
}

fn explanation(case: &Case) {
    let expected: Vec<_> = case
        .list("items")
        .iter()
        .map(|item| {
            let result = item.get("cp").map(|value| number(value) as u32).ok_or_else(|| kind(&item["kind"]));
            (number(&item["offset"]) as usize, number(&item["len"]) as usize, result)
        })
        .collect();
    let read: Vec<_> = case.from.items(&case.input).map(|item| (item.offset, item.len, item.result)).collect();
    assert_eq!(read, expected);
    for (explained, expected) in explain(case.from, &case.input).zip(&expected) {
        assert_eq!((explained.offset, explained.len, explained.result), *expected);
        assert_eq!(explained.bytes(), &case.input[expected.0..expected.0 + expected.1]);
        if let Ok(value) = explained.result {
            assert_eq!(explained.payload + explained.base, value);
        }
        // The bits must match the bytes, and the payload bits the payload.
        for (i, &byte) in explained.bytes().iter().enumerate() {
            let bits: String = explained.bits(i).iter().map(|bit| if bit.is_set() { '1' } else { '0' }).collect();
            assert_eq!(u8::from_str_radix(&bits, 2), Ok(byte));
            for bit in explained.bits(i) {
                if let crate::explain::Bit::Payload { set, position } = bit {
                    assert_eq!(explained.payload >> position & 1 == 1, set);
                }
            }
        }
    }
    assert_eq!(explain(case.from, &case.input).count(), expected.len());
    assert_eq!(case.is_valid(), expected.iter().all(|(_, _, result)| result.is_ok()));
}

fn stream(case: &Case) {
    let (from, to) = (case.from, case.to());
    let mut converter =
        if case.is_strict() { Converter::strict(from, to) } else { Converter::lossy(from, to, Policy::REPLACE) };
    let mut rest = without_mark(case);
    let mut outputs: Vec<Vec<u8>> = Vec::new();
    let mut failed = None;
    for piece in case.list("chunks") {
        let (now, later) = rest.split_at(number(piece) as usize);
        rest = later;
        let mut out = Vec::new();
        let result = converter.push(now, &mut out);
        assert!(converter.pending().len() < from.longest());
        failed = failed.or(result.err().map(|error| (outputs.len(), error)));
        outputs.push(out);
    }
    assert!(rest.is_empty());
    let mut out = Vec::new();
    let result = converter.finish(&mut out);
    failed = failed.or(result.err().map(|error| (outputs.len(), error)));
    outputs.push(out);

    let error_chunk = case.fields.get("error_chunk").map(|chunk| number(chunk) as usize);
    assert_eq!(failed.map(|(chunk, _)| chunk), error_chunk);
    assert_eq!(failed.map(|(_, error)| plain(error)), case.errors().first().copied().filter(|_| case.is_strict()));
    if let Some(output) = case.hex("output_hex") {
        assert_eq!(outputs.concat(), output);
    }
    let expected: Vec<_> = case.list("chunk_outputs_hex").iter().map(|hex| from_hex(hex.as_str().unwrap())).collect();
    if !expected.is_empty() {
        assert_eq!(outputs, expected);
    }
}
