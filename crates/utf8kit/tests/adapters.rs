//! Uses the features for other crates as their users do.

#[cfg(feature = "bytes")]
mod buffers {
    use bytes::{Buf, Bytes, BytesMut};
    use utf8kit::adapters::repair_bytes;
    use utf8kit::{Converter, Policy, Utf8, Utf16Le, convert_lossy};

    #[test]
    fn chained_buffers_are_one_stream() {
        let text = "naïve €😀 \u{FEFF}".repeat(2000);
        let broken = [text.as_bytes(), b"\xF0\x9F\x98"].concat();
        let whole = Bytes::from(broken.clone());
        for cut in [0, 1, 5, 6, 7, 4000, broken.len()] {
            let mut input = whole.slice(..cut).chain(whole.slice(cut..));
            let mut out = BytesMut::new();
            let mut converter = Converter::lossy(Utf8, Utf16Le, Policy::REPLACE);
            converter.push_buf(&mut input, &mut out).unwrap();
            converter.finish_buf(&mut out).unwrap();
            assert!(!input.has_remaining());
            assert_eq!(out, convert_lossy(Utf8, Utf16Le, &broken, Policy::REPLACE));
        }
    }

    #[test]
    fn a_buffer_is_left_where_the_error_begins() {
        let mut input = Bytes::from_static(b"ab\xFFcd");
        let mut out = BytesMut::new();
        let error = Converter::strict(Utf8, Utf8).push_buf(&mut input, &mut out).unwrap_err();
        assert_eq!((error.offset, &out[..], &input[..]), (2, &b"ab"[..], &b"\xFFcd"[..]));
    }

    #[test]
    fn replacements_longer_than_any_buffer_fit() {
        let with = "?".repeat(10_000);
        let policy = Policy::Replace { each: utf8kit::Each::Subpart, with: &with };
        for bytes in [&b"a\xFFb\xFF"[..], b"a\xE2"] {
            let mut out = BytesMut::new();
            let mut converter = Converter::lossy(Utf8, Utf8, policy);
            converter.push_buf(&mut &bytes[..], &mut out).unwrap();
            converter.finish_buf(&mut out).unwrap();
            assert_eq!(out, convert_lossy(Utf8, Utf8, bytes, policy));
        }
    }

    #[test]
    fn a_clean_buffer_is_shared() {
        let clean = Bytes::from("fine".repeat(100));
        assert_eq!(repair_bytes(Utf8, &clean, Policy::Remove).as_ptr(), clean.as_ptr());
        assert_eq!(repair_bytes(Utf8, &Bytes::from_static(b"a\xFF"), Policy::Remove), &b"a"[..]);
    }
}

#[cfg(feature = "tokio-util")]
mod codec {
    use bytes::BytesMut;
    use tokio_util::codec::{Decoder, Encoder};
    use utf8kit::adapters::TextCodec;
    use utf8kit::{Error, ErrorKind, Latin1, Policy, Utf8};

    #[test]
    fn text_before_an_error_comes_before_it() {
        let mut codec = TextCodec::strict(Utf8);
        let mut wire = BytesMut::from(&b"good\xFFbad"[..]);
        assert_eq!(codec.decode(&mut wire).unwrap(), Some("good".into()));
        for _ in 0..2 {
            let error = codec.decode_eof(&mut wire).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
            let inner: &Error = error.get_ref().unwrap().downcast_ref().unwrap();
            assert_eq!(*inner, Error::new(4, 1, ErrorKind::InvalidByte));
        }
    }

    #[test]
    fn pieces_of_the_wire_are_one_text() {
        let text = "naïve €😀";
        for cut in 0..=text.len() {
            let mut codec = TextCodec::with_policy(Utf8, Policy::REPLACE);
            let mut read = String::new();
            let mut wire = BytesMut::from(&text.as_bytes()[..cut]);
            read.extend(codec.decode(&mut wire).unwrap());
            wire.extend_from_slice(&text.as_bytes()[cut..]);
            while let Some(more) = codec.decode_eof(&mut wire).unwrap() {
                read.push_str(&more);
            }
            assert_eq!(read, text);
        }
    }

