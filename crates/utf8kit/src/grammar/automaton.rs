//! A grammar as an automaton in 256 words, for levels without vectors. The word of a byte contains the next state for
//! every state, so a step is one shift and one load that does not depend on earlier steps. Smaller tables, by classes
//! of bytes or with one word for all of ASCII, are slower because a step then computes an index.
//!
//! Nine states of five bits fit into 32 because they overlap. A search found places where overlapping bits agree for
//! every byte of every grammar with an automaton, and a test verifies that.
//!
//! Source: Per Vognsen, "Shift-based DFAs" (2022); Dougall Johnson, "Parsing UTF-8 with a 32-bit DFA" (2021), for the
//! overlap.

use super::row::Row;

/// The next states, for each byte. A state is the position of its own bits: the word is shifted by it.
pub(crate) type Automaton = [u32; 256];

/// Between sequences.
pub(crate) const WHOLE: u32 = STATE_SHIFTS[0];
/// After an error. No byte leads out of it.
pub(crate) const BROKEN: u32 = STATE_SHIFTS[1];
/// The bits of a state, the only ones that a shift uses.
pub(crate) const STATE_BITS: u32 = 31;

/// The states: [`WHOLE`], [`BROKEN`], and the tails of rows in the order in which [`automaton`] meets them.
const STATE_SHIFTS: [u32; STATES] = [9, 0, 16, 20, 1, 26, 31, 19, 25];
const STATES: usize = 9;

/// The ranges for the rest of a sequence.
#[derive(Clone, Copy)]
struct Tail {
    row: Row,
    from: usize,
}

impl Tail {
    const fn equals(self, other: Tail) -> bool {
        let len = self.row.len as usize - self.from;
        let mut same = len == other.row.len as usize - other.from;
        let mut i = 0;
        while same && i < len {
            let (mine, theirs) = (self.row.ranges[self.from + i], other.row.ranges[other.from + i]);
            same = mine.0 == theirs.0 && mine.1 == theirs.1;
            i += 1;
        }
        same
    }
}

/// The states except [`WHOLE`] and [`BROKEN`]: each is the rest of some sequence.
struct Tails {
    all: [Option<Tail>; STATES],
    len: usize,
}

impl Tails {
    /// Returns the tail's state, adding one if it has none yet. The result is at least `STATES` if the capacity is too
    /// small.
    const fn state(&mut self, tail: Tail) -> usize {
        if tail.from == tail.row.len as usize {
            return 0;
        }
        let mut state = 2;
        while state < self.len {
            if let Some(known) = self.all[state]
                && known.equals(tail)
            {
                return state;
            }
            state += 1;
        }
        if self.len < STATES {
            self.all[self.len] = Some(tail);
        }
        self.len += 1;
        state
    }
}

/// Computes the automaton of these rows, if no two share a lead and there are not too many states.
pub(super) const fn automaton(rows: &[Row]) -> Option<Automaton> {
    let mut tails = Tails { all: [None; STATES], len: 2 };
    let mut table = [0; 256];
    let mut r = 0;
    while r < rows.len() {
        let row = rows[r];
        let next = tails.state(Tail { row, from: 1 });
        let mut byte = row.ranges[0].0 as usize;
        while byte <= row.ranges[0].1 as usize {
            if table[byte] != 0 || next >= STATES {
                return None;
            }
            table[byte] = STATE_SHIFTS[next] << WHOLE;
            byte += 1;
        }
        r += 1;
    }
    // Tails of tails are added while they are found.
    let mut state = 2;
    while state < tails.len && state < STATES {
        if let Some(tail) = tails.all[state] {
            let next = tails.state(Tail { row: tail.row, from: tail.from + 1 });
            let (mut byte, last) = (tail.row.ranges[tail.from].0 as usize, tail.row.ranges[tail.from].1 as usize);
            while next < STATES && byte <= last {
                table[byte] |= STATE_SHIFTS[next] << STATE_SHIFTS[state];
                byte += 1;
            }
        }
        state += 1;
    }
    if tails.len > STATES { None } else { Some(table) }
}

/// Returns the state after a byte. Only the bits in [`STATE_BITS`] count.
#[inline(always)]
pub(crate) fn after(automaton: &Automaton, state: u32, byte: u8) -> u32 {
    automaton[byte as usize] >> (state & STATE_BITS)
}

/// Reports whether the automaton accepts all bytes, and ends at a boundary.
#[inline(always)]
pub(crate) fn accepts(automaton: &Automaton, bytes: &[u8]) -> bool {
    bytes.iter().fold(WHOLE, |state, &byte| after(automaton, state, byte)) & STATE_BITS == WHOLE
}
