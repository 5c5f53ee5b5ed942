//! The price of everything that a program may have done to a text, in nats: minus the logarithm of how probable it is.
//!
//! A decoding is accepted if the text is likelier by [`MIN_NATS_GAINED`] after everything is paid. The prices are
//! estimates that were adjusted by hand against the public cases of ftfy's tests and against 80,000 clean lines
//! (catalogs in 90 languages, CLDR, encyclopedias), so that none of those gains within [`MAX_NATS_OF_DOUBT`] of being
//! accepted. So results on those two collections do not predict results on other text.

/// A line was decoded from a wrong encoding, and encoded again. One line in 20,000 of what people call text.
pub(super) const NATS_OF_MISREADING: f32 = 9.9;

/// The same, if other lines of the text went through that encoding.
pub(super) const NATS_OF_MISREADING_AGAIN: f32 = 4.0;

/// A line in one encoding was read in another, neither of them UTF-8. The price is more than any of 140,000 words of 90
/// languages gains as a line of its own (the translations of Django and Sphinx, encyclopedias).
pub(super) const NATS_OF_PAIR: f32 = 18.0;

/// The same, if other lines of the text went through that pair.
pub(super) const NATS_OF_PAIR_AGAIN: f32 = 9.0;

/// The same, once more through the same encoding: programs that do it once do it twice.
pub(super) const NATS_OF_MISREADING_TWICE: f32 = 5.0;

/// A no-break space became a space.
pub(super) const NATS_OF_SPACE: f32 = 0.9;

/// A no-break space before a space, or at the end of a line, was removed with what blanks there were.
pub(super) const NATS_OF_REMOVED_SPACE: f32 = 1.6;

/// A byte that the encoding lacks became U+FFFD.
pub(super) const NATS_OF_REPLACEMENT: f32 = 1.0;

/// The same became a question mark.
pub(super) const NATS_OF_QUESTION_MARK: f32 = 4.0;

/// A byte that the encoding lacks was dropped.
pub(super) const NATS_OF_DROPPED_BYTE: f32 = 3.5;

/// A quotation mark was uncurled.
pub(super) const NATS_OF_STRAIGHT_QUOTE: f32 = 2.5;

/// The bytes 80 to 9F of windows-1252, or of another encoding, were read as Latin-1.
pub(super) const NATS_OF_CONTROL: f32 = 4.0;
pub(super) const NATS_OF_OTHER_CONTROL: f32 = 6.0;

/// Lines end with NEL (U+0085), as on mainframes. It may also be an ellipsis of windows-1252 that was read as Latin-1.
pub(super) const NATS_OF_NEXT_LINES: f32 = 12.0;

/// Letters of one language after each other, each of them once in each case: a list (`àéèìòù`, `åäöÅÄÖ`). Each letter
/// costs the logarithm of how many the language has.
pub(super) const NATS_OF_LIST: f32 = 6.0;

/// A character of ASCII that may be a part of a program, a formula or a pattern.
pub(super) const NATS_PER_CHARACTER_OF_CODE: f32 = 4.2;

/// Mail programs removed the escape characters of ISO-2022-JP.
pub(super) const NATS_OF_REMOVED_ESCAPES: f32 = 16.0;

/// A character of East Asia that lost a byte, which the model cannot know.
pub(super) const NATS_OF_LOST_BYTE_IN_EAST_ASIA: f32 = 7.0;

/// By how much a decoding must be likelier than the line.
pub(super) const MIN_NATS_GAINED: f32 = 0.0;

/// After the first round, a decoding that falls short of acceptance by at most this much is doubtful.
pub(super) const MAX_NATS_OF_DOUBT: f32 = 4.0;

/// The same limit in the first round, where a few short words and a damaged sequence fall short by as much.
pub(super) const MAX_NATS_OF_DOUBT_AT_FIRST: f32 = 6.0;

/// By how much a decoding must be likelier than another one from the same encoding, and from another encoding.
pub(super) const MIN_NATS_OVER_RIVAL: f32 = 2.5;
pub(super) const MIN_NATS_OVER_RIVAL_ENCODING: f32 = 12.0;

/// The same within a run, for a character that lost a byte. A smaller margin would invent letters.
pub(super) const MIN_NATS_OVER_RIVAL_GUESS: f32 = 8.0;

/// What is added to that for each character that only the rival explains, if it also misread UTF-8.
pub(super) const NATS_PER_STRAY_OF_RIVAL: f32 = 6.0;

/// A sequence decodes to a character that almost no text has. The model knows classes of signs, not each sign.
pub(super) const NATS_OF_RARE_CHARACTER: f32 = 10.0;

/// The price of each character of rubbish, and of the rubbish as a whole: an upper bound for the price of any text.
pub(super) const NATS_PER_RUBBISH_CHARACTER: f32 = 5.5;
pub(super) const NATS_OF_RUBBISH: f32 = 8.0;

/// The price of a non-ASCII character that was not misread in the same way, and the maximum for all of them.
pub(super) const NATS_PER_STRAY: f32 = 1.0;
pub(super) const MAX_NATS_OF_STRAYS: f32 = 30.0;

/// If the runs of a line gain this much, the line certainly went through the encoding. Then runs that lose up to
/// [`MAX_NATS_LOST_IF_SUPPORTED`] are decoded as well, because half a repair is harder to read than none.
pub(super) const MIN_NATS_OF_SUPPORT: f32 = 30.0;
pub(super) const MAX_NATS_LOST_IF_SUPPORTED: f32 = 75.0;
