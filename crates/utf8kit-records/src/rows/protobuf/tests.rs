//! Tests with messages that have every kind of field, valid and broken, compared with bytes written by hand.

use std::borrow::Cow;

use super::*;
use utf8kit::Encoding as _;
use utf8kit::Policy;

fn tagged(number: u32, wire: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, u64::from(number << 3 | wire));
    if wire == 2 {
        put_number(&mut out, content.len() as u64);
    }
    out.extend_from_slice(content);
    out
}

/// A field with a length.
fn bytes(number: u32, content: impl AsRef<[u8]>) -> Vec<u8> {
    tagged(number, 2, content.as_ref())
}

/// A field with a small number.
fn small(number: u32, value: u8) -> Vec<u8> {
    tagged(number, 0, &[value])
}

/// A description of a field: name, number, label, type, and the name of its type.
fn field(name: &str, number: u8, label: u8, kind: u8, type_name: &str) -> Vec<u8> {
    [bytes(1, name), small(3, number), small(4, label), small(5, kind), bytes(6, type_name)].concat()
}

fn message(name: &str, fields: &[Vec<u8>], more: &[u8]) -> Vec<u8> {
    [bytes(1, name), fields.iter().flat_map(|field| bytes(2, field)).collect(), more.to_vec()].concat()
}

/// package p; message Span { string name = 1; repeated Pair attributes = 2; map<string, string> labels = 3; Span child
/// = 4; bytes id = 5; repeated int64 n = 6; repeated string tags = 7; group Old = 8 { string text = 1; }; Empty empty =
/// 9; repeated Span parts = 10; }
fn schema() -> Schema {
    let entry =
        message("LabelsEntry", &[field("key", 1, 1, 9, ""), field("value", 2, 1, 9, "")], &bytes(7, small(7, 1)));
    let old = message("Old", &[field("text", 1, 1, 9, "")], &[]);
    let span = message(
        "Span",
        &[
            field("name", 1, 1, 9, ""),
            field("attributes", 2, 3, 11, ".p.Pair"),
            field("labels", 3, 3, 11, ".p.Span.LabelsEntry"),
            field("child", 4, 1, 11, ".p.Span"),
            field("id", 5, 1, 12, ""),
            field("n", 6, 3, 3, ""),
            field("tags", 7, 3, 9, ""),
            field("old", 8, 1, 10, ".p.Span.Old"),
            field("empty", 9, 1, 11, ".p.Empty"),
            field("parts", 10, 3, 11, ".p.Span"),
        ],
        &[bytes(3, entry), bytes(3, old)].concat(),
    );
    let pair = message("Pair", &[field("key", 1, 1, 9, ""), field("value", 2, 1, 11, ".p.Value")], &[]);
    let value = message("Value", &[field("string_value", 1, 1, 9, ""), field("raw", 2, 1, 12, "")], &[]);
    let empty = message("Empty", &[field("n", 1, 1, 3, "")], &[]);
    let extension = [field("note", 100, 1, 9, ""), bytes(2, ".p.Span")].concat();
    let file = [
        bytes(2, "p"),
        [span, pair, value, empty].iter().flat_map(|kind| bytes(4, kind)).collect(),
        bytes(7, extension),
    ]
    .concat();
    Schema::new(&bytes(1, file)).unwrap()
}

/// A message in which every text is `text`, and the tag of an unknown field is longer than necessary.
fn span(text: &[u8]) -> Vec<u8> {
    let pair = |key: &[u8]| bytes(2, [bytes(1, key), bytes(2, bytes(1, text))].concat());
    let group = [tagged(8, 3, &[]), bytes(1, text), tagged(8, 4, &[])].concat();
    let unknown = [tagged(15, 3, &[]), bytes(1, b"\xFF"), tagged(15, 4, &[])].concat();
    let level = [
        bytes(1, text),
        vec![0xD0, 0x85, 0x00, 0x80, 0x00], // field 90, a number
        pair(b"x"),
        pair(b"y\"z"),
        bytes(3, [bytes(1, b"k"), bytes(2, text)].concat()),
        bytes(5, b"\xFF\xFE"),
        bytes(6, b"\x80\x01\xFF\x01"),
        bytes(7, b"fine"),
        bytes(7, text),
        group,
        unknown,
        bytes(9, b"\xFF"), // not a message, but without any text
        bytes(91, b"\xFF"),
        tagged(92, 1, &[0xFF; 8]),
        tagged(93, 5, &[0xFF; 4]),
        bytes(100, text),
    ]
    .concat();
    [level.clone(), bytes(4, [bytes(4, &level), level].concat())].concat()
}

