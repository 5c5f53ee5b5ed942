//! Computes tables from the rows at compile time: the leads and the nibble tables of the kernels.

use super::row::{Row, length_class};

/// No byte up to this one begins a sequence of several bytes, in any dialect.
pub(super) const BEFORE_LEADS: usize = 0xBF;

/// The sequences that a byte from C0 begins: their length (0 if there are none), and the range of their second byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) len: u8,
    /// Whether [`Lead::second`], and 80..BF for later bytes, are the only conditions (otherwise check the rows).
    pub(crate) simple: bool,
    pub(crate) second: (u8, u8),
}

/// Nibble tables for the vector kernels, after Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per
/// Byte" (2020), section 6: a pair of bytes is suspect where all three tables share a bit. Aligned, so that no load of
/// a table crosses a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct Lookup {
    pub(crate) byte_1_high: [u8; 16],
    pub(crate) byte_1_low: [u8; 16],
    pub(crate) byte_2_high: [u8; 16],
    /// Subtracting this leaves exactly the leads of three or more bytes above 7F. Not a constant, because every
    /// function would hold its own copy of a constant vector of 64 bytes.
    pub(crate) third: [u8; 16],
    /// [`Lookup::third`] for four bytes.
    pub(crate) fourth: [u8; 16],
    /// C0, which is above every continuation.
    pub(crate) lead: [u8; 16],
    /// Subtracting this leaves leads above 7F, and no continuations.
    pub(crate) from_lead: [u8; 16],
    /// The first of the leads up to DF that all begin two-byte sequences with any continuation (C2 in UTF-8), less
    /// [`Lookup::from_lead`]. After the saturating subtraction of it, exactly the invalid leads below it compare less
    /// (signed) than this.
    pub(crate) two: [u8; 16],
    /// Subtracting this maps the leads E0 to EE to 1 to 15, EF to 16, and all smaller bytes to 0.
    pub(crate) before_three: [u8; 16],
    /// Indexed by the low four bits of that number: the difference between the first byte that may follow and 80.
    pub(crate) second_first: [u8; 16],
    /// Indexed likewise: the first byte that may no longer follow, less that difference. 80 if none may follow, or if
    /// more than the lead matters.
    pub(crate) second_end: [u8; 16],
}

/// The leads: first one entry for the bytes up to BF, which begin no sequence of several bytes, then one for each byte
/// from C0.
pub(super) type Leads = [Lead; 0x100 - BEFORE_LEADS];

/// Computes the leads.
pub(super) const fn leads(rows: &[Row]) -> Leads {
    let mut all = [Lead { len: 0, simple: false, second: (1, 0) }; 0x100 - BEFORE_LEADS];
    let mut r = 0;
    while r < rows.len() {
        let row = &rows[r];
        let (low, high) = row.ranges[0];
        assert!(if row.len == 1 { high < 0x80 } else { low >= 0xC0 }, "a lead is ASCII or C0 to FF");
        let mut i = low as usize;
        while row.len > 1 && i <= high as usize {
            let lead = &mut all[i - BEFORE_LEADS];
            *lead = if lead.len == 0 {
                Lead { len: row.len, simple: rest_is_plain(row), second: row.ranges[1] }
            } else {
                Lead { simple: false, ..*lead } // a second row with this lead
            };
            i += 1;
        }
        r += 1;
    }
    all
}

/// Reports whether the third byte of the sequences, and those after it, may be any continuations.
const fn rest_is_plain(row: &Row) -> bool {
    let mut plain = true;
    let mut i = 2;
    while i < row.len as usize {
        plain &= row.ranges[i].0 == 0x80 && row.ranges[i].1 == 0xBF;
        i += 1;
    }
    plain
}

