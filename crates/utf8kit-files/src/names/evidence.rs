//! Infers the encodings of names. A single name is weak evidence; the other names in its folder, and in the whole tree,
//! are stronger.
//!
//! ```text
//! names of a folder that are not UTF-8 -> the encoding that fits most of them -> again for the other names
//! names without a certain encoding     -> the same with the names of the whole tree
//!                                      -> each name alone
//! ```

use utf8kit::AnyEncoding;
use utf8kit::Encoding as _;
use utf8kit_detect::{Confidence, names};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::legacy::WESTERN;

/// The encoding of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameEncoding {
    pub(super) codec: Codec,
    pub(super) confidence: Confidence,
}

impl NameEncoding {
    /// Reports whether it is certain enough to rename a file.
    pub(super) fn is_certain_enough(self) -> bool {
        self.confidence != Confidence::Possible
    }

    /// Reports whether a name is in this encoding and not in the given one, because it is plausible only in this one.
    pub(super) fn overrules(self, given: Codec, name: &[u8]) -> bool {
        let reads_in = |codec: Codec| match codec {
            Codec::Legacy(legacy) => names::may_be(legacy, name),
            Codec::Native(AnyEncoding::Latin1) => names::may_be(WESTERN, name),
            Codec::Native(_) => false,
        };
        self.is_certain_enough()
            && self.codec.text_of(name) != given.text_of(name)
            && reads_in(self.codec)
            && !reads_in(given)
    }
}

/// The most names that are considered together.
const MAX_NAMES_WEIGHED: usize = 1000;

/// The most encodings of names in one folder.
const MAX_ENCODINGS_PER_FOLDER: usize = 4;

/// Names that are not UTF-8, and the UTF-8 names in the same folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'n> {
    pub(super) names: Vec<&'n [u8]>,
    pub(super) context: String,
}

/// Returns the encoding of a name that is in no legacy encoding: UTF-8 with surrogates, as Oracle and Java write it.
fn dialect(name: &[u8]) -> Option<NameEncoding> {
    let codec = Codec::Native(AnyEncoding::Cesu8);
    AnyEncoding::Cesu8.validate(name).is_ok().then_some(NameEncoding { codec, confidence: Confidence::Likely })
}

