//! Findings in valid text: mojibake, byte order marks in the middle, a declaration of another encoding. NULs and
//! controls are only notes, because many programs write them.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use utf8kit::AnyEncoding::Utf8;
use utf8kit::Error;
use utf8kit_detect::mojibake::{Garbled, first_garbled};
use utf8kit_detect::originals::with_notes;
use utf8kit_detect::{Action, Guess, Sample, declared, declared_at};
use utf8kit_encodings::artifact::{Artifact, may_be_damaged};
use utf8kit_encodings::byte_lengths::{is_dbase, leader};
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::display::{plain, shortened};
use utf8kit_records::targets::ViolationKind;

use crate::results::{DECLARATION, DOUBLE_ENCODING, INNER_MARK};

/// U+FFFD, read as GBK.
const REPLACEMENTS_READ_AS_GBK: &str = "\u{951F}\u{65A4}\u{62F7}";

/// The escapes of UTF-8 that was read as Latin-1.
const ESCAPED: &[u8] = b"\\u00c3\\u00";

/// The findings and notes about a valid text.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// The problems, in order.
    pub(super) wrong: Vec<Wrong>,
    /// The guess at what the text is, if there is one.
    pub(super) guess: Option<Guess>,
    /// The declaration that is wrong, and the right one.
    pub(super) declaration: Option<(String, String)>,
}

/// A problem in valid text: the kind, the first place (empty if the whole text is meant), and a description.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) kind: &'static str,
    pub(super) range: Range<usize>,
    pub(super) what: String,
}

impl Doubt {
    /// Returns the problem in a text that is valid as UTF-8. `whole` means that the text is complete and not only its
    /// beginning. `is_named` means that the file was named and not found in a folder, so even ASCII may be an encoding
    /// of other text.
    pub(super) fn of(text: &[u8], whole: bool, is_named: bool) -> Option<Doubt> {
        let is_ascii = utf8kit::is_ascii(text);
        // Mojibake must not be cut, or it would look damaged.
        let end = if whole { text.len() } else { last_end(text) };
        let valid = text.get(..end).and_then(|text| std::str::from_utf8(text).ok());
        let is_candidate = !is_ascii || is_named || memmem::find(text, ESCAPED).is_some();
        let garbled = valid.filter(|_| is_candidate).and_then(first_garbled);
        if garbled.is_none() && !(is_ascii && is_named) && !may_have_problem(text) {
            return None;
        }
        let guess = with_notes(Sample::new(text, whole, None).weigh(), text);
        let declares = declared(text).is_some_and(is_other).then(|| guess.notes.first().cloned()).flatten();
        let mut declaration = None;
        let wrong = match (garbled, guess.artifact) {
            (Some(garbled), _) => {
                let text = valid.unwrap_or_default();
                let wrong = all_garbled(text, garbled);
                let guess = guess.unless_utf8();
                return Some(Doubt { wrong, guess, declaration });
            }
            (None, Some(Artifact::Marks)) => {
                let mark = "\u{FEFF}".as_bytes();
                let at = text.get(1..).and_then(|text| memmem::find(text, mark)).map_or(0, |at| at + 1);
                Some((INNER_MARK, at..at + mark.len(), "byte order mark within the text".to_owned()))
            }
            // Many programs write some NULs, but a NUL in each character is another encoding.
            (None, None) if guess.is_wide() => {
                let at = memchr(0, text).unwrap_or_default();
                Some((ViolationKind::Nul.name(), at..at + 1, guess.verdict()))
            }
            (None, None) => declares.map(|declares| {
                let range = declared_at(text).unwrap_or(0..0);
                declaration = correction(text, range.clone());
                (DECLARATION, range, declares)
            }),
            (None, Some(_)) => None,
        };
        let guess = guess.unless_utf8();
        let wrong: Vec<_> = wrong.into_iter().map(|(kind, range, what)| Wrong { kind, range, what }).collect();
        (!wrong.is_empty() || guess.is_some()).then_some(Doubt { wrong, guess, declaration })
    }
}

