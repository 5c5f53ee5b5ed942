//! The contents of samples/.

use std::ffi::CStr;

/// A log written by several programs, with one kind of error each. (C string literals can mix text and `\x` bytes.)
pub(crate) const BROKEN: &[&CStr] = &[
    c"time,program,language,message",
    c"2026-03-02T08:00:00Z,web,English,The café is open – a coffee is 3 € ☕",
    c"2026-03-02T08:04:10Z,web,Polish,Zażółć gęślą jaźń",
    c"2026-03-02T08:05:21Z,web,Greek,Καλημέρα κόσμε",
    // Written as Latin-1.
    c"2026-03-02T08:11:37Z,old-billing,German,Gr\xFC\xDFe aus K\xF6ln",
    c"2026-03-02T08:12:02Z,billing,German,Grüße aus Köln",
    // Truncated to a column of 32 bytes, within a character.
    c"2026-03-02T08:15:45Z,database,Japanese,文字が途中で切れてし\xE3\x81",
    c"2026-03-02T08:15:46Z,database,Korean,안녕하세요 세계",
    // The rest of a packet whose first half was lost.
    c"2026-03-02T08:20:09Z,network,Russian,\x9Fривет, мир",
    // U+1F600 as two surrogates in three bytes each: CESU-8.
    c"2026-03-02T08:31:50Z,java-export,English,Thank you \xED\xA0\xBD\xED\xB8\x80",
    // A string truncated between the two halves of a pair.
    c"2026-03-02T08:32:14Z,script,English,Thank you \xED\xA0\xBD...",
    // A slash and a NUL, each in two bytes.
    c"2026-03-02T08:40:00Z,firewall,,GET /..\xC0\xAF..\xC0\xAFetc/passwd",
    c"2026-03-02T08:40:01Z,java-export,,field\xC0\x80separator",
    // Above U+10FFFF: a flipped bit, and a lead byte of the 31-bit form.
    c"2026-03-02T08:52:33Z,sensor,Hindi,नमस्ते दुनिया \xF4\x90\x80\x80",
    c"2026-03-02T08:52:34Z,sensor,Arabic,مرحبا بالعالم \xF5\x80\x80\x80",
    // Bytes that occur in no UTF-8 text: empty flash memory, a UTF-16 mark.
    c"2026-03-02T09:00:00Z,sensor,,\xFF\xFF\xFF\xFF",
    c"2026-03-02T09:00:01Z,windows,,\xFF\xFEOK",
    c"2026-03-02T09:10:27Z,web,English,All good again 👍🏽 👨‍👩‍👧",
];