/// Returns the encoding of each name of each folder, if any encoding fits.
pub(super) fn encodings(folders: &[Group<'_>]) -> Vec<Vec<Option<NameEncoding>>> {
    let mut found: Vec<Vec<Option<NameEncoding>>> =
        folders.iter().map(|folder| shared(&folder.names, &folder.context)).collect();
    let is_open = |found: &Option<NameEncoding>| found.is_none_or(|found| !found.is_certain_enough());
    if !found.iter().flatten().any(is_open) {
        return found;
    }
    let names: Vec<_> = folders.iter().flat_map(|folder| folder.names.iter().copied()).collect();
    let context: Vec<_> = folders.iter().map(|folder| &*folder.context).collect();
    let tree = shared(&names, &context.concat());
    for ((own, of_tree), name) in found.iter_mut().flatten().zip(tree).zip(names) {
        if is_open(own) {
            let alone = || shared(&[name], "").into_iter().next().flatten();
            let better = of_tree
                .filter(|found| found.is_certain_enough())
                .or_else(|| alone().filter(|one| one.is_certain_enough()));
            *own = better.or(*own).or(of_tree);
        }
    }
    found
}

/// Returns the encodings of names that are probably in one or a few encodings.
fn shared(all: &[&[u8]], context: &str) -> Vec<Option<NameEncoding>> {
    let mut found: Vec<_> = all.iter().map(|name| dialect(name)).collect();
    let mut rest: Vec<usize> = (0..all.len()).filter(|&index| found.get(index) == Some(&None)).collect();
    for _ in 0..MAX_ENCODINGS_PER_FOLDER {
        let of = |indexes: &[usize]| -> Vec<&[u8]> {
            indexes.iter().filter_map(|&index| all.get(index).copied()).take(MAX_NAMES_WEIGHED).collect()
        };
        if rest.is_empty() {
            break;
        }
        let (legacy, mut confidence) = names::weigh(&of(&rest), context);
        let fits = |index: &usize| all.get(*index).is_some_and(|name| names::may_be(legacy, name));
        let (own, others): (Vec<usize>, Vec<usize>) = rest.iter().copied().partition(fits);
        if !own.is_empty() && !others.is_empty() {
            // Names that do not fit are not evidence about the others.
            let again = names::weigh(&of(&own), context);
            if again.0 == legacy {
                confidence = again.1;
            }
        }
        let read = |indexes: &[usize], confidence, found: &mut [Option<NameEncoding>]| {
            for &index in indexes {
                if let (Some(slot), Some(name)) = (found.get_mut(index), all.get(index))
                    && legacy.text_of(name).is_some()
                {
                    *slot = Some(NameEncoding { codec: Codec::Legacy(legacy), confidence });
                }
            }
        };
        if own.is_empty() {
            read(&others, Confidence::Possible, &mut found);
            break;
        }
        read(&own, confidence, &mut found);
        rest = others;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use utf8kit_encodings::charset::Legacy;
    use utf8kit_testing::Random;

    /// Names in some languages, and the encodings that they were written in.
    const NAMES_OF_ENCODINGS: [(&str, &[&str]); 12] = [
        (
            "windows-1252 CP437 CP850 macintosh ISO-8859-15",
            &["café.txt", "Übersicht 2019.pdf", "Größe.doc", "Año nuevo.jpg", "façade.png", "être.txt", "niño.mp3"],
        ),
        (
            "windows-1251 KOI8-R IBM866 ISO-8859-5",
            &["Документы.doc", "Новая папка", "Отчёт за март.xls", "фото.jpg", "Песня.mp3"],
        ),
        (
            "windows-1250 CP852 ISO-8859-2",
            &["příloha.doc", "žluťoučký.txt", "Zażółć gęślą.pdf", "łódź.jpg", "smlouva č. 5.doc"],
        ),
        ("windows-1253 ISO-8859-7", &["Έγγραφα.doc", "φωτογραφίες.zip", "Νέος φάκελος"]),
        ("Shift_JIS EUC-JP", &["資料.txt", "新しいフォルダ", "写真 001.jpg", "会議の議事録.doc", "履歴書.pdf"]),
        ("GBK", &["新建文件夹", "照片.jpg", "会议记录.doc", "简历.pdf", "中国.txt"]),
        ("Big5", &["新資料夾", "照片.jpg", "會議記錄.doc", "履歷.pdf"]),
        ("EUC-KR", &["새 폴더", "사진.jpg", "회의록.hwp", "이력서.doc"]),
        ("windows-1255", &["מסמכים.doc", "תמונות.jpg"]),
        ("windows-1256", &["مستندات.doc", "صور.jpg"]),
        ("windows-1254", &["Yeni klasör", "İşler.doc", "fotoğraf.jpg"]),
        ("windows-874", &["เอกสาร.doc", "รูปภาพ.jpg"]),
    ];

    /// For folders with one to five names: the number of names that are decoded correctly, that are certainly wrong,
    /// and that are left alone.
    fn counted(size: usize) -> (u32, u32, u32) {
        let (mut random, mut counts) = (Random::new(7), (0, 0, 0));
        for (encodings, texts) in NAMES_OF_ENCODINGS {
            for legacy in encodings.split(' ').filter_map(Legacy::labelled) {
                let encoded = |text: &&str| -> Option<(String, Vec<u8>)> {
                    let bytes: Option<Vec<_>> = text.chars().map(|c| legacy.bytes_of(c)).collect();
                    Some(((*text).to_owned(), bytes?.concat()))
                };
                let names: Vec<_> = texts.iter().filter_map(encoded).collect();
                for _ in 0..10 {
                    let folder: Vec<_> = (0..size).map(|_| &names[random.below(names.len())]).collect();
                    let bytes: Vec<_> = folder.iter().map(|(_, bytes)| &bytes[..]).collect();
                    let group = Group { names: bytes.clone(), context: String::new() };
                    for (found, (text, bytes)) in encodings_of(group).into_iter().zip(folder) {
                        let Some(found) = found.filter(|found| found.is_certain_enough()) else {
                            counts.2 += 1;
                            continue;
                        };
                        let read = found.codec.text_of(bytes);
                        if read.as_deref() == Some(text) { counts.0 += 1 } else { counts.1 += 1 }
                    }
                }
            }
        }
        counts
    }

    fn encodings_of(group: Group<'_>) -> Vec<Option<NameEncoding>> {
        encodings(&[group]).remove(0)
    }

    #[test]
    fn names_are_read_as_they_were_written_or_left_alone() {
        for (size, right) in [(1, 70), (2, 90), (5, 98)] {
            let (read, wrong, left) = counted(size);
            let all = read + wrong + left;
            assert!(wrong * 100 <= all, "{size}: {wrong} of {all} names would be wrong");
            assert!(read * 100 >= all * right, "{size}: {read} of {all} names are read");
        }
    }

    #[test]
    fn names_in_another_encoding_than_the_one_given_are_known() {
        let (mut right, mut wrong, mut held) = (0, 0, [0, 0]);
        for (encodings, texts) in NAMES_OF_ENCODINGS {
            for legacy in encodings.split(' ').filter_map(Legacy::labelled) {
                let encoded = |text: &&str| -> Option<Vec<u8>> {
                    text.chars().map(|c| legacy.bytes_of(c)).collect::<Option<Vec<_>>>().map(|all| all.concat())
                };
                let names: Vec<_> = texts.iter().filter_map(encoded).filter(|name| !name.is_ascii()).collect();
                let group = Group { names: names.iter().map(|name| &name[..]).collect(), context: String::new() };
                for (found, name) in encodings_of(group).into_iter().zip(&names) {
                    for given in ["windows-1252", "windows-1251", "shift_jis", legacy.name()] {
                        let given = Codec::Legacy(Legacy::labelled(given).unwrap());
                        let is_held = found.is_some_and(|found| found.overrules(given, name));
                        match given.text_of(name) == legacy.text_of(name) {
                            true => (right, held[0]) = (right + 1, held[0] + i32::from(is_held)),
                            false => (wrong, held[1]) = (wrong + 1, held[1] + i32::from(is_held)),
                        }
                    }
                }
            }
        }
        assert_eq!(held[0], 0, "of {right} names in the encoding that is given");
        assert!(held[1] * 100 >= wrong * 90, "{} of {wrong} names in another one", held[1]);
    }

    #[test]
    fn the_names_of_the_tree_tell_what_one_alone_does_not() {
        let name = b"\xF4\xEE\xF2\xEE.jpg";
        let alone = encodings_of(Group { names: vec![name], context: String::new() })[0].unwrap();
        assert_eq!(alone.codec.name(), "windows-1251");
        // Names of another folder do not mislead.
        let folders = [&b"d\xE9pt"[..], b"\xCD\xEE\xE2\xE0\xFF \xEF\xE0\xEF\xEA\xE0"];
        let folders = folders.map(|name| Group { names: vec![name], context: String::new() });
        assert_ne!(encodings(&folders)[1][0].unwrap().codec.name(), "windows-1252");
        let other: Vec<u8> = "Отчёт за март"
            .chars()
            .flat_map(|c| Legacy::labelled("windows-1251").unwrap().bytes_of(c).unwrap())
            .collect();
        let folders = [&other[..], name].map(|name| Group { names: vec![name], context: String::new() });
        let found = encodings(&folders)[1][0].unwrap();
        assert_eq!((found.codec.name(), found.is_certain_enough()), ("windows-1251", true));
    }
}
