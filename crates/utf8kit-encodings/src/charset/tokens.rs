//! Shared parts of encodings that are decoded token by token, where a token is a code of several bytes or a shift.

use super::code_pages::packed::Text;

/// The token at the start of some bytes.
pub(super) enum Token {
    /// The number of bytes, and their text, or `None` for a shift.
    Text(usize, Option<Text>),
    /// The same, with the rest of a text of more than two characters.
    Long(usize, Text, &'static str),
    Malformed(usize),
    Incomplete,
}

/// Bytes whose meaning depends on later bytes.
#[derive(Default)]
pub(super) struct Held(Vec<u8>);

impl Token {
    /// Appends the text, and returns the number of bytes; `None` if it has none.
    pub(super) fn push_to(&self, text: &mut String) -> Option<usize> {
        let (len, chars, rest) = match *self {
            Token::Text(len, chars) => (len, chars, ""),
            Token::Long(len, chars, rest) => (len, Some(chars), rest),
            Token::Malformed(_) | Token::Incomplete => return None,
        };
        text.extend(chars.into_iter().flat_map(|(first, mark)| [first].into_iter().chain(mark)));
        text.push_str(rest);
        Some(len)
    }
}

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the text of the last bytes, up to those that are malformed or incomplete.
    pub(super) fn read_last(&mut self, text: &mut String, mut token: impl FnMut(&[u8]) -> Token) {
        while !self.is_empty()
            && let Some(len) = token(&self.0).push_to(text)
        {
            self.0.drain(..len);
        }
    }

    /// Ends a text, and returns the number of bytes.
    pub(super) fn end(&mut self) -> usize {
        std::mem::take(&mut self.0).len()
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read and, if
    /// there is such a span, its length and the number of bytes that were read after it.
    pub(super) fn read(
        &mut self,
        input: &[u8],
        text: &mut String,
        mut token: impl FnMut(&[u8]) -> Token,
    ) -> (usize, Option<(usize, usize)>) {
        let mut at = 0;
        loop {
            let is_held = !self.is_empty();
            let rest = input.get(at..).unwrap_or_default();
            let found = token(if is_held { &self.0 } else { rest });
            if let Some(len) = found.push_to(text) {
                if is_held {
                    drop(self.0.drain(..len))
                } else {
                    at += len
                }
                continue;
            }
            match found {
                Token::Text(..) | Token::Long(..) => {}
                Token::Malformed(len) if is_held => {
                    self.0.drain(..len);
                    return (at, Some((len, self.0.len())));
                }
                Token::Malformed(len) => return (at + len, Some((len, 0))),
                Token::Incomplete => match rest.split_first() {
                    Some((&byte, _)) => {
                        self.0.push(byte);
                        at += 1;
                    }
                    None => return (at, None),
                },
            }
        }
    }
}

/// Decodes a stream in an encoding in which shifts and escape sequences select the meaning of bytes.
pub(super) trait Selecting {
    /// Appends the text of a piece, as [`Held::read`] does. If this is the `last` piece, incomplete bytes at its end
    /// are malformed.
    fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>);

    /// Reports whether the following bytes depend on earlier ones.
    fn is_within(&self) -> bool;

    /// Returns the bytes that select ASCII again, if any are needed.
    fn back(&self) -> Option<&'static [u8]>;
}

/// Writes text in an encoding in which some characters have a code together with the mark after them.
pub(super) trait Joining {
    /// A character that the next one may combine with.
    fn held(&mut self) -> &mut Option<char>;

    /// Reports whether the encoding has a character.
    fn has(&mut self, scalar: char) -> bool;

    /// Reports whether a character may have a code with a mark.
    fn may_be_joined(&self, scalar: char) -> bool;

    /// Returns the character that a letter and a mark form, if its code consists of theirs.
    fn composed(&self, _letter: char, _mark: char) -> Option<char> {
        None
    }

    /// Appends the code of a text, and returns whether there is one.
    fn write(&mut self, text: Text, out: &mut Vec<u8>) -> bool;

    /// Returns to the state in which texts begin.
    fn end(&mut self, out: &mut Vec<u8>);

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks, which is returned
    /// with its offset. If this is the `last` piece, the text ends in the state in which texts begin.
    fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<(usize, char)> {
        for (at, scalar) in text.char_indices() {
            if let Some(held) = self.held().take() {
                if self.write((held, Some(scalar)), out) {
                    continue;
                }
                if let Some(composed) = self.composed(held, scalar) {
                    *self.held() = Some(composed);
                    continue;
                }
                self.write((held, None), out);
            }
            if !self.has(scalar) {
                return Some((at, scalar));
            }
            match self.may_be_joined(scalar) {
                true => *self.held() = Some(scalar),
                false => _ = self.write((scalar, None), out),
            }
        }
        if last {
            if let Some(held) = self.held().take() {
                self.write((held, None), out);
            }
            self.end(out);
        }
        None
    }
}

/// Reads bytes in pieces of a size, with U+FFFD for each malformed span, and returns how many of these there are.
#[cfg(test)]
pub(super) fn in_pieces(
    bytes: &[u8],
    size: usize,
    mut push: impl FnMut(&[u8], bool, &mut String) -> (usize, Option<(usize, usize)>),
) -> (String, usize) {
    let (mut text, mut malformed) = (String::new(), 0);
    let mut pieces = bytes.chunks(size).chain([&b""[..]]).peekable();
    while let Some(mut piece) = pieces.next() {
        while let (read, Some(_)) = push(piece, pieces.peek().is_none(), &mut text) {
            piece = &piece[read..];
            malformed += 1;
            text.push('\u{FFFD}');
        }
    }
    (text, malformed)
}
