//! Lossless damage: all bytes of the text are present, in another order or with other bytes between them. The kind of
//! damage is certain if the whole text is valid UTF-8 once it is undone.
//!
//! ```text
//! join          a character whose bytes were separated: surrogate pairs (CESU-8), folded lines
//! utf-16        text that is or was UTF-16 or UTF-32: a part of a log, text encoded in it twice
//! signs         controls that stand for signs of windows-1252 that was read as Latin-1
//! remove-marks  byte order marks within a text, from joined files
//! remove-nuls   NULs, as a crash leaves them in a log
//! quoted-printable  escapes of mail: `=C3=BC` for `ü`
//! ```

mod change;
mod controls;
mod join;
mod marks;
mod nuls;
mod parts;
mod quoted_printable;
#[cfg(test)]
mod tests;
mod wide;

use std::fmt;

use utf8kit::{Piece, Policy, Utf8};

use change::is_alien;

pub use marks::are_joined;
pub use nuls::has_stray_nuls;
pub use nuls::{is_text_with_nuls, without_nuls};
pub use quoted_printable::unquoted;

/// A kind of lossless damage, and the repair that undoes only this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Artifact {
    /// Join characters whose bytes are separated.
    Join,
    /// Decode text that is or was UTF-16 or UTF-32.
    Utf16,
    /// Write the signs that controls stand for.
    Signs,
    /// Remove byte order marks.
    Marks,
    /// Remove NULs.
    Nuls,
    /// Decode quoted-printable.
    Quoted,
}

impl Artifact {
    /// All of them.
    pub const ALL: [Artifact; 6] =
        [Artifact::Join, Artifact::Utf16, Artifact::Signs, Artifact::Marks, Artifact::Nuls, Artifact::Quoted];

    /// Returns its name, which is the name of its policy.
    ///
    /// ```
    /// use utf8kit_encodings::artifact::Artifact;
    ///
    /// let names = ["join", "utf-16", "signs", "remove-marks", "remove-nuls", "quoted-printable"];
    /// assert_eq!(Artifact::ALL.map(Artifact::name), names);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Artifact::Join => "join",
            Artifact::Utf16 => "utf-16",
            Artifact::Signs => "signs",
            Artifact::Marks => "remove-marks",
            Artifact::Nuls => "remove-nuls",
            Artifact::Quoted => "quoted-printable",
        }
    }

    /// Describes the damage, in words that follow `utf-8 with`.
    pub fn about(self) -> &'static str {
        match self {
            Artifact::Join => "characters whose bytes stand apart",
            Artifact::Utf16 => "text that is or was UTF-16 or UTF-32",
            Artifact::Signs => "controls that are signs of windows-1252",
            Artifact::Marks => "byte order marks within it",
            Artifact::Nuls => "NULs",
            Artifact::Quoted => "escapes of quoted-printable",
        }
    }
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A callback for every change, with its offset in the input, the old bytes and the new bytes.
pub type Notice<'n> = &'n mut dyn FnMut(u64, &[u8], &[u8]);

/// Undoes one kind of damage in a stream.
pub struct ArtifactRepairer {
    tool: Tool,
    held: Vec<u8>,
    /// The number of bytes that are processed.
    offset: u64,
}

enum Tool {
    Join(join::Before),
    Utf16(Box<wide::Wide>),
    Signs(controls::Before),
    Marks,
    Nuls,
    Quoted(quoted_printable::Quoted),
}

impl ArtifactRepairer {
    /// Starts at the beginning of a text.
    pub fn new(artifact: Artifact) -> ArtifactRepairer {
        let tool = match artifact {
            Artifact::Join => Tool::Join(join::Before::default()),
            Artifact::Utf16 => Tool::Utf16(Box::default()),
            Artifact::Signs => Tool::Signs(controls::Before::default()),
            Artifact::Marks => Tool::Marks,
            Artifact::Nuls => Tool::Nuls,
            Artifact::Quoted => Tool::Quoted(quoted_printable::Quoted::default()),
        };
        ArtifactRepairer { tool, held: Vec::new(), offset: 0 }
    }

    /// Returns how many bytes of the input are processed.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reports whether no bytes are held back for the next piece.
    pub fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// Takes the next piece, and appends to the output the text that no further input can change.
    pub fn push(&mut self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, notice: Notice<'_>) {
        self.held.extend_from_slice(bytes);
        let start = self.offset;
        let mut change = |at: usize, before: &[u8], after: &[u8]| notice(start + at as u64, before, after);
        let read = match &mut self.tool {
            Tool::Join(before) => join::scan(&self.held, piece, before, out, &mut change),
            Tool::Utf16(wide) => wide.scan(&self.held, piece, out, &mut change),
            Tool::Signs(before) => controls::scan(&self.held, piece, before, out, &mut change),
            Tool::Marks => marks::scan(&self.held, piece, out, &mut change),
            Tool::Nuls => nuls::scan(&self.held, out, &mut change),
            Tool::Quoted(quoted) => quoted_printable::scan(&self.held, piece, quoted, out, &mut change),
        };
        self.held.drain(..read);
        self.offset += read as u64;
    }
}

