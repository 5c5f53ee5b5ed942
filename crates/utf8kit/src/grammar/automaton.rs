//! A grammar as an automaton in 256 words, for levels without vectors. The word of a byte contains the next state for
//! every state, so a step is one load, which does not depend on earlier steps, and one shift. Smaller tables, by
//! classes of bytes, are slower because a step is then two dependent loads.
//!
//! Source: Per Vognsen, "Shift-based DFAs" (2022).

use super::row::Row;

/// For each byte the next states, [`WIDTH`] bits each. A state is the position of its own bits: the word is shifted by
/// it.
pub(crate) type Automaton = [u64; 256];

/// Between sequences.
pub(crate) const WHOLE: u64 = 0;
/// After an error. No byte leads to another state.
pub(crate) const BROKEN: u64 = WIDTH;
/// The bits of a state: a shift uses no others.
pub(crate) const STATE: u64 = 63;

const WIDTH: u64 = 6;
const STATES: usize = 64 / WIDTH as usize;

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
    /// Returns the tail's state, a new one if it has none yet. The result is at least `STATES` if the capacity is too
    /// small for it.
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
    let mut table = [BROKEN | BROKEN << WIDTH; 256];
    let mut led = [false; 256];
    let mut r = 0;
    while r < rows.len() {
        let row = rows[r];
        let state = tails.state(Tail { row, from: 1 });
        let mut byte = row.ranges[0].0 as usize;
        while byte <= row.ranges[0].1 as usize {
            if led[byte] {
                return None;
            }
            led[byte] = true;
            table[byte] = (state as u64 * WIDTH) | BROKEN << WIDTH;
            byte += 1;
        }
        r += 1;
    }
    // The rests of rests are added as they are found.
    let mut state = 2;
    while state < tails.len && state < STATES {
        if let Some(tail) = tails.all[state] {
            let next = tails.state(Tail { row: tail.row, from: tail.from + 1 });
            let (low, high) = tail.row.ranges[tail.from];
            let mut byte = 0;
            while byte < 256 {
                let allowed = low as usize <= byte && byte <= high as usize;
                let follows = if allowed { next as u64 * WIDTH } else { BROKEN };
                table[byte] |= follows << (state as u64 * WIDTH);
                byte += 1;
            }
        }
        state += 1;
    }
    if tails.len > STATES { None } else { Some(table) }
}

/// Reports whether the automaton accepts all bytes, and they end at a boundary.
#[inline(always)]
pub(crate) fn accepts(automaton: &Automaton, bytes: &[u8]) -> bool {
    let after = |state: u64, byte: &u8| automaton[usize::from(*byte)] >> (state & STATE);
    bytes.iter().fold(WHOLE, after) & STATE == WHOLE
}
