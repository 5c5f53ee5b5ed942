//! Implementations of other crates' traits. Each has a feature of the same name, none of which is on by default.

#[cfg(feature = "bytes")]
mod bytes;
#[cfg(feature = "tokio-util")]
mod codec;
#[cfg(feature = "serde")]
mod names;
#[cfg(feature = "serde")]
pub mod serde;

#[cfg(feature = "bytes")]
pub use self::bytes::repair_bytes;
#[cfg(feature = "tokio-util")]
pub use self::codec::TextCodec;
