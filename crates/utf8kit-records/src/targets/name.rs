//! File names that are impossible or inadvisable.

use super::value::Value;
use crate::violation::{Violation, ViolationKind};
use utf8kit::Encoding as _;

/// Device names. Any of them may be followed by a dot and anything.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Port names. Each is followed by a digit, which may be a superscript digit.
const PORTS: [&str; 2] = ["COM", "LPT"];

/// The systems that names must work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Windows,
    MacOs,
    /// Windows, macOS and Linux, and programs that take names as arguments.
    Portable,
}

impl Naming {
    /// Returns the violations in a name, in order.
    pub(super) fn find(self, row: &[u8], value: &Value) -> Vec<Violation> {
        let name = &row[value.range.clone()];
        let start = value.range.start;
        let mut found = Vec::new();
        let on_windows = self != Naming::MacOs;
        if let Some(len) = device(name).filter(|_| on_windows) {
            found.push(Violation::new(start, len, ViolationKind::DeviceName));
        }
        let trailing = name.iter().rev().take_while(|byte| b" .".contains(byte)).count();
        let mut at = 0;
        for item in utf8kit::Utf8.items(name) {
            // Invalid bytes are reported as errors.
            let (c, len) = (item.result.ok().and_then(char::from_u32), item.len);
            let is_trailing = on_windows && at >= name.len() - trailing;
            if let Some(kind) = c.and_then(|c| self.violation(c, at == 0, is_trailing)) {
                found.push(Violation::new(start + at, len, kind));
            }
            at += len;
        }
        found
    }

    /// Returns why a character is rejected. `trailing` means that only spaces and dots follow it.
    fn violation(self, c: char, first: bool, trailing: bool) -> Option<ViolationKind> {
        match (self, c) {
            (_, '\0') => Some(ViolationKind::Nul),
            (Naming::MacOs, '/' | ':') => Some(ViolationKind::FileName),
            (Naming::MacOs, _) => None,
            (_, '\u{1}'..'\u{20}') => Some(ViolationKind::Control),
            (_, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*') => Some(ViolationKind::FileName),
            (_, ' ' | '.') if trailing => Some(ViolationKind::FileName),
            (Naming::Portable, c) if c.is_control() => Some(ViolationKind::Control),
            (Naming::Portable, ' ' | '-') if first => Some(ViolationKind::FileName),
            _ => None,
        }
    }
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
