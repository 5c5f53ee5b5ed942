//! The weight of the evidence that some characters are the bytes of a single one: combinations that occur in no
//! orthography.

/// The weight at which a sequence is certain. A sequence weighs 0 to 4.
pub(super) const ENOUGH: u32 = 3;

/// The total weight that makes a whole line certain, whatever its characters.
pub(super) const PLENTY: u32 = 4 * ENOUGH;

/// Returns the weight of the evidence, from the surrounding characters, that some characters are the bytes of one: 0
/// to 4 or more.
pub(super) fn weigh(before: Option<char>, shown: &[char], behind: Option<char>, becomes: char) -> u32 {
    let Some((&lead, tail)) = shown.split_first() else { return 0 };
    if shown.iter().any(|&c| is_control(c)) {
        return ENOUGH + 1;
    }
    if is_box(lead) || tail.iter().any(|&c| is_box(c)) {
        // Box-drawing characters stand next to each other, and seldom next to anything else.
        return if shown.iter().all(|&c| is_box(c)) { 0 } else { ENOUGH };
    }
    let latin =
        u32::from(becomes) < 0x370 || matches!(becomes, '\u{1EA0}'..='\u{1EF9}' | '\u{FB01}' | '\u{FB02}');
    if becomes.is_alphabetic() && !latin && (is_latin(before) || is_latin(behind)) {
        // `café »` is not a Chinese character.
        return 0;
    }
    match tail {
        // A square root of something.
        [second] if lead == '√' && is_mathematical(*second) => 0,
        [second] => weigh_pair(before, lead, *second, behind),
        // A word in Cyrillic letters.
        [second, third] if [lead, *second, *third].iter().all(|c| matches!(c, '\u{430}'..='\u{44F}')) => 0,
        // Punctuation, symbols, ligatures: `â€™`.
        [second, third] if !becomes.is_alphabetic() || matches!(becomes, '\u{FB01}' | '\u{FB02}') => {
            if is_quiet(*second) && is_quiet(*third) {
                1
            } else {
                ENOUGH
            }
        }
        // Vietnamese, in a word.
        [_, _] if latin => 2 + u32::from(behind.is_some_and(is_letter)),
        [second, third] => 1 + u32::from(is_odd(*second)) + u32::from(is_odd(*third)),
        _ => ENOUGH,
    }
}

/// [`weigh`] for two characters, the usual case.
fn weigh_pair(before: Option<char>, lead: char, second: char, behind: Option<char>) -> u32 {
    let after_letter = before.is_some_and(is_letter);
    let letter_behind = behind.is_some_and(is_letter);
    let small_behind = behind.is_some_and(|c| c.is_ascii_lowercase());
    match lead {
        // No language has these combinations.
        'Â' | 'Ã' if is_odd(second) => ENOUGH,
        // `25Â°`, `Â«`, `Â¿`: only a closing quotation mark follows a letter.
        'Â' if matches!(second, '¡' | '«' | '©' | 'ª' | '®' | '°' | '´' | '·' | 'º' | '¿') => {
            ENOUGH
        }
        // `on Ã© a`, `TÃ­w`, `6 Ã— 4`: no word begins like this, and no word ends in a capital before a non-letter.
        'Ã' if second != '’'
            && !is_letter(second)
            && (small_behind || !after_letter && !is_quotation(second)) =>
        {
            ENOUGH
        }
        'Â' | 'Ã' if is_letter(second) && !('À'..='ÿ').contains(&second) => {
            2 + u32::from(after_letter || letter_behind)
        }
        _ => {
            let odd = u32::from(!is_letter(second)) + u32::from(is_odd(second));
            if is_quiet(lead) {
                // `Venüs’ün`: nothing that follows a quotation mark is odd.
                return odd;
            }
            // `e Ă¨ a`: an accent without a letter.
            let apart = lead.is_uppercase() && !after_letter && is_accent(second);
            // `aoÃ»t`: a capital or a non-letter after a lowercase letter.
            let breaks = before.is_some_and(char::is_lowercase) && !lead.is_lowercase();
            let symbol = after_letter && !lead.is_alphabetic();
            // `HÃ”TEL`: a non-letter within a word.
            let within = after_letter && is_latin(behind) && !is_letter(second) && !joins(second);
            // `Äˆi`: a capital, and a lowercase letter after a non-letter.
            let parts = lead.is_uppercase() && small_behind && !is_letter(second) && second != '’';
            odd + 2 * u32::from(breaks) + u32::from(symbol || apart) + 2 * u32::from(within || parts)
        }
    }
}

/// Reports whether there is a Latin letter without an accent.
fn is_latin(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphabetic())
}

/// Reports whether a character is a letter, other than a spacing accent, `ª` or `º`.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !matches!(c, 'ª' | 'º' | '\u{2B0}'..='\u{2FF}')
}

/// Reports whether a character may surround words.
fn is_quotation(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '…')
}

/// Reports whether a character is a spacing accent, or equally rare after a capital.
fn is_accent(c: char) -> bool {
    matches!(c, '¨' | '¬' | '¯' | '¸' | '¤' | '¦' | 'µ' | '¶' | 'ˆ' | 'ˇ' | '˘' | '˛' | '˜')
}

/// Reports whether a character draws boxes or shades areas.
fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{25A0}')
}

/// Reports whether a character is a control beyond ASCII: these occur in no text, but in many that were decoded
/// wrongly.
pub(super) fn is_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}')
}

/// Reports whether a character stands next to a letter in no orthography.
fn is_odd(c: char) -> bool {
    matches!(c, '¢'..='¦' | '¨' | '¬' | '¯' | '±'..='³' | 'µ' | '¶' | '¸' | '¹' | '¼'..='¾' | '§' | '×' | '÷')
        || matches!(c, 'ƒ' | 'ˆ' | 'ˇ' | '˘' | '˛' | '˜' | '†' | '‡' | '‰' | '€' | '◊')
        || matches!(c, '√' | '∞' | '≈' | '≠' | '≤' | '≥' | '∂' | '∆' | '∏' | '∑' | 'π' | '∫' | 'Ω' | '№')
}

fn is_mathematical(c: char) -> bool {
    matches!(c, '∞' | '∂' | '∆' | '∏' | '∑' | 'π' | '∫' | 'Ω')
}

/// Reports whether a character stands between letters in some language.
fn joins(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{AD}' | '·' | '–' | '—' | '―' | '…' | '’')
}

/// Reports whether a character may follow a word.
fn is_quiet(c: char) -> bool {
    joins(c) || matches!(c, '´' | '‘' | '»' | '«' | '”' | '“' | '›' | '‹')
}
