//! Settings from the arguments and the environment.

use std::num::NonZero;
use std::thread::available_parallelism;

use utf8kit::Level;

use crate::args::ThreadArgs;
use crate::error::Error;

/// Returns the number of threads to use.
pub(crate) fn threads(args: ThreadArgs) -> usize {
    args.threads.map_or_else(|| available_parallelism().map_or(1, NonZero::get), usize::from)
}

/// Uses the kernels that the environment variable UTF8KIT_LEVEL names, if it is set.
pub(crate) fn force_level() -> Result<(), Error> {
    let Some(name) = std::env::var_os("UTF8KIT_LEVEL") else { return Ok(()) };
    let level = name.to_str().and_then(|name| name.parse::<Level>().ok());
    level.and_then(|level| level.force().ok()).ok_or_else(|| {
        let available: Vec<_> = Level::available().map(Level::name).collect();
        Error::usage(format!("UTF8KIT_LEVEL: this converter has {}", available.join(", ")))
    })
}

/// Returns the text of `--version`: the version, the level of the kernels in use and the levels available.
pub(crate) fn version() -> String {
    let available: Vec<_> = Level::available().map(Level::name).collect();
    let (version, active, available) = (env!("CARGO_PKG_VERSION"), Level::active(), available.join(", "));
    format!("utf8 {version}\nlevel {active} (available: {available})\n")
}
