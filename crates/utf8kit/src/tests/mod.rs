//! The proofs. The specification is [`oracle`], written from the rules in `vectors/README.md` by other means than
//! the library's; every operation is held to it on every level the machine has.

mod differential;
mod exhaustive;
mod oracle;
mod support;
mod vector_ops;

#[cfg(feature = "alloc")]
mod column;
#[cfg(feature = "alloc")]
mod conformance;
#[cfg(feature = "std")]
mod doors;
#[cfg(feature = "std")]
mod properties;
#[cfg(feature = "std")]
mod streams;
#[cfg(feature = "std")]
mod units;
