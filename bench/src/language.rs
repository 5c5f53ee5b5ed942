//! Generates text in many languages, with bytes in realistic proportions. The same arguments give the same bytes
//! everywhere. `cargo xtask corpora` writes them to files; the benchmark uses them by default.

/// A kind of text.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// Templates of lines: `*` stands for a word and `#` for a number.
    line: &'static str,
    /// The minimum and maximum length of a word.
    word: (u64, u64),
    /// Ranges of code points and how often they occur, in percent.
    letters: &'static [(u64, char, char)],
}

const PROSE: &str = "* * * *, * * * * * * * *. * * * * * *? * * * *, * * * * * *.\n";
const IDEOGRAPHS: &str = "****,******。*****、****,********。\n";
const PAGE: &str = "<li class=\"item\"><a href=\"/article/#\" title=\"* *\">* *</a>: * * * * *</li>\n";

#[rustfmt::skip]
pub(crate) const LANGUAGES: &[Language] = &[
    Language { name: "english", line: PROSE, word: (2, 9), letters: &[(96, 'a', 'z'), (4, 'A', 'Z')] },
    Language { name: "json", line: "{\"id\": #, \"name\": \"* *\", \"tags\": [\"*\", \"*\"], \"price\": #.#}\n",
        word: (3, 10),
        letters: &[(98, 'a', 'z'), (2, 'à', 'ü')] },
    Language { name: "source", line: "    let *_* = *.*(*, #)?; // * * * *\n", word: (2, 8),
        letters: &[(100, 'a', 'z')] },
    Language { name: "french", line: PROSE, word: (2, 9), letters: &[(93, 'a', 'z'), (3, 'A', 'Z'), (4, 'à', 'ü')] },
    Language { name: "polish", line: PROSE, word: (3, 10), letters: &[(90, 'a', 'z'), (3, 'A', 'Z'), (7, 'ą', 'ż')] },
    Language { name: "vietnamese", line: PROSE, word: (2, 5),
        letters: &[(72, 'a', 'z'), (12, 'à', 'ý'), (16, 'ạ', 'ỹ')] },
    Language { name: "greek", line: PROSE, word: (2, 10), letters: &[(92, 'α', 'ω'), (4, 'Α', 'Ρ'), (4, 'ά', 'ί')] },
    Language { name: "russian", line: PROSE, word: (2, 10), letters: &[(96, 'а', 'я'), (4, 'А', 'Я')] },
    Language { name: "hebrew", line: PROSE, word: (2, 7), letters: &[(100, 'א', 'ת')] },
    Language { name: "arabic", line: PROSE, word: (2, 8), letters: &[(70, 'ف', 'ي'), (30, 'ا', 'غ')] },
    Language { name: "hindi", line: "* * * * * *, * * * * *। * * * * * * *।\n", word: (2, 6),
        letters: &[(60, 'क', 'ह'), (40, 'ा', '्')] },
    Language { name: "thai", line: "*** ****** **** ***** ***\n", word: (3, 6),
        letters: &[(75, 'ก', 'ฺ'), (25, 'เ', '๎')] },
    Language { name: "chinese", line: IDEOGRAPHS, word: (1, 4), letters: &[(100, '一', '龥')] },
    Language { name: "japanese", line: IDEOGRAPHS, word: (1, 4),
        letters: &[(55, 'ぁ', 'ん'), (15, 'ァ', 'ン'), (30, '一', '龥')] },
    Language { name: "korean", line: PROSE, word: (2, 5), letters: &[(100, '가', '힣')] },
    Language { name: "page-russian", line: PAGE, word: (2, 10), letters: &[(100, 'а', 'я')] },
    Language { name: "page-chinese", line: PAGE, word: (1, 4), letters: &[(100, '一', '龥')] },
    Language { name: "emoji", line: "* * * * * * * *\n", word: (1, 6), letters: &[(100, '🌀', '🙏')] },
];

/// Returns lines in the given languages, `size` bytes in total, with a share of them overwritten with bytes that are
/// not ASCII.
pub(crate) fn text(languages: &[Language], size: usize, damage: f64) -> Vec<u8> {
    let mut random = Random(0);
    let mut text = String::new();
    while text.len() < size {
        random.pick(languages).write_line(&mut random, &mut text);
    }
    while text.len() > size {
        text.pop();
    }
    let mut bytes = text.into_bytes();
    bytes.resize(size, b' ');
    let limit = (damage * u64::MAX as f64) as u64;
    for byte in &mut bytes {
        if random.next() < limit {
            *byte = random.between(0x80, 0xFF) as u8;
        }
    }
    bytes
}

impl Language {
    fn write_line(&self, random: &mut Random, text: &mut String) {
        for mark in self.line.chars() {
            match mark {
                '*' => (0..random.between(self.word.0, self.word.1)).for_each(|_| text.push(self.letter(random))),
                '#' => *text += &random.between(0, 99_999).to_string(),
                _ => text.push(mark),
            }
        }
    }

    fn letter(&self, random: &mut Random) -> char {
        let mut percent = random.between(0, 99);
        for &(share, first, last) in self.letters {
            if percent < share {
                return char::from_u32(random.between(first.into(), last.into()) as u32).unwrap_or(first);
            }
            percent -= share;
        }
        ' '
    }
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.next() % (last - first + 1)
    }

    fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.between(0, things.len() as u64 - 1) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_every_time_and_as_long_as_asked() {
        let text = || text(LANGUAGES, 10_001, 0.0);
        assert_eq!(text(), text());
        assert_eq!(text().len(), 10_001);
        assert!(String::from_utf8(text()).is_ok());
    }

    #[test]
    fn damage_is_about_as_much_as_asked() {
        let (whole, broken) = (text(LANGUAGES, 100_000, 0.0), text(LANGUAGES, 100_000, 0.01));
        let different = whole.iter().zip(&broken).filter(|(a, b)| a != b).count();
        assert!((800..1200).contains(&different), "{different}");
    }

    #[test]
    fn shares_add_up() {
        for language in LANGUAGES {
            assert_eq!(language.letters.iter().map(|(share, ..)| share).sum::<u64>(), 100, "{}", language.name);
        }
    }
}
