//! The characters in common use.

/// Reports whether a character is in common use. Characters that sequences decode to by chance are excluded.
pub(crate) fn is_common(c: char) -> bool {
    let value = u32::from(c);
    LOW.get(value as usize).copied().unwrap_or_else(|| {
        let at = COMMON.partition_point(|range| *range.end() < value);
        COMMON.get(at).is_some_and(|range| range.contains(&value))
    })
}

/// For each character of two bytes in UTF-8, whether it is in [`COMMON`].
static LOW: [bool; 0x800] = {
    let (mut low, mut range) = ([false; 0x800], 0);
    while range < COMMON.len() {
        let (mut at, end) = (*COMMON[range].start() as usize, *COMMON[range].end() as usize);
        while at <= end && at < low.len() {
            low[at] = true;
            at += 1;
        }
        range += 1;
    }
    low
};

/// Sorted ranges.
const COMMON: [std::ops::RangeInclusive<u32>; 53] = [
    0x80..=0x17F,  // Latin, and controls that are a layer of their own
    0x192..=0x192, // florin, a layer of its own
    0x1A0..=0x1A1, // Vietnamese
    0x1AF..=0x1B0,
    0x1CE..=0x1CE, // Pinyin
    0x1D0..=0x1D0,
    0x1D2..=0x1D2,
    0x1D4..=0x1D4,
    0x218..=0x21B, // Romanian
    0x259..=0x259, // Azerbaijani
    0x2C6..=0x2C7, // modifiers in windows-1252 and others: layers of their own
    0x2D8..=0x2DD,
    0x300..=0x303, // accents
    0x306..=0x308,
    0x30A..=0x30C,
    0x323..=0x323,
    0x327..=0x328,
    0x384..=0x3CE, // Greek
    0x401..=0x45F, // Cyrillic
    0x490..=0x493,
    0x49A..=0x49B,
    0x4A2..=0x4A3,
    0x4AE..=0x4B1,
    0x4D8..=0x4D9,
    0x4E8..=0x4E9,
    0x531..=0x556, // Armenian
    0x561..=0x587,
    0x5B0..=0x5BE, // Hebrew
    0x5D0..=0x5F4,
    0x60C..=0x6D5, // Arabic
    0x6F0..=0x6F9,
    0x901..=0xDF4,   // Devanagari to Sinhala
    0xE01..=0xE5B,   // Thai
    0xE81..=0xEDD,   // Lao
    0x10D0..=0x10FA, // Georgian
    0x1780..=0x17E9, // Khmer
    0x1E00..=0x1FFE, // Latin, Vietnamese, Greek
    0x200B..=0x2027, // punctuation
    0x202F..=0x203A,
    0x2044..=0x2044,
    0x20A0..=0x20BF, // currencies
    0x2100..=0x214F, // symbols
    0x2153..=0x215E,
    0x2190..=0x22FF,
    0x2300..=0x23FF,
    0x2500..=0x27BF,
    0x3000..=0x30FF, // Japanese
    0x3400..=0x9FFF, // Chinese
    0xAC00..=0xD7A3, // Korean
    0xF8FF..=0xF8FF, // the Apple logo in Macintosh: a layer of its own
    0xFB01..=0xFB02,
    0xFE0F..=0xFFFD,   // variation selectors, full-width forms, the byte order mark, U+FFFD
    0x1F000..=0x1FAFF, // emoji
];
