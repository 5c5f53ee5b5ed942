//! Encodings of one and two bytes per character, each with a table of all characters. `encoding_rs` has small tables,
//! which it searches.

use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

/// The stateless encodings. In ISO-2022-JP, for example, the meaning of bytes depends on earlier ones.
const PAIRED: [&Encoding; 6] = [GBK, GB18030, BIG5, EUC_JP, SHIFT_JIS, EUC_KR];

const SINGLE_BYTES: usize = 256;
const DOUBLE_BYTES: usize = 128 * 256;

/// The characters of an encoding that have one or two bytes and are one code unit. 0 stands for everything else, and
/// for the byte 00.
pub(crate) struct Pairs {
    /// Indexed by the byte.
    singles: Box<[u16; SINGLE_BYTES]>,
    /// Indexed by the low seven bits of the first byte, and the second byte.
    doubles: Box<[u16; DOUBLE_BYTES]>,
}

impl Pairs {
    /// Returns the tables of an encoding; `None` if it has longer characters, or is stateful.
    pub(crate) fn new(encoding: &'static Encoding) -> Option<Pairs> {
        if !PAIRED.contains(&encoding) {
            return None;
        }
        let mut pairs = Pairs { singles: Box::new([0; SINGLE_BYTES]), doubles: Box::new([0; DOUBLE_BYTES]) };
        for (byte, unit) in (0..=u8::MAX).zip(pairs.singles.iter_mut()) {
            *unit = unit_of(encoding, &[byte]);
        }
        let leads = (0x80..=u8::MAX).flat_map(|lead| (0..=u8::MAX).map(move |trail| [lead, trail]));
        for (bytes, unit) in leads.zip(pairs.doubles.iter_mut()) {
            *unit = unit_of(encoding, &bytes);
        }
        Some(pairs)
    }

    /// All units, little-endian: first for single bytes, then for pairs.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.singles.iter().chain(self.doubles.iter()).flat_map(|unit| unit.to_le_bytes())
    }

    /// Decodes to UTF-16, little-endian, in `output`. Reports whether it decoded everything; it gives up at anything
    /// that is not in the tables.
    pub(crate) fn decode(&self, input: &[u8], output: &mut Vec<u8>) -> bool {
        output.clear();
        output.resize(2 * input.len(), 0);
        let (mut at, mut count) = (0, 0);
        while let Some(&byte) = input.get(at) {
            if byte.is_ascii()
                && let Some(eight) = input[at..].first_chunk::<8>()
                && eight.is_ascii()
                && let Some(units) = output[2 * count..].first_chunk_mut::<16>()
            {
                *units = widened(u64::from_le_bytes(*eight)).to_le_bytes();
                (at, count) = (at + 8, count + 8);
                continue;
            }
            at += 1;
            let mut unit = self.singles[usize::from(byte)];
            if unit == 0 && byte != 0 {
                let Some(&trail) = input.get(at) else { return false };
                at += 1;
                unit = self.doubles[usize::from(byte & 0x7F) << 8 | usize::from(trail)];
                if unit == 0 {
                    return false;
                }
            }
            output[2 * count..][..2].copy_from_slice(&unit.to_le_bytes());
            count += 1;
        }
        output.truncate(2 * count);
        true
    }
}

/// Puts a zero after each byte.
fn widened(bytes: u64) -> u128 {
    let half = |bytes: u64| {
        let pairs = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF;
        (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF
    };
    u128::from(half(bytes >> 32)) << 64 | u128::from(half(bytes & 0xFFFF_FFFF))
}

/// Returns the unit that bytes are decoded to; 0 if there are several units, or an error.
fn unit_of(encoding: &'static Encoding, bytes: &[u8]) -> u16 {
    let mut units = [0; 8];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    match decoder.decode_to_utf16_without_replacement(bytes, &mut units, true) {
        (DecoderResult::InputEmpty, _, 1) => units[0],
        _ => 0,
    }
}
