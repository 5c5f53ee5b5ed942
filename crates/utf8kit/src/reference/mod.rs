//! The definition: safe, short code for one item at a time. Every kernel must agree with it; it handles every tail, and
//! reports every error.

pub(crate) mod convert;
pub(crate) mod decode;
pub(crate) mod encode;
#[cfg(any(feature = "index", all(test, feature = "alloc")))]
pub(crate) mod marks;
pub(crate) mod validate;

use crate::encoding::{
    AnyEncoding, Cesu8, ENCODE_BUFFER, Encoding, Latin1, Mutf8, Step, Utf8, Utf8Bits21, Utf8Bits31,
    Utf8Offset, Utf16Be, Utf16Le, Utf32Be, Utf32Le, Wtf8, Wtf16Be, Wtf16Le,
};
use crate::error::ErrorKind;
use crate::grammar::Dialect;

/// Implements decoding and encoding for each encoding, and for [`AnyEncoding`], which delegates to the one it contains.
macro_rules! encodings {
    ($($name:ident, $decode:expr, $encode:expr;)*) => {
        $(
            impl Encoding for $name {
                #[inline(always)]
                fn any(self) -> AnyEncoding {
                    AnyEncoding::$name
                }

                #[inline(always)]
                fn decode(self, bytes: &[u8]) -> Option<Step> {
                    $decode(bytes)
                }

                #[inline(always)]
                fn encode(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
                    $encode(value, out)
                }
            }
        )*

        impl Encoding for AnyEncoding {
            #[inline(always)]
            fn any(self) -> AnyEncoding {
                self
            }

            fn decode(self, bytes: &[u8]) -> Option<Step> {
                decoder(self)(bytes)
            }

            fn encode(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
                encoder(self)(value, out)
            }
        }

        /// Returns the decoder of an encoding.
        pub(crate) const fn decoder(encoding: AnyEncoding) -> fn(&[u8]) -> Option<Step> {
            match encoding {
                $(AnyEncoding::$name => |bytes| $name.decode(bytes),)*
            }
        }

        /// Returns the encoder of an encoding.
        pub(crate) const fn encoder(
            encoding: AnyEncoding,
        ) -> fn(u32, &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
            match encoding {
                $(AnyEncoding::$name => |value, out| $name.encode(value, out),)*
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
