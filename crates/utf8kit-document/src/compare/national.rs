//! National standards as Python and iconv read them: without what Windows, Hong Kong and GB 18030 added to them, and
//! with some other characters.

use std::sync::OnceLock;

use foldhash::HashSet;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::compare::encodings::text_of;
use crate::compare::substitutes::Each;

/// Encodings that Python and iconv support only in part.
const IN_PARTS: [(&str, &[Each]); 5] = [
    ("gb18030", &[Each::Standard, Each::CodePage]),
    ("Big5", &[Each::Standard, Each::CodePage]),
    ("EUC-KR", &[Each::Standard]),
    ("EUC-JP", &[Each::Standard]),
    ("Shift_JIS", &[Each::Standard]),
];

/// Returns the ways in which Python counts the errors of an encoding, apart from [`Each::Byte`].
pub(super) fn parts_of(legacy: Legacy) -> &'static [Each] {
    IN_PARTS.iter().find(|(name, _)| *name == legacy.name()).map_or(&[], |(_, parts)| parts)
}

/// Reports whether bytes that are valid in an encoding are invalid in the part of it that a view supports.
pub(super) fn is_of_extension(legacy: Legacy, each: Each, bytes: &[u8], text: &str) -> bool {
    if !matches!(each, Each::Standard | Each::CodePage) {
        return false;
    }
    let is_standard = each == Each::Standard;
    let &[lead, trail] = bytes else {
        let is_control = is_standard && legacy.name() == "Shift_JIS" && bytes == [0x80];
        return bytes.len() == 4 || is_control;
    };
    match legacy.name() {
        "EUC-KR" => lead < 0xA1 || trail < 0xA1 || (lead, trail) == (0xA4, 0xD4),
        "EUC-JP" => matches!(lead, 0xAD | 0xF9..),
        "Shift_JIS" => matches!(lead, 0x85..=0x87 | 0xEB..) || lead == 0x88 && trail < 0x9F,
        "gb18030" => {
            let is_added = matches!((lead, trail), (0xA2, ..=0xAA) | (0xA6, 0xE0..=0xF5) | (0xA8, 0xBB..=0xC0));
            text.chars().all(is_outside_gbk) || lead == 0xFE || is_standard && (lead < 0xA1 || trail < 0xA1 || is_added)
        }
        "Big5" => {
            let last = if is_standard { 0xD5 } else { 0xFE };
            let is_control = lead == 0xA3 && matches!(trail, 0xC0..=0xE1) && (lead, trail) != (0xA3, 0xE1);
            lead < 0xA1
                || (lead, trail) > (0xF9, last)
                || is_control
                || (lead, trail) == (0xA3, 0xE1) && is_standard
                || matches!((lead, trail), (0xC7, 0xFD..) | (0xC8, _))
        }
        _ => false,
    }
}

/// Reports whether only GB 18030 has a character, or no encoding has it.
fn is_outside_gbk(scalar: char) -> bool {
    matches!(scalar, '\u{E000}'..='\u{F8FF}' | '\u{FE10}'..='\u{FE19}' | '\u{2FF0}'..='\u{2FFB}')
        || matches!(scalar, '\u{1E3F}' | '\u{1F9}' | '\u{303E}' | '€')
}

/// Characters of JIS X 0208 as Windows and browsers know them, and as the standard does.
const JAPANESE: [(char, char); 6] = [('～', '〜'), ('∥', '‖'), ('－', '−'), ('￠', '¢'), ('￡', '£'), ('￢', '¬')];

/// Returns the character that has, in an encoding as Windows and browsers know it, the bytes of one that only the
/// standard has.
pub(super) fn windows_form(codec: Codec, scalar: char) -> Option<char> {
    let is_japanese = matches!(codec, Codec::Legacy(legacy) if matches!(legacy.name(), "Shift_JIS" | "EUC-JP"));
    let form = JAPANESE.iter().find(|(_, standard)| is_japanese && *standard == scalar);
    form.map(|(windows, _)| *windows)
}

/// Returns what a character is in the part of an encoding that a view knows.
pub(super) fn decode_in_subset(legacy: Legacy, each: Each, bytes: &[u8], scalar: char) -> char {
    const KANA: u32 = 0x3041 - 4;
    const BEFORE_KANA: [char; 4] = ['ヾ', 'ゝ', 'ゞ', '々'];
    const KANA_SUCCESSORS: &str = "ДЕЁЖЗИЙКЛМУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя①②③④⑤⑥⑦⑧⑨⑩⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽";
    let is_standard = each == Each::Standard;
    match (legacy.name(), bytes) {
        ("Shift_JIS" | "EUC-JP", _) if is_standard => {
            let form = JAPANESE.iter().find(|(windows, _)| *windows == scalar);
            form.map_or(scalar, |(_, standard)| *standard)
        }
        ("gb18030", _) if is_standard => match scalar {
            '·' => '・',
            '—' => '―',
            _ => scalar,
        },
        ("Big5", &[lead @ (0xC6 | 0xC7), trail]) if matches!(each, Each::Standard | Each::CodePage) => {
            let trail = u32::from(trail);
            let index = u32::from(lead - 0xC6) * 157 + if trail < 0x80 { trail - 0x40 } else { trail - 0x62 };
            // Kana begin after 63 characters.
            let Some(at) = index.checked_sub(63) else { return scalar };
            match at {
                0..=3 => BEFORE_KANA.get(at as usize).copied(),
                4..=86 => char::from_u32(KANA + at),
                87..=172 => char::from_u32(0x30A1 + at - 87),
                _ => KANA_SUCCESSORS.chars().nth(at as usize - 173),
            }
            .unwrap_or(scalar)
        }
        ("Big5", _) if is_standard => match scalar {
            '‧' => '•',
            '﹑' => '､',
            '¯' => '‾',
            '～' => '∼',
            '⊕' => '♁',
            '⊙' => '☉',
            '∕' => '／',
            '﹨' => '＼',
            '￥' => '¥',
            '￠' => '¢',
            '￡' => '£',
            _ => scalar,
        },
        _ => scalar,
    }
}

