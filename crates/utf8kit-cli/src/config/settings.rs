//! The settings of one file.

use std::ops::RangeInclusive;

use utf8kit::EncodingLabel;
use utf8kit_detect::RepairPolicy;
use utf8kit_document::{Damage, DamageKind};
use utf8kit_encodings::charset::Charset;
use utf8kit_files::{Blocks, Skip, Source, SourceKind, looks_binary};
use utf8kit_records::targets::Demands;

use crate::args::{BomRule, LineEndRule, TargetArgs, UTF8};

/// The settings for one file; `None` where nothing is configured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) encoding: Option<Charset>,
    pub(crate) policy: Option<RepairPolicy>,
    pub(crate) bom: Option<BomRule>,
    pub(crate) line_ends: Option<LineEndRule>,
    /// Characters that `--for source`, `text` and `identifiers` allow.
    pub(crate) allow: Vec<RangeInclusive<char>>,
    /// Whether Git or editors manage the line ends of the file, so that a change of them is not damage. `Some(false)`:
    /// Git must leave them alone.
    pub(crate) converts_line_ends: Option<bool>,
    /// The line ends that editors must write.
    pub(crate) editor_ends: Option<LineEndRule>,
    /// Whether to skip the file.
    pub(crate) excluded: bool,
    /// Whether the file is declared as binary.
    pub(crate) binary: bool,
}

impl Settings {
    /// Returns the encoding given on the command line, or else the configured one, or else UTF-8. `None` if it is a
    /// legacy encoding.
    pub(crate) fn label(&self, typed: Option<EncodingLabel>) -> Option<EncodingLabel> {
        match (typed, self.encoding) {
            (Some(label), _) | (None, Some(Charset::Named(label))) => Some(label),
            (None, Some(_)) => None,
            (None, None) => Some(UTF8),
        }
    }

    /// Returns the requirements on the file's text.
    pub(crate) fn demands(&self, target: &TargetArgs) -> Demands {
        let mut demands = target.demands();
        demands.allowed.clone_from(&self.allow);
        demands
    }

    /// Returns why a source found in a folder is skipped, if it is. `binary` includes files that are declared binary.
    pub(crate) fn skip(&self, source: &Source, binary: bool) -> Option<Skip> {
        match source.kind {
            SourceKind::Walked if self.excluded => Some(Skip::Excluded),
            SourceKind::Walked if self.binary && !binary => Some(Skip::Binary),
            _ => None,
        }
    }

    /// As [`Settings::skip`], for a source that begins with `head`, which may show that it is binary.
    pub(crate) fn skip_by(&self, source: &Source, head: &[u8], binary: bool) -> Option<Skip> {
        let again = || source.open().and_then(Blocks::of);
        let is_binary = || source.kind == SourceKind::Walked && !binary && looks_binary(head, again);
        self.skip(source, binary).or_else(|| is_binary().then_some(Skip::Binary))
    }

    /// Reports whether these settings request the change to `new`, in the encoding `written`, so that it is not damage.
    pub(crate) fn requests(&self, damage: &Damage, new: &[u8], written: &str) -> bool {
        match damage.kind {
            DamageKind::LineEnds => {
                let has_return = new.get(damage.new.clone()).is_some_and(|end| end.contains(&b'\r'));
                let is_editors = |ends| (ends == LineEndRule::Crlf) == has_return;
                self.line_ends.is_some()
                    || self.converts_line_ends == Some(true)
                    || self.editor_ends.is_some_and(is_editors)
            }
            DamageKind::ByteOrderMark => self.bom.unwrap_or_default() != BomRule::Allow,
            DamageKind::Recoded => self.encoding.is_some_and(|charset| charset.writer().name() == written),
            _ => false,
        }
    }

    /// Overrides these settings with the ones that are set in `other`.
    pub(super) fn overlay(&mut self, other: &Settings) {
        self.encoding = other.encoding.or(self.encoding);
        self.policy = other.policy.clone().or(self.policy.take());
        self.bom = other.bom.or(self.bom);
        self.line_ends = other.line_ends.or(self.line_ends);
        self.allow.extend_from_slice(&other.allow);
        self.excluded |= other.excluded;
    }
}
