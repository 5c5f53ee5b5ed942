//! Tests with generated damage of every kind, combined with edits, encodings, marks and line ends: how much is reported
//! and how much is restored.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;
use utf8kit_encodings::charset::{Charset, Codec};

use crate::{Damage, DamageKind, compare, is_ascii_edit, restore};
use utf8kit_testing::Random;

pub(super) const FRENCH: [&str; 7] = [
    "Le café est très bon, n'est-ce pas\u{A0}?",
    "    // été comme hiver, la forêt était déserte",
    "À bientôt, Noël",
    "prix: 12,50 francs (où ça?)",
    "L'élève a mangé une crêpe à la crème brûlée.",
    "ça dépend du garçon",
    "Hélène naïve",
];
pub(super) const GERMAN: [&str; 5] =
    ["Grüße aus Köln", "    Straße 5, Größe: groß", "\"Übung macht den Meister\"", "Fußgänger", "Ärger mit Öl"];
pub(super) const RUSSIAN: [&str; 5] =
    ["Привет, мир!", "// быстрая лиса", "Съешь ещё этих булок", "printf(\"Ошибка: %d\\n\");", "Москва и Петербург"];
pub(super) const JAPANESE: [&str; 5] = [
    "こんにちは、世界",
    "// これはコメントです",
    "printf(\"日本語のテキスト\\n\");",
    "東京都千代田区",
    "カタカナとひらがな",
];
pub(super) const CHINESE: [&str; 4] = ["你好，世界", "// 这是一个注释", "北京欢迎你", "中文文本测试"];
const POLISH: [&str; 4] = ["Zażółć gęślą jaźń", "// łódź płynie", "Dzień dobry, świecie", "Kraków i Gdańsk"];
const PLAIN: [&str; 9] = [
    "int main(void) {", "    return 0;", "}", "", "# heading", "if (a < b) goto end;", "the quick brown fox",
    "x = y + 1", "\ttab?",
];

pub(super) fn codec(name: &str) -> Codec {
    name.parse::<Charset>().unwrap().writer()
}

pub(super) fn encode(codec: Codec, text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<Vec<u8>>> = text.chars().map(|c| codec.says(c)).collect();
    Some(bytes?.concat())
}

