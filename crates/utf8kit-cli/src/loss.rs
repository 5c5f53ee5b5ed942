//! Warnings of what is written as told, and loses text that another command keeps.

use utf8kit::AnyEncoding;
use utf8kit_text::RepairPolicy;
use utf8kit_text::display::Name;
use utf8kit_text::files::{Blocks, Input, Skip, Source, other_encoding};

use crate::printer::Printer;
use crate::remedy;

/// Returns what a repair does to text in another encoding.
pub(crate) fn of(policy: &RepairPolicy, whose: &str) -> String {
    match policy.fallback() {
        Some(_) => format!("reads {whose} text in another encoding"),
        None => format!("replaces {whose} text"),
    }
}

/// Warns if the text of a source whose errors were dealt with under a policy is in another encoding. `what` was done;
/// what can be read once only begins with `beginning`.
pub(crate) fn warn(
    what: &str,
    source: &Source,
    beginning: Vec<u8>,
    (policy, encoding): (&RepairPolicy, AnyEncoding),
    printer: &mut Printer,
) {
    let whole = || source.is_regular().ok().filter(|regular| *regular).and_then(|_| source.open().ok());
    let input = whole().unwrap_or_else(|| Input::of(beginning));
    let found = Blocks::of(input).and_then(|blocks| other_encoding(blocks, policy, encoding));
    let Ok(Some(skip)) = found else { return };
    let Some(looks) = skip.looks() else { return };
    let (does, keeps) = match skip {
        Skip::OtherEncoding { encoding, .. } => {
            (of(policy, "its"), Some(format!("utf8 convert --from {encoding}")))
        }
        Skip::Mixed(Some(remedy)) => (of(policy, "their"), Some(remedy::command(remedy))),
        Skip::PartlyUtf16 => (of(policy, "its"), None),
        Skip::UnknownEncoding => ("replaces it".to_owned(), None),
        _ => return,
    };
    let keeps = keeps.map_or(String::new(), |command| format!("; {command} keeps it"));
    printer.message(format_args!("{}: {looks}, and this {what} {does}{keeps}", Name(&source.path)));
}