/// An ASCII byte where a continuation was expected, or the other way round.
const TOO_SHORT: u8 = 1 << 0; // 11______ 0_______ or 11______ 11______
const TOO_LONG: u8 = 1 << 1; //  0_______ 10______
/// Two continuations, which are valid only after a lead of three or four bytes. The kernel checks that by arithmetic.
const TWO_CONTINUATIONS: u8 = 1 << 7; // 10______ 10______
// Bits 2..=6 are for sequences that the dialect's rows reject: one for each pair of a high nibble of the first byte and
// a set of its low nibbles that is rejected before the same high nibbles of the second byte.

/// Derives the nibble tables. They are exact if the grammar's limits are between nibbles (those of RFC 3629 are). If a
/// nibble is rejected only in part, all of it is suspect, and the reference implementation decides.
pub(super) const fn lookup(rows: &[Row], leads: &Leads, pairs_matter: bool) -> Lookup {
    let mut table = Lookup {
        byte_1_high: [0; 16],
        byte_1_low: [0; 16],
        byte_2_high: [0; 16],
        third: [0xE0 - 0x80; 16],
        fourth: [0xF0 - 0x80; 16],
        lead: [0xC0; 16],
        from_lead: [0xC0 - 0x80; 16],
        two: [first_of_two(leads) - (0xC0 - 0x80); 16],
        before_three: [0xE0 - 1; 16],
        second_first: [0; 16],
        second_end: [0xC0; 16],
    };
    let (mut n, mut lead) = (1, 0xE0);
    while n < 16 {
        let (first, end) = second_of_three(leads[lead - BEFORE_LEADS], pairs_matter && lead == 0xED);
        table.second_first[n] = first - 0x80;
        table.second_end[n] = 0x80 + (end - first);
        (n, lead) = (n + 1, lead + 1);
    }
    // EF shares its entry with all bytes that begin no three-byte sequence. If EF begins none either, bytes from E0 are
    // left to the other tables, which reject them whatever follows.
    if !matches!(second_of_three(leads[0xEF - BEFORE_LEADS], false), (0x80, 0xC0)) {
        table.fourth = [0xE0 - 0x80; 16];
    }
    let mut n = 0;
    while n < 16 {
        table.byte_1_high[n] = match n {
            0..=7 => TOO_LONG,
            8..=11 => TWO_CONTINUATIONS,
            _ => TOO_SHORT,
        };
        table.byte_1_low[n] = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;
        table.byte_2_high[n] = match n {
            8..=11 => TOO_LONG | TWO_CONTINUATIONS,
            _ => TOO_SHORT,
        };
        n += 1;
    }
    let allowed = allowed_after(rows, pairs_matter);
    let mut bit = 2;
    let mut high_1 = 0xC;
    while high_1 <= 0xF {
        let seen = refused(&allowed, high_1);
        let mut a = 0;
        while a < 4 {
            let mut first = seen[a] != 0;
            let mut b = 0;
            while b < a {
                first &= seen[b] != seen[a];
                b += 1;
            }
            if first {
                assert!(bit < 7, "a grammar needs more than five refusals");
                table.byte_1_high[high_1] |= 1 << bit;
                let mut n = 0;
                while n < 16 {
                    if seen[a] >> n & 1 == 1 {
                        table.byte_1_low[n] |= 1 << bit;
                    }
                    n += 1;
                }
                let mut b = a;
                while b < 4 {
                    if seen[b] == seen[a] {
                        table.byte_2_high[8 + b] |= 1 << bit;
                    }
                    b += 1;
                }
                bit += 1;
            }
            a += 1;
        }
        high_1 += 1;
    }
    table
}

/// Returns the first of the leads up to DF that all begin two-byte sequences with any continuation; E0 if there are
/// none.
const fn first_of_two(leads: &Leads) -> u8 {
    let mut first = 0xE0;
    while first > 0xC0 {
        let Lead { len, simple, second } = leads[first - 1 - BEFORE_LEADS];
        if len != 2 || !simple || second.0 != 0x80 || second.1 != 0xBF {
            break;
        }
        first -= 1;
    }
    first as u8
}

