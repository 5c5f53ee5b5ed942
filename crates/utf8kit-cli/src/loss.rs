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
    let name = Name(&source.path);
    match found {
        Ok(Some(Skip::OtherEncoding { encoding: found, .. })) => printer.message(format_args!(
            "{name}: it looks like {found}, and this {what} {}; utf8 convert --from {found} keeps it",
            of(policy, "its")
        )),
        Ok(Some(Skip::Mixed(Some(remedy)))) => printer.message(format_args!(
            "{name}: some of its lines are not UTF-8, and this {what} {}; {} keeps it",
            of(policy, "their"),
            remedy::command(remedy)
        )),
        Ok(Some(Skip::PartlyUtf16)) => {
            printer
                .message(format_args!("{name}: some of it is UTF-16, and this {what} {}", of(policy, "its")));
        }
        Ok(Some(Skip::UnknownEncoding)) => printer.message(format_args!(
            "{name}: it looks like text in an encoding that is not known, and this {what} replaces it"
        )),
        _ => {}
    }
}
