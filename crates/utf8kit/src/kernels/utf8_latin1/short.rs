//! Converts short inputs to Latin-1 as a whole, without testing for ASCII, which `dispatch` has done because most
//! sources are ASCII.

use crate::out::Out;
use crate::simd::{Kernel, MAX_SHORT_BYTES, MaskedToken, Short, Token, Variants, Vector};

/// [`super::ToLatin1`] for a short input, all or nothing.
pub(crate) struct ToLatin1Short<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    /// By reference: returned by value, it would be copied through memory, and the copy would stall on the stores.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) nul: bool,
}

impl Short for ToLatin1Short<'_, '_> {
    #[inline(always)]
    fn is_for<T: Token>(&self, _: T) -> bool {
        self.bytes.len() <= MAX_SHORT_BYTES
    }
}

impl Kernel for ToLatin1Short<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        token.by_variant(self)
    }
}

impl<T: Token> Variants<T> for ToLatin1Short<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn by_tables(self, token: T) -> bool {
        if T::Vector::LEN > 16 { self.call(token.half()) } else { self.sixteen_at_a_time(token) }
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> bool
    where
        T: MaskedToken,
    {
        self.blocks(token)
    }
}