fn paths(data: &[u8]) -> Vec<String> {
    let (schema, mut found) = (schema(), Vec::new());
    let kind = schema.message(Some("p.Span")).unwrap();
    kind.check(data, &mut |bad| {
        assert_eq!(&data[bad.offset..][..bad.value.len()], bad.value);
        found.push(bad.path());
    })
    .unwrap();
    found
}

/// Returns the repaired text, if it changes.
fn by(policy: Policy<'_>, text: &[u8]) -> Option<Vec<u8>> {
    match Utf8.repair(text, policy) {
        Cow::Owned(new) => Some(new),
        Cow::Borrowed(_) => None,
    }
}

fn replaced(data: &[u8]) -> Result<Option<Repaired>, RepairError> {
    let schema = schema();
    let kind = schema.message(Some(".p.Span")).unwrap();
    kind.repair(data, &mut |text| by(Policy::REPLACE, text))
}

#[test]
fn paths_name_every_text() {
    assert_eq!(paths(&span(b"caf\xC3\xA9")), [""; 0]);
    let names = [
        "name",
        "attributes[\"x\"].value.string_value",
        "attributes[\"y\\\"z\"].value.string_value",
        "labels[\"k\"]",
        "tags[1]",
        "old.text",
        "[p.note]",
    ];
    let at = |prefix: &str| names.map(|name| format!("{prefix}{name}"));
    assert_eq!(paths(&span(b"caf\xE9")), [at(""), at("child.child."), at("child.")].concat());
    let no_key = bytes(2, [bytes(1, b"\xFF"), bytes(2, bytes(1, b"\xFF"))].concat());
    assert_eq!(paths(&no_key), ["attributes[0].key", "attributes[0].value.string_value"]);
    let entry = |key: &[u8], value: &[u8]| bytes(3, [bytes(1, key), bytes(2, value)].concat());
    let labels = [entry(b"a", b"b"), entry(b"\xFF", b"v"), entry(b"", b"\xFF")].concat();
    assert_eq!(paths(&labels), ["labels[1].key", "labels[\"\"]"]);
}

#[test]
fn a_repair_computes_lengths_anew_and_copies_the_rest() {
    // Up to sizes at which the length field needs one more byte.
    for len in (0..40).chain(100..130).chain([16_370, 16_380, 16_383]) {
        let broken = [&vec![b'x'; len][..], b"\xE9"].concat();
        let whole = [&vec![b'x'; len][..], "\u{FFFD}".as_bytes()].concat();
        let repaired = replaced(&span(&broken)).unwrap().unwrap();
        assert_eq!(repaired.data, span(&whole), "{len}");
        assert_eq!(repaired.texts, 21);
    }
    assert_eq!(replaced(&span(b"ok")), Ok(None));
    // A length that is longer than necessary is kept if nothing changes.
    let long = [&[0x0A, 0x82, 0x00][..], b"ok", &bytes(7, b"\xFF")].concat();
    let repaired = replaced(&long).unwrap().unwrap();
    assert_eq!(repaired.data, [&[0x0A, 0x82, 0x00][..], b"ok", &bytes(7, "\u{FFFD}")].concat());
}

#[test]
fn keys_do_not_become_the_same() {
    let entry = |key: &[u8]| bytes(3, [bytes(1, key), bytes(2, b"v")].concat());
    let map = [entry(b"a\xFF"), entry(b"b"), entry(b"a\xFE")].concat();
    let error = replaced(&bytes(4, &map)).unwrap_err();
    assert_eq!(error, RepairError::SameKeys("child.labels[0].key".into()));
    let schema = schema();
    let kind = schema.message(Some("p.Span")).unwrap();
    let escaped = kind.repair(&map, &mut |text| by(Policy::Escape, text)).unwrap().unwrap();
    assert_eq!(escaped.data, [entry(b"a\\xFF"), entry(b"b"), entry(b"a\\xFE")].concat());
    // A key that occurs twice in the message is not an error.
    assert_eq!(replaced(&[entry(b"\xFF"), entry(b"\xFF")].concat()).unwrap().unwrap().texts, 2);
    assert!(matches!(
        replaced(&[entry("\u{FFFD}".as_bytes()), entry(b"\xFF")].concat()),
        Err(RepairError::SameKeys(_))
    ));
}

