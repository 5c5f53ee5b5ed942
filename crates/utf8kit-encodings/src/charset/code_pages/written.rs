//! Encode-only mappings: characters that decode to a similar one, and characters with several codes for which other
//! implementations do not write the first code.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::packed::{Code, unpacked};
use super::tables::WRITTEN;

static DATA: &[u8] = include_bytes!("written.bin");

/// The codes by encoding and character.
static CODES: LazyLock<HashMap<&str, HashMap<char, Code>>> = LazyLock::new(|| {
    let tables = WRITTEN.iter().enumerate().map(|(place, (name, ..))| {
        let mut long = Vec::new();
        let texts = unpacked(&WRITTEN, DATA, place, &mut long);
        let short = texts
            .iter()
            .flat_map(|&(code, (first, second))| [Some(first), second].into_iter().flatten().map(move |c| (c, code)));
        let long = long.iter().flat_map(|(code, more)| more.chars().map(|c| (c, *code)));
        (*name, short.chain(long).collect())
    });
    tables.collect()
});

/// Returns the code that a character is written by although it is read as another one, or although it has an earlier
/// one.
pub(crate) fn code_of(name: &str, scalar: char) -> Option<Code> {
    if scalar.is_ascii() { None } else { CODES.get(name)?.get(&scalar).copied() }
}
