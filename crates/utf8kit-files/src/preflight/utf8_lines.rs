//! Finds lines of UTF-8 in an input whose named encoding is a legacy one. Converting all lines would garble them.

use std::{io, mem};

use utf8kit::AnyEncoding;
use utf8kit_detect::lines::Verdicts;
use utf8kit_detect::{Action, Suggestion};
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::{BLOCK, Blocks, Cut, Skip};

/// The most bytes to wait for the end of a line.
const MAX_LINE_BYTES: usize = 4 * BLOCK;

/// Finds lines of UTF-8 in an input that is read in pieces.
pub(super) struct Utf8Lines {
    legacy: Legacy,
    verdicts: Verdicts,
    /// A line whose end was not read yet.
    begun: Vec<u8>,
}

impl Utf8Lines {
    /// Looks for them among lines in this encoding. Returns `None` if its units are not bytes.
    pub(super) fn among(codec: Codec) -> Option<Utf8Lines> {
        let legacy = match codec {
            Codec::Legacy(legacy) => legacy,
            Codec::Native(AnyEncoding::Latin1) => WESTERN,
            Codec::Native(_) => return None,
        };
        Some(Utf8Lines { legacy, verdicts: Verdicts::default(), begun: Vec::new() })
    }

    /// Looks for them in an input.
    pub(super) fn of(blocks: Blocks, codec: Codec) -> io::Result<Option<Utf8Lines>> {
        let Some(mut lines) = Utf8Lines::among(codec) else { return Ok(None) };
        blocks.each_piece(Cut::Anywhere, 1, |piece| {
            lines.push(piece);
            true
        })?;
        Ok(Some(lines))
    }

    /// Reads the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.begun.extend_from_slice(piece);
        let feed = self.begun.iter().rposition(|&byte| byte == b'\n');
        let end = feed.map_or(0, |feed| feed + 1);
        if end > 0 || self.begun.len() >= MAX_LINE_BYTES {
            let rest = self.begun.split_off(if end > 0 { end } else { self.begun.len() });
            let lines = mem::replace(&mut self.begun, rest);
            self.verdicts.merge(Verdicts::of(&lines, self.legacy));
        }
    }

    /// Returns why the input must not be converted, if lines of it are or may be UTF-8.
    pub(super) fn end(self) -> Option<Skip> {
        let (verdicts, suggestion) = self.verdicts();
        (verdicts.garbled() > 0).then_some(Skip::Mixed { other: None, suggestion })
    }

    /// Returns why only its errors, or with `per_line` only lines with errors, must not be decoded, if that would
    /// garble text: UTF-8 sequences that are letters of the other encoding, or UTF-8 in lines that contain both.
    pub(super) fn end_of_fallback(self, per_line: bool) -> Option<Skip> {
        let encoding = self.legacy.name();
        let (verdicts, suggestion) = self.verdicts();
        verdicts.are_garbled(per_line).then_some(match suggestion {
            Some(Suggestion { action: Action::Convert { .. }, .. }) => {
                Skip::OtherEncoding { encoding, suggestion, artifact: None }
            }
            _ => Skip::Mixed { other: None, suggestion },
        })
    }

    fn verdicts(mut self) -> (Verdicts, Option<Suggestion>) {
        self.verdicts.merge(Verdicts::of(&self.begun, self.legacy));
        (self.verdicts, self.verdicts.suggestion(self.legacy.name()))
    }
}
