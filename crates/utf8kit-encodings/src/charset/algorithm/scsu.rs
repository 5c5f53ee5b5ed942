//! SCSU (Unicode Technical Standard #6): each byte of 80 or more is one of the 128 characters of the selected window.
//! Tags select and define windows, quote a character of another window, or change to UTF-16.

/// Where the static windows begin.
const STATIC: [u32; 8] = [0, 0x80, 0x100, 0x300, 0x2000, 0x2080, 0x2100, 0x3000];

/// Where the dynamic windows begin at the start of a text.
const DYNAMIC: [u32; 8] = [0x80, 0xC0, 0x400, 0x600, 0x900, 0x3040, 0x30A0, 0xFF00];

/// Windows that do not begin at a multiple of 128. The bytes that define them begin at F9.
const ODD: [u32; 7] = [0xC0, 0x250, 0x370, 0x530, 0x3040, 0x30A0, 0xFF60];
const FIRST_ODD: u8 = 0xF9;

/// The size of a window.
const SIZE: u32 = 0x80;

/// The byte order mark, which identifies a text as SCSU.
const SIGNATURE: u32 = 0xFEFF;

/// Tags among bytes: quote from a window, define one beyond 16 bits, quote UTF-16, change to UTF-16, select and define.
const QUOTE: u8 = 0x01;
const DEFINE_BEYOND: u8 = 0x0B;
const QUOTE_UNIT: u8 = 0x0E;
const CHANGE: u8 = 0x0F;
const SELECT: u8 = 0x10;
const DEFINE: u8 = 0x18;

/// The same tags within UTF-16, as the first byte of a unit.
const SELECT_IN_UNITS: u8 = 0xE0;
const DEFINE_IN_UNITS: u8 = 0xE8;
const QUOTE_IN_UNITS: u8 = 0xF0;
const DEFINE_BEYOND_IN_UNITS: u8 = 0xF1;
const RESERVED_IN_UNITS: u8 = 0xF2;

/// Returns the start of the window that a byte defines.
fn window(byte: u8) -> Option<u32> {
    match byte {
        0x01..=0x67 => Some(u32::from(byte) * SIZE),
        0x68..=0xA7 => Some(u32::from(byte) * SIZE + 0xAC00),
        _ => ODD.get(usize::from(byte.checked_sub(FIRST_ODD)?)).copied(),
    }
}

/// Returns the byte that defines a window containing a 16-bit character, and the start of the window.
fn definition(scalar: u32) -> Option<(u8, u32)> {
    if let Some(at) = ODD.iter().position(|start| (*start..start + SIZE).contains(&scalar)) {
        return Some((FIRST_ODD + at as u8, ODD[at]));
    }
    let byte = match scalar {
        0x80..0x3400 => scalar / SIZE,
        0xE000..0x10000 => (scalar - 0xAC00) / SIZE,
        _ => return None,
    };
    Some((byte as u8, scalar / SIZE * SIZE))
}

fn is_itself(scalar: u32) -> bool {
    matches!(scalar, 0 | 9 | 10 | 13 | 0x20..=0x7F)
}

/// Decodes a stream.
pub(crate) struct Decoder {
    windows: [u32; 8],
    selected: usize,
    in_units: bool,
    /// A high surrogate whose low one is still to come.
    high: Option<u16>,
    /// A tag and its operands, or the first byte of a unit.
    held: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { windows: DYNAMIC, selected: 0, in_units: false, high: None, held: Vec::new() }
    }
}

/// The meaning of some bytes.
enum Token {
    Char(u32),
    Unit(u16),
    Done,
    Malformed,
    Incomplete,
}

