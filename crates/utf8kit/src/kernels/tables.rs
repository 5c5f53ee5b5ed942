//! The tables that classify the bytes of a vector by the preceding bytes, as explained in [`super::validate`].

use crate::grammar::Grammar;
use crate::simd::{BLOCK_BYTES, Token, Vector};

/// How many bytes before a byte its sequence may begin, in the sequences that kernels classify.
pub(crate) const LOOKBEHIND_BYTES: usize = 3;

/// Fills the lanes that an input leaves empty. Every dialect allows this byte.
pub(crate) const FILLER: u8 = b' ';

/// The tables of byte pairs, in registers.
pub(crate) struct PairTables<V> {
    byte_1_high: V,
    byte_1_low: V,
    byte_2_high: V,
    zero: V,
}

impl<V: Vector> PairTables<V> {
    #[inline(always)]
    pub(crate) fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar) -> Self {
        PairTables {
            byte_1_high: token.table(&grammar.lookup.byte_1_high),
            byte_1_low: token.table(&grammar.lookup.byte_1_low),
            byte_2_high: token.table(&grammar.lookup.byte_2_high),
            zero: token.splat(0),
        }
    }

    /// Returns, for each byte, the classes of errors it makes with the byte before it.
    #[inline(always)]
    fn of(&self, this: V, prev1: V) -> V {
        let first = prev1.lookup_high(self.byte_1_high);
        first.and_both(prev1.lookup(self.byte_1_low), this.lookup_high(self.byte_2_high))
    }

    /// Marks the bytes that are not an error with the byte before them.
    #[inline(always)]
    pub(crate) fn allowed(&self, this: V, prev1: V) -> V {
        self.of(this, prev1).equal(self.zero)
    }
}

/// The tables and constants, in registers.
pub(crate) struct Tables<V> {
    pub(crate) pair_tables: PairTables<V>,
    pub(super) third: V,
    pub(super) fourth: V,
    bit_7: V,
    /// The smallest byte, as a signed number, that is not a continuation.
    start: V,
    /// A vector cuts off a sequence if any of its bytes exceeds these.
    max_complete: V,
    pub(super) zero: V,
    grammar: &'static Grammar,
}

/// The largest bytes with which a block can end without cutting off a sequence.
const MAX_COMPLETE: [u8; BLOCK_BYTES] = {
    let mut all = [0xFF; BLOCK_BYTES];
    all[BLOCK_BYTES - 3] = 0xF0 - 1;
    all[BLOCK_BYTES - 2] = 0xE0 - 1;
    all[BLOCK_BYTES - 1] = 0xC0 - 1;
    all
};

