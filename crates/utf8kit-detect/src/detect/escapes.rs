//! Seven-bit encodings, which look like ASCII: ISO 2022 with escape sequences, HZ, and UTF-7.

/// Escape sequences that distinguish the encodings of ISO 2022. The first one found in a text decides, so sequences
/// that fewer encodings have come first.
const DESIGNATORS: [(&str, &[&[u8]], &str); 9] = [
    ("ISO-2022-KR", &[b"\x1B$)C"], "its escape 1B 24 29 43, which designates KS X 1001"),
    (
        "ISO-2022-CN-EXT",
        &[b"\x1B$)E", b"\x1B$+I", b"\x1B$+J", b"\x1B$+K", b"\x1B$+L", b"\x1B$+M"],
        "an escape that designates ISO-IR-165 or the planes 3 to 7 of CNS 11643",
    ),
    ("ISO-2022-CN", &[b"\x1B$)G", b"\x1B$*H"], "an escape that designates CNS 11643"),
    ("ISO-2022-CN", &[b"\x1B$)A"], "its escape 1B 24 29 41, which designates GB 2312"),
    (
        "ISO-2022-JP-2",
        &[b"\x1B$A", b"\x1B$(A", b"\x1B$(C", b"\x1B.A", b"\x1B.F"],
        "an escape that designates Chinese, Korean, Latin or Greek characters",
    ),
    ("ISO-2022-JP-3", &[b"\x1B$(O"], "its escape 1B 24 28 4F, which designates JIS X 0213"),
    ("ISO-2022-JP-2004", &[b"\x1B$(Q", b"\x1B$(P"], "an escape that designates JIS X 0213 of 2004"),
    ("ISO-2022-JP-1", &[b"\x1B$(D"], "its escape 1B 24 28 44, which designates JIS X 0212"),
    ("ISO-2022-JP", &[b"\x1B$B", b"\x1B$@", b"\x1B(J"], "ASCII with the escapes of ISO-2022-JP"),
];

/// The escape of half-width katakana, which ISO-2022-JP-1 lacks.
const KATAKANA: &[u8] = b"\x1B(I";

/// Returns the encoding of a seven-bit text and the evidence for it, if the text is more than ASCII.
pub(super) fn find(text: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some(found) = designated(text) {
        return Some(found);
    }
    if is_hz(text) {
        return Some(("HZ-GB-2312", "pairs of bytes between ~{ and ~}, as HZ writes GB 2312"));
    }
    is_utf7(text).then_some(("UTF-7", "letters in Base64 between + and -, as UTF-7 writes them"))
}

/// Returns the encoding of ISO 2022 that an escape sequence in a text designates, and the evidence for it.
pub(super) fn designated(text: &[u8]) -> Option<(&'static str, &'static str)> {
    let has = |escape: &[u8]| text.windows(escape.len()).any(|window| window == escape);
    if !text.contains(&0x1B) {
        return None;
    }
    let found = DESIGNATORS.into_iter().find(|(_, escapes, _)| escapes.iter().any(|escape| has(escape)));
    let (name, _, evidence) = found?;
    let has_katakana = name == "ISO-2022-JP-1" && has(KATAKANA);
    Some((if has_katakana { "ISO-2022-JP-EXT" } else { name }, evidence))
}

