//! Stands for the module `written` if the feature `rewrite` is off.

use super::packed::Code;

/// Returns the code that a character is written by although it is read as another one.
pub(crate) fn code_of(_name: &str, _scalar: char) -> Option<Code> {
    None
}
