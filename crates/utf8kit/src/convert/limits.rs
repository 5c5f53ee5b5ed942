//! Length thresholds of the conversion loop, in bytes. The thresholds of the kernels are in [`crate::dispatch`].

/// Errors within this distance of each other are handled together by the reference implementation, because starting a
/// kernel costs more.
pub(super) const MAX_BYTES_BETWEEN_ERRORS: usize = 16;

/// The reference implementation converts the non-ASCII prefix of a piece that is shorter than this, on any level,
/// because a piece that was split off a stream is often split again.
#[cfg(feature = "alloc")]
pub(super) const MIN_BYTES_FOR_KERNEL: usize = 16;

/// Between encodings that share only ASCII, this much ASCII is copied by words before the kernel is started.
pub(super) const MIN_ASCII_BYTES_FOR_KERNEL: usize = 32;

/// Between encodings that share only ASCII, at most this much is converted item by item before the next search for
/// ASCII.
pub(super) const MAX_BYTES_BY_ITEM: usize = 128;

/// The window of a conversion of more than one pass: small enough for the L1 cache, and large enough for the kernels.
pub(super) const MAX_WINDOW_BYTES: usize = 4096;

/// The first window of a conversion through UTF-16. It doubles up to [`MAX_WINDOW_BYTES`] while little of the text is
/// shared.
pub(super) const MIN_WINDOW_BYTES: usize = 128;

/// The first window of text that is repaired before it is converted to wider units, used where errors are close
/// together. It doubles up to [`MAX_WINDOW_BYTES`] while there are errors.
pub(super) const MIN_REPAIRED_WINDOW_BYTES: usize = 512;

/// The size of the buffer that measuring converts into.
pub(super) const MEASURING_BUFFER_BYTES: usize = 1024;

/// How far ahead to search for a backslash. In an input full of errors, the search is repeated after every block.
pub(super) const MAX_SEARCH_BYTES: usize = 16 * 1024;
