//! Reasons not to write a file: it is not text, or its text is in another encoding than the one it is read in and would
//! be lost.

mod evidence;
mod utf8_lines;

use std::io;

use utf8kit::{AnyEncoding, Encoding as _, Piece, Validator};
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_detect::sniff::{AsciiLines, SNIFF_LEN, may_be_wide, reads_as_wide, wide};
use utf8kit_detect::{Action, Confidence, Guess, Suggestion, detect};
use utf8kit_encodings::artifact::{Artifact, ArtifactSearch, Artifacts};
use utf8kit_encodings::charset::{Charset, Codec, Legacy, has_bom};
use utf8kit_encodings::convert::Conversion;
use utf8kit_encodings::counts::Counts;
use utf8kit_records::rows::DumpFormat;

pub use self::evidence::{BEGINNING_LEN, is_joined, looks_binary};
use self::evidence::{
    DATA, MAX_RETAINED_BYTES, ascii_lines, has_binary_values, has_utf16, ill_formed_lines, is_shifted, is_wide_as,
    media_type, reads_ascii, whole_lines, wide_name,
};
use self::utf8_lines::Utf8Lines;
use crate::{Blocks, ByteLengths, Cut, Input, Skip, byte_lengths};

const UTF8: &str = "utf-8";

/// Returns why an input in `encoding` must not be repaired under a policy: it is not text, or is plausible text in
/// another encoding, which the repair would replace. Returns `None` if the policy keeps all text, or if no other
/// encoding fits.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn other_encoding(blocks: Blocks, policy: &RepairPolicy, encoding: AnyEncoding) -> io::Result<Option<Skip>> {
    let again = blocks.try_clone();
    let reason = not_repaired(blocks, policy, encoding, false)?;
    match again {
        Some(again) if reason.is_none() && policy.fallback().is_some() => {
            let found = byte_lengths(again)?.filter(|found| !matches!(found, ByteLengths::Lines(_)));
            Ok(found.map(Skip::Lengths))
        }
        _ => Ok(reason),
    }
}

/// Returns why an input must not be repaired: see [`other_encoding`]. `explicit`: the user named
/// the encoding, so another must be likely to overrule it.
fn not_repaired(
    mut blocks: Blocks,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
    explicit: bool,
) -> io::Result<Option<Skip>> {
    let head = blocks.head(SNIFF_LEN)?;
    // Only the beginning is available of an input that cannot be read twice.
    let mut again = || match blocks.try_clone() {
        Some(again) => Ok(again),
        None => blocks.head(MAX_RETAINED_BYTES).and_then(|kept| Blocks::of(Input::of(kept))),
    };
    let joins = policy.fallback().is_some_and(|fallback| fallback.to_string() == AnyEncoding::Cesu8.name());
    let undoes_damage = matches!(policy, RepairPolicy::Artifact(_));
    if (undoes_damage || policy.may_lose_text() && !joins)
        && let Some(reason) = with_artifact(&mut again, Codec::Native(encoding))?
    {
        return Ok(Some(reason).filter(|_| !undoes_damage));
    }
    if let Some(media) = media_type(&head, Codec::Native(encoding)) {
        return Ok(Some(Skip::Format(media)));
    }
    if encoding == AnyEncoding::Utf8 && policy.may_lose_text() && has_binary_values(again()?)? {
        return Ok(Some(Skip::BinaryValues(DumpFormat::MysqlDump)));
    }
    if !policy.may_lose_text() {
        // A policy that undoes damage to UTF-8 does not help other text.
        let wide = wide(&head).filter(|_| undoes_damage && encoding.unit() == 1);
        return Ok(wide.map(|wide| in_wide(wide, &head)));
    }
    let found = wide(&head);
    let is_partly = encoding.unit() == 1
        && match found {
            Some(wide) => AsciiLines::are_in(wide, &head),
            None => reads_as_wide(&head) || has_utf16(again()?)?,
        };
    if is_partly {
        return Ok(Some(Skip::PartlyUtf16));
    }
    Ok(match found {
        Some(wide) if !is_wide_as(Codec::Native(encoding), wide) => Some(in_wide(wide, &head)),
        None if encoding.unit() == 1 => match policy.fallback() {
            Some(fallback) => {
                let (codec, again) = (fallback.codec(), again()?);
                match differs_from(blocks, codec)? {
                    Some((_, reason)) => Some(reason),
                    None if encoding == AnyEncoding::Utf8 => {
                        let per_line = matches!(policy, RepairPolicy::FallbackLines(_));
                        Utf8Lines::of(again, codec)?.and_then(|lines| lines.end_of_fallback(per_line))
                    }
                    None => None,
                }
            }
            None => readable(blocks, encoding.name(), explicit)?,
        },
        // In UTF-16, a line break contains a NUL; in UTF-32, every character does.
        None if !head.contains(&0) => {
            let is_utf8 = encoding.unit() == 4 || ascii_lines(again()?, encoding)?.are_all();
            match readable(blocks, encoding.name(), true)? {
                None if is_utf8 => Some(other_encoding_named(UTF8)),
                reason => reason,
            }
        }
        _ if is_mostly_errors(encoding, &head) => Some(Skip::UnknownEncoding),
        _ => None,
    })
}

