//! Length thresholds of the conversion loop, in bytes. Those of the kernels are in [`crate::dispatch`].

/// Errors within this distance of each other are handled by the reference implementation together: starting a kernel
/// costs more.
pub(super) const MAX_GAP: usize = 16;

/// A non-ASCII prefix of a piece that is shorter than this is converted by the reference implementation, whatever the
/// level: a piece that was split off a stream is often split again.
#[cfg(feature = "alloc")]
pub(super) const MIN_BY_KERNEL: usize = 16;

/// Between encodings that share only ASCII, so much of it is copied by words before the kernel is started.
pub(super) const MIN_ASCII_BY_KERNEL: usize = 32;

/// Between encodings that share only ASCII, at most so much is converted item by item before ASCII is searched again.
pub(super) const MAX_BY_ITEMS: usize = 128;

/// What is converted at a time if it takes more than one pass: little enough for the first-level cache, and enough for
/// the kernels.
pub(super) const MAX_WINDOW: usize = 4096;

/// What is converted through UTF-16 at first. It doubles up to [`MAX_WINDOW`] while little of the text is shared.
pub(super) const MIN_WINDOW: usize = 128;

/// What is repaired before it is converted to wider units, where errors are close together, at first. It doubles up to
/// [`MAX_WINDOW`] while there are errors.
pub(super) const MIN_REPAIRED_WINDOW: usize = 512;

/// The buffer that measuring converts into.
pub(super) const MEASURING_BUFFER: usize = 1024;

/// How far a backslash is searched: in an input full of errors, the search is repeated after every block.
pub(super) const MAX_SEARCH: usize = 16 * 1024;
