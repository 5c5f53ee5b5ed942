//! How much speaks for it that some characters are the bytes of one: what stands where in no orthography.

/// What is certain. A sequence weighs 0 to 4.
pub(super) const ENOUGH: u32 = 3;

/// What makes all of a line certain, whatever its characters.
pub(super) const PLENTY: u32 = 4 * ENOUGH;

/// How much speaks for it that characters are the bytes of one, in what stands around them: 0 to 4 and more.
pub(super) fn weigh(before: Option<char>, shown: &[char], behind: Option<char>, becomes: char) -> u32 {
    let Some((&lead, tail)) = shown.split_first() else { return 0 };
    if shown.iter().any(|&c| is_control(c)) {
        return ENOUGH + 1;
    }
    if is_box(lead) || tail.iter().any(|&c| is_box(c)) {
        // Lines of a table stand next to each other, and seldom next to anything else.
        return if shown.iter().all(|&c| is_box(c)) { 0 } else { ENOUGH };
    }
    let is_letter = |c: Option<char>| c.is_some_and(self::is_letter);
    let is_latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    let is_small = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase());
    let latin =
        u32::from(becomes) < 0x370 || matches!(becomes, '\u{1EA0}'..='\u{1EF9}' | '\u{FB01}' | '\u{FB02}');
    if becomes.is_alphabetic() && !latin && (is_latin(before) || is_latin(behind)) {
        // `café »` is no Chinese.
        return 0;
    }
    match tail {
        // A square root of something.
        [second] if lead == '√' && is_mathematical(*second) => 0,
        // The usual case: no language has these.
        [second] if matches!(lead, 'Â' | 'Ã') && is_odd(*second) => ENOUGH,
        // `25Â°`, `Â«`, `Â¿`: only a closing quotation mark follows a letter.
        [second]
            if lead == 'Â' && matches!(second, '¡' | '«' | '©' | 'ª' | '®' | '°' | '´' | '·' | 'º' | '¿') =>
        {
            ENOUGH
        }
        // `on Ã© a`, `TÃ­w`, `6 Ã— 4`: no word begins so, and a capital before what is no letter ends one.
        [second]
            if lead == 'Ã'
                && *second != '’'
                && !self::is_letter(*second)
                && (is_small(behind) || !is_letter(before) && !is_quotation(*second)) =>
        {
            ENOUGH
        }
        [second]
            if matches!(lead, 'Â' | 'Ã') && self::is_letter(*second) && !('À'..='ÿ').contains(second) =>
        {
            2 + u32::from(is_letter(before) || is_letter(behind))
        }
        [second] => {
            let odd = u32::from(!self::is_letter(*second)) + u32::from(is_odd(*second));
            // `e Ă¨ a`: an accent without a letter.
            let apart = lead.is_uppercase() && !is_letter(before) && is_accent(*second);
            // `aoÃ»t`: a capital, or what is no letter, behind a small one.
            let breaks = before.is_some_and(char::is_lowercase) && !lead.is_lowercase();
            let symbol = is_letter(before) && !lead.is_alphabetic();
            // `HÃ”TEL`: what is no letter within a word.
            let within =
                is_letter(before) && is_latin(behind) && !self::is_letter(*second) && !joins(*second);
            // `Äˆi`: a capital, and a small letter behind what is no letter.
            let parts =
                lead.is_uppercase() && is_small(behind) && !self::is_letter(*second) && *second != '’';
            if is_quiet(lead) {
                // `Venüs’ün`: nothing is odd about what follows a quotation mark.
                return odd;
            }
            odd + 2 * u32::from(breaks) + u32::from(symbol || apart) + 2 * u32::from(within || parts)
        }
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
        [_, _] if latin => 2 + u32::from(is_letter(behind)),
        [second, third] => 1 + u32::from(is_odd(*second)) + u32::from(is_odd(*third)),
        _ => ENOUGH,
    }
}

/// Letters; accents and the like that stand alone are none, nor are `ª` and `º`.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !matches!(c, 'ª' | 'º' | '\u{2B0}'..='\u{2FF}')
}

/// What stands around words.
fn is_quotation(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '…')
}

/// Accents that stand alone, and what is as rare behind a capital.
fn is_accent(c: char) -> bool {
    matches!(c, '¨' | '¬' | '¯' | '¸' | '¤' | '¦' | 'µ' | '¶' | 'ˆ' | 'ˇ' | '˘' | '˛' | '˜')
}

/// What draws boxes and shades areas.
fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{25A0}')
}

/// Controls beyond ASCII: in no text, but in many that were misread.
pub(super) fn is_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}')
}

/// What stands next to a letter in no orthography.
fn is_odd(c: char) -> bool {
    matches!(c, '¢'..='¦' | '¨' | '¬' | '¯' | '±'..='³' | 'µ' | '¶' | '¸' | '¹' | '¼'..='¾' | '§' | '×' | '÷')
        || matches!(c, 'ƒ' | 'ˆ' | 'ˇ' | '˘' | '˛' | '˜' | '†' | '‡' | '‰' | '€' | '◊')
        || matches!(c, '√' | '∞' | '≈' | '≠' | '≤' | '≥' | '∂' | '∆' | '∏' | '∑' | 'π' | '∫' | 'Ω' | '№')
}

fn is_mathematical(c: char) -> bool {
    matches!(c, '∞' | '∂' | '∆' | '∏' | '∑' | 'π' | '∫' | 'Ω')
}

/// What stands between letters in some language or other.
fn joins(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{AD}' | '·' | '–' | '—' | '―' | '…' | '’')
}

/// What follows a word.
fn is_quiet(c: char) -> bool {
    joins(c) || matches!(c, '´' | '‘' | '»' | '«' | '”' | '“' | '›' | '‹')
}