/// Reports whether text in UTF-16 or UTF-32 would be mostly errors.
fn is_mostly_errors(encoding: AnyEncoding, head: &[u8]) -> bool {
    encoding.unit() > 1 && encoding.errors(head).count() * encoding.unit() * 2 > head.len()
}

/// Returns why an input must not be converted from one encoding to another: it is not text, it is already UTF-8, it is
/// UTF-16 or UTF-32, some of its lines are UTF-8, or it is likely in another encoding.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn unsuited(
    mut blocks: impl FnMut() -> io::Result<Blocks>,
    conversion: &Conversion,
) -> io::Result<Option<Skip>> {
    let from = conversion.from;
    let head = blocks()?.head(SNIFF_LEN)?;
    let codec = from.reader(&head).0;
    let is_wide = codec.is_wide();
    if (reads_ascii(codec) || is_wide)
        && let Some(reason) = with_artifact(&mut blocks, codec)?
    {
        return Ok(Some(reason));
    }
    if let Some(media) = media_type(&head, codec) {
        return Ok(Some(Skip::Format(media)));
    }
    let is_dialect = matches!(codec, Codec::Native(encoding) if encoding.is_dialect());
    // Text in an encoding with byte units has no NULs, and text in UTF-16 or UTF-32 is never valid in the other, or in
    // the other byte order. A mark is not UTF-8, so it stops a conversion from UTF-8.
    let is_expected = |wide| is_wide_as(codec, wide) || is_dialect && has_bom(wide, &head);
    if let Some(wide) = wide(&head).filter(|&wide| head.contains(&0) && !is_expected(wide)) {
        let is_there = conversion.to.writer() == Codec::Native(wide);
        let reason = in_wide(wide, &head);
        return Ok(Some(if is_there { Skip::AlreadyIn(conversion.to) } else { reason }));
    }
    if is_dialect {
        return Ok(None);
    }
    let (is_partly, is_ascii) = match codec {
        Codec::Native(encoding) if encoding.unit() == 2 => {
            let lines = ascii_lines(blocks()?, encoding)?;
            (lines.has_mixed_lines(), lines.are_all())
        }
        _ => (reads_ascii(codec) && has_utf16(blocks()?)?, false),
    };
    if is_partly {
        return Ok(Some(Skip::PartlyUtf16));
    }
    // ASCII is the same in most encodings. In the others, especially UTF-16, ASCII without a NUL is unlikely to be
    // text.
    let ascii_differs = !reads_ascii(codec);
    let (mut validator, mut non_ascii, mut nul) = (Validator::new(utf8kit::Utf8), false, false);
    let (mut is_utf8, mut lines) = (true, Utf8Lines::among(codec));
    blocks()?.each_piece(Cut::Anywhere, 1, |piece| {
        non_ascii |= !piece.is_ascii();
        nul |= piece.contains(&0);
        is_utf8 = is_utf8 && validator.push(piece).is_ok();
        lines.iter_mut().for_each(|lines| lines.push(piece));
        // In UTF-16 and UTF-32, each line break contains a NUL.
        is_utf8 || lines.is_some() || is_wide && !nul
    })?;
    if !is_utf8 || validator.finish().is_err() {
        if is_wide && !nul {
            return readable(blocks()?, codec.name(), !is_ascii);
        }
        let Some((other, reason)) = differs_from(blocks()?, codec)? else {
            return Ok(lines.and_then(Utf8Lines::end));
        };
        if conversion.to.writer() == Codec::Legacy(other) {
            return Ok(Some(Skip::AlreadyIn(conversion.to)));
        }
        let lines = Utf8Lines::of(blocks()?, Codec::Legacy(other))?;
        return Ok(lines.and_then(Utf8Lines::end).or(Some(reason)));
    }
    let is_text = if ascii_differs { !nul } else { non_ascii };
    Ok(is_text.then_some(Skip::AlreadyUtf8(from)))
}

/// Returns why an input is not in the encoding that a conversion reads: it is UTF-8, or is plausible text in another
/// encoding. All of a file decides, and the beginning of an input that can be read only once.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_encodings::convert::Conversion;
/// use utf8kit_files::{Blocks, Input, Skip, misread};
///
/// let conversion = Conversion::new("koi8-r".parse().unwrap(), "utf-8".parse().unwrap());
/// let blocks = Blocks::of(Input::of("Größe\n".into()))?;
/// assert_eq!(misread(blocks, &conversion)?, Some(Skip::AlreadyUtf8("koi8-r".parse().unwrap())));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn misread(blocks: Blocks, conversion: &Conversion) -> io::Result<Option<Skip>> {
    unsuited(reopener(blocks)?, conversion)
}

