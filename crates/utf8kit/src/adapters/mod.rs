//! The library behind traits that others define, each by a feature of the same name, none of them on by default.

#[cfg(feature = "bytes")]
mod bytes;
#[cfg(feature = "tokio-util")]
mod codec;
#[cfg(feature = "serde")]
mod named;
#[cfg(feature = "serde")]
pub mod serde;

#[cfg(feature = "bytes")]
pub use self::bytes::repair_bytes;
#[cfg(feature = "tokio-util")]
pub use self::codec::TextCodec;
