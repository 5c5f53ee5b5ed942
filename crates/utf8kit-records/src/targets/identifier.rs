//! Identifiers (UAX #31), and identifiers that can be mistaken for others (UTS #39).

use unicode_ident::{is_xid_continue, is_xid_start};
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::confusable_detection::skeleton;
use unicode_security::{GeneralSecurityProfile as _, RestrictionLevel, RestrictionLevelDetection as _};

use super::line::{self, Written};
use super::{hidden_text, value};
use crate::rows::RowSyntax;
use crate::violation::{Violation, ViolationKind};

/// Reports whether some rows certainly contain only identifiers, one per line.
pub(super) fn passes(rows: &[u8]) -> bool {
    let is_plain = |name: &[u8]| {
        !name.first().is_some_and(u8::is_ascii_digit)
            && name.iter().all(|&byte| byte == b'_' || byte.is_ascii_alphanumeric())
    };
    rows.split(|&byte| byte == b'\n').all(is_plain)
}

/// Returns why the values of a row are not identifiers, or not safe ones, in order. Empty values are ignored.
pub(super) fn find(syntax: &RowSyntax, row: &[u8], first: bool) -> Vec<Violation> {
    let lines = line::lines(syntax, row, first, Written::Text);
    let spans: Vec<_> = lines.flat_map(|line| hidden_text::find(&line).collect::<Vec<_>>()).collect();
    let (mut found, mut ahead) = (Vec::new(), &spans[..]);
    for value in value::of(syntax, row) {
        let characters: Vec<_> =
            value.characters(row).filter_map(|(range, character)| Some((range, character?))).collect();
        let mut is_identifier = true;
        for (index, (range, character)) in characters.iter().enumerate() {
            while ahead.first().is_some_and(|one| one.offset + one.len <= range.start) {
                ahead = &ahead[1..];
            }
            if ahead.first().is_some_and(|one| one.offset <= range.start) {
                is_identifier = false;
            } else if !is_allowed(*character, index == 0) {
                found.push(Violation::new(range.start, range.len(), ViolationKind::NotIdentifier));
                is_identifier = false;
            }
        }
        let name: String = characters.iter().map(|(_, character)| character).collect();
        if is_identifier && !name.is_ascii() {
            let kind = |kind| Violation::new(value.range.start, value.range.len(), kind);
            if let Some(other) = looks_like(&name) {
                found.push(Violation { text: Some(other), ..kind(ViolationKind::LookAlike) });
            } else if !name.check_restriction_level(RestrictionLevel::HighlyRestrictive) {
                found.push(kind(ViolationKind::MixedScripts));
            }
        }
    }
    found.extend(spans);
    found.sort_by_key(|violation| violation.offset);
    found
}

/// Reports whether an identifier may have a character (UAX31-R1, with `_`) and does in practice (UTS #39, 3.1).
fn is_allowed(character: char, first: bool) -> bool {
    let fits = if first { is_xid_start(character) || character == '_' } else { is_xid_continue(character) };
    fits && character.identifier_allowed()
}

/// Returns the ASCII name that readers mistake a name for, if letters of other scripts make it look like that (UTS #39,
/// 4).
pub(super) fn looks_like(name: &str) -> Option<String> {
    let seen = |character: char| {
        let own = character.is_ascii() || character.script() == Script::Latin;
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        if own { text.to_owned() } else { skeleton(text).collect() }
    };
    let other: String = name.chars().map(seen).collect();
    (other.is_ascii() && other != name).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::tests::described;

    fn found(line: &str) -> Vec<(&str, String)> {
        described("identifiers", line)
    }

    #[test]
    fn names_that_look_like_others_are_found() {
        // The first is from CVE-2021-42694; the others are in one script, or in a third.
        for (name, other) in [
            ("say\u{41D}ello", "sayHello"),
            ("p\u{430}yp\u{430}l", "paypal"),
            ("\u{430}\u{440}\u{440}\u{435}", "appe"),
            ("\u{391}\u{392}\u{395}", "ABE"),
            ("sc\u{3BF}pe", "scope"),
        ] {
            assert_eq!(found(name), [(name, format!("looks like {other:?}"))]);
        }
    }

    #[test]
    fn what_is_no_identifier_is_found() {
        let not = ViolationKind::NotIdentifier.about();
        assert_eq!(found("1a b-c"), [("1", not), (" ", not), ("-", not)].map(|(span, not)| (span, not.to_owned())));
        assert_eq!(found("a\u{2028}b")[0].0, "\u{2028}");
        // In identifiers of historic scripts and symbols, UTS #39 advises against.
        assert_eq!(found("\u{1D400}bc")[0].0, "\u{1D400}");
        let mixed = ViolationKind::MixedScripts.about();
        assert_eq!(found("\u{434}\u{43E}\u{43C}_\u{3B4}\u{3BB}")[0].1, mixed);
        assert_eq!(found("\u{436}a\u{436}")[0].1, mixed);
        assert_eq!(found("user\u{202E}")[0].0, "\u{202E}");
        assert_eq!(found("pass\u{200D}word"), [("\u{200D}", ViolationKind::Invisible.about().to_owned())]);
    }

    #[test]
    fn names_of_one_script_pass() {
        for name in [
            "snake_case1",
            "_",
            "",
            "gr\u{F6}\u{DF}e",
            "s\u{131}ra",
            "\u{43F}\u{435}\u{440}\u{435}\u{43C}\u{435}\u{43D}\u{43D}\u{430}\u{44F}",
            "\u{3B4}\u{3AD}\u{3BB}\u{3C4}\u{3B1}",
            "\u{65E5}\u{672C}\u{8A9E}\u{304B}\u{30AB}_x1",
            "\u{D55C}\u{AD6D}\u{C5B4}\u{6F22}",
            "\u{639}\u{631}\u{628}\u{64A}",
            "\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}",
            "\u{5E2}\u{5D1}\u{5E8}\u{5D9}\u{5EA}",
            "\u{E44}\u{E17}\u{E22}",
        ] {
            assert_eq!(found(name), [], "{name:?}");
        }
    }
}
