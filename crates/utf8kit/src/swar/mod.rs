//! What plain words do where vectors would: loops over `u64` that any machine runs.

pub(crate) mod convert;