impl Decoder {
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        let mut at = 0;
        loop {
            let bytes = std::mem::take(&mut self.held);
            let found = match self.token(&bytes) {
                Token::Incomplete => {
                    self.held = bytes;
                    match input.get(at) {
                        Some(&byte) => self.held.push(byte),
                        None => break,
                    }
                    at += 1;
                    continue;
                }
                Token::Done => continue,
                Token::Malformed => None,
                Token::Char(scalar) => match self.high {
                    None => char::from_u32(scalar),
                    Some(_) => return self.lone(bytes, at),
                },
                Token::Unit(unit) => match (self.high, unit) {
                    (None, 0xD800..=0xDBFF) => {
                        self.high = Some(unit);
                        continue;
                    }
                    (Some(_), 0..=0xDBFF | 0xE000..) => return self.lone(bytes, at),
                    (high, unit) => {
                        self.high = None;
                        char::decode_utf16(high.into_iter().chain([unit])).next().and_then(Result::ok)
                    }
                },
            };
            match found {
                Some(c) => text.push(c),
                None => return (at, Some((bytes.len(), 0))),
            }
        }
        let is_cut = last && (self.high.take().is_some() | !std::mem::take(&mut self.held).is_empty());
        (at, is_cut.then_some((1, 0)))
    }

    /// Reports a high surrogate without a low one. The bytes after it are read again.
    fn lone(&mut self, bytes: Vec<u8>, at: usize) -> (usize, Option<(usize, usize)>) {
        self.high = None;
        self.held = bytes;
        (at, Some((2, self.held.len())))
    }

    fn token(&mut self, bytes: &[u8]) -> Token {
        match (self.in_units, bytes) {
            (_, []) => Token::Incomplete,
            (false, &[byte, ref operands @ ..]) => self.token_of_byte(byte, operands),
            (true, &[byte, ref operands @ ..]) => self.token_of_unit(byte, operands),
        }
    }

    fn in_window(&self, window: u8, byte: u8) -> u32 {
        let window = usize::from(window & 7);
        match byte {
            0x80.. => self.windows[window] + u32::from(byte) - SIZE,
            _ => STATIC[window] + u32::from(byte),
        }
    }

    fn token_of_byte(&mut self, byte: u8, operands: &[u8]) -> Token {
        match (byte, operands) {
            (0x80.., _) => Token::Char(self.in_window(self.selected as u8, byte)),
            (byte, _) if is_itself(u32::from(byte)) => Token::Char(u32::from(byte)),
            (QUOTE..=0x08, []) => Token::Incomplete,
            (QUOTE..=0x08, &[quoted, ..]) => Token::Char(self.in_window(byte - QUOTE, quoted)),
            (QUOTE_UNIT, &[high, low, ..]) => Token::Unit(u16::from_be_bytes([high, low])),
            (QUOTE_UNIT, _) => Token::Incomplete,
            (CHANGE, _) => {
                self.in_units = true;
                Token::Done
            }
            (SELECT..DEFINE, _) => self.select(byte - SELECT),
            (DEFINE..=0x1F, operands) => self.define(byte - DEFINE, operands),
            (DEFINE_BEYOND, operands) => self.define_beyond(operands),
            _ => Token::Malformed,
        }
    }

    fn token_of_unit(&mut self, byte: u8, operands: &[u8]) -> Token {
        match (byte, operands) {
            (SELECT_IN_UNITS..DEFINE_IN_UNITS, _) => self.select(byte - SELECT_IN_UNITS),
            (DEFINE_IN_UNITS..QUOTE_IN_UNITS, operands) => self.define(byte - DEFINE_IN_UNITS, operands),
            (QUOTE_IN_UNITS, &[high, low, ..]) => Token::Unit(u16::from_be_bytes([high, low])),
            (DEFINE_BEYOND_IN_UNITS, operands) => self.define_beyond(operands),
            (RESERVED_IN_UNITS, _) => Token::Malformed,
            (QUOTE_IN_UNITS, _) | (_, []) => Token::Incomplete,
            (high, &[low, ..]) => Token::Unit(u16::from_be_bytes([high, low])),
        }
    }

    fn select(&mut self, window: u8) -> Token {
        (self.selected, self.in_units) = (usize::from(window), false);
        Token::Done
    }

    fn define(&mut self, number: u8, operands: &[u8]) -> Token {
        let Some(&byte) = operands.first() else { return Token::Incomplete };
        let Some(start) = window(byte) else { return Token::Malformed };
        self.windows[usize::from(number)] = start;
        self.select(number)
    }

    fn define_beyond(&mut self, operands: &[u8]) -> Token {
        let &[high, low, ..] = operands else { return Token::Incomplete };
        let number = high >> 5;
        self.windows[usize::from(number)] = 0x10000 + SIZE * (u32::from(high & 0x1F) << 8 | u32::from(low));
        self.select(number)
    }
}

/// Encodes a stream. Any choice of windows gives the same text.
pub(crate) struct Encoder {
    windows: [u32; 8],
    selected: usize,
    /// When each window was last used.
    used: [u64; 8],
    time: u64,
    in_units: bool,
    /// A character whose bytes depend on the next one.
    held: Option<u32>,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder { windows: DYNAMIC, selected: 0, used: [0; 8], time: 0, in_units: false, held: None }
    }
}

