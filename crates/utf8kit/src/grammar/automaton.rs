//! A grammar as an automaton, for levels without vectors. The word of a byte's class contains the next state for every
//! state, so a step is two loads, which do not depend on earlier steps, and one shift. A word for each byte would spare
//! a load and take 2 KB instead of 384 bytes, in every program that validates.
//!
//! Source: Per Vognsen, "Shift-based DFAs" (2022).

use super::Row;

/// An automaton. A state is the position of its own bits in a word: the word is shifted by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Automaton {
    /// For each byte its class.
    classes: [u8; 256],
    /// For each class the next states, [`WIDTH`] bits each.
    words: [u64; CLASSES],
}

impl Automaton {
    /// Returns the next states for a byte.
    #[inline(always)]
    pub(crate) fn word(&self, byte: u8) -> u64 {
        self.words[usize::from(self.classes[usize::from(byte)]) % CLASSES]
    }
}

/// How many classes of bytes there can be: UTF-8 has 12.
const CLASSES: usize = 16;

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
    /// Returns the tail's state, a new one if it has none yet. The result is at least `STATES` if there is no room for
    /// it.
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
    if tails.len > STATES { None } else { by_classes(&table) }
}

/// Returns the automaton with these words for each byte, if they do not differ too much.
const fn by_classes(table: &[u64; 256]) -> Option<Automaton> {
    let mut all = Automaton { classes: [0; 256], words: [0; CLASSES] };
    let (mut byte, mut len) = (0, 0);
    while byte < 256 {
        let mut class = 0;
        while class < len && all.words[class] != table[byte] {
            class += 1;
        }
        if class == CLASSES {
            return None;
        }
        if class == len {
            all.words[class] = table[byte];
            len += 1;
        }
        all.classes[byte] = class as u8;
        byte += 1;
    }
    Some(all)
}

/// Reports whether the automaton accepts all bytes, and they end at a boundary.
#[inline(always)]
pub(crate) fn accepts(automaton: &Automaton, bytes: &[u8]) -> bool {
    let after = |state: u64, byte: &u8| automaton.word(*byte) >> (state & STATE);
    bytes.iter().fold(WHOLE, after) & STATE == WHOLE
}
