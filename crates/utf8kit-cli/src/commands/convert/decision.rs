//! Decides per file whether to convert it, and from which encoding, or to skip it, for example because its encoding is
//! uncertain.

use std::fs::File;
use std::path::Path;

use utf8kit_detect::{self as detect, Guess};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::{BomHandling, Conversion};
use utf8kit_files::json::PathFields;
use utf8kit_files::{Blocks, Fingerprint, Skip, Source, SourceKind, detect_blocks, looks_binary, sniff};

use super::plan::{Action, Plan, Step};
use crate::args::{ConvertArgs, Origin};
use crate::config::Config;
use crate::error::Error;
use crate::suggestion::{self, Destination, Help};

/// The decision about a file.
pub(super) enum Decision {
    Convert(Conversion),
    /// Skip it, and count it by reason.
    Skip(Skip),
    /// Skip it, for the reason in the step.
    Leave(Help),
}

/// Decides about each file.
pub(super) struct Planner<'p> {
    pub(super) args: &'p ConvertArgs,
    /// The conversion of files without settings of their own.
    pub(super) conversion: Conversion,
    pub(super) config: &'p Config,
}

impl Planner<'_> {
    /// Returns why a source that begins with these bytes is not text to convert, and so is not part of the plan.
    pub(super) fn unsuited(&self, source: &Source, head: &[u8]) -> Result<Option<Skip>, Error> {
        let format = sniff(head);
        if let (Some(_), Some(format)) = (self.args.input.unpack.unpack(), format) {
            return Ok(Some(Skip::Packed(format)));
        }
        let binary = self.args.input.binary;
        let is_walked = source.kind == SourceKind::Walked && !binary;
        let again = || source.open().and_then(Blocks::of);
        let is_binary = || is_walked && (looks_binary(head, again) || format.is_some());
        let configured = self.config.of(source)?.skip(source, binary);
        Ok(configured.or_else(|| is_binary().then_some(Skip::Binary)))
    }

    /// Plans the step for a source, and decides whether it is taken.
    pub(super) fn plan(&self, source: &Source, head: &[u8], blocks: Blocks) -> Result<(Step, Decision), Error> {
        let path = &source.path;
        let at = |error| Error::at(path, error);
        let mut step = Step {
            r#type: Plan::Plan,
            path: PathFields::of(path),
            action: Action::Skip,
            from: None,
            to: self.conversion.to.to_string(),
            confidence: None,
            reason: String::new(),
            size: None,
            blake3: None,
            per_line: self.args.lines,
            rewrite: self.args.rewriting(),
        };
        if self.args.preview.is_on() {
            let now = File::open(path).and_then(|file| Fingerprint::of(&file)).map_err(at)?;
            (step.size, step.blake3) = (Some(now.size), Some(now.blake3));
        }
        if self.args.from != Some(Origin::Auto) {
            let configured = self.config.of(source)?.encoding.filter(|_| self.args.from.is_none());
            let from = configured.unwrap_or(self.conversion.from);
            step.from = Some(from.to_string());
            return Ok((step, Decision::Convert(self.conversion_from(from))));
        }
        let guess = detect_blocks(blocks, 1).map_err(at)?;
        step.from = guess.encoding.map(str::to_owned);
        step.confidence = Some(guess.confidence.name().to_owned());
        step.reason = guess.evidence.join("; ");
        if guess.utf8_lines > 0 && guess.artifact != Some(Artifact::Utf16) && !self.args.force {
            let suggestion = guess.suggestion();
            let sure = suggestion.as_ref().filter(|suggestion| step.per_line && suggestion.is_sure());
            let Some(detect::Action::FallbackLines(from)) = sure.map(|suggestion| suggestion.action) else {
                return Ok((step, Decision::Skip(Skip::Mixed { other: guess.mixed, suggestion })));
            };
            step.from = Some(from.to_string());
            return Ok((step, Decision::Convert(self.conversion_from(from.into()))));
        }
        if let Some((what, help)) = doubt(&guess, path, Destination::IN_PLACE.of(&self.conversion)) {
            step.reason += &what;
            return Ok((step, Decision::Leave(help)));
        }
        let mut conversion = guess.charset(head).map(|from| self.conversion_from(from));
        if let Some(conversion) = &mut conversion {
            conversion.bom = bom_of(&guess, conversion);
        }
        Ok((step, conversion.map_or(Decision::Leave(Help::default()), Decision::Convert)))
    }

    /// Returns the conversion in a step of a plan, for the file at `path`.
    pub(super) fn conversion_of(&self, step: &Step, path: &Path) -> Result<Conversion, Error> {
        let named =
            |name: &str| name.parse::<Charset>().map_err(|error| Error::at(path, format_args!("{name}: {error}")));
        let lacking = || Error::at(path, "the plan lacks the encoding to convert from");
        let mut conversion = self.conversion_from(named(step.from.as_deref().ok_or_else(lacking)?)?);
        (conversion.to, conversion.rewrite) = (named(&step.to)?, step.rewrite.rewrite());
        Ok(conversion)
    }

    /// Returns the conversion of a file in another encoding.
    fn conversion_from(&self, from: Charset) -> Conversion {
        let mut conversion = self.conversion;
        conversion.from = from;
        conversion
    }
}

/// Returns the handling of the byte order mark in a conversion by a guess. A mark of the other byte order is not part
/// of the text, as one that decides the byte order is not.
pub(super) fn bom_of(guess: &Guess, conversion: &Conversion) -> BomHandling {
    match (guess.action, conversion.bom) {
        (Some(detect::Action::Convert { strip_bom: true, .. }), BomHandling::Keep)
            if !conversion.from.is_marked() && !conversion.to.is_marked() =>
        {
            BomHandling::Strip
        }
        (_, bom) => bom,
    }
}

/// Returns the reason not to act on a guess at the encoding of the file at `path`, if there is one, with help. The
/// reason is appended to the evidence.
pub(super) fn doubt(guess: &Guess, path: &Path, to: Destination<'_>) -> Option<(String, Help)> {
    let what = match guess {
        Guess { encoding: None, .. } => return Some(("; no text".to_owned(), Help::default())),
        Guess { action: Some(detect::Action::Artifact(artifact)), .. }
        | Guess { artifact: Some(artifact @ Artifact::Utf16), .. } => artifact.about(),
        Guess { misdecoded_as: Some(_), .. } => "mojibake",
        Guess { mixed: Some(_), .. } => "more than one encoding",
        // Elsewhere, the sequences that modified UTF-8 adds are damage.
        Guess { encoding: Some("mutf-8"), .. } => "it may be damaged",
        guess if guess.is_singled_out() => return None,
        _ => "",
    };
    let what = if what.is_empty() { String::new() } else { format!("; {what}") };
    let help = suggestion::to_do(guess.suggestion().as_ref(), path, to);
    let artifact = guess.artifact.filter(|artifact| guess.action != Some(detect::Action::Artifact(*artifact)));
    Some((what, suggestion::after(artifact, help, path, to)))
}
