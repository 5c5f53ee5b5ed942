//! Names that Windows files cannot have.

use super::value::Value;
use crate::refusal::{Refusal, RefusalKind};

/// The names of devices, which may be followed by a dot and anything.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// The names of ports, which are followed by a digit; superscript digits count.
const PORTS: [&str; 2] = ["COM", "LPT"];

/// Returns what is refused in a name, in order.
pub(super) fn find(row: &[u8], value: &Value) -> Vec<Refusal> {
    let name = &row[value.range.clone()];
    let start = value.range.start;
    let mut found = Vec::new();
    if let Some(len) = device(name) {
        found.push(Refusal::new(start, len, RefusalKind::DeviceName));
    }
    let trailing = name.iter().rev().take_while(|byte| b" .".contains(byte)).count();
    for (at, byte) in name.iter().enumerate() {
        let kind = match byte {
            0 => RefusalKind::Nul,
            1..0x20 => RefusalKind::Control,
            b'<' | b'>' | b':' | b'"' | b'/' | b'\\' | b'|' | b'?' | b'*' => RefusalKind::FileName,
            b' ' | b'.' if at >= name.len() - trailing => RefusalKind::FileName,
            _ => continue,
        };
        found.push(Refusal::new(start + at, 1, kind));
    }
    found
}

/// Returns the length of the device name at the start of a name.
fn device(name: &[u8]) -> Option<usize> {
    let stem = name.split(|&byte| byte == b'.').next()?.trim_ascii_end();
    let stem = std::str::from_utf8(stem).ok()?;
    let upper = stem.to_ascii_uppercase();
    let port = || {
        let digit = PORTS.iter().find_map(|port| upper.strip_prefix(port))?;
        matches!(digit, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "\u{B9}" | "\u{B2}" | "\u{B3}")
            .then_some(())
    };
    (DEVICES.contains(&&*upper) || port().is_some()).then_some(stem.len())
}
