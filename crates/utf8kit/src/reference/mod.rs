//! The reference implementation: safe, short code for one item at a time. Every kernel must agree with it; it handles
//! every tail, and reports every error.

pub(crate) mod convert;
pub(crate) mod decode;
pub(crate) mod encode;
#[cfg(any(feature = "index", all(test, feature = "alloc")))]
pub(crate) mod marks;
pub(crate) mod validate;

use crate::encoding::{
    AnyEncoding, Cesu8, Codec, ENCODE_BUFFER, Latin1, Mutf8, Step, Utf8, Utf8Bits21, Utf8Bits31, Utf8Offset, Utf16,
    Utf16Be, Utf16Le, Utf32, Utf32Be, Utf32Le, Wtf8, Wtf16, Wtf16Be, Wtf16Le,
};
use crate::error::ErrorKind;
use crate::grammar::Dialect;

/// Implements decoding and encoding for each encoding, and for [`AnyEncoding`], which delegates to the one it contains.
macro_rules! encodings {
    ($($name:ident, $decode:expr, $encode:expr;)*) => {
        $(
            impl Codec for $name {
                type Unit = u8;

                const KNOWN: Option<(Self, AnyEncoding)> = Some(($name, AnyEncoding::$name));

                #[inline(always)]
                fn erase(self) -> AnyEncoding {
                    AnyEncoding::$name
                }

                #[inline(always)]
                fn decode_step(self, bytes: &[u8]) -> Option<Step> {
                    $decode(bytes)
                }

                #[inline(always)]
                fn encode_value(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
                    $encode(value, out)
                }
            }
        )*

        impl Codec for AnyEncoding {
            type Unit = u8;

            const KNOWN: Option<(Self, AnyEncoding)> = None;

            #[inline(always)]
            fn erase(self) -> AnyEncoding {
                self
            }

            #[inline]
            fn decode_step(self, bytes: &[u8]) -> Option<Step> {
                decoder(self)(bytes)
            }

            #[inline]
            fn encode_value(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
                encoder(self)(value, out)
            }
        }

        /// Returns the decoder of an encoding.
        #[cfg_attr(not(feature = "any"), inline)]
        pub(crate) const fn decoder(encoding: AnyEncoding) -> fn(&[u8]) -> Option<Step> {
            match encoding {
                $(AnyEncoding::$name => |bytes| $name.decode_step(bytes),)*
            }
        }

        /// Returns the encoder of an encoding.
        #[cfg_attr(not(feature = "any"), inline)]
        pub(crate) const fn encoder(
            encoding: AnyEncoding,
        ) -> fn(u32, &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
            match encoding {
                $(AnyEncoding::$name => |value, out| $name.encode_value(value, out),)*
            }
        }
    };
}

use {decode as de, encode as en};

// In encodings where two surrogates have no special meaning, an item is a unit.
encodings! {
    Utf8, |b| de::unit(Utf8.grammar(), b), |v, o| en::dialect(Utf8.grammar(), v, o);
    Utf8Bits21, |b| de::unit(Utf8Bits21.grammar(), b), |v, o| en::dialect(Utf8Bits21.grammar(), v, o);
    Utf8Bits31, |b| de::unit(Utf8Bits31.grammar(), b), |v, o| en::dialect(Utf8Bits31.grammar(), v, o);
    Utf8Offset, |b| de::unit(Utf8Offset.grammar(), b), |v, o| en::dialect(Utf8Offset.grammar(), v, o);
    Cesu8, |b| de::dialect(Cesu8.grammar(), b), |v, o| en::dialect(Cesu8.grammar(), v, o);
    Mutf8, |b| de::dialect(Mutf8.grammar(), b), |v, o| en::dialect(Mutf8.grammar(), v, o);
    Wtf8, |b| de::dialect(Wtf8.grammar(), b), |v, o| en::dialect(Wtf8.grammar(), v, o);
    Utf16Le, |b| de::utf16::<false>(b, u16::from_le_bytes), |v, o| en::utf16::<false>(v, o, u16::to_le_bytes);
    Utf16Be, |b| de::utf16::<false>(b, u16::from_be_bytes), |v, o| en::utf16::<false>(v, o, u16::to_be_bytes);
    Wtf16Le, |b| de::utf16::<true>(b, u16::from_le_bytes), |v, o| en::utf16::<true>(v, o, u16::to_le_bytes);
    Wtf16Be, |b| de::utf16::<true>(b, u16::from_be_bytes), |v, o| en::utf16::<true>(v, o, u16::to_be_bytes);
    Utf32Le, |b| de::utf32(b, u32::from_le_bytes), |v, o| en::utf32(v, o, u32::to_le_bytes);
    Utf32Be, |b| de::utf32(b, u32::from_be_bytes), |v, o| en::utf32(v, o, u32::to_be_bytes);
    Latin1, de::latin1, en::latin1;
}

/// Implements the encodings of 16-bit and 32-bit units by their forms of bytes in this machine's order.
macro_rules! native {
    ($($name:ident: $unit:ty = $bytes:ident;)*) => {$(
        impl Codec for $name {
            type Unit = $unit;

            const KNOWN: Option<(Self, AnyEncoding)> = Some(($name, AnyEncoding::$bytes));

            #[inline(always)]
            fn erase(self) -> AnyEncoding {
                AnyEncoding::$bytes
            }

            #[inline(always)]
            fn decode_step(self, bytes: &[u8]) -> Option<Step> {
                $bytes.decode_step(bytes)
            }

            #[inline(always)]
            fn encode_value(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
                $bytes.encode_value(value, out)
            }
        }
    )*};
}

#[cfg(target_endian = "little")]
native! {
    Utf16: u16 = Utf16Le;
    Wtf16: u16 = Wtf16Le;
    Utf32: u32 = Utf32Le;
}
#[cfg(target_endian = "big")]
native! {
    Utf16: u16 = Utf16Be;
    Wtf16: u16 = Wtf16Be;
    Utf32: u32 = Utf32Be;
}
