//! Made damage of every kind, crossed with edits, encodings, marks and line ends: what is named, and what is restored.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::charset::{Charset, Codec};
use crate::document::{DamageKind, compare, restore};
use crate::random::Random;

const FRENCH: [&str; 7] = [
    "Le café est très bon, n'est-ce pas\u{A0}?",
    "    // été comme hiver, la forêt était déserte",
    "À bientôt, Noël",
    "prix: 12,50 francs (où ça?)",
    "L'élève a mangé une crêpe à la crème brûlée.",
    "ça dépend du garçon",
    "Hélène naïve",
];
const GERMAN: [&str; 5] = [
    "Grüße aus Köln",
    "    Straße 5, Größe: groß",
    "\"Übung macht den Meister\"",
    "Fußgänger",
    "Ärger mit Öl",
];
const RUSSIAN: [&str; 5] = [
    "Привет, мир!",
    "// быстрая лиса",
    "Съешь ещё этих булок",
    "printf(\"Ошибка: %d\\n\");",
    "Москва и Петербург",
];
const JAPANESE: [&str; 5] = [
    "こんにちは、世界",
    "// これはコメントです",
    "printf(\"日本語のテキスト\\n\");",
    "東京都千代田区",
    "カタカナとひらがな",
];
const CHINESE: [&str; 4] = ["你好，世界", "// 这是一个注释", "北京欢迎你", "中文文本测试"];
const POLISH: [&str; 4] = ["Zażółć gęślą jaźń", "// łódź płynie", "Dzień dobry, świecie", "Kraków i Gdańsk"];
const PLAIN: [&str; 9] = [
    "int main(void) {",
    "    return 0;",
    "}",
    "",
    "# heading",
    "if (a < b) goto end;",
    "the quick brown fox",
    "x = y + 1",
    "\ttab?",
];

fn codec(name: &str) -> Codec {
    name.parse::<Charset>().unwrap().writer()
}

fn encode(codec: Codec, text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<Vec<u8>>> = text.chars().map(|c| codec.says(c)).collect();
    Some(bytes?.concat())
}

fn decode(codec: Codec, bytes: &[u8], lost: &str) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(step) = codec.step(crate::charset::step::Shift::Neutral, &bytes[at..], &mut text) {
        if step.malformed {
            text.pop();
            text.push_str(lost);
        }
        at += step.len;
    }
    text
}

struct Case {
    old: Vec<u8>,
    edited: Vec<u8>,
    new: Vec<u8>,
    name: String,
    kind: Option<DamageKind>,
    /// Whether text was added that the damage destroyed, so that nobody can restore it.
    destroyed: bool,
}

/// Edits the lines of a text.
fn edit(random: &mut Random, lines: &mut Vec<String>, pool: &[&str]) -> &'static str {
    let at = random.below(lines.len());
    match random.below(8) {
        0 => "no edit",
        1 => {
            lines.insert(at, "added line".to_owned());
            "line added"
        }
        2 => {
            lines.insert(at, random.pick(pool).to_owned());
            "known line added"
        }
        3 if lines.len() > 2 => {
            lines.remove(at);
            "line removed"
        }
        4 => {
            lines[at] = format!("{} more words", lines[at]);
            "line extended"
        }
        5 => {
            lines[at] = lines[at].replacen(' ', " new ", 1);
            "word added"
        }
        6 => {
            let words: Vec<&str> = lines[at].split(' ').collect();
            let less = words.len() - usize::from(words.len() > 1);
            lines[at] = words[..less].join(" ");
            "word removed"
        }
        _ => {
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            lines[a] = format!("changed {}", lines[a]);
            lines[b].push(';');
            "two lines changed"
        }
    }
}

