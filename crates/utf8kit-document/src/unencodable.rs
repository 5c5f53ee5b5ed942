//! Characters that an encoding lacks: their nearest equivalents, or escapes.

use utf8kit::AnyEncoding;
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Shift;
use utf8kit_encodings::convert::{Converter, Invalid, Plan};

use crate::Unencodable;

/// Returns text with the characters that an encoding lacks transliterated or escaped.
pub(super) fn rewritten(text: &str, codec: Codec, unencodable: Unencodable) -> String {
    let mut out = String::with_capacity(text.len());
    for scalar in text.chars() {
        match (codec.says(scalar), unencodable) {
            (Some(_), _) => out.push(scalar),
            (None, Unencodable::Transliterate) => match nearest(scalar, codec) {
                Some(nearest) => out.push_str(&nearest),
                None => out.push(scalar),
            },
            (None, _) => out.push_str(&match u32::from(scalar) {
                value @ ..0x1_0000 => format!("\\u{value:04X}"),
                value => format!("\\U{value:08X}"),
            }),
        }
    }
    out
}

/// Returns the nearest equivalent of a character that an encoding lacks.
fn nearest(scalar: char, codec: Codec) -> Option<String> {
    let mut plan = Plan::new(Codec::Native(AnyEncoding::Utf8), codec, Invalid::Strict);
    plan.rewrite.transliterate = true;
    let (mut out, mut counts) = (Vec::new(), Counts::default());
    let text = scalar.to_string();
    Converter::new(&plan).push(text.as_bytes(), true, &mut out, &mut counts).ok()?;
    let mut nearest = String::new();
    let (mut at, mut shift) = (0, Shift::Neutral);
    while let Some(step) = codec.step(shift, out.get(at..).unwrap_or_default(), &mut nearest) {
        (at, shift) = (at + step.len, step.shift);
    }
    Some(nearest)
}
