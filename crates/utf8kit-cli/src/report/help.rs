//! The command that helps with a file that was checked.

use std::path::Path;

use utf8kit_encodings::display::Argument;
use utf8kit_records::targets::ViolationKind;

use crate::action::check::Commands;
use crate::args::LineEndRule;
use crate::results::{Checked, DECLARATION, DOUBLE_ENCODING};
use crate::suggestion::{self, Beginning, Help};

/// Kinds of findings that no repair changes: a changed name is a different name, and lost text is unknown.
const KEPT: [&str; 4] = [
    ViolationKind::DoubleEncoding.name(),
    ViolationKind::LookAlike.name(),
    ViolationKind::MixedScripts.name(),
    ViolationKind::ReplacementCharacter.name(),
];

/// Returns the help for a file. `look_alike` is the offset of the first letter that looks like another.
pub(super) fn of(checked: &Checked<'_>, commands: &Commands, look_alike: Option<u64>) -> Help {
    let command = command(checked, commands, look_alike);
    command.map_or_else(Help::default, |command| Help::command(command).at(checked.path))
}

fn command(checked: &Checked<'_>, commands: &Commands, look_alike: Option<u64>) -> Option<String> {
    let path = Argument(checked.path);
    if !checked.damage.is_empty() {
        return Some(format!("{} {path}", commands.restore));
    }
    if let Some(renamed) = checked.rename {
        return Some(format!("{} {}", commands.rename, Argument(renamed)));
    }
    if checked.names {
        return None;
    }
    if checked.doubts.of(DECLARATION) > 0 {
        // An editor changes files only.
        if checked.path == Path::new("-") {
            return None;
        }
        let (old, new) = checked.declaration.as_ref()?;
        let [old, new] = [old, new].map(|text| Argument(Path::new(text)));
        return Some(format!("utf8 edit {path} --old {old} --new {new}"));
    }
    if let Some(command) =
        checked.guess.and_then(|guess| suggestion::help(guess, checked.path, checked.label, checked.bom))
    {
        return Some(command);
    }
    let others = |kinds: &[&str]| kinds.iter().map(|kind| checked.others.of(kind)).sum::<u64>();
    let doubts = |kinds: &[&str]| kinds.iter().map(|kind| checked.doubts.of(kind)).sum::<u64>();
    match () {
        () if doubts(&[DOUBLE_ENCODING]) > 0 => Some(format!("utf8 mojibake {path}")),
        () if checked.summary.errors > 0 || checked.others.total() > others(&KEPT) => {
            let hidden = others(&[ViolationKind::Invisible.name()]);
            let is_hidden = checked.summary.errors == 0 && checked.others.total() == others(&KEPT) + hidden;
            let repair = if is_hidden { &commands.repair_names } else { &commands.repair };
            Some(format!("{repair} {path}"))
        }
        () if checked.doubts.total() > doubts(&KEPT) => {
            Some(format!("utf8 repair --diff --policy remove --for text {path}"))
        }
        () if others(&[DOUBLE_ENCODING]) > 0 => Some(format!("utf8 mojibake {path}")),
        () if look_alike.is_some() => look_alike.map(|at| format!("utf8 explain --at {at} {path}")),
        () if checked.bom.is_some() => {
            checked.bom.and_then(Beginning::options).map(|options| format!("utf8 convert{options} {path}"))
        }
        () => checked.line_end.map(|rule| {
            let to = if rule == LineEndRule::Crlf { "crlf" } else { "lf" };
            format!("utf8 convert --line-ends {to} {path}")
        }),
    }
}