/// The artifacts of one kind that were found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifacts {
    /// Their kind.
    pub artifact: Artifact,
    /// The number of places.
    pub places: u64,
    /// Whether the text has no other errors, so that the damage is certain.
    pub is_sure: bool,
}

/// Finds out whether a text, which is given in pieces, is UTF-8 once damage of one kind is undone.
pub struct ArtifactSearch {
    artifact: Artifact,
    repairer: ArtifactRepairer,
    rest: utf8kit::Converter<'static, Utf8, Utf8>,
    places: u64,
    /// How many of the places are surrogate pairs, and how many characters could be.
    pairs: u64,
    supplementary: u64,
    /// The numbers of non-ASCII characters, of errors, and of controls that text rarely contains.
    good: u64,
    bad: u64,
    controls: u64,
}

impl ArtifactSearch {
    /// Starts at the beginning of a text.
    pub fn new(artifact: Artifact) -> ArtifactSearch {
        let rest = utf8kit::Converter::lossy(Utf8, Utf8, Policy::Remove);
        ArtifactSearch {
            artifact,
            repairer: ArtifactRepairer::new(artifact),
            rest,
            places: 0,
            pairs: 0,
            supplementary: 0,
            good: 0,
            bad: 0,
            controls: 0,
        }
    }

    /// Takes the next piece. Returns whether damage is still plausible.
    pub fn push(&mut self, bytes: &[u8], piece: Piece) -> bool {
        let (mut out, mut kept) = (Vec::with_capacity(bytes.len()), Vec::new());
        self.repairer.push(bytes, piece, &mut out, &mut |_, before, _| {
            self.places += 1;
            self.pairs += u64::from(before.starts_with(&[0xED]) && before.len() == 6);
        });
        let bad = &mut self.bad;
        let _ = self.rest.push_observed(&out, &mut kept, |_| *bad += 1);
        if piece.is_last() {
            let _ = self.rest.finish_observed(&mut kept, |_| *bad += 1);
        }
        let count = |is_one: fn(u8) -> bool| kept.iter().filter(|byte| is_one(**byte)).count() as u64;
        self.good += count(|byte| byte >= 0xC2);
        match self.artifact {
            Artifact::Join => self.supplementary += count(|byte| byte >= 0xF0),
            _ => self.controls += count(is_alien),
        }
        self.is_mostly_good()
    }

    /// Reports whether the repaired text looks like UTF-8, or like UTF-16 among text in another encoding, and not like
    /// data.
    fn is_mostly_good(&self) -> bool {
        let is_utf8 = self.bad * 4 <= self.good;
        match &self.repairer.tool {
            Tool::Join(_) => is_utf8,
            Tool::Utf16(wide) => self.controls == 0 && (is_utf8 || wide.has_certain_parts()),
            _ => is_utf8 && self.controls == 0,
        }
    }

    /// Returns the result, after the last piece.
    pub fn finish(&self) -> Option<Artifacts> {
        let ArtifactSearch { artifact, places, bad, .. } = *self;
        let is_there = match &self.repairer.tool {
            Tool::Utf16(wide) => wide.is_damage(),
            // The whole text is CESU-8.
            _ if places == self.pairs && places == self.supplementary && bad == 0 => false,
            _ => places > 0,
        };
        (is_there && self.is_mostly_good()).then_some(Artifacts { artifact, places, is_sure: bad == 0 })
    }
}

/// Returns the kinds of damage to look for in these bytes. UTF-16 is possible only if there are NULs.
pub fn kinds(bytes: &[u8]) -> impl Iterator<Item = Artifact> + use<> {
    let has_nuls = bytes.contains(&0);
    [Artifact::Utf16, Artifact::Join].into_iter().filter(move |artifact| has_nuls || *artifact == Artifact::Join)
}

/// Reports whether a text that begins with `head` may be damaged although it is UTF-8.
pub fn may_be_damaged(head: &[u8]) -> bool {
    head.contains(&0) || marks::are_within(head)
}

/// Finds lossless damage in UTF-8.
pub fn find_in_utf8(text: &[u8]) -> Option<Artifacts> {
    if marks::are_within(text) {
        let places = memchr::memmem::find_iter(text, "\u{FEFF}").count() as u64;
        return Some(Artifacts { artifact: Artifact::Marks, places, is_sure: true });
    }
    let (mut places, mut line_ends) = (0, 0);
    ArtifactRepairer::new(Artifact::Signs).push(text, Piece::Last, &mut Vec::new(), &mut |_, control, _| {
        places += 1;
        line_ends += u64::from(control == "\u{85}".as_bytes());
    });
    // In a text from a mainframe, every line ends with one.
    let is_there = places > line_ends || line_ends > 0 && text.contains(&b'\n');
    is_there.then_some(Artifacts { artifact: Artifact::Signs, places, is_sure: places > line_ends })
}

/// Finds lossless damage in a text, which continues after the bytes unless they are `whole`.
pub fn find(bytes: &[u8], whole: bool) -> Option<Artifacts> {
    kinds(bytes).find_map(|artifact| {
        let mut search = ArtifactSearch::new(artifact);
        search.push(bytes, Piece::last_if(whole));
        search.finish()
    })
}