/// Returns how many bytes at the end of a file Python takes for one character that is cut off.
pub(super) fn cut_off(legacy: Legacy, bytes: &[u8]) -> Option<usize> {
    matches!(bytes, [0x8F] | [0x8F, _]).then_some(bytes.len()).filter(|_| legacy.name() == "EUC-JP")
}

/// Reports whether JIS X 0212 has a character: browsers read it in EUC-JP, and only other programs write it.
pub(super) fn has_supplement(codec: Codec, scalar: char) -> bool {
    static KNOWN: OnceLock<HashSet<char>> = OnceLock::new();
    if !matches!(codec, Codec::Legacy(legacy) if legacy.name() == "EUC-JP") {
        return false;
    }
    let all = || {
        let cells = (0xA1..=0xFE).flat_map(|row| (0xA1..=0xFE).map(move |cell| [0x8F, row, cell]));
        cells.filter_map(|bytes| text_of(codec, &bytes)?.chars().next()).collect()
    };
    KNOWN.get_or_init(all).contains(&scalar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::encodings::UTF8;
    use crate::compare::substitutes::Substitute;
    use crate::compare::view::DamageView;
    use utf8kit_encodings::charset::Charset;

    /// What Python 3 makes of bytes with `errors="replace"`.
    #[test]
    fn standards_and_code_pages_are_read_as_python_reads_them() {
        let cases: [(&str, Each, &[u8], &str); 12] = [
            ("shift_jis", Each::Standard, b"\xD0\xBF\xD1\x80\xD0\xB8", "ﾐｿﾑ�ﾐｸ"),
            ("shift_jis", Each::Standard, b"\xA0\xFD\x81`\x81|\xED@", "��〜−�@"),
            ("shift_jis", Each::Byte, b"\xA0\xFD\x81`\x81|\xED@\x80", "\u{F8F0}\u{F8F1}～－纊\u{80}"),
            ("euc-jp", Each::Standard, b"\xE5\x85\xAD\xE8\xBF\x9B", "���菴�"),
            ("euc-jp", Each::Standard, b"\xA1\xC1\xA1\xDD\x8F\xAA\xD2\x8F\xA1", "〜−Ò�"),
            ("euc-jp", Each::Standard, b"\xD1\x8F\n", "��"),
            (
                "gb18030",
                Each::CodePage,
                b"\xE3\x82\xA2\xE3\x82\xA4 \xE3\x83\xA2\xE3\x83\xBC\xE3\x83\x89",
                "銈�銈� 銉�銉笺儔",
            ),
            ("gb18030", Each::Standard, b"\xA1\xAA\xA1\xA4\xA2\xA1\xA8\xBB\xAE\xD7", "―・�〃划�"),
            ("big5", Each::Standard, b"\xC6\xE5\xED\xFF \xE8 \xC7\xE0\xF0\xFF", "め�� � ч��"),
            ("big5", Each::CodePage, b"\xF9\xD6\xA3\xC0\xA3\xE1\xC6\xA4\xC7k", "碁�壓慱匹k"),
            ("big5", Each::Standard, b"\xF9\xD6\xA3\xC0\xA3\xE1\xA1\xE3", "�痑壓寣�"),
            ("euc-kr", Each::Standard, b"\x81A\xB0\xA1", "�A가"),
        ];
        for (name, each, bytes, wanted) in cases {
            let read = name.parse::<Charset>().unwrap().writer();
            let errors = Some((Substitute::Replacement, each));
            let view = DamageView { errors, write: UTF8, ..DamageView::plain(read) };
            let tokens = view.pieces(bytes, 0).tokens;
            let text: String = tokens.into_iter().filter_map(char::from_u32).collect();
            assert_eq!(text, wanted, "{name} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn euc_jp_is_written_with_the_supplement() {
        let codec = |name: &str| name.parse::<Charset>().unwrap().writer();
        assert!(has_supplement(codec("euc-jp"), 'Ò') && !has_supplement(codec("euc-jp"), '€'));
        assert!(!has_supplement(codec("shift_jis"), 'Ò'));
    }
}
