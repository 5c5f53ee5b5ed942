//! What to do about a file, in the words of this command. Whoever tells it takes the words from here.

use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_text::charset::{Charset, Codec, Fallback};
use utf8kit_text::convert::{BomHandling, Conversion};
use utf8kit_text::detect::{Advice, Hint, Remedy};
use utf8kit_text::display::Argument;
use utf8kit_text::files::Skip;
use utf8kit_text::mend::Mend;
use utf8kit_text::rows::DumpFormat;

const UTF8: Charset = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));

/// Where the result goes, and in which encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination {
    is_in_place: bool,
    to: Charset,
    bom: BomHandling,
}

impl Destination {
    /// The output, in UTF-8.
    pub(crate) const OUTPUT: Destination =
        Destination { is_in_place: false, to: UTF8, bom: BomHandling::Keep };
    /// The file itself, in UTF-8.
    pub(crate) const IN_PLACE: Destination = Destination { is_in_place: true, ..Destination::OUTPUT };

    /// Returns the same in the encoding of a conversion that was asked for.
    pub(crate) fn of(self, conversion: &Conversion) -> Destination {
        Destination { to: conversion.to, bom: conversion.bom, ..self }
    }

    /// Reports whether it is UTF-8, which is what a repair writes.
    pub(crate) fn is_utf8(self) -> bool {
        self.to.writer() == Codec::Native(AnyEncoding::Utf8)
    }

    /// Returns the option for where it goes, after a space.
    fn in_place(self) -> &'static str {
        if self.is_in_place { " --in-place" } else { "" }
    }

    /// Returns the options for the encoding and its byte order mark, after a space. `strip_bom`: the mark has to be
    /// removed for UTF-8.
    fn target(self, strip_bom: bool) -> String {
        let to = if self.is_utf8() { String::new() } else { format!(" --to {}", self.to) };
        let bom = match self.bom {
            BomHandling::Add => " --bom add",
            BomHandling::Strip => " --bom strip",
            _ if strip_bom && !self.to.is_marked() => " --bom strip",
            _ => "",
        };
        to + bom
    }
}

/// Returns the command that makes a file UTF-8, without the file, if there is one.
pub(crate) fn command(remedy: Remedy) -> Option<String> {
    written(remedy, Destination::OUTPUT)
}

/// Returns what to do about the file at `path`, as sure as that is: the command, if one is advised, and the other
/// encodings that it may be in. `None` if the file is to be in an encoding that no command makes of it.
pub(crate) fn to_do(advice: Option<&Advice>, path: &Path, to: Destination) -> Option<String> {
    let Some(advice) = advice else { return Some(comparison(path)) };
    let attempt = attempt(advice, path, to);
    if !advice.is_open() {
        return attempt.map(|attempt| format!("{}{attempt}", unsure(advice.is_sure())));
    }
    let attempt = attempt.map_or(String::new(), |attempt| format!(", or {attempt}"));
    Some(comparison(path) + &attempt)
}

/// Returns what to do that loses nothing of the file at `path`, which is left alone, or would be, if that is known.
pub(crate) fn instead(reason: &Skip, path: &Path, to: Destination) -> Option<String> {
    let words = match reason {
        Skip::OtherEncoding { encoding, .. } if *encoding == AnyEncoding::Utf8.name() => return None,
        Skip::OtherEncoding { has_nuls, .. } => {
            let words = to_do(reason.advice(), path, to);
            let nuls = has_nuls.then(|| for_nuls(path, to));
            return [words, nuls].into_iter().flatten().reduce(|words, nuls| words + "; " + &nuls);
        }
        Skip::Mendable { .. } | Skip::Mixed(_) => return to_do(reason.advice(), path, to),
        Skip::LegacyValues { dump, .. } => return dump.map(|dump| for_values(dump, path, to)),
        Skip::HardLinks(_) => "use --hard-links write to change all, or split for this one",
        Skip::Packed(_) => "unpack it first, or write elsewhere with --output",
        Skip::BackupExists(_) => "move it, or use another suffix",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Returns what to do about values of a dump that may be in several encodings.
pub(crate) fn for_values(dump: DumpFormat, path: &Path, to: Destination) -> String {
    let (options, rows, path) = (to.in_place(), dump.name(), Argument(path));
    format!("try utf8 repair{options} --rows {rows} --per-table fallback=auto {path}")
}

/// Returns what to do about NULs in a text in another encoding.
pub(crate) fn for_nuls(path: &Path, to: Destination) -> String {
    let (option, path) = (to.in_place(), Argument(path));
    format!("utf8 repair{option} -p {} {path} removes the NULs alone", Mend::Nuls)
}

/// Returns what to do about texts in messages of Protocol Buffers that are in another encoding.
pub(crate) fn for_texts(from: Fallback, is_sure: bool) -> String {
    format!("{}try -p fallback={from}", unsure(is_sure))
}

/// Returns the command that helps with the file at `path`: none that may garble it.
pub(crate) fn help(hint: &Hint, path: &Path) -> Option<String> {
    let path = Argument(path);
    match (hint.advice(), hint.mend()) {
        (Some(advice), _) if !advice.is_open() => {
            command(advice.remedy).map(|command| format!("{command} {path}"))
        }
        (_, Some(mend)) => Some(format!("utf8 repair -p {mend} {path}")),
        _ => Some(format!("utf8 detect {path}")),
    }
}

/// Returns the command to try, if there is one, with the other encodings that a conversion may be from.
fn attempt(advice: &Advice, path: &Path, to: Destination) -> Option<String> {
    let others = advice.others.iter().filter(|_| matches!(advice.remedy, Remedy::Convert { .. }));
    let others: String = others.map(|other| format!(", or --from {other}")).collect();
    written(advice.remedy, to).map(|command| format!("try {command} {}{others}", Argument(path)))
}

/// Returns what is said before a command that may lose text.
fn unsure(is_sure: bool) -> &'static str {
    if is_sure { "" } else { "not sure; " }
}

/// Returns the command that shows how the file at `path` reads in the encodings that it may be in.
fn comparison(path: &Path) -> String {
    format!("not sure; see utf8 detect {}", Argument(path))
}

/// Returns the command, without the file. `None` if it does not make what is asked for: a repair writes UTF-8.
fn written(remedy: Remedy, to: Destination) -> Option<String> {
    let in_place = to.in_place();
    if let Remedy::Convert { from, strip_bom } = remedy {
        let is_there = from.writer() == to.to.writer();
        return (!is_there).then(|| format!("utf8 convert{in_place} --from {from}{}", to.target(strip_bom)));
    }
    let (verb, policy) = match remedy {
        Remedy::ReplaceErrors => ("repair", String::new()),
        Remedy::Undouble => ("mojibake", String::new()),
        Remedy::Fallback(from) => ("repair", format!(" -p fallback={from}")),
        Remedy::FallbackLines(from) => ("repair", format!(" -p fallback-lines={from}")),
        Remedy::Mend(mend) => ("repair", format!(" -p {mend}")),
        _ => return None,
    };
    to.is_utf8().then(|| format!("utf8 {verb}{in_place}{policy}"))
}
