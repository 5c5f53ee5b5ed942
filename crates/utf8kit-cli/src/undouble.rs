//! Text that was encoded twice: `cafÃ©` is `café` in UTF-8, read as windows-1252 and written as UTF-8 again.

/// Mends lines.
#[derive(Debug, Default)]
pub(crate) struct Undoubler {}

impl Undoubler {
    /// What a line becomes, if it was encoded twice.
    pub(crate) fn mend(&self, _line: &str) -> Option<String> {
        None
    }
}
