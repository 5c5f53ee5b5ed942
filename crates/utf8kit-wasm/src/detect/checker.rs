//! Finds the errors of a text in an encoding of the WHATWG Encoding Standard, with their lines and columns.

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// A running checker.
pub(crate) struct Checker {
    decoder: Decoder,
    /// Number of bytes that were read.
    offset: u64,
    /// Number of line feeds, and number of code points and errors after the last one.
    line: u64,
    column: u64,
    text: String,
}

impl Checker {
    /// Returns a checker for a label of the standard.
    pub(crate) fn new(label: &str) -> Option<Checker> {
        let decoder = Encoding::for_label(label.as_bytes())?.new_decoder_without_bom_handling();
        Some(Checker { decoder, offset: 0, line: 0, column: 0, text: String::new() })
    }

    /// Writes the errors of the next piece: offset, length, line and column of each.
    pub(crate) fn push(&mut self, mut input: &[u8], last: bool, numbers: &mut Vec<f64>) {
        let capacity = self.decoder.max_utf8_buffer_length_without_replacement(input.len()).unwrap_or(0);
        loop {
            self.text.clear();
            self.text.reserve(capacity);
            let (result, read) = self.decoder.decode_to_string_without_replacement(input, &mut self.text, last);
            input = &input[read..];
            self.offset += read as u64;
            self.advance();
            let DecoderResult::Malformed(len, after) = result else { return };
            let offset = self.offset - u64::from(after) - u64::from(len);
            let place = [self.line, self.column].map(|count| count as f64);
            numbers.extend([offset as f64, f64::from(len), place[0], place[1]]);
            self.column += 1;
        }
    }

    /// Counts the lines and columns of decoded text.
    fn advance(&mut self) {
        let lines = self.text.bytes().filter(|&byte| byte == b'\n').count();
        self.line += lines as u64;
        let end = self.text.rfind('\n').map(|at| at + 1);
        let column = self.text[end.unwrap_or(0)..].chars().count() as u64;
        self.column = column + if end.is_some() { 0 } else { self.column };
    }
}
