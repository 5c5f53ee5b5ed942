//! Edits that a person makes to the lines of a file.

use crate::tests::versions::cases::Line;
use crate::tests::versions::corpus::Language;
use utf8kit_testing::Random;

/// Edits the lines of a file, and returns the kind of edit.
pub(super) fn edit(random: &mut Random, lines: &mut Vec<Line>, language: &Language, is_hard: bool) -> &'static str {
    let at = random.below(lines.len());
    let encoding = lines[at].encoding;
    let line = |text: String| Line { text, encoding, is_later: false };
    let other = random.below(lines.len());
    match random.below(if is_hard { 18 } else { 10 }) {
        0 => "no edit",
        1 => {
            lines.insert(at, line("an added line".to_owned()));
            "line added"
        }
        2 => {
            lines.insert(at, line(language.telling_line(random, false)));
            "line of the language added"
        }
        3 if lines.len() > 2 => {
            lines.remove(at);
            "line removed"
        }
        4 => {
            lines[at].text.push_str(" more words");
            "line extended"
        }
        5 => {
            lines[at].text = lines[at].text.replacen(' ', " new ", 1);
            "word added"
        }
        6 => in_words(random, &mut lines[at].text, |words, word| {
            words.remove(word);
            "word removed"
        }),
        7 => in_words(random, &mut lines[at].text, |words, word| {
            words[word] = "changed".to_owned();
            "word replaced"
        }),
        8 => {
            lines[at].text.insert(0, '#');
            lines[other].text.push(';');
            "two lines changed"
        }
        9 | 10 => {
            let moved = lines.remove(at);
            lines.insert(random.below(lines.len() + 1), moved);
            "line moved"
        }
        11 => {
            let copy = lines[at].clone();
            lines.insert(other, copy);
            "line copied"
        }
        12 => {
            let mut moved = lines.remove(at);
            moved.text.push_str(" // moved");
            lines.insert(random.below(lines.len() + 1), moved);
            "line moved and extended"
        }
        13 => in_words(random, &mut lines[at].text, |words, word| {
            let word = words.remove(word);
            words.push(word);
            "word moved"
        }),
        14 => {
            let new = language.word(random);
            in_words(random, &mut lines[at].text, |words, word| {
                words[word] = new.to_owned();
                "word of the language"
            })
        }
        15 if lines.len() > at + 1 => {
            let next = lines.remove(at + 1);
            if next.encoding == encoding {
                lines[at].text.push(' ');
                lines[at].text.push_str(&next.text);
            }
            "lines joined"
        }
        16 => {
            let text = lines[at].text.clone();
            if let Some((one, next)) = text.split_once(' ') {
                lines[at].text = one.to_owned();
                lines.insert(at + 1, line(next.to_owned()));
            }
            "line split"
        }
        17 => {
            let letters: Vec<char> = lines[at].text.chars().collect();
            if !letters.is_empty() {
                let gone = random.below(letters.len());
                let left = letters.iter().enumerate().filter(|(index, _)| *index != gone);
                lines[at].text = left.map(|(_, c)| *c).collect();
            }
            "letter removed"
        }
        _ => "no edit",
    }
}

/// Edits undamaged text in ways that look like damage.
pub(super) fn edit_oddly(random: &mut Random, lines: &mut [Line], language: &Language) -> &'static str {
    let at = random.below(lines.len());
    let text = &mut lines[at].text;
    match random.below(6) {
        0 => {
            text.push_str(" ??");
            "question marks typed"
        }
        1 => {
            *text = "another line altogether?".to_owned();
            "line translated"
        }
        2 => {
            *text = text.chars().map(|c| if c.is_ascii() { c } else { 'e' }).collect();
            "written in ASCII"
        }
        3 => {
            let beyond = text.chars().position(|c| !c.is_ascii());
            let kept = text.chars().enumerate().filter(|(index, _)| Some(*index) != beyond);
            *text = kept.map(|(_, c)| c).collect();
            "letter beyond ASCII removed"
        }
        4 => {
            *text = language.line(random, false);
            "line replaced"
        }
        _ => {
            *text = text.to_uppercase();
            "capital letters"
        }
    }
}

fn in_words(
    random: &mut Random,
    text: &mut String,
    change: impl FnOnce(&mut Vec<String>, usize) -> &'static str,
) -> &'static str {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let word = random.below(words.len());
    if words.len() < 2 {
        return "no edit";
    }
    let done = change(&mut words, word);
    *text = words.join(" ");
    done
}
