//! Help for a file: notes, and a complete command. All reports on files take their wording from here.

use std::fmt;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_detect::{Action, Guess, Suggestion};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Charset, Codec, Fallback};
use utf8kit_encodings::convert::{BomHandling, Conversion, LineEnd, NormalForm};
use utf8kit_encodings::display::Argument;
use utf8kit_files::Skip;
use utf8kit_records::rows::DumpFormat;

const UTF8: Charset = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));

/// Prefixes of a note and of a command, each on its own line.
pub(crate) const NOTE: &str = "  note: ";
pub(crate) const HELP: &str = "  help: ";

/// The path that stands for standard input.
const STDIN: &str = "-";

/// Help for a file. It is formatted as lines to append to a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Help {
    pub(crate) notes: Vec<String>,
    /// A command to paste.
    pub(crate) command: Option<String>,
}

impl Help {
    fn note(note: impl Into<String>) -> Help {
        Help { notes: vec![note.into()], command: None }
    }

    pub(crate) fn command(command: String) -> Help {
        Help { notes: Vec::new(), command: Some(command) }
    }

    /// Returns the help for the source at `path`. Standard input cannot be read again, so its command is for a pipe.
    pub(crate) fn at(mut self, path: &Path) -> Help {
        if path == Path::new(STDIN)
            && let Some(command) = self.command.take()
        {
            self.notes.push(format!("pipe it through `{}`", piped(command, path)));
        }
        self
    }

    /// Returns the help in one line, to append to a reason.
    pub(crate) fn inline(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("; {note}"));
        notes.chain(self.command.iter().map(|command| format!("; try {command}"))).collect()
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| write!(f, "\n{NOTE}{note}"))?;
        self.command.iter().try_for_each(|command| write!(f, "\n{HELP}{command}"))
    }
}

/// The destination of the result, and its encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'o> {
    is_in_place: bool,
    output: Option<&'o Path>,
    to: Charset,
    bom: BomHandling,
    line_end: Option<LineEnd>,
    normal_form: Option<NormalForm>,
}

impl<'o> Destination<'o> {
    /// The output, in UTF-8.
    pub(crate) const OUTPUT: Destination<'static> = Destination {
        is_in_place: false,
        output: None,
        to: UTF8,
        bom: BomHandling::Keep,
        line_end: None,
        normal_form: None,
    };
    /// The file itself, in UTF-8.
    pub(crate) const IN_PLACE: Destination<'static> = Destination { is_in_place: true, ..Destination::OUTPUT };

    /// The output, or this file, in UTF-8.
    pub(crate) fn output(file: Option<&'o Path>) -> Destination<'o> {
        Destination { output: file, ..Destination::OUTPUT }
    }

    /// Returns this destination of a requested conversion.
    pub(crate) fn of(self, conversion: &Conversion) -> Destination<'o> {
        let Conversion { to, bom, rewrite, .. } = *conversion;
        Destination { to, bom, line_end: rewrite.line_end, normal_form: rewrite.normal_form, ..self }
    }

    /// Reports whether it is UTF-8, which is what a repair writes.
    pub(crate) fn is_utf8(self) -> bool {
        self.to.writer() == Codec::Native(AnyEncoding::Utf8)
    }

    /// Returns the option for files changed in place, after a space.
    fn in_place(self) -> &'static str {
        if self.is_in_place { " --in-place" } else { "" }
    }

    /// Returns the option for an output file, after a space.
    fn into_file(self) -> String {
        self.output.map_or(String::new(), |output| format!(" -o {}", Argument(output)))
    }

    /// Returns the options for the encoding and what else a conversion writes, each after a space. `strip_bom`: the
    /// mark must be removed for UTF-8.
    fn target(self, strip_bom: bool) -> String {
        let to = if self.is_utf8() { String::new() } else { format!(" --to {}", self.to) };
        let bom = match self.bom {
            BomHandling::Add => " --bom add",
            BomHandling::Strip => " --bom strip",
            _ if strip_bom && !self.to.is_marked() => " --bom strip",
            _ => "",
        };
        let line_ends = self.line_end.map_or("", |end| match end {
            LineEnd::CrLf => " --line-ends crlf",
            _ => " --line-ends lf",
        });
        let form = self.normal_form.map_or("", |form| match form {
            NormalForm::Nfd => " --normalize nfd",
            _ => " --normalize nfc",
        });
        format!("{to}{bom}{line_ends}{form}")
    }
}

/// Returns the command as part of a pipe, if `path` is standard input: a filter, and no preview.
pub(crate) fn piped(command: String, path: &Path) -> String {
    match command.strip_suffix(" -") {
        // Its argument may also be a text.
        _ if path != Path::new(STDIN) || command.starts_with("utf8 explain ") => command,
        Some(piped) => piped.replace(" --diff", "").replace(" --dry-run", ""),
        None => command,
    }
}