fn case(random: &mut Random) -> Option<Case> {
    let languages: [(&[&str], &[&str]); 6] = [
        (&FRENCH, &["windows-1252", "latin1", "utf-8", "utf-8", "iso-8859-15", "utf-16le", "macintosh"]),
        (&GERMAN, &["windows-1252", "latin1", "utf-8", "cp850", "utf-16be"]),
        (&RUSSIAN, &["koi8-r", "windows-1251", "utf-8", "ibm866", "utf-16le"]),
        (&JAPANESE, &["shift_jis", "euc-jp", "utf-8", "utf-16le"]),
        (&CHINESE, &["gb18030", "gbk", "big5", "utf-8"]),
        (&POLISH, &["windows-1250", "iso-8859-2", "utf-8"]),
    ];
    let (pool, encodings) = random.pick(&languages);
    let encoding = random.pick(encodings);
    let old_codec = codec(encoding);
    let count = 2 + random.below(14);
    let mut lines: Vec<String> = (0..count)
        .map(|_| if random.below(3) == 0 { random.pick(pool) } else { random.pick(&PLAIN) }.to_owned())
        .collect();
    lines.push(random.pick(pool).to_owned());
    let end = random.pick(&["\n", "\n", "\r\n"]);
    let last = random.pick(&[true, true, false]);
    let is_wide = encoding.starts_with("utf-16");
    let mark = if is_wide || encoding == "utf-8" && random.below(4) == 0 { "\u{FEFF}" } else { "" };
    let joined =
        |lines: &[String], end: &str| format!("{mark}{}{}", lines.join(end), if last { end } else { "" });
    let old = encode(old_codec, &joined(&lines, end))?;
    let done = edit(random, &mut lines, pool);
    let text = joined(&lines, end);
    let edited = encode(old_codec, &text)?;
    let utf8 = old_codec == codec("utf-8");
    use DamageKind as K;
    let (kind, what, new): (Option<K>, String, Vec<u8>) = match random.below(14) {
        0 => (None, "nothing".to_owned(), edited.clone()),
        1 | 2 if !utf8 => (
            Some(K::Replaced),
            "lossy".to_owned(),
            String::from_utf8_lossy(&edited).into_owned().into_bytes(),
        ),
        3 if !utf8 => {
            (Some(K::Removed), "dropped".to_owned(), decode(codec("utf-8"), &edited, "").into_bytes())
        }
        4 | 5 if !utf8 => (Some(K::Recoded), "to utf-8".to_owned(), text.clone().into_bytes()),
        6 if !is_wide => {
            let asked: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
            (Some(K::Replaced), "to ascii".to_owned(), asked.into_bytes())
        }
        7 if !is_wide => {
            let asked: String = text.chars().filter(char::is_ascii).collect();
            (Some(K::Removed), "ascii only".to_owned(), asked.into_bytes())
        }
        8 | 9 if utf8 => {
            let read = random.pick(&[
                "windows-1252",
                "latin1",
                "windows-1251",
                "cp850",
                "koi8-r",
                "gb18030",
                "macintosh",
            ]);
            (
                Some(K::Doubled),
                format!("doubled by {read}"),
                decode(codec(read), &edited, "\u{FFFD}").into_bytes(),
            )
        }
        10 if utf8 => {
            let write =
                random.pick(&["windows-1252", "koi8-r", "windows-1251", "shift_jis", "gb18030", "utf-16le"]);
            (
                Some(K::Recoded),
                format!("to {write}"),
                encode(codec(write), text.trim_start_matches('\u{FEFF}'))?,
            )
        }
        11 if utf8 && text.nfd().ne(text.chars()) => {
            (Some(K::Normalized), "nfd".to_owned(), text.nfd().collect::<String>().into_bytes())
        }
        12 if !is_wide => {
            let other = if end == "\n" { "\r\n" } else { "\n" };
            (Some(K::LineEnds), "line ends".to_owned(), encode(old_codec, &joined(&lines, other))?)
        }
        13 if utf8 => {
            let other =
                text.strip_prefix('\u{FEFF}').map_or_else(|| format!("\u{FEFF}{text}"), str::to_owned);
            (Some(K::ByteOrderMark), "mark".to_owned(), other.into_bytes())
        }
        _ => return None,
    };
    let kind = kind.filter(|_| new != edited);
    if kind == Some(K::Removed) && lines.iter().filter(|line| !line.is_ascii()).count() < 2 {
        return None; // A single text that is gone was as likely deleted.
    }
    let destroyed = done == "known line added" && matches!(kind, Some(K::Replaced | K::Removed));
    Some(Case {
        destroyed,
        old,
        edited,
        new,
        name: format!("{encoding}, {what}, {done}, {end:?} {}", if mark.is_empty() { "" } else { "mark" }),
        kind,
    })
}

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    named: usize,
    restored: usize,
}

#[test]
fn made_damage_is_named_and_restored() {
    let mut random = Random::new(0x853C_49E6_748F_EA9B);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    while total.cases < 300 {
        let Some(case) = case(&mut random) else { continue };
        let comparison = compare(&case.old, &case.new);
        let back = restore(&case.old, &case.new, &comparison.damage);
        let group = case.kind.map_or("none", DamageKind::name);
        for tally in [&mut total, tallies.entry(group.to_owned()).or_default()] {
            tally.cases += 1;
            let named =
                case.kind.is_none_or(|kind| comparison.damage.iter().any(|damage| damage.kind == kind));
            tally.named += usize::from(named);
            let doubtful = comparison.damage.iter().any(|damage| damage.doubtful);
            let restored = back == case.edited || case.destroyed && doubtful;
            tally.restored += usize::from(restored);
            assert!(restored || doubtful, "restored wrongly in silence: {}", case.name);
        }
        let alarm = case.kind.is_none() && !comparison.damage.is_empty();
        assert!(!alarm, "a false alarm: {}", case.name);
    }
    assert!(
        total.named * 100 >= total.cases * 99 && total.restored * 100 >= total.cases * 97,
        "{tallies:#?}"
    );
}

#[test]
fn a_mark_in_the_middle_of_a_piece_is_restored_whole() {
    for letters in ["Größe", "日本", "Привет, мир"] {
        for name in ["gb18030", "shift_jis", "big5", "euc-kr", "windows-1252"] {
            let old = format!("\u{FEFF}{letters} {}\n", GERMAN.join("\n")).into_bytes();
            let new = decode(codec(name), &old, "\u{FFFD}").into_bytes();
            let comparison = compare(&old, &new);
            let back = restore(&old, &new, &comparison.damage);
            let doubtful = comparison.damage.iter().any(|damage| damage.doubtful);
            assert!(back == old || doubtful, "{letters} in {name}: {:?} {comparison:?}", back.escape_ascii());
        }
    }
}
