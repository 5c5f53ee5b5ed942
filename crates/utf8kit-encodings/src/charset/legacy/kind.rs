//! A legacy encoding as a value.

use encoding_rs::Encoding;

use crate::charset::algorithm::Algorithm;
use crate::charset::code_pages::Page;
use crate::charset::code_pages::sequences::Sequences;
use crate::charset::iso2022::Iso2022;
use crate::charset::seven_bit::Shifted;
use crate::charset::utf7;

/// A legacy encoding: one of the WHATWG Encoding Standard, of DOS, the Macintosh, mainframes or a nation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legacy(pub(in crate::charset) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::charset) enum Kind {
    Standard(&'static Encoding),
    /// Strict ASCII. The standard has no such encoding, because its labels for ASCII mean windows-1252.
    Ascii,
    Page(&'static Page),
    Sequences(&'static Sequences),
    Utf7(utf7::Use),
    Gsm,
    Shifted(&'static Shifted),
    Iso2022(&'static Iso2022),
    Algorithm(Algorithm),
}
