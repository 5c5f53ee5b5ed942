//! Tests that changes in place never lose text that another command would keep.

mod controls;
mod convert;
mod declared;
mod files;
mod later;
mod no_text;
mod repair;
mod wide;

use std::fs;
use std::path::Path;

const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n";

/// Returns Russian text in windows-1251.
fn windows_1251() -> Vec<u8> {
    let byte = |c: char| match u32::from(c) {
        code @ ..0x80 => code as u8,
        code @ 0x410..=0x44F => (code - 0x410 + 0xC0) as u8,
        _ => 0xB8,
    };
    RUSSIAN.repeat(4).chars().map(byte).collect()
}

/// `caf\xC3 \n`, compressed.
const GZIPPED: &[u8] = b"\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x4E\x4C\x3B\xAC\xC0\x05\0\xD0\xCF\x05\x63\x06\0\0\0";

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}

/// Files in other encodings, each with the encoding that keeps its text.
fn others() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let wide = "Plain text with a few näive words in it.\n".repeat(3);
    vec![
        ("legacy.txt", windows_1251(), "windows-1251"),
        ("marked.txt", [b"\xFF\xFE".to_vec(), utf16le(&wide)].concat(), "utf-16"),
        ("wide.txt", utf16le(&wide), "utf-16le"),
        ("wide32.txt", wide.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(), "utf-32be"),
        ("cesu.txt", b"text \xED\xA0\xBD\xED\xB8\x80 and more \xED\xA0\xBD\xED\xB8\x80\n".to_vec(), "cesu-8"),
    ]
}
