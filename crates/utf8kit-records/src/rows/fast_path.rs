//! Finds rows with many quotes, 64 bytes at a time.
//!
//! Bit masks mark the quotes, delimiters and line feeds. A byte is within a quoted field if the number of quotes up to
//! it is odd (simdjson, section 3.1.1 of "Parsing Gigabytes of JSON per Second", computes that with a carry-less
//! product; here, shifts do). This holds if each opening quote follows a delimiter, a line feed or a closing quote, and
//! each closing quote precedes one of these or an opening quote. Rows for which it does not hold are left to the
//! reference implementation, [`RowSyntax::next_row`].

use memchr::{memchr, memrchr, memrchr2};

use super::RowSyntax;

/// Number of bytes processed together.
const BYTES_PER_MASK: usize = 64;

/// Number of bytes in which short values are searched for together, unless values may be longer.
const BYTES_PER_SLAB: usize = 64 * 1024;

impl RowSyntax {
    /// Counts the rows from `start`, which must be the start of a row, that are certainly complete and correctly
    /// quoted. Returns their number and the end of the last one.
    pub(super) fn rows_by_masks(&self, bytes: &[u8], start: usize) -> (u64, usize) {
        let (Some(quote), Some(delimiter), Some((feed, carriage))) =
            (self.quote(), self.delimiter(), self.line_ends_of_bytes())
        else {
            return (0, start);
        };
        let (mut rows, mut end, mut at) = (0, start, start);
        // Whether the previous byte is within quotes, and whether a field may begin after it.
        let (mut within, mut before) = (0, 1);
        while let Some((block, rest)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<BYTES_PER_MASK>) {
            let Some(&next) = rest.first() else { break };
            let (quotes, feeds) = (mask(block, quote), mask(block, feed));
            let inside = running_parity(quotes) ^ within;
            let (opens, closes) = (quotes & inside, quotes & !inside);
            let signs = feeds | mask(block, delimiter);
            let behind = (signs | closes) << 1 | before;
            let next_is = |sign: u8| u64::from(next == sign) << (BYTES_PER_MASK - 1);
            let ahead = (signs | opens) >> 1 | next_is(delimiter) | next_is(feed) | next_is(quote);
            if opens & !behind != 0 {
                break;
            }
            let odd = closes & !ahead;
            if odd != 0 {
                // A carriage return before the line feed.
                let returns = (mask(block, carriage) & feeds >> 1) >> 1;
                if odd & !returns != 0 {
                    break;
                }
            }
            let ends = feeds & !inside;
            if ends != 0 {
                rows += u64::from(ends.count_ones());
                end = at + BYTES_PER_MASK - ends.leading_zeros() as usize;
            }
            within = 0_u64.wrapping_sub(inside >> (BYTES_PER_MASK - 1));
            before = (signs | closes) >> (BYTES_PER_MASK - 1);
            at += BYTES_PER_MASK;
        }
        (rows, end)
    }
}

impl RowSyntax {
    /// Returns how many bytes at the start of `rows` are whole rows in which certainly no value is longer than `most`
    /// bytes. It assumes that an unquoted value contains neither a delimiter nor a line feed.
    pub(crate) fn short_values(&self, rows: &[u8], most: usize) -> usize {
        let Some((feed, _)) = self.line_ends_of_bytes() else { return 0 };
        let slab = &rows[..rows.len().min(BYTES_PER_SLAB.max(most.saturating_mul(2)))];
        let end = self.quote().and_then(|quote| memchr(quote, slab)).unwrap_or(slab.len());
        let mut at = 0;
        let is_short = loop {
            let Some(reach) = slab[at..end].get(..=most) else { break end == rows.len() };
            let boundary = match self.delimiter() {
                Some(delimiter) => memrchr2(feed, delimiter, reach),
                None => memrchr(feed, reach),
            };
            match boundary {
                Some(boundary) => at += boundary + 1,
                None => break false,
            }
        };
        if is_short {
            return rows.len();
        }
        let behind = if slab.len() - at <= most { end } else { at };
        memrchr(feed, &slab[..behind]).map_or(0, |feed| feed + 1)
    }
}

