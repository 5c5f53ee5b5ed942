//! Formats that store texts by their lengths in bytes: dBase tables and records of ISO 2709 (MARC). Converting the
//! texts makes the lengths wrong, and the encoding is declared outside of the texts.

/// The length of a field descriptor of dBase, and of the header before the first one.
const DESCRIPTOR: usize = 32;

/// Reports whether a file begins as a dBase table: a version, a date, and a header of a field descriptor of 32 bytes
/// each.
pub fn is_dbase(head: &[u8]) -> bool {
    let &[version, _, month, day, _, _, _, _, low, high, record, more, ..] = head else { return false };
    let (header, record) = (u16::from_le_bytes([low, high]), u16::from_le_bytes([record, more]));
    matches!(version, 0x02..=0x05 | 0x30..=0x32 | 0x43 | 0x63 | 0x83 | 0x8B | 0x8E | 0xCB | 0xF5 | 0xFB)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && header % 32 <= 8
        && header > 32
        && record > 1
}

/// Returns the texts of a dBase table that begins with these bytes, one per line. `None` if it is not a dBase table.
///
/// ```
/// use utf8kit_encodings::byte_lengths::dbase_texts;
///
/// let mut table = b"\x03\x78\x05\x04\x01\0\0\0\x41\0\x07\0".to_vec();
/// table.resize(32, 0);
/// table.extend(b"NAME\0\0\0\0\0\0\0C\0\0\0\0\x06");
/// table.resize(64, 0);
/// table.extend(b"\r Le\xF3n  \x1A");
/// assert_eq!(dbase_texts(&table), Some(b"Le\xF3n\n".to_vec()));
/// assert_eq!(dbase_texts(b"Le\xF3n"), None);
/// ```
pub fn dbase_texts(bytes: &[u8]) -> Option<Vec<u8>> {
    if !is_dbase(bytes) {
        return None;
    }
    let number = |at: usize| {
        let two = bytes.get(at..at + 2)?;
        Some(usize::from(*two.first()?) | usize::from(*two.last()?) << 8)
    };
    let (header, record) = (number(8)?, number(10)?);
    let mut fields = Vec::new();
    // Each record begins with a byte that marks it as deleted or not.
    let mut at = 1;
    let descriptors = bytes.get(DESCRIPTOR..header.min(bytes.len()))?.chunks_exact(DESCRIPTOR);
    for field in descriptors.take_while(|field| field.first() != Some(&b'\r')) {
        let len = usize::from(*field.get(16)?);
        if field.get(11) == Some(&b'C') {
            fields.push(at..at + len);
        }
        at += len;
    }
    let mut texts = Vec::new();
    for record in bytes.get(header..)?.chunks_exact(record) {
        for text in fields.iter().filter_map(|field| record.get(field.clone())).map(<[u8]>::trim_ascii) {
            if !text.is_empty() {
                texts.extend_from_slice(text);
                texts.push(b'\n');
            }
        }
    }
    Some(texts)
}

/// Reports whether a file begins with a leader: `00256nam  2200085   4500`.
pub fn is_iso2709(head: &[u8]) -> bool {
    let are_digits =
        |range| head.get::<std::ops::Range<usize>>(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    are_digits(0..5) && are_digits(10..17) && head.get(20..22) == Some(b"45")
}

/// Returns the encoding named by the leader of an ISO 2709 record, at position 9 as in MARC 21.
///
/// ```
/// use utf8kit_encodings::byte_lengths::leader;
///
/// assert_eq!(leader(b"00211nam a2200073   4500"), Some("UTF-8"));
/// assert_eq!(leader(b"00211nam  2200073   4500"), Some("MARC-8"));
/// assert_eq!(leader(b"Shopping list: 4500 nails"), None);
/// ```
pub fn leader(head: &[u8]) -> Option<&'static str> {
    match head.get(9).filter(|_| is_iso2709(head))? {
        b'a' => Some("UTF-8"),
        b' ' => Some("MARC-8"),
        _ => None,
    }
}
