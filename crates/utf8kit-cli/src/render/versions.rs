//! Two versions of a file as a diff.

use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit_detect::repair::{Differ, Edit};
use utf8kit_detect::sniff::wide;
use utf8kit_document::line_changes;
use utf8kit_encodings::display::Name;

use crate::printer::Printer;
use crate::render::diff;

/// Returns the diff of two versions of a file. `made` describes the new version.
pub(crate) fn diff(old: &[u8], new: &[u8], path: &Path, made: &str, printer: &Printer) -> String {
    let head = old.get(..old.len().min(utf8kit_detect::SNIFF_LEN)).unwrap_or_default();
    let mut differ = Differ::new(wide(head).unwrap_or(AnyEncoding::Utf8));
    differ.feed(old);
    for change in line_changes(old, new) {
        let (offset, before) = (change.old.start as u64, old.get(change.old).unwrap_or_default());
        differ.edit(Edit::new(offset, before, new.get(change.new).unwrap_or_default()));
    }
    differ.settle(old.len() as u64);
    differ.end();
    let hunks = differ.ready();
    let header = if hunks.is_empty() { String::new() } else { diff::header(&Name(path), made, printer) };
    hunks.iter().fold(header, |text, hunk| text + &diff::hunk(hunk, printer))
}
