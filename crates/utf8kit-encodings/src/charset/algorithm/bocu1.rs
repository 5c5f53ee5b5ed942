//! BOCU-1 (Unicode Technical Note #6): each character by its distance from a place near the previous one, in one to
//! four bytes. Controls and the space are their own bytes, so lines can be found, and a control resets the state.

/// The place from which the first character is counted.
const START: i32 = 0x40;

/// A byte that resets the state.
const RESET: u8 = 0xFF;

/// The number of bytes that may follow the first one of a character.
const TRAILS: i32 = 243;

/// Controls that may be trail bytes. All bytes above the space follow in the order.
const CONTROLS: [u8; 20] = [1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 28, 29, 30, 31];

/// The difference between the bytes after the controls and their number.
const OFFSET: i32 = 13;

/// For each range of distances: the lead byte of the lowest one, the lowest distance, and the number of trail bytes. A
/// distance belongs to the last row whose lowest distance it reaches.
const ROWS: [(i32, i32, usize); 7] = [
    (0x21, -14_536_567, 3),
    (0x22, -187_660, 2),
    (0x25, -10_513, 1),
    (0x50, -64, 0),
    (0xD0, 64, 1),
    (0xFB, 10_513, 2),
    (0xFE, 187_660, 3),
];

/// Returns the place from which the next character is counted.
fn next_place(scalar: i32) -> i32 {
    match scalar {
        // Hiragana, ideographs and Hangul have larger ranges, because a text uses many of them together.
        0x3040..=0x309F => 0x3070,
        0x4E00..=0x9FA5 => 0x4E00 + 10_513,
        0xAC00..=0xD7A3 => (0xAC00 + 0xD7A3) / 2,
        _ => (scalar & !0x7F) + START,
    }
}

/// Decodes a stream.
pub(crate) struct Decoder {
    place: i32,
    held: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { place: START, held: Vec::new() }
    }
}

impl Decoder {
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        for (at, &byte) in input.iter().enumerate() {
            let Some(&lead) = self.held.first() else {
                match byte {
                    0..=0x20 => {
                        text.push(char::from(byte));
                        if byte != 0x20 {
                            self.place = START;
                        }
                    }
                    RESET => self.place = START,
                    _ => self.held.push(byte),
                }
                if self.held.is_empty() || trails(byte) > 0 {
                    continue;
                }
                let lead = byte;
                if !self.end(lead, text) {
                    return (at + 1, Some((1, 0)));
                }
                continue;
            };
            if trail(byte).is_none() {
                // The byte begins the next character.
                let len = std::mem::take(&mut self.held).len();
                self.place = START;
                return (at, Some((len, 0)));
            }
            self.held.push(byte);
            if self.held.len() > trails(lead) {
                let len = self.held.len();
                if !self.end(lead, text) {
                    return (at + 1, Some((len, 0)));
                }
            }
        }
        let len = if last { std::mem::take(&mut self.held).len() } else { 0 };
        (input.len(), (len > 0).then_some((len, 0)))
    }

    /// Ends a character, and returns whether it is one.
    fn end(&mut self, lead: u8, text: &mut String) -> bool {
        let held = std::mem::take(&mut self.held);
        let (first, least, _) = row_of_lead(lead);
        let mut distance = i32::from(lead) - first;
        for byte in held.iter().skip(1) {
            distance = distance * TRAILS + trail(*byte).unwrap_or(0);
        }
        let scalar = self.place + least + distance;
        match u32::try_from(scalar).ok().and_then(char::from_u32) {
            Some(c) => {
                self.place = next_place(scalar);
                text.push(c);
                true
            }
            None => {
                self.place = START;
                false
            }
        }
    }
}

fn row_of_lead(lead: u8) -> (i32, i32, usize) {
    ROWS.iter().rev().find(|(first, ..)| *first <= i32::from(lead)).copied().unwrap_or(ROWS[0])
}

fn trails(lead: u8) -> usize {
    row_of_lead(lead).2
}

fn trail(byte: u8) -> Option<i32> {
    match byte {
        0x21.. => Some(i32::from(byte) - OFFSET),
        _ => CONTROLS.iter().position(|control| *control == byte).map(|at| at as i32),
    }
}

/// Encodes a stream.
pub(crate) struct Encoder {
    place: i32,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder { place: START }
    }
}

impl Encoder {
    pub(crate) fn push(&mut self, text: &str, out: &mut Vec<u8>) {
        for c in text.chars() {
            if c <= ' ' {
                out.push(c as u8);
                if c != ' ' {
                    self.place = START;
                }
                continue;
            }
            let scalar = u32::from(c) as i32;
            let distance = scalar - self.place;
            self.place = next_place(scalar);
            let row = ROWS.iter().rev().find(|(_, least, _)| *least <= distance);
            let (first, least, count) = row.copied().unwrap_or(ROWS[0]);
            let mut rest = distance - least;
            let mut bytes = [0; 4];
            for byte in bytes.get_mut(1..=count).unwrap_or_default().iter_mut().rev() {
                let number = rest % TRAILS;
                *byte = match CONTROLS.get(number as usize) {
                    Some(control) => *control,
                    None => (number + OFFSET) as u8,
                };
                rest /= TRAILS;
            }
            bytes[0] = (first + rest) as u8;
            out.extend_from_slice(bytes.get(..=count).unwrap_or_default());
        }
    }
}
