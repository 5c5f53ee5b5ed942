//! The kernels in use, and their part of the text of `--version`.

use utf8kit::Level;

use crate::error::Error;

/// Uses the kernels that the environment variable UTF8KIT_LEVEL names, if it is set.
pub(crate) fn force() -> Result<(), Error> {
    let Some(name) = std::env::var_os("UTF8KIT_LEVEL") else { return Ok(()) };
    let level = name.to_str().and_then(|name| name.parse::<Level>().ok());
    level.and_then(|level| level.force().ok()).ok_or_else(|| {
        let available: Vec<_> = Level::available().map(Level::name).collect();
        Error::usage(format!("UTF8KIT_LEVEL: this machine has {}", available.join(", ")))
    })
}

/// Returns the text of `--version`: the version, the level of the kernels in use and the levels available.
pub(crate) fn version() -> String {
    let available: Vec<_> = Level::available().map(Level::name).collect();
    let (version, active, available) = (env!("CARGO_PKG_VERSION"), Level::active(), available.join(", "));
    let (major, minor, _) = utf8kit_encodings::unicode::VERSION;
    format!("utf8 {version}\nlevel {active} (available: {available})\nUnicode {major}.{minor}\n")
}