    #[test]
    fn what_the_encoding_does_not_hold_is_replaced() {
        let mut wire = BytesMut::new();
        TextCodec::strict(Latin1).encode("é€", &mut wire).unwrap();
        assert_eq!(wire, &b"\xE9?"[..]);
    }
}

#[cfg(feature = "serde")]
mod fields {
    use serde::{Deserialize, Serialize};
    use utf8kit::summary::{Histogram, Stats, Summary};
    use utf8kit::{AnyEncoding, ErrorKind, Policy, PolicyBuf, Utf8};

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Row {
        #[serde(with = "utf8kit::adapters::serde::lossy")]
        name: String,
        #[serde(with = "utf8kit::adapters::serde::escaped")]
        path: Vec<u8>,
    }

    #[test]
    fn broken_fields_are_read() {
        let row: Row = serde_json::from_slice(b"{\"name\":\"caf\xE9\",\"path\":\"\xFF\"}").unwrap();
        assert_eq!(row, Row { name: "caf\u{FFFD}".into(), path: b"\xFF".to_vec() });
        let row: Row = serde_json::from_str(r#"{"name":[99,255],"path":"x"}"#).unwrap();
        assert_eq!(row.name, "c\u{FFFD}");
    }

    #[test]
    fn any_bytes_come_back_as_they_were() {
        for path in [&b""[..], b"plain", b"\xFF\xC0\xAF", b"a\\xFF", b"\\", b"\xED\xA0\x80\0\"\n", "€".as_bytes()] {
            let row = Row { name: String::new(), path: path.to_vec() };
            let written = serde_json::to_vec(&row).unwrap();
            assert!(std::str::from_utf8(&written).is_ok());
            assert_eq!(serde_json::from_slice::<Row>(&written).unwrap(), row);
        }
    }

    #[test]
    fn names_and_summaries_travel() {
        let policy = PolicyBuf::from(Policy::SameLength);
        let all = (AnyEncoding::Cesu8, ErrorKind::TooLarge, policy);
        let written = serde_json::to_string(&all).unwrap();
        assert_eq!(written, r#"["cesu-8","too_large","same-length"]"#);
        assert_eq!(serde_json::from_str::<(AnyEncoding, ErrorKind, PolicyBuf)>(&written).unwrap(), all);
        assert!(serde_json::from_str::<ErrorKind>("\"fine\"").is_err());

        let mut histogram = Histogram::new();
        histogram.add(77);
        let all = (Summary::of(Utf8, b"a\xFF", 0..2, 0, 1), Stats::of(Utf8, b"a\n", 0..2), histogram);
        let written = serde_json::to_vec(&all).unwrap();
        assert_eq!(serde_json::from_slice::<(Summary, Stats, Histogram)>(&written).unwrap(), all);
        assert!(serde_json::from_str::<Summary>("[83,1]").is_err());
    }
}

/// The types of `bstr` need no feature: they are slices of bytes.
#[test]
fn byte_strings_are_bytes() {
    use bstr::{BString, ByteSlice};
    use utf8kit::{Encoding as _, Policy, Utf8, chunks, repair, truncate, validate};
    let text = BString::from(&b"caf\xE9!"[..]);
    assert_eq!(validate(&text).unwrap_err().valid_up_to(), 3);
    assert_eq!(repair(&text), text.to_str_lossy());
    assert_eq!(Utf8.repair(&text, Policy::Remove).as_bstr(), "caf!");
    assert_eq!(truncate(&text, 2).as_bstr(), "ca");
    let ours: Vec<_> = chunks(&text).map(|chunk| (chunk.valid, chunk.invalid)).collect();
    assert_eq!(ours, text.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid())).collect::<Vec<_>>());
}