/// Returns the start and the end of the continuations that may follow the lead of a three-byte sequence. The range is
/// empty for other leads, or if there are other conditions. Surrogates are left out if `no_surrogates`.
const fn second_of_three(lead: Lead, no_surrogates: bool) -> (u8, u8) {
    let Lead { len, simple, second: (first, last) } = lead;
    if len != 3 || !simple {
        return (0x80, 0x80);
    }
    (first, if no_surrogates && last > 0x9F { 0xA0 } else { last + 1 })
}

/// For each lead from C0, one byte per high nibble 8 to B of the second byte: how many of its 16 second bytes are
/// allowed with nothing but continuations required after them.
type Allowed = [u32; 64];

/// All 16 second bytes are allowed for each nibble.
const ALL_SECONDS: u32 = 0x1010_1010;

/// Counts the second bytes that are allowed after each lead of at most four bytes.
const fn allowed_after(rows: &[Row], pairs_matter: bool) -> Allowed {
    let mut allowed = [0; 64];
    let mut r = 0;
    while r < rows.len() {
        let row = &rows[r];
        if 1 < row.len && row.len <= 4 && rest_is_plain(row) {
            let (low, high) = row.ranges[1];
            let (mut counts, mut nibble) = (0, 0);
            while nibble < 4 {
                let start = 0x80 + 16 * nibble as u8;
                let first = if low > start { low } else { start };
                let last = if high < start + 15 { high } else { start + 15 };
                counts |= ((last + 1).saturating_sub(first) as u32) << (8 * nibble);
                nibble += 1;
            }
            let mut lead = row.ranges[0].0 as usize;
            while lead <= row.ranges[0].1 as usize {
                allowed[lead - 0xC0] += counts;
                lead += 1;
            }
        }
        r += 1;
    }
    if pairs_matter {
        // Remove the second bytes of surrogates, A0 and above.
        allowed[0xED - 0xC0] &= 0xFFFF;
    }
    allowed
}

/// Returns the low nibbles that are rejected in leads with this high nibble, indexed by (high nibble of the second
/// byte) - 8.
const fn refused(allowed: &Allowed, high: usize) -> [u16; 4] {
    let mut refused = [0u16; 4];
    let mut low = 0;
    while low < 16 {
        let missing = allowed[(high << 4 | low) - 0xC0] ^ ALL_SECONDS;
        let mut second = 0;
        while missing != 0 && second < 4 {
            if missing >> (8 * second) & 0xFF != 0 {
                refused[second] |= 1 << low;
            }
            second += 1;
        }
        low += 1;
    }
    refused
}

/// Reports whether the tables are exact: all of ASCII is allowed, and if the first of two bytes is neither ASCII nor a
/// continuation, the tables reject them exactly if they begin no sequence. Every lead's marker must also give the
/// length of its sequences, at most four, and their later bytes may be any continuations.
pub(super) const fn exact(rows: &[Row], leads: &Leads, table: &Lookup) -> bool {
    let mut exact = rows[0].len == 1 && rows[0].ranges[0].0 == 0 && rows[0].ranges[0].1 == 0x7F;
    let mut a = 0xC0;
    while a <= 0xFF {
        let lead = &leads[a - BEFORE_LEADS];
        let len = lead.len as usize;
        exact &= len == 0 || (lead.simple && len == length_class(a as u8) && len <= 4);
        let (low, high) = (lead.second.0 as usize, lead.second.1 as usize);
        // Other second bytes are not continuations, and are rejected after any lead.
        let mut nibble = 0x8;
        while nibble <= 0xB {
            let (first, last) = (nibble << 4, nibble << 4 | 15);
            let refused = table.byte_1_high[a >> 4] & table.byte_1_low[a & 15] & table.byte_2_high[nibble] != 0;
            exact &=
                if refused { len == 0 || last < low || high < first } else { len > 0 && low <= first && last <= high };
            nibble += 1;
        }
        a += 1;
    }
    exact
}
