//! Tests of every operation on every level of the machine against a specification: [`oracle`], which is written from
//! the rules in `vectors/README.md` in a different way than the library.

/// `proptest!` whose cases are distributed over the levels of this machine.
#[cfg(feature = "std")]
macro_rules! properties {
    ($($(#[$meta:meta])* fn $name:ident($($arguments:tt)*) $body:block)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
            $(
                $(#[$meta])*
                fn $name(level in proptest::sample::select(super::support::levels()), $($arguments)*) {
                    super::support::on_level(level, || -> Result<(), TestCaseError> {
                        $body
                        Ok(())
                    })?;
                }
            )*
        }
    };
}

mod differential;
mod exhaustive;
mod kernels;
mod oracle;
mod support;
mod vector_ops;

#[cfg(feature = "alloc")]
mod column;
#[cfg(feature = "alloc")]
mod conformance;
#[cfg(feature = "alloc")]
mod cuts;
#[cfg(feature = "alloc")]
mod index;
#[cfg(feature = "alloc")]
mod isolation;
#[cfg(feature = "std")]
mod others;
#[cfg(feature = "alloc")]
mod policies;
#[cfg(feature = "std")]
mod properties;
#[cfg(feature = "alloc")]
mod short;
#[cfg(feature = "std")]
mod streams;
#[cfg(feature = "std")]
mod units;
