//! The numbers of the comparison, each with its unit. Those that begin with `MAX` bound time and memory; what is beyond
//! them is doubtful.

/// The most pairs of tokens of which all alignments are examined.
pub(super) const MAX_TOKEN_PAIRS_ALIGNED: usize = 1 << 22;

/// The most of them in all regions of two versions.
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

/// The most signs beside a piece that are looked at for letters after them.
pub(super) const MAX_SIGNS_AROUND_PIECE: usize = 256;

/// Matches of this many letters or fewer are coincidence.
pub(super) const MAX_LETTERS_OF_COINCIDENCE: usize = 2;

/// The bytes around added text that may be part of its first and last character.
pub(super) const BYTES_AROUND_ADDITION: usize = 16;

/// How many characters tell the encodings of text that was read in a wrong one and written in a third.
pub(super) const MIN_CHARACTERS_FOR_ENCODINGS: usize = 3;

/// The most steps among which single places are looked for before views of the whole file are compared: many places are
/// not single.
pub(super) const MAX_STEPS_WITH_PLACES: usize = 1 << 14;

/// The fewest letters by which a line is known again.
pub(super) const MIN_LETTERS_OF_MOVED_LINE: usize = 4;

/// How many words tell that a line is a copy of one that is still there, if nothing but their lengths is left.
pub(super) const MIN_LOST_WORDS_OF_COPIED_LINE: usize = 6;

/// The most lines that are found again. Others are doubtful.
pub(super) const MAX_MOVED_LINES: usize = 64;

/// The most pairs of lines that are compared to find copies. Other lines are doubtful.
pub(super) const MAX_PAIRS_OF_MOVED_LINES: usize = 1 << 24;

/// The most bytes in which moved lines are looked for, in all views together.
pub(super) const MAX_BYTES_OF_MOVED_LINES: usize = 8 << 20;

/// The most bytes of a place in either version.
pub(super) const MAX_BYTES_OF_PLACE: usize = 1024;

/// The most bytes of a word beside a place.
pub(super) const MAX_BYTES_OF_WORD: usize = 1024;

/// The most bytes from which the likely views are found.
pub(super) const SAMPLE_BYTES: usize = 64 * 1024;

/// The bytes from which rare views are found: those of lines that no usual one explains.
pub(super) const SAMPLE_BYTES_OF_RARE_VIEWS: usize = 1024;

/// The most views whose edits are measured.
pub(super) const MAX_VIEWS_MEASURED: usize = 6;

/// The most views whose edits are measured if none shows a word of the new version.
pub(super) const MAX_UNLIKELY_VIEWS_MEASURED: usize = 2;

/// How many programs, one after the other, are looked for in one file beside the first.
pub(super) const MAX_OTHER_PROGRAMS: usize = 2;

/// How unlikely text is, in nats by the model of text, that nobody types where a program may have left it.
pub(super) const MIN_NATS_NOT_TYPED: f32 = 17.0;

/// How many characters before a place are read as its context, at most.
pub(super) const CHARACTERS_BEFORE_PLACE: usize = 16;

/// The bytes from which it is told how they read.
pub(super) const SAMPLE_BYTES_OF_REPAIR: usize = 16 * 1024;

/// The most places that look like one which lost what it was, and are compared with it. The rest is doubtful.
pub(super) const MAX_PLACES_COMPARED: usize = 1 << 26;

/// The weight of damaged places from which they are evidence.
pub(super) const MIN_WEIGHT_OF_EVIDENCE: usize = 2;

/// By how many nats text is likelier once it is decoded again, if that was a repair.
pub(super) const MIN_NATS_OF_REPAIR: f32 = 8.0;

/// What half a byte of an edit costs, the unit of explanations, in nats: ln 16.
pub(super) const NATS_OF_HALF_A_BYTE: f32 = 2.77;

/// By how many nats less likely an encoding is that is ruled out.
pub(super) const MIN_NATS_TO_RULE_OUT: f32 = 7.0;

/// The most bytes of added text from which the encoding is told.
pub(super) const MAX_BYTES_OF_ADDITIONS: usize = 16 * 1024;

/// As many question marks are typed in a word.
pub(super) const MAX_QUESTION_MARKS_TYPED: usize = 2;
