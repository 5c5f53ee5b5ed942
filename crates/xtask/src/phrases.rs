//! Tests that comments and documents are free of phrases that read as translated: `phrases.txt` lists them, each with a
//! replacement. Extend the list with each review.

use crate::lines::visit;
use crate::root;

const LIST: &str = include_str!("phrases.txt");

/// The kinds of files that people read.
const READ: &[&str] = &["rs", "md"];

/// Folders with build output or data, and the list itself.
const SKIPPED: &[&str] =
    &["target", "node_modules", "vectors", "dist", "test-results", "record", "phrases.rs", "samples"];

#[test]
fn no_phrase_of_the_list_is_used() {
    let phrases: Vec<(&str, &str)> = LIST
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(" | ").expect("a phrase and its replacement"))
        .collect();
    let mut found = Vec::new();
    visit(root(), READ, SKIPPED, &mut |path, text| {
        let is_read = |line: &str| path.extension().is_some_and(|kind| kind == "md") || is_comment(line);
        let (words, lines) = words(text, is_read);
        for (phrase, instead) in &phrases {
            // A comma stands for any punctuation, which is an empty word.
            let phrase: Vec<String> = phrase.split(' ').map(|word| word.trim_matches(',').to_lowercase()).collect();
            let matches = words.windows(phrase.len()).enumerate().filter(|(_, words)| *words == phrase);
            found.extend(
                matches.map(|(word, _)| {
                    format!("{}:{}: \"{}\": {instead}", path.display(), lines[word], phrase.join(" "))
                }),
            );
        }
    });
    assert!(found.is_empty(), "{} phrases to reword:\n{}", found.len(), found.join("\n"));
}

/// Reports whether a line of Rust is a comment without quoted text.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//") && !line.contains('"')
}

/// Returns the words of a text that people read, in lowercase, each with its line number. Comment markers are not
/// words, so that a phrase is found across lines.
fn words(text: &str, is_read: impl Fn(&str) -> bool) -> (Vec<String>, Vec<usize>) {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '\'');
    let mut words = Vec::new();
    let mut numbers = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_read(line)) {
        for part in line.split_whitespace() {
            let trimmed = part.trim_matches(|character| !is_word(character));
            // A full stop, a comma or a colon ends a phrase.
            if !trimmed.is_empty() {
                words.push(trimmed.to_lowercase());
                numbers.push(index + 1);
            }
            if part.ends_with(['.', ',', ':', ';', '(', ')']) {
                words.push(String::new());
                numbers.push(index + 1);
            }
        }
    }
    (words, numbers)
}

#[test]
fn phrases_are_found_across_lines() {
    let (words, lines) = words("/// It is written\n/// anew. In\nlet anew = 1;\n// turns, and\n", is_comment);
    assert_eq!(words.join(" "), "it is written anew  in turns  and");
    assert_eq!(lines, [1, 1, 1, 2, 2, 2, 4, 4, 4]);
}
