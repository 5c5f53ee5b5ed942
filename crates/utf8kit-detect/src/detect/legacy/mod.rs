//! Chooses the legacy encoding of a text, and rates how a text reads in one.

mod best;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::confidence::Confidence;
use crate::detect::posterior::Posterior;
use crate::model::Scorer;
pub(super) use best::Doubt;
pub(super) use best::{Best, best as best_of, weigh};

/// The most bytes of a text that are decoded.
const MAX_BYTES_DECODED: usize = 64 * 1024;

/// How much less likely an encoding may be to read nearly as well, in nats; and the same for an encoding named by the
/// user.
const MAX_NATS_BEHIND_BEST: f32 = 7.0;
const MAX_NATS_BEHIND_IF_NAMED: f32 = 18.0;

/// Reports whether bytes are well formed in an encoding.
pub(super) fn is_well_formed(codec: Codec, bytes: &[u8]) -> bool {
    codec.text_of(bytes).is_some()
}

/// Reports whether bytes are more likely text in an encoding than damaged UTF-8 or data.
pub fn reads_well(codec: Codec, bytes: &[u8]) -> bool {
    Posterior::reads_well(codec, bytes)
}

/// Reports whether bytes are more likely damaged UTF-8 than text in any other encoding.
pub(super) fn is_likelier_damaged_utf8(bytes: &[u8]) -> bool {
    let utf8 = Codec::Native(AnyEncoding::Utf8);
    let is_meant = |codec| matches!(codec, Codec::Legacy(_)) || codec == utf8;
    let posterior = Posterior::among(bytes, "", is_meant);
    posterior.best().is_none_or(|best| best.codec == utf8)
}

/// Reports whether bytes read nearly as well in an encoding as in any other.
pub fn reads_best(codec: Codec, bytes: &[u8]) -> bool {
    Posterior::with(codec, bytes, |_| true).is_some_and(|nats| nats < MAX_NATS_BEHIND_BEST)
}

/// Returns the log-probability of bytes as text in an encoding, in nats. `None` if they are malformed.
pub fn score(codec: Codec, bytes: &[u8]) -> Option<f32> {
    codec.text_of(bytes).map(|text| Scorer::of(text.chars()).total())
}

/// Returns the best guess at the encoding of values that are not UTF-8, and whether it is at least likely.
///
/// ```
/// use utf8kit_detect::legacy::{best, reads_best, reads_well, score};
///
/// let values = b"Gr\xFC\xDFe aus K\xF6ln\nsch\xF6ne Gr\xFC\xDFe\n";
/// let (legacy, is_likely) = best(values, "");
/// assert_eq!((legacy.name(), is_likely), ("windows-1252", true));
/// let codec = utf8kit_encodings::charset::Codec::Legacy(legacy);
/// assert!(reads_best(codec, values) && reads_well(codec, values) && score(codec, values) < Some(0.0));
/// ```
pub fn best(values: &[u8], context: &str) -> (Legacy, bool) {
    let best = weigh(values, context);
    (best.legacy, best.confidence != Confidence::Possible)
}

/// Reports whether bytes may be in an encoding named by the user, because no other is much likelier.
pub(super) fn may_be(codec: Codec, bytes: &[u8]) -> bool {
    is_well_formed(codec, bytes)
        && Posterior::with(codec, bytes, |_| true).is_none_or(|nats| nats <= MAX_NATS_BEHIND_IF_NAMED)
}

/// Reports whether bytes may be in the encoding that they declare. Text in Latin-1 is weighed as windows-1252, which
/// has the same letters.
pub(super) fn is_as_declared(declared: Codec, bytes: &[u8]) -> bool {
    match declared {
        Codec::Native(AnyEncoding::Latin1) => may_be(Codec::Legacy(WESTERN), bytes),
        Codec::Native(native) if native.unit() > 1 || native.is_dialect() => false,
        codec => may_be(codec, bytes),
    }
}

/// Reports whether sequences of UTF-8 rarely occur by chance in an encoding. They are frequent if most non-ASCII bytes
/// are letters that occur next to each other in any order.
pub(super) fn is_alien(encoding: Legacy) -> bool {
    encoding.is_single_byte() && !matches!(encoding.name(), "windows-874" | "IBM866" | "CP737" | "CP855")
}
