//! The report of `check` as a single HTML page. It needs neither network nor scripts, and escapes all names and
//! content. Its size is bounded even for huge inputs, but the totals count everything.

mod draw;
mod page;

use std::fs;
use std::io::Read as _;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit::explain::explain;
use utf8kit_detect::stats::BytePairs;
use utf8kit_encodings::display::Name;

use crate::error::Error;
use crate::output::Output;
use crate::printer::Printer;
use crate::render::heatmap;
use crate::results::{Checked, Finding, Labels, Totals};
use crate::suggestion;
use crate::tally::Tally;

/// Maximum number of files listed, separately for invalid and for other files.
const MAX_FILES_LISTED: usize = 500;

/// Maximum number of errors drawn.
const MAX_ERRORS_DRAWN: usize = 200;

/// Maximum number of errors drawn per file.
pub(crate) const MAX_ERRORS_DRAWN_PER_FILE: usize = 20;

/// The first bytes of a report, which include its title.
const BYTES_OF_HEAD: u64 = 1024;

/// Number of cells in a heatmap.
const HEATMAP_CELLS: usize = 128;

/// Number of bytes drawn before and after an error.
const BYTES_OF_CONTEXT: usize = 4;

/// Maximum number of bytes drawn of a damaged place.
const MAX_BYTES_DRAWN_OF_DAMAGE: usize = 16;

/// The marker bits of a continuation byte.
const CONTINUATION: u8 = 0b1100_0000;

/// The content of the page.
pub(crate) struct Page {
    labels: Labels,
    ill_formed: Vec<File>,
    well_formed: Vec<File>,
    errors: Vec<Drawn>,
    damage: Vec<DamagedPlace>,
    kinds: Tally,
}

/// A file in the list.
struct File {
    name: String,
    size: u64,
    code_points: u64,
    errors: u64,
    /// Where the errors lie; empty if there are none.
    heatmap: Vec<u64>,
    guess: Option<String>,
}

/// An error, drawn bit by bit.
struct Drawn {
    place: String,
    offset: u64,
    kind: &'static str,
    what: String,
    notes: Vec<String>,
    before: Vec<u8>,
    bytes: Vec<Bits>,
    after: Vec<u8>,
}

/// A damaged place.
struct DamagedPlace {
    place: String,
    what: String,
    was: Shown,
    is: Shown,
}

/// The bytes of a place, and some around it.
struct Shown {
    before: Vec<u8>,
    own: Vec<u8>,
    after: Vec<u8>,
}

impl Shown {
    fn new(finding: &Finding<'_>) -> Shown {
        let (before, own, after) = (finding.preceding(), finding.sequence(), finding.following());
        Shown {
            before: before[before.len().saturating_sub(BYTES_OF_CONTEXT)..].to_vec(),
            own: own[..own.len().min(MAX_BYTES_DRAWN_OF_DAMAGE)].to_vec(),
            after: after[..after.len().min(BYTES_OF_CONTEXT)].to_vec(),
        }
    }
}

/// A byte of an error, and which of its bits are markers.
struct Bits {
    byte: u8,
    markers: u8,
}

impl Page {
    pub(crate) fn new() -> Page {
        Page {
            labels: Labels::default(),
            ill_formed: Vec::new(),
            well_formed: Vec::new(),
            errors: Vec::new(),
            damage: Vec::new(),
            kinds: Tally::default(),
        }
    }

    /// Adds a finding, if there is still room for it.
    pub(crate) fn finding(&mut self, finding: &Finding<'_>) {
        if self.errors.len() >= MAX_ERRORS_DRAWN {
            return;
        }
        let &Finding { path, line, column, offset, kind, .. } = finding;
        let (description, before, after) = (&finding.phrase.description, finding.preceding(), finding.following());
        self.errors.push(Drawn {
            place: format!("{}:{line}:{column}", Name(path)),
            offset,
            kind,
            what: finding.title(),
            notes: [&description.expected, &description.lax].into_iter().flatten().cloned().collect(),
            before: before[before.len().saturating_sub(BYTES_OF_CONTEXT)..].to_vec(),
            bytes: bits(finding.encoding, finding.bytes().len(), finding.sequence(), after),
            after: after[..after.len().min(BYTES_OF_CONTEXT)].to_vec(),
        });
    }

