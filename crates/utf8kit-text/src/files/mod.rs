//! Files and folders: walked in order, read in blocks on many threads, replaced atomically.

mod atomic;
mod blocks;
#[cfg(feature = "detect")]
mod detect;
mod error;
mod original;
mod parallel;
mod source;

pub use atomic::{Output, Replacement, is_at, is_temporary};
pub use blocks::{AROUND, BLOCK, Block, Blocks};
#[cfg(feature = "detect")]
pub use detect::detect_blocks;
pub use error::FileError;
pub use original::Original;
pub use parallel::in_order;
pub use source::{Input, Kind, Source, Sources, WalkOptions, read_list};
