//! Defines a level as a table of operations and their intrinsics.

/// Defines operations that are one intrinsic each, a row for an operation, in an `impl` of a token or a vector:
///
/// ```text
/// fn saturating_sub(self, other: Self) -> Self = _mm256_subs_epu8(self.0, other.0);
/// fn shift_left_16<N>(self) -> Self = _mm256_slli_epi16::<N>(self.0);
/// fn mask(self) -> i32 = _mm256_movemask_epi8(self.0);
/// ```
///
/// A result that is `Self` becomes a vector of the level; any other is returned unchanged. Types are single words, so
/// that no argument or result is a pointer or a reference; loads and stores are separate functions.
macro_rules! intrinsics {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $operation:ident $(<$n:ident>)?
            ($this:ident $(, $other:ident: $type:ident)*) -> $result:ident
            = $intrinsic:ident $(::<$($constant:tt),+>)? ($($argument:ident $(.$field:tt)?),+);
    )+) => {$(
        $(#[$attribute])*
        #[inline(always)]
        #[allow(unused_unsafe, reason = "the intrinsics of WebAssembly are safe functions")]
        $visibility fn $operation $(<const $n: i32>)? ($this $(, $other: $type)*) -> $result {
            // SAFETY: an intrinsic of values requires only the CPU's features. A token proves the features of its
            // level, and so does a vector, which only a token or another vector can make.
            let result = unsafe { $intrinsic $(::<$($constant),+>)? ($($argument $(.$field)?),+) };
            intrinsics!(@ $result result)
        }
    )+};
    (@ Self $result:ident) => { Self($result) };
    (@ $type:ident $result:ident) => { $result };
}

/// Defines the operations of [`super::Sixteen`] that a [`super::Vector`] of sixteen bytes has as well.
macro_rules! sixteen_as_vector {
    () => {
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Vector::xor(self, other)
        }

        #[inline(always)]
        fn interleave(self, other: Self) -> [Self; 2] {
            Vector::interleave(self, other)
        }

        #[inline(always)]
        fn interleave_16(self, other: Self) -> [Self; 2] {
            Vector::interleave_16(self, other)
        }

        #[inline(always)]
        fn to_bytes(self) -> [u8; 16] {
            Vector::to_bytes(self)
        }
    };
}
