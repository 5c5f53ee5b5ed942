//! The definition. Safe, short, one item at a time; what every kernel is held to, what handles every tail, and
//! what names every error.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod validate;