/// Returns the command that turns a file into UTF-8, without the file name, if there is one.
pub(crate) fn command(action: Action) -> Option<String> {
    of_action(action, Destination::OUTPUT)
}

/// Returns help for the file at `path`: the suggested command, or if that may garble the file, the command that shows
/// what it may be. There is no command if none produces the requested result.
pub(crate) fn to_do(suggestion: Option<&Suggestion>, path: &Path, to: Destination<'_>) -> Help {
    match suggestion {
        Some(suggestion) if !suggestion.is_open() => {
            let command = of_action(suggestion.action, to).map(|command| format!("{command} {}", Argument(path)));
            let doubt = command.as_ref().and_then(|_| suggestion.doubt());
            Help { notes: doubt.into_iter().collect(), command }
        }
        suggestion => Help {
            notes: vec![suggestion.and_then(Suggestion::doubt).unwrap_or_else(|| Suggestion::NOT_SURE.to_owned())],
            command: Some(format!("utf8 detect {}", Argument(path))),
        },
    }
}

/// Returns help that loses no part of the file at `path`, which was or would be skipped.
pub(crate) fn instead(reason: &Skip, path: &Path, to: Destination<'_>) -> Help {
    let help = match reason {
        Skip::AlreadyUtf8(_) if !(to.is_in_place && to.is_utf8()) => {
            let (in_place, target, file) = (to.in_place(), to.target(false), to.into_file());
            Help::command(format!("utf8 convert{in_place}{target}{file} {}", Argument(path)))
        }
        Skip::OtherEncoding { encoding, .. } if *encoding == AnyEncoding::Utf8.name() => Help::default(),
        Skip::OtherEncoding { artifact, .. } => after(*artifact, to_do(reason.suggestion(), path, to), path, to),
        Skip::Mixed { other: Some(other), suggestion: None } if to.is_utf8() && !to.is_in_place => {
            let mut help = for_lines(other, path);
            help.notes.push(format!("`utf8 repair -p escape {}` keeps every byte", Argument(path)));
            help
        }
        Skip::Mixed { suggestion: None, .. } if to.is_utf8() => {
            let (in_place, file, path) = (to.in_place(), to.into_file(), Argument(path));
            Help {
                notes: vec![format!(
                    "no encoding fits all of it, see `utf8 detect -v {path}`; escape keeps every byte"
                )],
                command: Some(format!("utf8 repair{in_place} -p escape{file} {path}")),
            }
        }
        Skip::Artifact { .. } | Skip::Mixed { .. } => to_do(reason.suggestion(), path, to),
        Skip::LegacyValues { dump: Some(dump), .. } => for_values(*dump, path, to),
        Skip::BinaryValues(dump) => {
            let (options, rows, path) = (to.in_place(), dump.name(), Argument(path));
            Help::command(format!("utf8 repair{options} --rows {rows} {path}"))
        }
        Skip::HardLinks(_) => Help::note("--hard-links write changes all of them, and split this one"),
        Skip::Packed(_) => Help::note("unpack it first, or write elsewhere with --output"),
        Skip::BackupExists(_) => Help::note("move it, or use another suffix"),
        _ => Help::default(),
    };
    help.at(path)
}

/// Returns help for a file with some lines in another encoding: a command that shows its errors decoded from that.
pub(crate) fn for_lines(other: &str, path: &Path) -> Help {
    Help::command(format!("utf8 repair --diff -p fallback={other} {}", Argument(path)))
}

/// Returns help for a dump whose values may be in several encodings.
pub(crate) fn for_values(dump: DumpFormat, path: &Path, to: Destination<'_>) -> Help {
    let (in_place, file, rows, path) = (to.in_place(), to.into_file(), dump.name(), Argument(path));
    Help::command(format!("utf8 repair{in_place} --rows {rows} --per-table fallback=auto{file} {path}"))
}

/// Returns the help, extended for a text whose NULs, escapes or parts in UTF-16 must be undone before a conversion. A
/// note gives the command for them alone. Other damage changes nothing.
pub(crate) fn after(artifact: Option<Artifact>, help: Help, path: &Path, to: Destination<'_>) -> Help {
    let (artifact, does) = match artifact {
        Some(artifact @ Artifact::Nuls) => (artifact, "removes the NULs"),
        Some(artifact @ Artifact::Quoted) => (artifact, "decodes the escapes"),
        Some(artifact @ Artifact::Utf16) => (artifact, "decodes the UTF-16"),
        _ => return help,
    };
    let (in_place, path) = (to.in_place(), Argument(path).to_string());
    let alone = format!("utf8 repair{in_place} -p {artifact} {path}");
    let command = help.command.map(|command| match command.strip_suffix(&path) {
        Some(command) if !command.starts_with("utf8 detect") && !command.contains(artifact.name()) => {
            match to.is_in_place {
                true => format!("{alone} && {command}{path}"),
                false => format!("{alone} | {command}-"),
            }
        }
        _ => command,
    });
    let mut notes = help.notes;
    notes.push(format!("`{alone}` {does} alone"));
    Help { notes, command }
}

