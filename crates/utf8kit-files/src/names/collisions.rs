//! Names in a folder that would collide, or that collide if case or normal forms are ignored.

use std::collections::{HashMap, HashSet};

use utf8kit_encodings::convert::NormalForm;

use super::check::{CheckedName, UnrenamedName, UnrenamedReason, normalized, quoted};
use super::problem::{NameProblem, NameProblemKind};

/// The most names to try for a free one.
const MAX_NAMES_TRIED: usize = 10_000;

/// A name in a folder, and its problems.
pub(super) struct Slot<'j> {
    pub(super) name: &'j [u8],
    pub(super) checked: &'j mut CheckedName,
}

/// Finds the names of one folder that would become equal, and numbers them in order if `numbered`. `is_taken` reports
/// names that exist but are not among them. Then finds names that are equal if case or normal forms are ignored.
pub(super) fn collide(slots: &mut [Slot<'_>], numbered: bool, mut is_taken: impl FnMut(&str) -> bool) {
    let present: HashSet<Vec<u8>> = slots.iter().map(|slot| slot.name.to_vec()).collect();
    let mut wanted = HashMap::<String, usize>::new();
    for slot in slots.iter() {
        if let Some(becomes) = &slot.checked.becomes {
            *wanted.entry(becomes.clone()).or_default() += 1;
        }
    }
    let mut given = HashSet::<String>::new();
    for slot in slots.iter_mut() {
        let Some(becomes) = slot.checked.becomes.take() else { continue };
        let is_free = |name: &str, given: &HashSet<String>, is_taken: &mut dyn FnMut(&str) -> bool| {
            !present.contains(name.as_bytes()) && !given.contains(name) && !is_taken(name)
        };
        let alone = wanted.get(&becomes).is_none_or(|&count| count == 1);
        let free = is_free(&becomes, &given, &mut is_taken);
        if free && (alone || numbered) {
            given.insert(becomes.clone());
            slot.checked.becomes = Some(becomes);
            continue;
        }
        let what = match free {
            true => format!("another name would also become {}", quoted(&becomes)),
            false => format!("the name {} already exists", quoted(&becomes)),
        };
        slot.checked.problems.push(problem(slot.name, NameProblemKind::Collision, what.clone()));
        let is_fit = |name: &String| !wanted.contains_key(name) && name.len() <= 255;
        let number = || (2..MAX_NAMES_TRIED).map(|number| with_number(&becomes, number));
        match numbered.then(|| number().find(|name| is_fit(name) && is_free(name, &given, &mut is_taken))).flatten() {
            Some(name) => {
                given.insert(name.clone());
                slot.checked.becomes = Some(name);
            }
            None => {
                let reason = UnrenamedReason::Unusable(what);
                slot.checked.held = Some(UnrenamedName { would_be: Some(becomes), reason });
            }
        }
    }
    without_case(slots);
}

/// Finds names that are equal if case and normal forms are ignored.
fn without_case(slots: &mut [Slot<'_>]) {
    let name = |slot: &Slot<'_>| match &slot.checked.becomes {
        Some(becomes) => Some(becomes.clone()),
        None => String::from_utf8(slot.name.to_vec()).ok(),
    };
    let mut first = HashMap::<String, String>::new();
    for slot in slots {
        let Some(name) = name(slot) else { continue };
        match first.get(&folded(&name)) {
            Some(other) => {
                let what = format!("the same name as {} if {}", quoted(other), difference(&name, other));
                slot.checked.problems.push(problem(slot.name, NameProblemKind::CaseCollision, what));
            }
            None => {
                first.insert(folded(&name), name);
            }
        }
    }
}

/// Describes which difference between two names must be ignored to make them equal.
fn difference(name: &str, other: &str) -> &'static str {
    let nfc = |name| normalized(name, NormalForm::Nfc);
    match () {
        () if nfc(name) == nfc(other) => "normal forms are ignored",
        () if lower_case(name) == lower_case(other) => "case is ignored",
        () => "case and normal forms are ignored",
    }
}

fn problem(name: &[u8], kind: NameProblemKind, what: String) -> NameProblem {
    NameProblem { offset: 0, len: name.len(), kind, what }
}

/// Returns a name without the differences in case and normal form that file systems ignore.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    lower_case(&normalized(text, NormalForm::Nfc))
}

/// Returns a name in lower case, by simple mappings only, as in NTFS.
fn lower_case(text: &str) -> String {
    let simple = |c: char| {
        let mut upper = c.to_uppercase();
        let upper = if upper.len() == 1 { upper.next().unwrap_or(c) } else { c };
        let mut lower = upper.to_lowercase();
        if lower.len() == 1 { lower.next().unwrap_or(upper) } else { upper }
    };
    text.chars().map(simple).collect()
}

/// Returns a name with a number before its extension: `a (2).txt`.
fn with_number(name: &str, number: usize) -> String {
    let start = name.rfind('/').map_or(0, |slash| slash + 1);
    let dot = name
        .rfind('.')
        .filter(|&dot| dot > start && !name.ends_with('/'))
        .unwrap_or_else(|| name.trim_end_matches('/').len());
    let (stem, extension) = name.split_at(dot);
    format!("{stem} ({number}){extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_extension() {
        for (name, want) in [("a.txt", "a (2).txt"), (".a", ".a (2)"), ("a", "a (2)"), ("x.y/b/", "x.y/b (2)/")] {
            assert_eq!(with_number(name, 2), want);
        }
    }

    #[test]
    fn case_is_folded_one_to_one() {
        assert_eq!(folded("Stra\u{DF}e \u{C9}"), folded("sTRA\u{DF}E e\u{301}"));
        assert_ne!(folded("Stra\u{DF}e"), folded("strasse"));
    }
}