pub(super) fn decode(codec: Codec, bytes: &[u8], lost: &str) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(step) = codec.step(utf8kit_encodings::charset::step::Shift::Neutral, &bytes[at..], &mut text) {
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
    /// Whether the damage destroyed added text, so that it cannot be restored.
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
    let is_mixed = !is_wide && encoding != "utf-8" && random.below(6) == 0;
    let mark = if is_wide || encoding == "utf-8" && random.below(4) == 0 { "\u{FEFF}" } else { "" };
    let joined = |lines: &[String], end: &str| format!("{mark}{}{}", lines.join(end), if last { end } else { "" });
    if is_mixed {
        return mixed(random, old_codec, encoding, lines, pool, end);
    }
    let old_text = joined(&lines, end);
    let old = encode(old_codec, &old_text)?;
    let mut done = edit(random, &mut lines, pool).to_owned();
    if random.below(4) == 0 {
        done = format!("{done}, {}", edit(random, &mut lines, pool));
    }
    let text = joined(&lines, end);
    let edited = encode(old_codec, &text)?;
    let utf8 = old_codec == codec("utf-8");
    use DamageKind as K;
    let (kind, what, new): (Option<K>, String, Vec<u8>) = match random.below(18) {
        0 => (None, "nothing".to_owned(), edited.clone()),
        1 | 2 if !utf8 => {
            (Some(K::Replaced), "lossy".to_owned(), String::from_utf8_lossy(&edited).into_owned().into_bytes())
        }
        3 if !utf8 => {
            let dropped = decode(codec("utf-8"), &edited, "").into_bytes();
            let is_mark = is_wide && edited.get(2..) == Some(&dropped);
            (Some(if is_mark { K::ByteOrderMark } else { K::Removed }), "dropped".to_owned(), dropped)
        }
        4 | 5 if !utf8 => (Some(K::Recoded), "to utf-8".to_owned(), text.clone().into_bytes()),
        6 if !is_wide => {
            let asked: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
            (Some(K::Replaced), "to ascii".to_owned(), asked.into_bytes())
        }
        7 if !is_wide => {
            let asked: String = text.chars().filter(char::is_ascii).collect();
            if edited != old && old_text.chars().filter(char::is_ascii).eq(asked.chars()) {
                return None; // No evidence of the edit remains.
            }
            (Some(K::Removed), "ascii only".to_owned(), asked.into_bytes())
        }
        8 | 9 if utf8 => {
            let read =
                random.pick(&["windows-1252", "latin1", "windows-1251", "cp850", "koi8-r", "gb18030", "macintosh"]);
            (Some(K::Doubled), format!("doubled by {read}"), decode(codec(read), &edited, "\u{FFFD}").into_bytes())
        }
        10 if utf8 => {
            let write = random.pick(&["windows-1252", "koi8-r", "windows-1251", "shift_jis", "gb18030", "utf-16le"]);
            (Some(K::Recoded), format!("to {write}"), encode(codec(write), text.trim_start_matches('\u{FEFF}'))?)
        }
        11 if utf8 && old_text.nfd().ne(old_text.chars()) => {
            (Some(K::Normalized), "nfd".to_owned(), text.nfd().collect::<String>().into_bytes())
        }
        12 if !is_wide => {
            let other = if end == "\n" { "\r\n" } else { "\n" };
            (Some(K::LineEnds), "line ends".to_owned(), encode(old_codec, &joined(&lines, other))?)
        }
        13 if utf8 => {
            let other = text.strip_prefix('\u{FEFF}').map_or_else(|| format!("\u{FEFF}{text}"), str::to_owned);
            (Some(K::ByteOrderMark), "mark".to_owned(), other.into_bytes())
        }
        14 if !utf8 => {
            let asked = decode(codec("utf-8"), &edited, "?");
            (Some(K::Replaced), "question marks".to_owned(), asked.into_bytes())
        }
        15 if !utf8 && !is_wide => {
            let each: String = edited.iter().map(|&b| if b.is_ascii() { char::from(b) } else { '\u{FFFD}' }).collect();
            (Some(K::Replaced), "U+FFFD for each byte".to_owned(), each.into_bytes())
        }
        16 if utf8 => {
            let once = decode(codec("windows-1252"), &edited, "\u{FFFD}").into_bytes();
            (
                Some(K::Doubled),
                "doubled twice".to_owned(),
                decode(codec("windows-1252"), &once, "\u{FFFD}").into_bytes(),
            )
        }
        17 if !is_wide => {
            let write = random.pick(&["windows-1252", "iso-8859-5", "shift_jis", "iso-8859-1"]);
            let asked = text.trim_start_matches('\u{FEFF}').chars();
            let asked: Vec<u8> = asked.flat_map(|c| codec(write).says(c).unwrap_or_else(|| b"?".to_vec())).collect();
            let lost = asked.iter().filter(|&&b| b == b'?').count() > edited.iter().filter(|&&b| b == b'?').count();
            let kind = if lost { K::Replaced } else { K::Recoded };
            (Some(kind), format!("to {write} with question marks"), asked)
        }
        _ => return None,
    };
    let kind = kind.filter(|_| new != edited);
    let is_single =
        |text: &str| text.trim_start_matches('\u{FEFF}').lines().filter(|line| !line.is_ascii()).count() < 2;
    if kind == Some(K::Removed) && (is_single(&old_text) || is_single(&text)) {
        return None; // A single text that is missing was as likely deleted.
    }
    let destroyed = done.contains("known line added") && matches!(kind, Some(K::Replaced | K::Removed));
    Some(Case {
        destroyed,
        old,
        edited,
        new,
        name: format!("{encoding}, {what}, {done}, {end:?} {}", if mark.is_empty() { "" } else { "mark" }),
        kind,
    })
}

/// Returns a case whose old version also has lines in UTF-8.
fn mixed(
    random: &mut Random,
    old_codec: Codec,
    encoding: &str,
    mut lines: Vec<String>,
    pool: &[&str],
    end: &str,
) -> Option<Case> {
    lines.extend((0..3).map(|_| random.pick(pool).to_owned()));
    // The encoding of a line depends on its text, so that it stays when lines are moved.
    let seed = random.below(7);
    let is_utf8 = |line: &str| (line.len() + seed).is_multiple_of(3);
    let all = |lines: &[String], end: &str| -> Option<Vec<u8>> {
        let bytes: Option<Vec<Vec<u8>>> = lines
            .iter()
            .map(|line| {
                let line = format!("{line}{end}");
                if is_utf8(line.trim_end()) { Some(line.into_bytes()) } else { encode(old_codec, &line) }
            })
            .collect();
        Some(bytes?.concat())
    };
    let old = all(&lines, end)?;
    let known = crate::Document::open(&old);
    if known.encodings() != [codec("utf-8"), old_codec] && known.encodings() != [old_codec, codec("utf-8")] {
        return None; // Which two encodings these are is a question for detection.
    }
    let at = random.below(lines.len());
    let done = match random.below(3) {
        0 => "no edit",
        1 => {
            lines.insert(at, "added line".to_owned());
            "line added"
        }
        _ => {
            lines.remove(at);
            "line removed"
        }
    };
    let edited = all(&lines, end)?;
    let (kind, what, new) = match random.below(4) {
        0 => (None, "nothing", edited.clone()),
        1 => {
            let lossy = String::from_utf8_lossy(&edited).into_owned().into_bytes();
            (Some(DamageKind::Replaced), "lossy", lossy)
        }
        2 => {
            let text: String = lines.iter().flat_map(|line| [line.as_str(), end]).collect();
            (Some(DamageKind::Recoded), "to utf-8", text.into_bytes())
        }
        _ => {
            let other = if end == "\n" { "\r\n" } else { "\n" };
            (Some(DamageKind::LineEnds), "line ends", all(&lines, other)?)
        }
    };
    let kind = kind.filter(|_| new != edited);
    let name = format!("{encoding} and utf-8, {what}, {done}, {end:?}");
    Some(Case { old, edited, new, name, kind, destroyed: false })
}

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    named: usize,
    restored: usize,
    /// Not restored, and not reported as doubtful.
    silent: usize,
    /// Damage reported where there is none.
    alarms: usize,
}

