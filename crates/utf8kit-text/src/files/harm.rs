//! Finds what a write would lose: text in another encoding than the one it is read in.

use std::io;

use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel, Policy, Validator};

use crate::charset::{Charset, Codec, has_bom};
use crate::detect::{SNIFF_LEN, wide};
use crate::files::utf8_lines::Utf8Lines;
use crate::files::{Block, Blocks, Cut, Skip};
use crate::repair::RepairPolicy;

/// Returns why an input in `encoding` must not be repaired under a policy: it reads as text in another encoding,
/// and the repair would replace that text. `None` if the policy keeps all text or there is no such encoding.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn other_encoding(
    mut blocks: Blocks,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
) -> io::Result<Option<Skip>> {
    let keeps_text = match policy {
        RepairPolicy::Errors(policy) => policy.as_policy() == Policy::Escape,
        RepairPolicy::Unescape | RepairPolicy::Undouble(_) => true,
        RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) => false,
    };
    if keeps_text || !encoding.is_dialect() {
        return Ok(None);
    }
    let head = blocks.head(SNIFF_LEN)?;
    let named = matches!(policy, RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_));
    let found = match wide(&head) {
        Some(wide) => {
            let name = name(wide, &head);
            Some(name).filter(|found| *found != encoding.name()).map(Skip::OtherEncoding)
        }
        // The encoding of the errors is given.
        None if named => None,
        None => readable(blocks, encoding)?,
    };
    Ok(found)
}

/// Returns the name of UTF-16 or UTF-32 in which a text is read: without the byte order, if the text has a mark.
fn name(wide: AnyEncoding, head: &[u8]) -> &'static str {
    match wide {
        _ if !has_bom(wide, head) => wide.name(),
        AnyEncoding::Utf16Le | AnyEncoding::Utf16Be => EncodingLabel::Utf16.name(),
        _ => EncodingLabel::Utf32.name(),
    }
}

/// Returns the encoding other than UTF-8 in which all of an input reads as text, or some of its lines.
#[cfg(feature = "detect")]
fn readable(blocks: Blocks, encoding: AnyEncoding) -> io::Result<Option<Skip>> {
    let guess = crate::files::detect_blocks(blocks, 1)?;
    Ok(match guess.encoding {
        _ if !guess.reads_well => None,
        Some("utf-8") => Some(Skip::Mixed(guess.remedy)),
        Some(name) if name == encoding.name() => None,
        Some(_) if guess.utf8_lines > 0 => Some(Skip::Mixed(guess.remedy)),
        name => name.map(Skip::OtherEncoding),
    })
}

#[cfg(not(feature = "detect"))]
fn readable(_: Blocks, _: AnyEncoding) -> io::Result<Option<Skip>> {
    Ok(None)
}

/// Returns why an input must not be converted from an encoding: it is UTF-8 already, or UTF-16 or UTF-32, or some of
/// its lines are UTF-8.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn not_in(mut blocks: Blocks, from: Charset) -> io::Result<Option<Skip>> {
    let head = blocks.head(SNIFF_LEN)?;
    let codec = from.reader(&head).0;
    if matches!(codec, Codec::Native(encoding) if encoding.is_dialect()) {
        return Ok(None);
    }
    // No text in an encoding of bytes has NULs.
    let is_wide = matches!(codec, Codec::Native(encoding) if encoding.unit() > 1);
    if let Some(wide) = wide(&head).filter(|_| !is_wide && head.contains(&0)) {
        return Ok(Some(Skip::OtherEncoding(name(wide, &head))));
    }
    // ASCII is the same in most encodings. In the others, UTF-16 above all, ASCII without a NUL is hardly text.
    let ascii_differs = !reads_ascii(codec);
    let (mut validator, mut beyond, mut nul) = (Validator::new(utf8kit::Utf8), false, false);
    let (mut is_utf8, mut lines) = (true, Utf8Lines::among(codec).filter(|_| !ascii_differs));
    let own = |block: &mut Block| block.bytes.get(block.own.clone()).unwrap_or_default().to_vec();
    let read = blocks.each(Cut::Anywhere, 1, own, |piece| {
        let piece = piece.map_err(Some)?;
        beyond |= !piece.is_ascii();
        nul |= piece.contains(&0);
        is_utf8 = is_utf8 && validator.push(&piece).is_ok();
        lines.iter_mut().for_each(|lines| lines.push(&piece));
        if is_utf8 || lines.is_some() { Ok(()) } else { Err(None) }
    });
    match read {
        Err(Some(error)) => return Err(error),
        _ if is_utf8 && validator.finish().is_ok() => {}
        _ => return Ok(lines.and_then(Utf8Lines::end)),
    }
    let is_text = if ascii_differs { !nul } else { beyond };
    Ok(is_text.then_some(Skip::AlreadyUtf8(from)))
}

/// Reports whether an encoding reads the bytes of ASCII letters as these letters.
fn reads_ascii(codec: Codec) -> bool {
    match codec {
        Codec::Native(encoding) => encoding == AnyEncoding::Latin1,
        #[cfg(feature = "legacy")]
        Codec::Legacy(legacy) => legacy.text_of(b"az").as_deref() == Some("az"),
        #[cfg(not(feature = "legacy"))]
        Codec::Legacy(_) => true,
    }
}