impl<V: Vector> Tables<V> {
    #[inline(always)]
    pub(crate) fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar) -> Self {
        Tables {
            pair_tables: PairTables::new(token, grammar),
            third: token.table(&grammar.lookup.third),
            fourth: token.table(&grammar.lookup.fourth),
            bit_7: token.splat(0x80),
            start: token.splat(0xC0),
            max_complete: token.load(&MAX_COMPLETE, BLOCK_BYTES / V::LEN - 1),
            zero: token.splat(0),
            grammar,
        }
    }

    /// Returns a nonzero vector if `vector` cuts off a sequence.
    #[inline(always)]
    pub(crate) fn incomplete_at_end(&self, vector: V) -> V {
        vector.saturating_sub(self.max_complete)
    }

    /// Classifies `count` vectors starting at `at`, which at least [`LOOKBEHIND_BYTES`] bytes precede: some lane is not
    /// zero if any byte is suspect.
    #[inline(always)]
    pub(super) fn classify_at<T: Token<Vector = V>>(
        &self,
        token: T,
        bytes: &[u8],
        at: usize,
        count: usize,
        places: &mut Places<V>,
    ) -> V {
        let mut suspects = self.zero;
        for place in (0..count).map(|part| at + part * V::LEN) {
            let (this, before) = (token.load_at(bytes, place), token.load_before(bytes, place));
            let these = self.classify_and_count(this, before, places);
            suspects = if V::TESTED_ALONE { these } else { suspects.or(these) };
            if V::TESTED_ALONE && these.any() {
                break;
            }
        }
        suspects
    }

    /// Classifies the bytes after the first [`LOOKBEHIND_BYTES`], if all are below E0: some lane is 128 or more unless
    /// they are ASCII and sequences of two bytes. (The tables are loaded where they are used: other blocks need the
    /// registers.)
    #[inline(always)]
    pub(super) fn classify_twos<T: Token<Vector = V>>(&self, token: T, window: &[u8], places: &mut Places<V>) -> V {
        let lookup = &self.grammar.lookup;
        let two = token.table(&lookup.two);
        let (mut suspects, mut least) = (self.zero, two);
        for at in (LOOKBEHIND_BYTES..window.len()).step_by(V::LEN) {
            let (this, prev1) = (token.load_at(window, at), token.load_at(window, at - 1));
            let after_lead = prev1.saturating_sub(token.table(&lookup.from_lead));
            let continues = token.table(&lookup.lead).greater_signed(this);
            places.continuations = places.continuations.sub(continues);
            suspects = suspects.or(after_lead.xor(continues));
            least = least.min_signed(after_lead);
        }
        suspects.or(least.sub(two))
    }

    /// Classifies the bytes after the first [`LOOKBEHIND_BYTES`], if all are below F0, like [`Tables::classify_twos`].
    #[inline(always)]
    pub(super) fn classify_threes<T: Token<Vector = V>>(&self, token: T, window: &[u8], places: &mut Places<V>) -> V {
        let lookup = &self.grammar.lookup;
        let two = token.table(&lookup.two);
        let (mut suspects, mut least, mut before) = (self.zero, two, self.zero);
        for at in (LOOKBEHIND_BYTES..window.len()).step_by(V::LEN) {
            let this = token.load_at(window, at);
            // Loads would cross a cache line here.
            let (prev1, prev2) = if V::LEN == BLOCK_BYTES / 2 && at == LOOKBEHIND_BYTES + V::LEN {
                (this.prev1(before), this.prev2(before))
            } else {
                (token.load_at(window, at - 1), token.load_at(window, at - 2))
            };
            before = this;
            let after_lead = prev1.saturating_sub(token.table(&lookup.from_lead));
            let third = prev2.saturating_sub(self.third);
            let three = prev1.saturating_sub(token.table(&lookup.before_three));
            let first = three.lookup_below_128(token.table(&lookup.second_first));
            let end = three.lookup_below_128(token.table(&lookup.second_end));
            let continues = end.greater_signed(this.sub(first));
            places.continuations = places.continuations.sub(continues);
            places.thirds += count_high(third);
            suspects = suspects.or(after_lead.or(third).xor(continues));
            least = least.min_signed(after_lead);
        }
        suspects.or(least.sub(two))
    }

    /// Returns how many leading lanes are clean.
    #[inline(always)]
    pub(super) fn clean_lanes(&self, suspects: V) -> usize {
        suspects.equal(self.zero).high_bits().trailing_ones() as usize
    }

    /// Classifies a vector, given the previous one. (Not a closure in its caller: closures are only compiled for the
    /// level if they happen to be inlined.)
    #[inline(always)]
    pub(crate) fn classify_after(&self, this: V, before: V) -> V {
        self.classify(this, [this.prev1(before), this.prev2(before), this.prev3(before)])
    }

    /// Classifies a vector, given those that begin one, two and three bytes earlier: the lanes of suspect bytes are not
    /// zero.
    #[inline(always)]
    pub(crate) fn classify(&self, this: V, before: [V; 3]) -> V {
        self.classify_and_count(this, before, &mut Places::none(self.zero))
    }

    /// [`Tables::classify`] that also adds to the counts.
    #[inline(always)]
    fn classify_and_count(&self, this: V, [prev1, prev2, prev3]: [V; 3], places: &mut Places<V>) -> V {
        let pairs = self.pair_tables.of(this, prev1);
        let third = prev2.saturating_sub(self.third);
        let fourth = prev3.saturating_sub(self.fourth);
        let later = third.or(fourth);
        places.continuations = places.continuations.sub(self.start.greater_signed(this));
        places.thirds += count_high(later);
        places.fourths += count_high(fourth);
        later.and(self.bit_7).xor(pairs)
    }
}

/// Counts of bytes by their place in a sequence. Callers that do not need them pass zeros, and the compiler drops them.
pub(super) struct Places<V> {
    /// Bytes after the first of a sequence, lane by lane.
    pub(super) continuations: V,
    /// Third and fourth bytes. In a general register, because the loops need the vector registers.
    pub(super) thirds: usize,
    /// Fourth bytes.
    pub(super) fourths: usize,
}

impl<V: Vector> Places<V> {
    #[inline(always)]
    pub(super) fn none(zero: V) -> Self {
        Places { continuations: zero, thirds: 0, fourths: 0 }
    }
}

/// Returns how many lanes are 128 or more.
#[inline(always)]
fn count_high<V: Vector>(lanes: V) -> usize {
    lanes.high_bits().count_ones() as usize
}
