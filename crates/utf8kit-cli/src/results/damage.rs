//! Damage as findings: describes how bytes were changed.

use utf8kit_document::{Comparison, Damage, DamageKind, Document};
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::Hex;

/// Two versions of a file, for describing the damage between them.
pub(crate) struct Damaged<'f> {
    pub(crate) old: &'f [u8],
    pub(crate) new: &'f [u8],
    pub(crate) comparison: &'f Comparison,
    /// The encoding of the old version.
    encoding: &'static str,
}

/// The previous content of a damaged place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'f> {
    pub(crate) offset: u64,
    pub(crate) bytes: &'f [u8],
    pub(crate) doubtful: bool,
    /// The whole older version.
    pub(super) text: &'f [u8],
}

/// The most bytes and characters of a place that are shown.
const MAX_LEN_SHOWN: usize = 12;

impl<'f> Damaged<'f> {
    pub(crate) fn new(old: &'f [u8], new: &'f [u8], comparison: &'f Comparison) -> Damaged<'f> {
        let encodings = Document::open(old).encodings();
        let encoding = encodings.last().map_or("utf-8", |codec| codec.name());
        Damaged { old, new, comparison, encoding }
    }

    /// Returns the previous content of a place.
    pub(crate) fn before(&self, damage: &Damage) -> Before<'f> {
        let bytes = self.old.get(damage.old.clone()).unwrap_or_default();
        Before { offset: damage.old.start as u64, bytes, doubtful: damage.doubtful, text: self.old }
    }

    /// Describes a damaged place.
    pub(crate) fn describe(&self, damage: &Damage) -> Description {
        let old = self.old.get(damage.old.clone()).unwrap_or_default();
        let new = self.new.get(damage.new.clone()).unwrap_or_default();
        let name = damage.kind.name().replace('_', " ");
        let was = pictured(old, self.encoding);
        let what = match damage.kind {
            DamageKind::LineEnds => format!("{} became {}", line_end(old), line_end(new)),
            DamageKind::ByteOrderMark if old.is_empty() => format!("the mark {} was added", Hex(new)),
            DamageKind::ByteOrderMark if new.is_empty() => format!("the mark {} was removed", Hex(old)),
            _ if old.is_empty() => "what was added here may have lost characters".to_owned(),
            DamageKind::Removed => format!("{was} was removed"),
            DamageKind::Replaced => {
                format!("{was} became {}", replacement(new, self.comparison.view.written()))
            }
            _ => format!("{was} became {}", pictured(new, self.comparison.view.written())),
        };
        let doubt = if damage.doubtful { "; doubtful: it may be an edit" } else { "" };
        Description::new(format!("{name}: {what}{doubt}"))
    }
}

/// Shows bytes with their text: `E9 (é in windows-1252)`.
fn pictured(bytes: &[u8], encoding: &str) -> String {
    let more = if bytes.len() > MAX_LEN_SHOWN { " ..." } else { "" };
    let hex = format!("{}{more}", Hex(bytes.get(..MAX_LEN_SHOWN).unwrap_or(bytes)));
    let text = text_of(bytes, encoding);
    if text.is_empty() || text.contains(char::REPLACEMENT_CHARACTER) {
        return format!("{hex} ({encoding})");
    }
    let mut shown: String = text.chars().take(MAX_LEN_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_LEN_SHOWN).is_some() {
        shown.push_str("...");
    }
    format!("{hex} ({shown} in {encoding})")
}

/// Returns the text of bytes in an encoding.
fn text_of(bytes: &[u8], encoding: &str) -> String {
    let text = encoding.parse().map(|charset| Document::open_as(charset, bytes).text().to_owned());
    text.unwrap_or_default()
}

/// Names the replacement of a text, such as `U+FFFD`, which is in UTF-8 if the encoding lacks it.
fn replacement(bytes: &[u8], encoding: &str) -> String {
    let lost = std::str::from_utf8(bytes).ok().filter(|text| text.contains(char::REPLACEMENT_CHARACTER));
    let text = lost.map_or_else(|| text_of(bytes, encoding), str::to_owned);
    let mut names: Vec<String> = text
        .chars()
        .take(MAX_LEN_SHOWN)
        .map(|c| if c == char::REPLACEMENT_CHARACTER { "U+FFFD".to_owned() } else { c.escape_debug().to_string() })
        .collect();
    if text.chars().nth(MAX_LEN_SHOWN).is_some() {
        names.push("...".to_owned());
    }
    names.join(" ")
}

fn line_end(bytes: &[u8]) -> &'static str {
    if bytes.contains(&b'\r') { "CR LF" } else { "LF" }
}
