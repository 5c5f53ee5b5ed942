//! The list of encodings, and the search for a name in it.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::charset::legacy::kind::Legacy;

/// The origin of an encoding.
///
/// ```
/// use utf8kit_encodings::charset::{Family, Legacy};
///
/// let dos = Legacy::all().filter(|legacy| legacy.family() == Family::Dos);
/// assert!(dos.count() > 40);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// In the WHATWG Encoding Standard, or otherwise used on the Web.
    Web,
    /// DOS, OS/2 and IBM's Unix.
    Dos,
    /// The Macintosh.
    Mac,
    /// Mainframes: EBCDIC.
    Mainframe,
    /// Standards of a country or script.
    National,
    /// Catalogues of libraries.
    Library,
    /// Other makers of hardware and software.
    Vendor,
}

/// An encoding of the list.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) legacy: Legacy,
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    /// Its other names, separated by spaces. A number stands for `cp037`, `ibm-37` and the like.
    pub(crate) aliases: &'static str,
    /// A short description.
    pub(crate) about: &'static str,
}

/// All encodings, in the order of the file.
pub(crate) static LIST: LazyLock<Vec<Entry>> =
    LazyLock::new(|| include_str!("encodings.txt").lines().filter_map(entry).collect());

/// The encodings by [`key`].
static BY_KEY: LazyLock<HashMap<String, Legacy>> = LazyLock::new(|| {
    let keys = LIST.iter().flat_map(|entry| {
        let names = std::iter::once(entry.name).chain(entry.aliases.split(' '));
        names.map(|name| (key(name), entry.legacy))
    });
    keys.filter(|(key, _)| !key.is_empty()).collect()
});

fn entry(line: &'static str) -> Option<Entry> {
    let mut columns = line.split(" |").map(str::trim);
    let (name, family, source) = (columns.next()?, columns.next()?, columns.next()?);
    if family == "set" {
        return None;
    }
    let family = match family {
        "web" => Family::Web,
        "dos" => Family::Dos,
        "mac" => Family::Mac,
        "mainframe" => Family::Mainframe,
        "national" => Family::National,
        "library" => Family::Library,
        _ => Family::Vendor,
    };
    let legacy = Legacy::of_source(name, source)?;
    Some(Entry { legacy, name, family, aliases: columns.next()?, about: columns.next()? })
}

/// Returns the encoding of a name.
pub(crate) fn find(name: &str) -> Option<Legacy> {
    // The key leaves out everything except ASCII letters and digits.
    name.is_ascii().then(|| BY_KEY.get(&key(name)).copied()).flatten()
}

/// Returns the key that all spellings of a name share: its letters and digits in lower case. For a numbered code page,
/// this is only the number, without leading zeros.
pub(crate) fn key(name: &str) -> String {
    const PAGE: [&str; 11] =
        ["cp", "cpibm", "ibm", "csibm", "ccsid", "windows", "win", "ms", "dos", "codepage", "cspcp"];
    let name = name.to_ascii_lowercase();
    // Without a year, as in `ISO_8859-2:1987`. In ISO 5427, it tells two encodings apart.
    let undated = match name.starts_with("iso_5427") {
        true => &*name,
        false => name.split(':').next().unwrap_or_default(),
    };
    // As Python spells it: `iso_8859_2_1987`.
    let is_year = |year: &str| year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
    let undated = match undated.rsplit_once(['_', '-']) {
        Some((rest, year)) if is_year(year) && rest.contains("8859") => rest,
        _ => undated,
    };
    let name = undated.strip_prefix("x-").unwrap_or(undated);
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let word = name.strip_suffix(digits).unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match is_number && (word.is_empty() || PAGE.contains(&word)) {
        true => digits.trim_start_matches('0').to_owned(),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_other_characters() {
        assert!(find("utf-7").is_some() && find("utf-7½").is_none());
    }

    #[test]
    fn a_name_means_one_encoding() {
        let mut seen: HashMap<String, &str> = HashMap::new();
        for entry in LIST.iter() {
            for name in std::iter::once(entry.name).chain(entry.aliases.split(' ')).filter(|name| !name.is_empty()) {
                if let Some(other) = seen.insert(key(name), entry.name) {
                    assert_eq!(other, entry.name, "{name}");
                }
                assert_eq!(Legacy::labelled(name), Some(entry.legacy), "{name}");
            }
        }
        assert!(LIST.len() >= 190, "{}", LIST.len());
        let is_listed = |line: &&str| line.contains(" | ") && !line.contains(" | set | ");
        let lines = include_str!("encodings.txt").lines().filter(is_listed);
        assert_eq!(lines.count(), LIST.len(), "a line without an encoding");
    }

    #[test]
    fn spellings_are_understood() {
        for (typed, name) in [
            ("IBM-1140", "CP1140"),
            ("ccsid01140", "CP1140"),
            ("cp37", "CP037"),
            ("037", "CP037"),
            ("Cp1252", "windows-1252"),
            ("windows-28592", "ISO-8859-2"),
            ("ISO8859_2", "ISO-8859-2"),
            ("x-MacCroatian", "x-mac-croatian"),
            ("KOI8_R", "KOI8-R"),
            ("x-windows-949", "EUC-KR"),
            ("iso_8859_2_1987", "ISO-8859-2"),
            ("ISO_8859-16:2001", "ISO-8859-16"),
            ("8859_15", "ISO-8859-15"),
            ("ISO_5427:1981", "ISO_5427-EXT"),
            ("ISO_5427", "KOI-7"),
            ("big5_tw", "Big5"),
            ("cp949c", "EUC-KR"),
        ] {
            assert_eq!(Legacy::labelled(typed).map(Legacy::name), Some(name), "{typed}");
        }
        assert_eq!(Legacy::labelled("cp99999"), None);
        // Of IBM and ICU, this is Hebrew, which nothing here has.
        assert_eq!(Legacy::labelled("cp867"), None);
        assert_eq!(Legacy::labelled(""), None);
    }
}