/// Returns how to open an input again. Only the beginning is available of an input that cannot be read twice.
fn reopener(mut blocks: Blocks) -> io::Result<impl FnMut() -> io::Result<Blocks>> {
    let head = match blocks.len() {
        Some(_) => Vec::new(),
        None => whole_lines(&blocks.head(MAX_RETAINED_BYTES)?).to_vec(),
    };
    Ok(move || blocks.try_clone().map_or_else(|| Blocks::of(Input::of(head.clone())), Ok))
}

/// Returns why an input must not be replaced by its repair although no other encoding fits: it is not text.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn no_text(mut blocks: Blocks) -> io::Result<Option<Skip>> {
    let is_text = !blocks.head(SNIFF_LEN)?.contains(&0) || crate::detect_blocks(blocks, 1)?.encoding.is_some();
    Ok((!is_text).then_some(Skip::Format(DATA)))
}

/// Returns why controls must not be removed from an input that is UTF-8 or ASCII, because they stand for text: signs of
/// windows-1252, characters of ISO 2022, or halves of characters in UTF-16.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn with_meaningful_controls(mut blocks: impl FnMut() -> io::Result<Blocks>) -> io::Result<Option<Skip>> {
    if may_be_wide(&blocks()?.head(SNIFF_LEN)?) {
        return Ok(Some(Skip::PartlyUtf16));
    }
    let guess = crate::detect_blocks(blocks()?, 1)?;
    Ok(match (guess.artifact, guess.suggestion()) {
        (Some(artifact @ (Artifact::Signs | Artifact::Utf16)), Some(suggestion)) if suggestion.is_sure() => {
            Some(Skip::Artifact { artifact, suggestion })
        }
        _ if guess.mixed.is_some() => Some(Skip::mixed(&guess)),
        _ => None,
    })
}

/// Returns why an input must not be converted, given the result of a trial: it is already in the target encoding, or
/// the conversion would replace or remove plausible text in another encoding.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn would_lose_text(
    mut blocks: impl FnMut() -> io::Result<Blocks>,
    conversion: &Conversion,
    counts: &Counts,
) -> io::Result<Option<Skip>> {
    if conversion.invalid.is_lossy() && counts.errors() > 0 {
        return not_well_formed(blocks()?, conversion.from);
    }
    Ok(is_shifted(blocks()?, conversion.to)?.then_some(Skip::AlreadyIn(conversion.to)))
}

/// Returns the reason for an input that is invalid in the encoding to convert from: it is text in another encoding. All
/// of a file decides, and the beginning of an input that can be read only once. The other encoding must be likely,
/// unless the one to convert from is UTF-8, the default.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_files::{Blocks, Input, ill_formed};
///
/// let german = b"f\xFCr gr\xF6\xDFere H\xE4user \xFCber alle Stra\xDFen, sch\xF6n und gr\xFCn";
/// let skip = ill_formed(Blocks::of(Input::of(german.into()))?, "utf-8".parse().unwrap())?.unwrap();
/// assert_eq!(skip.looks().as_deref(), Some("it looks like windows-1252"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn ill_formed(blocks: Blocks, from: Charset) -> io::Result<Option<Skip>> {
    not_well_formed(reopener(blocks)?()?, from)
}

/// As [`ill_formed`], for an input that is already cut.
fn not_well_formed(mut blocks: Blocks, from: Charset) -> io::Result<Option<Skip>> {
    match from.reader(&blocks.head(SNIFF_LEN)?).0 {
        Codec::Native(encoding) => {
            not_repaired(blocks, &RepairPolicy::default(), encoding, encoding != AnyEncoding::Utf8)
        }
        codec @ Codec::Legacy(_) => readable(blocks, codec.name(), true),
    }
}

