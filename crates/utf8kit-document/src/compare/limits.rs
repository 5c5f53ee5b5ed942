//! The numbers of the comparison, each with its unit. Those that begin with `MAX` bound time and memory; text
//! that exceeds them is doubtful.

/// The maximum number of token pairs for which all alignments are examined.
pub(super) const MAX_TOKEN_PAIRS_ALIGNED: usize = 1 << 22;

/// The most such pairs in all regions of two versions.
pub(super) const MAX_TOKEN_PAIRS_ALIGNED_IN_ALL: usize = 1 << 28;

/// From this many bytes in both versions together, only the lines that differ are explained.
pub(crate) const MIN_BYTES_FOR_HUNKS: usize = 1 << 20;

/// How many lines before and after each hunk are explained with it, because they show how undamaged lines look.
pub(super) const LINES_AROUND_HUNK: usize = 4;

/// The most pairs of lines that are compared one by one.
pub(super) const MAX_LINE_PAIRS: usize = 1 << 16;

/// The most tokens of those pairs.
pub(super) const MAX_TOKENS_OF_LINES: usize = 1 << 26;

/// The most tokens of a region that are aligned one by one.
pub(super) const MAX_TOKENS_OF_REGION: usize = 1 << 17;

/// The most tokens on either side of a piece that are compared with those around others.
pub(super) const TOKENS_AROUND_PIECE: usize = 32;

/// The most signs next to a piece that are skipped to find letters after them.
pub(super) const MAX_SIGNS_AROUND_PIECE: usize = 256;

/// Matches of this many letters or fewer are coincidence.
pub(super) const MAX_LETTERS_OF_COINCIDENCE: usize = 2;

/// The bytes around added text that may be part of its first and last character.
pub(super) const BYTES_AROUND_ADDITION: usize = 16;

/// The fewest characters that determine the encodings of text that was read in a wrong one and written in a third.
pub(super) const MIN_CHARACTERS_FOR_ENCODINGS: usize = 3;

/// The most steps among which single places are searched for before views of the whole file are compared, because
/// many places are not single.
pub(super) const MAX_STEPS_WITH_PLACES: usize = 1 << 14;

/// The fewest letters by which a moved line is recognized.
pub(super) const MIN_LETTERS_OF_MOVED_LINE: usize = 4;

/// The fewest words by which a line is recognized as a copy of an existing one, if only their lengths are left.
pub(super) const MIN_LOST_WORDS_OF_COPIED_LINE: usize = 6;

/// The most moved lines that are searched for. Others are doubtful.
pub(super) const MAX_MOVED_LINES: usize = 64;

/// The most pairs of lines that are compared to find copies. Other lines are doubtful.
pub(super) const MAX_PAIRS_OF_MOVED_LINES: usize = 1 << 24;

/// The most bytes that are searched for moved lines, in all views together.
pub(super) const MAX_BYTES_OF_MOVED_LINES: usize = 8 << 20;

/// The most bytes of a place in either version.
pub(super) const MAX_BYTES_OF_PLACE: usize = 1024;

/// The most bytes of a word next to a place.
pub(super) const MAX_BYTES_OF_WORD: usize = 1024;

/// The most bytes from which the likely views are found.
pub(super) const SAMPLE_BYTES: usize = 64 * 1024;

/// The number of bytes, of lines that no usual view explains, from which rare views are inferred.
pub(super) const SAMPLE_BYTES_OF_RARE_VIEWS: usize = 1024;

/// The most views whose edits are measured.
pub(super) const MAX_VIEWS_MEASURED: usize = 6;

/// The most views whose edits are measured if none shows a word of the new version.
pub(super) const MAX_UNLIKELY_VIEWS_MEASURED: usize = 2;

/// How many programs that damaged a file one after the other are searched for, in addition to the first.
pub(super) const MAX_OTHER_PROGRAMS: usize = 2;

/// The least improbability, in nats, of text that a program may have written and a person would not type.
pub(super) const MIN_NATS_NOT_TYPED: f32 = 17.0;

/// How many characters before a place are read as its context, at most.
pub(super) const CHARACTERS_BEFORE_PLACE: usize = 16;

/// The most bytes that are sampled to rate how a text reads.
pub(super) const SAMPLE_BYTES_OF_REPAIR: usize = 16 * 1024;

/// The most similar places with which a place whose text was lost is compared. The rest are doubtful.
pub(super) const MAX_PLACES_COMPARED: usize = 1 << 26;

/// The least weight at which damaged places are evidence.
pub(super) const MIN_WEIGHT_OF_EVIDENCE: usize = 2;

/// The least gain, in nats, by which decoding text again counts as a repair.
pub(super) const MIN_NATS_OF_REPAIR: f32 = 8.0;

/// What half a byte of an edit costs, the unit of explanations, in nats: ln 16.
pub(super) const NATS_OF_HALF_A_BYTE: f32 = 2.77;

/// An encoding that is less likely by this many nats is ruled out.
pub(super) const MIN_NATS_TO_RULE_OUT: f32 = 7.0;

/// The most bytes of added text from which its encoding is detected.
pub(super) const MAX_BYTES_OF_ADDITIONS: usize = 16 * 1024;

/// A shorter word that was misread may also be two characters that a person typed, such as `Â§`.
pub(super) const MIN_BYTES_OF_MISREAD_WORD: usize = 3;

/// The most question marks that a person types within a word.
pub(super) const MAX_QUESTION_MARKS_TYPED: usize = 2;