/// Returns the command that converts the file at `path` as requested. `how` is the value of `--on-error` for characters
/// that the target lacks.
pub(crate) fn converting(conversion: &Conversion, how: &str, path: &Path, to: Destination<'_>) -> Help {
    let to = to.of(conversion);
    let from = if conversion.from == UTF8 { String::new() } else { format!(" --from {}", conversion.from) };
    let (in_place, target, file) = (to.in_place(), to.target(false), to.into_file());
    Help::command(format!("utf8 convert{in_place}{from}{target} --on-error {how}{file} {}", Argument(path))).at(path)
}

/// Returns help for texts in messages of Protocol Buffers that are in another encoding.
pub(crate) fn for_texts(from: Fallback, is_sure: bool) -> Help {
    let unsure = if is_sure { "" } else { "not sure; " };
    Help::note(format!("{unsure}try -p fallback={from}"))
}

/// The correction for the beginning of a file: none, a byte order mark, or another encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) to: Option<&'static str>,
    pub(crate) bom: Option<BomHandling>,
}

impl Beginning {
    /// Returns the options of the conversion that corrects it, each after a space, if there is one.
    pub(crate) fn options(self) -> Option<String> {
        let to = self.to.map_or(String::new(), |to| format!(" --to {to}"));
        let bom = if self.bom? == BomHandling::Add { "add" } else { "strip" };
        Some(format!("{to} --bom {bom}"))
    }
}

/// Returns the command that helps with the file at `path`, which should be in the encoding `label`, and begin as in
/// `beginning`. The command never garbles the file.
pub(crate) fn help(guess: &Guess, path: &Path, label: Charset, beginning: Option<Beginning>) -> Option<String> {
    let to = match beginning.and_then(|beginning| beginning.to?.parse().ok()) {
        Some(other) => other,
        None if label.writer().is_wide() => label,
        None => UTF8,
    };
    let adds = beginning.and_then(|beginning| beginning.bom) == Some(BomHandling::Add);
    let bom = if adds { BomHandling::Add } else { BomHandling::Keep };
    let to = Destination { to, bom, ..Destination::OUTPUT };
    let repaired = |command: String| match beginning.filter(|_| adds).and_then(Beginning::options) {
        Some(options) => format!("{command} | utf8 convert{options} -"),
        None => command,
    };
    match (guess.suggestion(), guess.artifact) {
        (Some(suggestion), artifact) if !suggestion.is_open() => {
            let is_converted = matches!(suggestion.action, Action::Convert { .. });
            let to = if is_converted || label.writer().is_wide() { to } else { Destination::OUTPUT };
            let command = after(artifact, to_do(Some(&suggestion), path, to), path, to).command;
            if is_converted { command } else { command.map(repaired) }
        }
        (_, Some(artifact)) => Some(repaired(format!("utf8 repair -p {artifact} {}", Argument(path)))),
        // The other lines lose nothing, and the output shows which errors are text.
        (None, None) if guess.mixed.is_some() => for_lines(guess.mixed.unwrap_or_default(), path).command,
        _ => Some(format!("utf8 detect {}", Argument(path))),
    }
}

/// Returns the command without the file name. `None` if it does not produce the requested result, because a repair
/// writes UTF-8.
fn of_action(action: Action, to: Destination<'_>) -> Option<String> {
    let (in_place, file) = (to.in_place(), to.into_file());
    if let Action::Convert { from, strip_bom } = action {
        let is_there = from.writer() == to.to.writer();
        // Mainframes end lines with U+0085, which few programs treat as a line end.
        let is_ebcdic = matches!(from.writer(), Codec::Legacy(legacy) if legacy.is_ebcdic());
        let line_ends = if is_ebcdic && to.line_end.is_none() { " --line-ends lf" } else { "" };
        let target = to.target(strip_bom);
        return (!is_there).then(|| format!("utf8 convert{in_place} --from {from}{target}{line_ends}{file}"));
    }
    let (verb, policy) = match action {
        Action::ReplaceErrors => ("repair", String::new()),
        Action::FixMojibake => ("mojibake", String::new()),
        Action::Fallback(from) => ("repair", format!(" -p fallback={from}")),
        Action::FallbackLines(from) => ("repair", format!(" -p fallback-lines={from}")),
        Action::Artifact(artifact) => ("repair", format!(" -p {artifact}")),
        Action::Unescape => ("repair", " -p unescape".to_owned()),
        _ => return None,
    };
    to.is_utf8().then(|| format!("utf8 {verb}{in_place}{policy}{file}"))
}
