//! Finds the JSON value that contains an offset.

use std::fmt;

use utf8kit::floor_char_boundary;

/// Maximum number of steps that are shown. Deeper paths end with `…`, because each error in a row repeats them.
const MAX_STEPS_SHOWN: usize = 64;

/// Maximum length of a name in bytes. Longer names are truncated, because each error in a row repeats them.
const MAX_BYTES_OF_NAME: usize = 128;

/// The path (RFC 9535) of the value in which a prefix of a JSON text ends: `$.user.tags[2]`. Text that is not JSON also
/// gets some path.
#[derive(Default)]
pub(super) struct JsonPath {
    open: Vec<Open>,
    /// The current string, and whether it ends with a backslash.
    string: Option<(String, bool)>,
}

/// An open object or array.
enum Open {
    /// With the current key; `None` if the key follows.
    Object(Option<String>),
    /// With the current index.
    Array(u64),
}

impl JsonPath {
    /// Reads more text.
    pub(super) fn read(&mut self, text: &str) {
        for c in text.chars() {
            if let Some((string, escaped)) = &mut self.string {
                if c != '"' || *escaped {
                    string.push(c);
                    *escaped = c == '\\' && !*escaped;
                } else if let (Some((string, _)), Some(Open::Object(key @ None))) =
                    (self.string.take(), self.open.last_mut())
                {
                    *key = Some(truncated_name(string));
                }
                continue;
            }
            match (c, self.open.last_mut()) {
                ('{', _) => self.open.push(Open::Object(None)),
                ('[', _) => self.open.push(Open::Array(0)),
                ('}' | ']', _) => drop(self.open.pop()),
                (',', Some(Open::Object(key))) => *key = None,
                (',', Some(Open::Array(index))) => *index += 1,
                ('"', _) => self.string = Some(<(String, bool)>::default()),
                _ => {}
            }
        }
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for step in self.open.iter().take(MAX_STEPS_SHOWN) {
            match step {
                Open::Array(index) => write!(f, "[{index}]")?,
                Open::Object(Some(key)) if is_name(key) => write!(f, ".{key}")?,
                Open::Object(Some(key)) => write!(f, "['{}']", key.replace('\'', "\\'"))?,
                Open::Object(None) => {}
            }
        }
        if self.open.len() > MAX_STEPS_SHOWN { f.write_str("\u{2026}") } else { Ok(()) }
    }
}

/// Reports whether a key needs no quotes in a path.
fn is_name(key: &str) -> bool {
    !key.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii())
}

/// Returns a name, truncated and marked with `…` if it is too long.
pub(super) fn truncated_name(mut name: String) -> String {
    if name.len() > MAX_BYTES_OF_NAME {
        name.truncate(floor_char_boundary(name.as_bytes(), MAX_BYTES_OF_NAME));
        name.push('\u{2026}');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_the_end() {
        let cases = [
            ("", "$"),
            ("{\"a\"", "$.a"),
            ("{\"a\": \"x", "$.a"),
            ("{\"a\": 1, \"b", "$"),
            ("{\"a\": 1, \"b\": \"", "$.b"),
            ("{\"a\": {\"b\": [1, {\"c,\": \"x\\\"]", "$.a.b[1]['c,']"),
            ("[[], [1, ", "$[1][1]"),
            ("{\"a\": [1, 2], \"it's\": ", "$['it\\'s']"),
            ("]}no json", "$"),
        ];
        for (text, expected) in cases {
            let mut path = JsonPath::default();
            path.read(text);
            assert_eq!(path.to_string(), expected, "{text}");
            let mut by_letters = JsonPath::default();
            text.chars().for_each(|c| by_letters.read(c.encode_utf8(&mut [0; 4])));
            assert_eq!(by_letters.to_string(), expected, "{text}");
        }
    }
}