impl Encoder {
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) {
        for c in text.chars() {
            let next = u32::from(c);
            if let Some(held) = self.held.replace(next) {
                self.write(held, Some(next), out);
            }
        }
        if let (true, Some(held)) = (last, self.held) {
            self.held = None;
            self.write(held, None, out);
        }
    }

    fn window_of(&self, scalar: u32) -> Option<usize> {
        let has = |start: &u32| (*start..start + SIZE).contains(&scalar);
        if self.windows.get(self.selected).is_some_and(has) {
            return Some(self.selected);
        }
        self.windows.iter().position(has)
    }

    /// Reports whether a character is best written in UTF-16: no window has it.
    fn is_unit(scalar: u32) -> bool {
        (0x3400..0xE000).contains(&scalar)
    }

    fn write(&mut self, scalar: u32, next: Option<u32>, out: &mut Vec<u8>) {
        self.time += 1;
        if self.in_units {
            // One character of a window costs as much in UTF-16 as leaving UTF-16.
            let stays = Encoder::is_unit(scalar) || next.is_some_and(Encoder::is_unit);
            if stays {
                return units(scalar, out);
            }
            self.leave(scalar, out);
        }
        if is_itself(scalar) {
            return out.push(scalar as u8);
        }
        if scalar == SIGNATURE {
            // Quoted, so that its bytes are the same in all texts.
            out.push(QUOTE_UNIT);
            return out.extend_from_slice(&(scalar as u16).to_be_bytes());
        }
        if let Ok(control @ 0..0x20) = u8::try_from(scalar) {
            return out.extend_from_slice(&[QUOTE, control]);
        }
        let Some(number) = self.window_of(scalar) else { return self.write_elsewhere(scalar, next, out) };
        let byte = (scalar - self.windows[number] + SIZE) as u8;
        self.used[number] = self.time;
        let continues = next.is_some_and(|next| self.window_of(next) == Some(number));
        match number == self.selected {
            true => {}
            false if continues => {
                out.push(SELECT + number as u8);
                self.selected = number;
            }
            false => out.push(QUOTE + number as u8),
        }
        out.push(byte);
    }

    /// Writes a character that no window has.
    fn write_elsewhere(&mut self, scalar: u32, next: Option<u32>, out: &mut Vec<u8>) {
        let is_static = |start: &u32| (*start..start + SIZE).contains(&scalar);
        match STATIC.iter().position(is_static) {
            Some(number) => out.extend_from_slice(&[QUOTE + number as u8, (scalar - STATIC[number]) as u8]),
            None if Encoder::is_unit(scalar) => match next.is_some_and(Encoder::is_unit) {
                true => {
                    out.push(CHANGE);
                    self.in_units = true;
                    units(scalar, out);
                }
                false => {
                    out.push(QUOTE_UNIT);
                    out.extend_from_slice(&(scalar as u16).to_be_bytes());
                }
            },
            None => {
                self.define(scalar, DEFINE, DEFINE_BEYOND, out);
                out.push((scalar - self.windows[self.selected] + SIZE) as u8);
            }
        }
    }

    /// Redefines the least recently used window.
    fn define(&mut self, scalar: u32, define: u8, beyond: u8, out: &mut Vec<u8>) {
        let number = (0..8).min_by_key(|number| self.used[*number]).unwrap_or_default();
        self.used[number] = self.time;
        self.selected = number;
        match definition(scalar) {
            Some((byte, start)) => {
                out.extend_from_slice(&[define + number as u8, byte]);
                self.windows[number] = start;
            }
            None => {
                let page = scalar.saturating_sub(0x10000) / SIZE;
                out.extend_from_slice(&[beyond, (number as u8) << 5 | (page >> 8) as u8, page as u8]);
                self.windows[number] = 0x10000 + page * SIZE;
            }
        }
    }

    /// Leaves UTF-16 for a window that has a character.
    fn leave(&mut self, scalar: u32, out: &mut Vec<u8>) {
        self.in_units = false;
        let own = is_itself(scalar)
            || scalar < 0x20
            || STATIC.iter().skip(1).any(|start| (*start..start + SIZE).contains(&scalar));
        match self.window_of(scalar) {
            Some(number) => {
                self.selected = number;
                out.push(SELECT_IN_UNITS + number as u8);
            }
            None if own => out.push(SELECT_IN_UNITS + self.selected as u8),
            None => self.define(scalar, DEFINE_IN_UNITS, DEFINE_BEYOND_IN_UNITS, out),
        }
    }
}

/// Appends a character in UTF-16, with a quote tag before a unit that would be read as a tag.
fn units(scalar: u32, out: &mut Vec<u8>) {
    let Some(c) = char::from_u32(scalar) else { return };
    for unit in c.encode_utf16(&mut [0; 2]) {
        let bytes = unit.to_be_bytes();
        if (SELECT_IN_UNITS..=RESERVED_IN_UNITS).contains(&bytes[0]) {
            out.push(QUOTE_IN_UNITS);
        }
        out.extend_from_slice(&bytes);
    }
}