/// Reports whether lines that are reported as damaged differ from the edited version. True if lines cannot be compared
/// as bytes.
fn places_are_right(case: &Case, damage: &[Damage]) -> bool {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect() };
    let (edited, new) = (lines(&case.edited), lines(&case.new));
    let is_bytes = edited.len() == new.len() && !case.edited.contains(&0) && !case.new.contains(&0);
    let certain = damage.iter().filter(|damage| !damage.doubtful);
    !is_bytes || certain.map(|damage| damage.line - 1).all(|line| edited.get(line) != new.get(line))
}

/// Generates damage, and returns how much of each kind was reported and restored, with the failures.
fn made(seed: u64, cases: usize) -> (BTreeMap<String, Tally>, Vec<String>) {
    let mut random = Random::new(seed);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    while tallies.get("all").is_none_or(|all| all.cases < cases) {
        let Some(case) = case(&mut random) else { continue };
        let comparison = compare(&case.old, &case.new);
        let back = comparison.restore(&case.old, &case.new, &comparison.damage);
        assert_eq!(back, restore(&case.old, &case.new, &comparison.damage), "{}", case.name);
        let doubtful = comparison.damage.iter().any(|damage| damage.doubtful);
        let is_named = |kind: DamageKind| comparison.damage.iter().any(|damage| damage.kind == kind);
        let named = case.kind.is_none_or(is_named) && places_are_right(&case, &comparison.damage);
        let restored = back == case.edited || case.destroyed && doubtful;
        let silent = !restored && !doubtful;
        let alarm = case.kind.is_none() && !comparison.damage.is_empty();
        assert!(comparison.damage.is_empty() || !is_ascii_edit(&case.old, &case.new), "{}", case.name);
        for group in ["all", case.kind.map_or("none", DamageKind::name)] {
            let tally = tallies.entry(group.to_owned()).or_default();
            tally.cases += 1;
            tally.named += usize::from(named);
            tally.restored += usize::from(restored);
            tally.silent += usize::from(silent);
            tally.alarms += usize::from(alarm);
        }
        if !named || !restored || alarm {
            let what = [(!named, "not named"), (!restored, "not restored"), (silent, "in silence"), (alarm, "alarm")];
            let what: Vec<_> = what.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
            let show = |bytes: &[u8]| bytes.escape_ascii().to_string();
            let texts = [&case.old, &case.new, &case.edited, &back].map(|bytes| show(bytes));
            wrong.push(format!("{}: {}\n  {}\n  {}", what.join(", "), case.name, texts.join("\n  "), comparison.view));
        }
    }
    (tallies, wrong)
}

const SEED: u64 = 0xB5E0_9A1C_03D7_64F3;

#[test]
fn made_damage_is_named_and_restored() {
    hold_bars(SEED, 300);
}

#[test]
#[ignore = "takes minutes; run it with --release"]
fn thousands_of_made_damages_are_named_and_restored() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |value| value.parse().expect("a number"));
    hold_bars(number("UTF8KIT_SEED", SEED), number("UTF8KIT_CASES", 10_000) as usize);
}

/// Asserts that 99 % is reported and 97 % restored, and that nothing is silently wrong or reported without damage.
fn hold_bars(seed: u64, cases: usize) {
    let (tallies, wrong) = made(seed, cases);
    let all = &tallies["all"];
    assert!(
        all.silent + all.alarms == 0 && all.named * 100 >= all.cases * 99 && all.restored * 100 >= all.cases * 97,
        "{tallies:#?}\n{}",
        wrong.join("\n")
    );
}