    /// Adds a damaged place, if there is still room for it.
    pub(crate) fn damage(&mut self, finding: &Finding<'_>) {
        let Some(older) = finding.older().filter(|_| self.damage.len() < MAX_ERRORS_DRAWN) else { return };
        let &Finding { path, line, column, .. } = finding;
        self.damage.push(DamagedPlace {
            place: format!("{}:{line}:{column}", Name(path)),
            what: finding.title(),
            was: Shown::new(&older),
            is: Shown::new(finding),
        });
    }

    /// Adds a checked file.
    pub(crate) fn file(&mut self, checked: &Checked<'_>) {
        self.labels.add(checked.label);
        self.kinds.merge(&checked.kinds());
        let files = if checked.has_findings() { &mut self.ill_formed } else { &mut self.well_formed };
        if files.len() < MAX_FILES_LISTED {
            let summary = checked.summary;
            files.push(File {
                name: Name(checked.path).to_string(),
                size: summary.bytes,
                code_points: summary.code_points,
                errors: checked.errors(),
                heatmap: if summary.errors > 0 {
                    heatmap::cells(&summary.histogram, summary.bytes, HEATMAP_CELLS)
                } else {
                    Vec::new()
                },
                guess: checked.guess.map(|guess| {
                    let what = guess.note(None, 0).unwrap_or_else(|| guess.verdict());
                    let all = [
                        Some(what),
                        guess.suggestion().and_then(|suggestion| suggestion.doubt()),
                        suggestion::help(guess, checked.path, checked.label, checked.bom),
                    ];
                    all.into_iter().flatten().collect::<Vec<_>>().join(": ")
                }),
            });
        }
    }

    /// Fails if the path is an existing file that is not a report, so that only reports are replaced.
    pub(crate) fn may_replace(path: &Path) -> Result<(), Error> {
        let mut head = Vec::new();
        if path.is_file() {
            let read = fs::File::open(path).and_then(|file| file.take(BYTES_OF_HEAD).read_to_end(&mut head));
            read.map_err(|error| Error::at(path, error))?;
        }
        match head.is_empty() || head.windows(page::TITLE.len()).any(|part| part == page::TITLE.as_bytes()) {
            true => Ok(()),
            false => Err(Error::at(path, "not a report of utf8 check, so it is not replaced")),
        }
    }

    /// Writes the page to a file, which is replaced atomically.
    pub(crate) fn write(
        &self,
        path: &Path,
        totals: &Totals,
        pairs: &BytePairs,
        printer: &mut Printer,
    ) -> Result<(), Error> {
        let mut output = Output::create(Some(path), &[])?;
        output.write(self.html(totals, pairs).as_bytes(), printer)?;
        output.commit()
    }
}

/// Returns the bytes of a sequence whose first error is `len` bytes long, with the encoding's marker bits.
fn bits(encoding: AnyEncoding, len: usize, sequence: &[u8], after: &[u8]) -> Vec<Bits> {
    let context = &after[..after.len().min(encoding.longest())];
    let all = [sequence, context].concat();
    let item = explain(encoding, &all).next().filter(|item| item.len == len);
    let markers = |index| {
        item.as_ref().map_or(0, |item| {
            let bits = item.bits(index).into_iter();
            bits.fold(0, |set, bit| set << 1 | u8::from(matches!(bit, utf8kit::explain::Bit::Marker(_))))
        })
    };
    // After the first error of a sequence, all bytes are continuation bytes.
    let markers = |index| if index < len { markers(index) } else { CONTINUATION };
    sequence.iter().enumerate().map(|(index, &byte)| Bits { byte, markers: markers(index) }).collect()
}