/// Returns all garbled words of a text, one place per line. `first` is the first of them.
fn all_garbled(text: &str, first: Garbled) -> Vec<Wrong> {
    let (mut wrong, mut base, mut next) = (Vec::new(), 0, Some(first));
    while let Some(garbled) = next {
        let range = base + garbled.range.start..base + garbled.range.end;
        let before = text.get(range.clone()).unwrap_or_default();
        let (before, was) = differing(before, &garbled.was);
        let (written, read) = (garbled.written_as, garbled.read_as);
        let what = format!("mojibake: \"{before}\" was \"{was}\", {written} read as {read}");
        let rest = text.get(range.end..).unwrap_or_default();
        base = range.end + rest.find('\n').map_or(rest.len(), |feed| feed + 1);
        wrong.push(Wrong { kind: DOUBLE_ENCODING, range, what });
        next = text.get(base..).and_then(first_garbled);
    }
    wrong
}

/// The most characters before the first difference of two texts that are shown.
const BEFORE_DIFFERENCE: usize = 20;

/// Returns two texts in a form for people, so short that their first difference is shown.
fn differing(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let skipped = if shortened(one) == one { 0 } else { same.saturating_sub(BEFORE_DIFFERENCE) };
    let shown = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        let ellipsis = if skipped > 0 { "\u{2026}" } else { "" };
        format!("{ellipsis}{}", plain(&shortened(&rest)))
    };
    (shown(one), shown(other))
}

/// Returns the words in `text` that declare the encoding named at `range`, and those that declare UTF-8. There are none
/// if the words also occur elsewhere.
fn correction(text: &[u8], range: Range<usize>) -> Option<(String, String)> {
    let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
    let name = std::str::from_utf8(text.get(range)?).ok().filter(|name| !name.is_empty())?;
    let key = before.iter().rposition(u8::is_ascii_alphanumeric)?;
    let start = before.get(..key)?.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let prefix = std::str::from_utf8(before.get(start..)?).ok()?;
    let old = format!("{prefix}{name}");
    let is_single = memmem::find_iter(text, old.as_bytes()).count() == 1;
    let utf8 = match name {
        // LaTeX knows it by this name only.
        _ if after.starts_with(b"]{inputenc}") => "utf8",
        _ if name.contains(|c: char| c.is_ascii_uppercase()) => "UTF-8",
        _ => "utf-8",
    };
    is_single.then(|| (old, format!("{prefix}{utf8}")))
}

/// Returns the guess about bytes that are not valid as UTF-8. `whole` means that they are complete and not only the
/// beginning.
pub(super) fn guess_of(bytes: &[u8], whole: bool, error: Option<Error>) -> Option<Guess> {
    let sample = Sample::new(bytes, whole, error);
    if is_dbase(bytes) {
        return with_notes(sample.weigh(), bytes).unless_utf8();
    }
    if !whole {
        return sample.other_than_utf8();
    }
    let guess = sample.weigh();
    guess.clone().unless_utf8().or_else(|| with_fallback(guess))
}

/// Returns the guess about UTF-8 whose errors are likely text in another encoding, though that is not certain.
fn with_fallback(mut guess: Guess) -> Option<Guess> {
    let (Action::Fallback(other) | Action::FallbackLines(other)) = guess.action? else { return None };
    guess.mixed = Some(other.codec().name());
    Some(guess)
}

/// Reports whether a declared encoding is not UTF-8.
fn is_other(charset: Charset) -> bool {
    charset.writer() != Codec::Native(Utf8)
}

/// Reports whether a valid text may still have a problem.
fn may_have_problem(text: &[u8]) -> bool {
    may_be_damaged(text)
        || !utf8kit::is_ascii(text)
            && (first_control(text).is_some()
                || memmem::find(text, REPLACEMENTS_READ_AS_GBK.as_bytes()).is_some()
                || leader(text).is_some()
                || declared(text).is_some_and(is_other))
}

/// Returns the end of the last line; in text of one line, of the last ASCII character, or else of the last character.
fn last_end(text: &[u8]) -> usize {
    let last = memrchr(b'\n', text).or_else(|| text.iter().rposition(u8::is_ascii));
    last.map_or(utf8kit::truncate(text, text.len()).len(), |at| at + 1)
}

/// Returns the position of the first non-ASCII control.
fn first_control(text: &[u8]) -> Option<usize> {
    memchr_iter(0xC2, text).find(|at| matches!(text.get(at + 1), Some(0x80..=0x9F)))
}
