//! Names of encodings, as they are typed. A name that is wrong is met with the one that was probably meant.

use std::fmt;
use std::str::FromStr;

use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel};
use utf8kit_text::charset::{Charset, Fallback};

use super::Origin;

/// An encoding of the library: what all commands but `convert` read.
pub(super) fn encoding(text: &str) -> Result<EncodingLabel, String> {
    text.parse().map_err(|_| match text.parse::<Charset>() {
        Ok(charset) => format!(
            "{charset} is a legacy encoding: `utf8 convert --from {charset}` reads it, and `utf8 detect` tells what \
             a file is written in"
        ),
        Err(_) => {
            let known: Vec<_> = EncodingLabel::all().map(EncodingLabel::name).collect();
            suggest::<EncodingLabel>(text, format!("known encodings are {}", known.join(", ")))
        }
    })
}

/// Any encoding.
pub(super) fn charset(text: &str) -> Result<Charset, String> {
    named(text)
}

/// Any encoding, or `auto`.
pub(super) fn origin(text: &str) -> Result<Origin, String> {
    named(text)
}

/// An encoding of bytes.
pub(super) fn fallback(text: &str) -> Result<Fallback, String> {
    named(text)
}

/// What a name stands for, or why it stands for nothing.
fn named<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| suggest::<T>(text, error.to_string()))
}

/// The error, and before it the name that was probably meant.
fn suggest<T: FromStr>(text: &str, error: String) -> String {
    match nearest(text, |name| name.parse::<T>().is_ok()) {
        Some(name) => format!("did you mean `{name}`? ({error})"),
        None => error,
    }
}

/// The name most like `text` among those that are allowed, if there is one that could have been meant.
fn nearest(text: &str, allowed: impl Fn(&str) -> bool) -> Option<&'static str> {
    // Names are compared as they are understood: without case and punctuation.
    let bare = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let typed = bare(text);
    // Among equals the first wins, so that UTF-8 comes before its dialects.
    let utf8 = std::iter::once(AnyEncoding::Utf8.name());
    let names = utf8.chain(Charset::names()).filter(|name| allowed(name));
    let (distance, name) = names
        .map(|name| (strsim::osa_distance(&typed, &bare(name)), name))
        .min_by_key(|&(distance, _)| distance)?;
    // One slip in three letters: with more of them it is another word.
    (0 < distance && distance <= typed.len().div_ceil(4).min(3)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_meant() {
        let cases = [
            ("utf9", Some("utf-8")),
            ("UTF-61LE", Some("utf-16le")),
            ("shfit_jis", Some("Shift_JIS")),
            ("windows-125", Some("windows-1250")),
            ("nonsense", None),
            ("", None),
        ];
        for (typed, name) in cases {
            assert_eq!(nearest(typed, |_| true), name, "{typed}");
        }
    }
}