impl RowSyntax {
    /// Reports whether each of some whole rows certainly has that many fields.
    pub(super) fn row_counts_by_masks(&self, rows: &[u8], wanted: u64) -> bool {
        let (Some(delimiter), Some((feed, _))) = (self.delimiter(), self.line_ends_of_bytes()) else {
            return false;
        };
        let end = match self.quote() {
            Some(_) => self.rows_by_masks(rows, 0).1,
            None => memrchr(feed, rows).map_or(0, |feed| feed + 1),
        };
        let (mut fields, mut within) = (1, 0);
        let (blocks, tail) = rows[..end].as_chunks::<BYTES_PER_MASK>();
        let mut last = [b' '; BYTES_PER_MASK];
        last[..tail.len()].copy_from_slice(tail);
        for block in blocks.iter().chain([&last]) {
            let inside = match self.quote() {
                Some(quote) => running_parity(mask(block, quote)) ^ within,
                None => 0,
            };
            within = 0_u64.wrapping_sub(inside >> (BYTES_PER_MASK - 1));
            let (mut delimiters, mut ends) = (mask(block, delimiter) & !inside, mask(block, feed) & !inside);
            while ends != 0 {
                let before = ends ^ (ends - 1);
                fields += u64::from((delimiters & before).count_ones());
                if fields != wanted {
                    return false;
                }
                (fields, delimiters, ends) = (1, delimiters & !before, ends & (ends - 1));
            }
            fields += u64::from(delimiters.count_ones());
        }
        self.rows(&rows[end..]).all(|row| self.count_fields(&rows[end..][row.range], false) == wanted)
    }
}

/// Counts the lines at the start of a JSON text that certainly end outside of strings. Returns their number and the end
/// of the last one.
pub(crate) fn json_lines_by_masks(text: &[u8]) -> (u64, usize) {
    let (mut lines, mut end, mut within) = (0, 0, 0);
    for (index, block) in text.as_chunks::<BYTES_PER_MASK>().0.iter().enumerate() {
        let inside = running_parity(mask(block, b'"')) ^ within;
        let feeds = mask(block, b'\n');
        if feeds & inside != 0 || mask(block, b'\\') != 0 {
            break;
        }
        if feeds != 0 {
            lines += u64::from(feeds.count_ones());
            end = (index + 1) * BYTES_PER_MASK - feeds.leading_zeros() as usize;
        }
        within = 0_u64.wrapping_sub(inside >> (BYTES_PER_MASK - 1));
    }
    (lines, end)
}

/// Returns a bit for each byte equal to `byte`, the first byte in the lowest bit.
fn mask(block: &[u8; BYTES_PER_MASK], byte: u8) -> u64 {
    let equal = block.map(|other| if other == byte { 0xFF } else { 0 });
    let (words, _) = equal.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        // One bit of each byte, gathered in the highest byte.
        let bits = u64::from_le_bytes(*word) & 0x8040_2010_0804_0201;
        mask << 8 | bits.wrapping_mul(0x0101_0101_0101_0101) >> 56
    })
}

/// Computes for each bit whether the number of bits up to it is odd.
fn running_parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_json_end_outside_of_strings() {
        let line = b"{\"a\": \"b\"}\n";
        let text = line.repeat(20);
        assert_eq!(json_lines_by_masks(&text), (17, 187));
        let broken = [&text[..], b"\"\n\"", &text].concat();
        assert_eq!(json_lines_by_masks(&broken), (17, 187));
        assert_eq!(json_lines_by_masks(&[b"\"\\\"\"\n", &text[..]].concat()), (0, 0));
    }

    #[test]
    fn masks_and_parities() {
        let mut block = [b'x'; BYTES_PER_MASK];
        (block[0], block[9], block[63]) = (b'"', b'"', b'"');
        assert_eq!(mask(&block, b'"'), 1 | 1 << 9 | 1 << 63);
        assert_eq!(running_parity(0b1000_1010), (u64::MAX << 7) | 0b0110);
    }
}
