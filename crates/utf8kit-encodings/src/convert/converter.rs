//! A running conversion: directly, or through UTF-8.

use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::convert::error::ConversionError;
use crate::convert::native::Native;
use crate::convert::pivot::Pivot;
use crate::convert::plan::{Invalid, Plan};
use crate::counts::Counts;

/// A running conversion.
pub struct Converter(Route);

#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum Route {
    /// Both encodings belong to the library, and the text is not changed.
    Direct(Native<AnyEncoding>),
    /// The conversion goes through UTF-8.
    Pivot(Box<Pivot>),
}

impl Converter {
    /// Creates a converter for the start of the text, which is `offset` bytes into the input (bytes skipped by the
    /// plan are not part of the text).
    pub fn new(plan: &Plan) -> Converter {
        Converter(match (plan.from, plan.to) {
            // Characters are escaped by their numbers, not by the bytes of one encoding.
            (Codec::Native(from), Codec::Native(to))
                if !plan.rewrite.is_any() && (plan.invalid != Invalid::Escape || plan.to.has_all()) =>
            {
                Route::Direct(Native::new(from, to, plan.invalid.policy("\u{FFFD}")))
            }
            _ => Route::Pivot(Box::new(Pivot::new(plan))),
        })
    }

    /// Converts a piece and appends the result to `out`. `last` marks the last piece.
    ///
    /// # Errors
    /// In strict conversions, the first place that cannot be converted. Everything before it is in `out`. Its offset
    /// counts from the start of the text.
    pub fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        match &mut self.0 {
            Route::Direct(native) => native.push(input, last, out, counts),
            Route::Pivot(pivot) => pivot.push(input, last, out, counts),
        }
    }

    /// Returns the last bytes of the input, such that a new conversion that begins with them continues like this one:
    /// the bytes of an incomplete character in a stateless legacy encoding. `None` for all other conversions.
    ///
    /// ```
    /// use utf8kit_encodings::Counts;
    /// use utf8kit_encodings::convert::{Conversion, Converter};
    ///
    /// let conversion = Conversion::new("shift_jis".parse().unwrap(), "utf-8".parse().unwrap());
    /// let mut converter = Converter::new(&conversion.start(b""));
    /// converter.push(b"a\x93", false, &mut Vec::new(), &mut Counts::default()).unwrap();
    /// assert_eq!(converter.resumable(), Some(&b"\x93"[..]));
    /// ```
    pub fn resumable(&self) -> Option<&[u8]> {
        match &self.0 {
            Route::Direct(_) => None,
            Route::Pivot(pivot) => pivot.resumable(),
        }
    }

    /// Returns approximately how many bytes at the end of the input are not yet in the output: incomplete characters,
    /// and characters that the next one may combine with.
    pub fn held(&self) -> usize {
        match &self.0 {
            Route::Direct(native) => native.pending().len(),
            Route::Pivot(pivot) => pivot.held(),
        }
    }
}