#[test]
fn messages_are_read_in_both_wire_forms() {
    let group = |number, content: &[u8]| [&tagged(number, 3, &[])[..], content, &tagged(number, 4, &[])].concat();
    let pair = |key: &[u8], text: &[u8]| [bytes(1, key), group(2, &bytes(1, text))].concat();
    // A field that the schema declares as a message but is encoded as a group, and vice versa.
    let written = |text: &[u8]| {
        [
            group(4, &[bytes(1, text), bytes(4, bytes(1, text))].concat()),
            group(2, &pair(b"x", text)),
            bytes(2, pair(b"y", text)),
            group(3, &[bytes(1, b"k"), bytes(2, text)].concat()),
            bytes(8, bytes(1, text)),
        ]
        .concat()
    };
    let attributes = ["attributes[\"x\"].value.string_value", "attributes[\"y\"].value.string_value"];
    let wanted = [&["child.name", "child.child.name"][..], &attributes, &["labels[\"k\"]", "old.text"]].concat();
    assert_eq!(paths(&written(b"caf\xE9")), wanted);
    let repaired = replaced(&written(b"caf\xE9")).unwrap().unwrap();
    assert_eq!((repaired.data, repaired.texts), (written("caf\u{FFFD}".as_bytes()), 6));
    let entries = [group(3, &bytes(1, b"\xFF")), group(3, &bytes(1, b"\xFE"))].concat();
    assert_eq!(replaced(&entries).unwrap_err(), RepairError::SameKeys("labels[0].key".into()));
}

#[test]
fn keys_of_maps_that_merge_do_not_become_the_same() {
    let entry = |key: &[u8]| bytes(3, [bytes(1, key), bytes(2, b"v")].concat());
    let child = |key: &[u8]| bytes(4, entry(key));
    let same = |path: &str| Err(RepairError::SameKeys(path.to_owned()));
    assert_eq!(replaced(&[child(b"a\xFF"), child(b"a\xFE")].concat()), same("child.labels[0].key"));
    let deeper = |key| bytes(4, [bytes(1, b"x"), child(key)].concat());
    assert_eq!(replaced(&[deeper(b"\xFF"), deeper(b"\xFE")].concat()), same("child.child.labels[0].key"));
    // Maps of different messages stay apart.
    let apart = [child(b"a\xFF"), deeper(b"a\xFE"), entry(b"a\xFD")].concat();
    assert_eq!(replaced(&apart).unwrap().unwrap().texts, 3);
    let parts = [bytes(10, child(b"a\xFF")), bytes(10, child(b"a\xFE"))].concat();
    assert_eq!(replaced(&parts).unwrap().unwrap().texts, 2);
    // An entry without a key has an empty one, and of two keys in an entry the last one counts.
    let kind = schema();
    let kind = kind.message(Some("p.Span")).unwrap();
    let removed = |data: &[u8]| kind.repair(data, &mut |text| by(Policy::Remove, text));
    assert_eq!(removed(&[bytes(3, bytes(2, b"v")), entry(b"\xFF")].concat()), same("labels[1].key"));
    let two = bytes(3, [bytes(1, b"a\xFF"), bytes(1, b"b")].concat());
    assert_eq!(removed(&[two, entry(b"a\xFE")].concat()).unwrap().unwrap().texts, 2);
}

#[test]
fn a_key_is_looked_for_once_in_a_message() {
    // This takes too long if each path searches for the key again.
    let texts: Vec<u8> = (0..100_000).flat_map(|_| bytes(2, b"\xFF")).collect();
    let data = bytes(3, [bytes(1, b"k"), texts].concat());
    let found = paths(&data);
    assert_eq!(found.len(), 100_000);
    assert!(found.iter().all(|path| path == "labels[\"k\"]"));
}

