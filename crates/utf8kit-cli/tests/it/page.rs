//! Tests the report of `utf8 check --report`.

use std::fs;

use crate::common::{run_in, status, text};
use sha2::{Digest as _, Sha256};

/// Returns the page for a folder.
fn page(folder: &std::path::Path) -> String {
    let aside = tempfile::tempdir().unwrap();
    let path = aside.path().join("page.html");
    let output = run_in(folder, ["check".as_ref(), "--report".as_ref(), path.as_os_str(), ".".as_ref()]);
    assert!(status(&output) < 2 && !text(&output).is_empty(), "results are printed all the same");
    fs::read_to_string(path).unwrap()
}

/// Returns the part of `text` between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    text.split_once(from).unwrap().1.split_once(to).unwrap().0
}

/// Returns the `n`-th bit of some bytes, highest first. Bits after the end are zero.
fn bit(bytes: &[u8], n: usize) -> usize {
    bytes.get(n / 8).map_or(0, |byte| usize::from(byte >> (7 - n % 8) & 1))
}

#[test]
fn it_asks_for_nothing_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), b"<script>alert(1)</script>\xFF<img src=//x onerror=y>").unwrap();
    let page = page(folder.path());
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    let hash = Sha256::digest(between(&page, "<style>", "</style>"));
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |i: usize| alphabet[(0..6).fold(0, |bits, j| bits << 1 | bit(&hash, 6 * i + j))];
    let digits: Vec<u8> = (0..43).map(digit).collect();
    let allowed = between(policy, "style-src 'sha256-", "='");
    assert_eq!(allowed.as_bytes(), digits, "the style sheet is the one that is allowed");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"));
    for no in ["<script", "<img", "<link", "<iframe", "http://", "https://", "url(", "@import", " src=\"", " style=\""]
    {
        assert!(!page.contains(no), "{no}");
    }
}

#[cfg(unix)]
#[test]
fn names_become_no_tags() {
    let folder = tempfile::tempdir().unwrap();
    let name = "<svg onload=alert(1)>&\"'\u{202e}\n.txt";
    fs::write(folder.path().join(name), b"\xFF").unwrap();
    let page = page(folder.path());
    assert!(page.contains("&lt;svg onload=alert(1)&gt;&amp;&quot;&#39;\\u{202e}\\u{a}.txt"));
    assert!(!page.contains("<svg onload") && !page.contains('\u{202e}'));
}

#[test]
fn it_shows_what_was_found_and_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = vec![b'a'; 100_000];
    (0..10_000).for_each(|i| bytes[i * 5] = [0xFF, 0xC0, 0x80][i % 3]);
    fs::write(folder.path().join("many"), &bytes).unwrap();
    fs::write(folder.path().join("none"), "na\u{EF}ve").unwrap();
    let page = page(folder.path());
    assert!(page.contains("1 of 2 files invalid") && page.contains("<dd>10,000</dd>"));
    assert!(page.contains("invalid_byte</td><td class=\"number\">3,334</td>"));
    assert_eq!(page.matches("<section class=\"error\">").count(), 20);
    // The errors lie in the first half.
    let cells = between(&page, "class=\"heatmap\"", "</svg>");
    assert!(cells.contains("<rect x=\"63\"") && !cells.contains("<rect x=\"65\""), "{cells}");
    assert!(page.contains("<td class=\"mono\">61 61</td>"));
    assert!(page.len() < 200_000);
}

#[test]
fn nothing_wrong_is_a_page_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fine"), "fine").unwrap();
    let page = page(folder.path());
    assert!(page.contains("Every file is valid") && !page.contains("<section"));
    let output = run_in(folder.path(), ["check", "-q", "--report", "no/such/folder.html", "."]);
    assert_eq!(status(&output), 2);
}
