//! Detects the encoding of file names, which are short, each in a language of its own, and all in one encoding.

use std::collections::BTreeSet;

use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::confidence::Confidence;
use crate::detect::legacy::reads_best;
use crate::detect::posterior::Posterior;

/// Returns the likeliest encoding of names that are not UTF-8, and the confidence. `context` are UTF-8 names in the
/// same folder or archive.
///
/// ```
/// use utf8kit_detect::{Confidence, names};
///
/// let (legacy, confidence) = names::weigh(&[b"Gr\xF6\xDFe.txt", b"\xDCbersicht 2019.pdf"], "");
/// assert_eq!((legacy.name(), confidence >= Confidence::Likely), ("windows-1252", true));
/// ```
pub fn weigh(names: &[&[u8]], context: &str) -> (Legacy, Confidence) {
    let names: Vec<&[u8]> = names.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let posterior = Posterior::of_each(&names, context, |codec| matches!(codec, Codec::Legacy(_)));
    match posterior.best().map(|best| best.codec) {
        Some(Codec::Legacy(legacy)) => (legacy, posterior.confidence()),
        _ => (WESTERN, Confidence::Possible),
    }
}

/// Reports whether a name may be in an encoding, because no other gives it a much likelier text.
pub fn may_be(legacy: Legacy, name: &[u8]) -> bool {
    legacy.text_of(name).is_some() && reads_best(Codec::Legacy(legacy), name)
}

/// Reports whether a name may be in an encoding in which its non-ASCII characters are all letters.
pub fn reads(codec: Codec, name: &[u8]) -> bool {
    let Codec::Legacy(legacy) = codec else { return false };
    let are_letters = |text: String| text.chars().all(|c| c.is_ascii() || c.is_alphabetic());
    legacy.text_of(name).is_some_and(are_letters) && may_be(legacy, name)
}