/// Returns why an input that is read in an encoding must not be written if it is UTF-8 once lossless damage is undone,
/// or if it is partly UTF-16.
fn with_artifact(blocks: &mut dyn FnMut() -> io::Result<Blocks>, codec: Codec) -> io::Result<Option<Skip>> {
    // Text that is plausible UTF-16 as a whole has no parts in UTF-16, and searching for them would take longer.
    if codec.is_wide() && crate::detect_blocks(blocks()?, 1)?.encoding == Some(codec.name()) {
        return Ok(None);
    }
    let mut trials = [Artifact::Utf16, Artifact::Join].map(|artifact| (ArtifactSearch::new(artifact), true));
    let mut push = |piece: &[u8], last: bool| {
        trials.iter_mut().fold(false, |any, (search, goes_on)| {
            *goes_on = *goes_on && search.push(piece, Piece::last_if(last));
            any || *goes_on
        })
    };
    if blocks()?.each_piece(Cut::Anywhere, 1, |piece| push(piece, false))? {
        push(&[], true);
    }
    let found = trials.iter().filter(|(_, goes_on)| *goes_on).find_map(|(search, _)| search.finish());
    if found.is_some_and(|found| found.artifact == Artifact::Utf16 && !found.is_sure) {
        let guess = crate::detect_blocks(blocks()?, 1)?;
        if guess.artifact == Some(Artifact::Utf16) && guess.action != Some(Action::Artifact(Artifact::Utf16)) {
            return Ok(reason(guess));
        }
    }
    Ok(found.map(|Artifacts { artifact, is_sure, .. }| Skip::Artifact {
        artifact,
        suggestion: Suggestion::rather(Action::Artifact(artifact), is_sure),
    }))
}

fn other_encoding_named(encoding: &'static str) -> Skip {
    let from = encoding.parse().ok().filter(|_| encoding != UTF8);
    let suggestion = from.map(|from| Suggestion::sure(Action::convert(from)));
    Skip::OtherEncoding { encoding, suggestion, artifact: None }
}

/// Returns the reason that an input, which begins with `head`, is UTF-16 or UTF-32. A byte order mark of the other byte
/// order is not part of the text.
fn in_wide(wide: AnyEncoding, head: &[u8]) -> Skip {
    let other = match wide {
        AnyEncoding::Utf16Le => AnyEncoding::Utf16Be,
        _ => AnyEncoding::Utf16Le,
    };
    if wide.unit() != 2 || !has_bom(other, head) {
        return other_encoding_named(wide_name(wide, head));
    }
    let suggestion = Suggestion::sure(Action::Convert { from: wide.into(), strip_bom: true });
    Skip::OtherEncoding { encoding: wide.name(), suggestion: Some(suggestion), artifact: None }
}

/// Returns the encoding other than `named`, the one to read an input in, in which all of it or some of its lines are
/// plausible text. `explicit`: the user named the encoding, so another must be likely to overrule it.
fn readable(blocks: Blocks, named: &str, explicit: bool) -> io::Result<Option<Skip>> {
    let guess = crate::detect_blocks(blocks, 1)?;
    Ok(match guess.encoding {
        Some(utf8 @ UTF8) if utf8 != named && guess.is_well_formed() => Some(other_encoding_named(utf8)),
        _ if !guess.reads_well => None,
        _ if explicit && guess.confidence == Confidence::Possible => None,
        _ if guess.is_unknown => Some(Skip::UnknownEncoding),
        Some(name) if name == named && name != UTF8 => None,
        _ => reason(guess),
    })
}

/// Returns why an input must not be written, if this guess about it disagrees with how it is read.
fn reason(guess: Guess) -> Option<Skip> {
    // A conversion removes byte order marks by itself, but undoes neither of these.
    let artifact = guess.artifact.filter(|artifact| matches!(artifact, Artifact::Nuls | Artifact::Utf16));
    Some(match guess.encoding? {
        encoding if artifact == Some(Artifact::Utf16) => {
            let encoding = guess.mixed.unwrap_or(encoding);
            Skip::OtherEncoding { encoding, suggestion: guess.suggestion(), artifact }
        }
        encoding if encoding != UTF8 && guess.utf8_lines == 0 => {
            Skip::OtherEncoding { encoding, suggestion: guess.suggestion(), artifact }
        }
        _ => Skip::mixed(&guess),
    })
}

/// Returns the encoding of an input if it differs from the given one, with the reason not to write it (see
/// [`Guess::other_than`]). For an input that is otherwise UTF-8 or has its mark, only the lines that are not UTF-8
/// count.
fn differs_from(mut blocks: Blocks, codec: Codec) -> io::Result<Option<(Legacy, Skip)>> {
    let head = blocks.head(MAX_RETAINED_BYTES)?;
    let is_marked = has_bom(AnyEncoding::Utf8, &head);
    let head = whole_lines(&head);
    let again = blocks.try_clone();
    let guess = crate::detect_blocks(blocks, 1)?;
    let lines;
    let (of_all, bytes, guess) = match guess {
        guess if is_marked || guess.encoding == Some(UTF8) && guess.reads_well => {
            let again = again.map_or_else(|| Blocks::of(Input::of(head.to_vec())), Ok)?;
            lines = ill_formed_lines(again)?;
            (Some(Skip::mixed(&guess)), &lines[..], detect(&lines))
        }
        guess => (None, head, guess),
    };
    let Some(other) = guess.other_than(codec, bytes) else { return Ok(None) };
    let reason = of_all.or_else(|| reason(guess));
    Ok(reason.map(|reason| (other, reason)))
}
