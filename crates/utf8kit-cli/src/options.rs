//! What was typed, and what it means.

use std::num::NonZero;
use std::str::FromStr;
use std::thread::available_parallelism;

use utf8kit::{AnyEncoding, Level};

use crate::cli::ThreadArgs;
use crate::sniff;
use crate::trouble::Trouble;

/// The name of an encoding: one of the library's, or one that leaves the byte order to the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncodingName {
    /// An encoding.
    Exactly(AnyEncoding),
    /// UTF-16 in the order that the byte order mark says.
    Utf16,
    /// UTF-32 in the order that the byte order mark says.
    Utf32,
}

impl EncodingName {
    /// The encoding of an input that begins with `head` (4 bytes will do). Without a byte order mark the order is
    /// little-endian, as in the WHATWG Encoding Standard and, on today's machines, in iconv and Python (The Unicode
    /// Standard, D98 and D101, would have it big-endian).
    pub(crate) fn resolve(self, head: &[u8]) -> AnyEncoding {
        let marked = |candidates: [AnyEncoding; 2]| {
            candidates.into_iter().find(|&encoding| sniff::has_bom(encoding, head)).unwrap_or(candidates[0])
        };
        match self {
            EncodingName::Exactly(encoding) => encoding,
            EncodingName::Utf16 => marked([AnyEncoding::Utf16Le, AnyEncoding::Utf16Be]),
            EncodingName::Utf32 => marked([AnyEncoding::Utf32Le, AnyEncoding::Utf32Be]),
        }
    }

    /// The name, as it is listed.
    pub(crate) fn name(self) -> &'static str {
        use utf8kit::Encoding as _;
        match self {
            EncodingName::Exactly(encoding) => encoding.name(),
            EncodingName::Utf16 => "utf-16",
            EncodingName::Utf32 => "utf-32",
        }
    }
}

impl FromStr for EncodingName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        match letters.to_ascii_lowercase().as_str() {
            "utf16" => Ok(EncodingName::Utf16),
            "utf32" => Ok(EncodingName::Utf32),
            _ => text.parse().map(EncodingName::Exactly).map_err(|_| {
                let mut names: Vec<_> = AnyEncoding::ALL.iter().map(ToString::to_string).collect();
                names.extend([EncodingName::Utf16, EncodingName::Utf32].map(|e| e.name().to_owned()));
                format!("known encodings are {}", names.join(", "))
            }),
        }
    }
}

/// How many threads are to work.
pub(crate) fn threads(args: ThreadArgs) -> usize {
    args.threads.map_or_else(|| available_parallelism().map_or(1, NonZero::get), usize::from)
}

/// Uses the kernels that the environment variable UTF8KIT_LEVEL names, if it does.
pub(crate) fn force_level() -> Result<(), Trouble> {
    let Some(name) = std::env::var_os("UTF8KIT_LEVEL") else { return Ok(()) };
    let level = name.to_str().and_then(|name| name.parse::<Level>().ok());
    level.and_then(|level| level.force().ok()).ok_or_else(|| {
        let available: Vec<_> = Level::available().map(Level::name).collect();
        Trouble::usage(format!("UTF8KIT_LEVEL: this machine has {}", available.join(", ")))
    })
}

/// What `--version` says: the version, the kernels in use and those that this machine has.
pub(crate) fn version() -> String {
    let available: Vec<_> = Level::available().map(Level::name).collect();
    let (version, active, available) = (env!("CARGO_PKG_VERSION"), Level::active(), available.join(", "));
    format!("utf8 {version}\nlevel {active} (available: {available})\n")
}