/// Reports whether seven-bit data may be short messages (GSM 03.38): a control next to an ASCII letter is a letter
/// there, and few bytes are controls.
pub(super) fn may_be_short_messages(text: &[u8]) -> bool {
    let is_control = |byte: u8| matches!(byte, 0x00..=0x08 | 0x0B | 0x0C | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    let controls = text.iter().filter(|byte| is_control(**byte)).count();
    if controls == 0 || controls * 8 > text.len() || !text.is_ascii() {
        return false;
    }
    let is_letter = |byte: u8| byte.is_ascii_alphabetic();
    let is_one = |byte: u8| matches!(byte, 0x04..=0x08 | 0x0E | 0x0F | 0x1C..=0x1F | 0x7F);
    let mut places = text.windows(3).filter_map(|three| <[u8; 3]>::try_from(three).ok());
    places.any(|[before, byte, after]| is_one(byte) && (is_letter(before) || is_letter(after)))
}

/// HZ (RFC 1843): `~{` begins pairs of bytes, `~}` ends them on the same line.
fn is_hz(text: &[u8]) -> bool {
    let mut found = false;
    let mut rest = text;
    while let Some(at) = rest.windows(2).position(|window| window == b"~{") {
        let inner = rest.get(at + 2..).unwrap_or_default();
        let Some(end) = inner.windows(2).position(|window| window == b"~}") else { return false };
        let pairs = inner.get(..end).unwrap_or_default();
        let (all, odd) = pairs.as_chunks::<2>();
        let is_pair = |pair: &[u8; 2]| (0x21..=0x77).contains(&pair[0]) && (0x21..=0x7E).contains(&pair[1]);
        if all.is_empty() || !odd.is_empty() || !all.iter().all(is_pair) {
            return false;
        }
        found = true;
        rest = inner.get(end + 2..).unwrap_or_default();
    }
    found
}

/// UTF-7 (RFC 2152): `+` begins UTF-16 in Base64, which ends with the first other character (`-` is part of it). It is
/// not a coincidence if all of it is well formed and the letters are near each other in Unicode.
fn is_utf7(text: &[u8]) -> bool {
    let (mut letters, mut others) = (0, 0);
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'+') {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|&byte| base64(byte).is_none()).unwrap_or(rest.len());
        if end == 0 {
            // `+-` encodes a plus sign; a lone plus sign does not occur.
            others += usize::from(rest.first() != Some(&b'-'));
            continue;
        }
        match utf16(rest.get(..end).unwrap_or_default()) {
            Some(run) => letters += run.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count(),
            None => others += 1,
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    letters >= 3 && others == 0
}

fn base64(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Decodes a run of Base64: whole code units, with less than six bits left over, all of them zero.
fn utf16(run: &[u8]) -> Option<String> {
    let (mut units, mut bits, mut len) = (Vec::new(), 0_u32, 0);
    for &byte in run {
        bits = bits << 6 | base64(byte)?;
        len += 6;
        if len >= 16 {
            len -= 16;
            units.push((bits >> len) as u16);
            bits &= (1 << len) - 1;
        }
    }
    let whole = len < 6 && bits == 0 && !units.is_empty();
    let text = whole.then(|| String::from_utf16(&units).ok())??;
    // Random characters would come from all over Unicode.
    let mut blocks: Vec<u32> = text.chars().filter(|c| c.is_alphabetic()).map(|c| u32::from(c) >> 11).collect();
    blocks.dedup_by(|one, other| one.abs_diff(*other) <= 10);
    (blocks.len() <= 1 && !text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_bits_of_all_kinds() {
        let cases: [(&[u8], Option<&str>); 20] = [
            (b"\x1B$)C\x0EGQ1[>n\x0F\n", Some("ISO-2022-KR")),
            (b"\x1B$)A\x0E=;;;\x0F", Some("ISO-2022-CN")),
            (b"\x1B$BF|K\\\x1B(B", Some("ISO-2022-JP")),
            (b"\x1B$BF|\x1B$(D+1\x1B(B", Some("ISO-2022-JP-1")),
            (b"\x1B$(D+1\x1B(I1\x1B(B", Some("ISO-2022-JP-EXT")),
            (b"\x1B$BF|\x1B$(CGQ\x1B(B", Some("ISO-2022-JP-2")),
            (b"\x1B.A\x1BN5", Some("ISO-2022-JP-2")),
            (b"\x1B$BF|\x1B$(O.\"\x1B$(Q.!\x1B(B", Some("ISO-2022-JP-3")),
            (b"\x1B$BF|\x1B$(Q.!\x1B(B", Some("ISO-2022-JP-2004")),
            (b"\x1B$)A\x0E::\x0F \x1B$)G\x0EiG\x0F", Some("ISO-2022-CN")),
            (b"\x1B$)A\x0E::\x0F \x1B$+I\x1BO!D", Some("ISO-2022-CN-EXT")),
            (b"This is ~{<:Ky2;VpJ)~} in HZ", Some("HZ-GB-2312")),
            (b"+BB8EQAQ4BDIENQRC-, world", Some("UTF-7")),
            (b"Hi Mom -+Jjo--!", None), // one symbol, no letters
            (b"A +- B, +ZeVnLIqe-", Some("UTF-7")),
            (b"a + b, c++, x+y-z", None),
            (b"\x1B[31mred\x1B[0m", None),
            (b"cd ~{here", None),
            (b"key: MIIB+abcDEF/ghi+JKL==", None),
            (b"plain", None),
        ];
        for (text, name) in cases {
            assert_eq!(find(text).map(|found| found.0), name, "{}", String::from_utf8_lossy(text));
        }
    }
}
