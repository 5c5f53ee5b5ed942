//! Tests that `Hold` returns whole extended grapheme clusters, and nothing else, wherever pieces are cut.
#![cfg(feature = "hold")]

use unicode_segmentation::UnicodeSegmentation as _;
use utf8kit::{Hold, settled};
use utf8kit_testing::Random;

/// Characters that combine and characters that do not, in all classes of UAX #29.
const PARTS: [&str; 24] = [
    "a", " ", "\n", "\r", "\t", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F469}", "\u{1F3FD}", "\u{1F1E6}", "\u{1100}",
    "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{903}", "\u{915}", "\u{94D}", "\u{600}", "\u{E0067}",
    "\u{200B}", "\u{20E3}", "\u{FFFD}",
];

#[test]
fn every_cut_is_a_boundary_of_the_whole() {
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let pieces: Vec<String> = (0..random.below(8))
            .map(|_| (0..random.below(4)).map(|_| PARTS[random.below(PARTS.len())]).collect())
            .collect();
        let whole = pieces.concat();
        let mut boundaries: Vec<usize> = whole.grapheme_indices(true).map(|(at, _)| at).collect();
        boundaries.push(whole.len());
        let (mut hold, mut text) = (Hold::default(), String::new());
        for piece in &pieces {
            text += &hold.push(piece);
            assert!(boundaries.contains(&text.len()), "{pieces:?} at {}", text.len());
            assert!(hold.held().graphemes(true).count() <= 1, "{pieces:?} holds {:?}", hold.held());
        }
        text += &hold.finish();
        assert_eq!(text, whole);
    }
}

#[test]
fn no_more_than_the_bound_is_held() {
    let mut hold = Hold::default();
    let mut text = hold.push("a");
    for _ in 0..1000 {
        text += &hold.push("\u{301}");
        assert!(hold.held().len() <= Hold::MAX);
    }
    text += &hold.finish();
    assert_eq!(text, format!("a{}", "\u{301}".repeat(1000)));
}

#[test]
fn nothing_else_is_held_than_what_text_may_join() {
    for c in (0..=0x10FFFF).filter_map(char::from_u32) {
        let joined = ["\u{300}", "\u{200D}", "\u{903}", "\n", "\u{1161}", "\u{1F1E6}", "\u{94D}"]
            .iter()
            .any(|next| format!("{c}{next}").graphemes(true).count() == 1);
        assert_eq!(settled(c.encode_utf8(&mut [0; 4])) == 0, joined, "{c:?}");
    }
}
