//! Tests of documents and comparisons.

mod additions;
mod bare_lines;
mod certainty;
mod damage;
mod evidence;
mod finder;
mod generated;
mod moves;
mod positions;
mod round_trip;
mod single;
mod two_encodings;
mod versions;

use utf8kit_encodings::charset::Charset;

use crate::{compare, restore};

/// Text in an encoding.
fn in_encoding(name: &str, text: &str) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    text.chars().flat_map(|c| codec.bytes_of(c).unwrap()).collect()
}

/// Decodes bytes from an encoding, and returns them as UTF-8.
fn misread(name: &str, bytes: &[u8]) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    let text = bytes
        .iter()
        .map(|&byte| (0..=0xFFFF).filter_map(char::from_u32).find(|&c| codec.bytes_of(c) == Some(vec![byte])));
    text.map(Option::unwrap).collect::<String>().into_bytes()
}

/// Returns the restored version, and whether some damage is doubtful.
fn restored(old: &[u8], new: &[u8]) -> (Vec<u8>, bool) {
    let damage = compare(old, new).damage;
    (restore(old, new, &damage), damage.iter().any(|one| one.doubtful))
}