#[test]
fn invalid_messages_are_refused() {
    let schema = schema();
    let kind = schema.message(Some("p.Span")).unwrap();
    let check = |data: &[u8]| kind.check(data, &mut |_| ());
    assert_eq!(check(b"\x0A"), Err(WireError::Number(1)));
    assert_eq!(check(b"\x0A\x05abc"), Err(WireError::Length(1)));
    assert_eq!(check(b"\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), Err(WireError::Length(1)));
    assert_eq!(check(&[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), Err(WireError::Number(1)));
    assert_eq!(check(b"\x02\x00"), Err(WireError::Tag(0)));
    assert_eq!(check(b"\x0E"), Err(WireError::Tag(0)));
    assert_eq!(check(b"\x43"), Err(WireError::Group(1)));
    assert_eq!(check(b"\x44"), Err(WireError::Group(0)));
    assert_eq!(check(b"\x43\x7C"), Err(WireError::Group(1)));
    assert_eq!(check(b"\x0D\x00"), Err(WireError::Length(1)));
    assert_eq!(check(b"\x22\x03\x0A\x05a"), Err(WireError::Length(3)));
    let nested = |levels| (0..levels).fold(Vec::new(), |inner, _| bytes(4, inner));
    assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
    assert!(matches!(check(&nested(MAX_DEPTH + 1)), Err(WireError::Depth(_))));
    assert!(matches!(check(&vec![0x43; 100_000]), Err(WireError::Group(_) | WireError::Depth(_))));
    assert!(matches!(check(&vec![0x7B; 100_000]), Err(WireError::Depth(_))));
    // A field with a wire type other than the declared one counts as unknown.
    assert_eq!(check(b"\x08\x05\x25\xFF\xFF\xFF\xFF"), Ok(()));
}

#[test]
fn every_cut_and_every_byte_is_an_answer() {
    let schema = schema();
    let kind = schema.message(Some("p.Span")).unwrap();
    let data = span(b"caf\xE9");
    for end in 0..data.len() {
        let _ = kind.check(&data[..end], &mut |bad| drop(bad.path()));
    }
    for at in 0..data.len() {
        for byte in [0, 1, 2, 0x7F, 0x80, 0xFF, data[at] ^ 1, data[at] ^ 6, data[at] ^ 8, data[at] ^ 0x80] {
            let mut hostile = data.clone();
            hostile[at] = byte;
            let mut left = 0;
            let repaired = kind.repair(&hostile, &mut |text| by(Policy::REPLACE, text));
            let Ok(repaired) = repaired else { continue };
            let repaired = repaired.map_or(hostile, |repaired| repaired.data);
            kind.check(&repaired, &mut |_| left += 1).unwrap();
            assert_eq!(left, 0, "{at} {byte}");
        }
    }
}

#[test]
fn schemas_are_found_or_refused() {
    let schema = schema();
    let names: Vec<_> = schema.messages().collect();
    assert_eq!(names, ["p.Span.Old", "p.Span", "p.Pair", "p.Value", "p.Empty"]);
    assert_eq!(schema.message(Some("Span")).unwrap_err(), SchemaError::Unknown("Span".into()));
    assert!(schema.message(None).is_ok_and(|span| span.check(&bytes(1, b"\xFF"), &mut |_| ()).is_ok()));
    assert_eq!(Schema::new(b"").unwrap_err(), SchemaError::Empty);
    assert!(matches!(Schema::new(b"no set"), Err(SchemaError::Malformed(_))));
    let lacking = message("A", &[field("b", 1, 1, 11, ".p.B")], &[]);
    let error = Schema::new(&bytes(1, bytes(4, lacking))).unwrap_err();
    assert_eq!(error.to_string(), "the descriptor set lacks p.B: write it with its imports");
    let one = |name| bytes(4, message(name, &[field("b", 1, 1, 9, "")], &[]));
    let two = Schema::new(&bytes(1, [one("A"), one("B")].concat())).unwrap();
    let error = two.message(None).unwrap_err();
    assert_eq!(error.to_string(), "the descriptor set has several messages; name one of A, B");
    // A message without text is always valid, even if it is the only one.
    let plain = bytes(4, message("N", &[field("n", 1, 1, 3, "")], &[]));
    let only = Schema::new(&bytes(1, &plain)).unwrap();
    only.message(None).unwrap().check(&small(1, 5), &mut |_| panic!("no text")).unwrap();
    let both = Schema::new(&bytes(1, [plain, one("A")].concat())).unwrap();
    assert!(matches!(both.message(None), Err(SchemaError::Ambiguous(_))));
}

#[test]
fn messages_follow_each_other() {
    for framing in [Framing::Varint, Framing::Fixed32] {
        let mut data = Vec::new();
        for message in [&b"ab"[..], b"", &[7; 300]] {
            framing.put(message, &mut data).unwrap();
        }
        let found: Result<Vec<_>, _> = framing.messages(&data).map(|range| range.map(|range| range.len())).collect();
        assert_eq!(found, Ok(vec![2, 0, 300]));
        let cut: Vec<_> = framing.messages(&data[..data.len() - 1]).collect();
        assert!(cut.len() == 3 && cut[2].is_err());
        assert_eq!(framing.messages(b"").count(), 0);
    }
    assert_eq!(Framing::One.messages(b"ab").collect::<Vec<_>>(), [Ok(0..2)]);
    assert_eq!(Framing::One.messages(b"").collect::<Vec<_>>(), [Ok(0..0)]);
}
