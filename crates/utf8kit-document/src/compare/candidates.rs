//! Lists the damage views worth trying for two versions: usual ones and rare ones.

use std::sync::LazyLock;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::{Charset, Codec, Family, Legacy};

use crate::compare::encodings::{UTF8, ascii, is_single_byte, is_windows};
use crate::compare::national::parts_of;
use crate::compare::substitutes::{Each, Substitute};
use crate::compare::view::DamageView;

/// The properties of two versions that determine which views are worth trying.
pub(super) struct Signs {
    pub(super) old_is_utf8: bool,
    /// The encodings of the old version.
    pub(super) old: Codec,
    pub(super) is_mixed: bool,
    /// The encoding of the new version, if it is not UTF-8.
    pub(super) new: Option<Codec>,
    pub(super) has_replacements: bool,
    pub(super) has_questions: bool,
    pub(super) has_references: bool,
    /// Whether the new version has non-ASCII characters other than U+FFFD.
    pub(super) has_non_ascii: bool,
}

/// Returns the views that are worth trying, the usual ones first.
pub(super) fn views(signs: &Signs) -> Vec<DamageView> {
    let mut views = Vec::new();
    if let Some(write) = signs.new {
        signs.written_in(write, &mut views);
    }
    signs.lossy(&mut views);
    if signs.has_non_ascii {
        signs.push_misdecoding_views(&mut views);
    }
    views
}

/// The old version was read in an encoding, with a substitute for invalid bytes, and written as UTF-8.
fn lossy(read: Codec, lost: Substitute, each: Each) -> DamageView {
    DamageView { errors: Some((lost, each)), write: UTF8, ..DamageView::plain(read) }
}

impl Signs {
    /// The old version was written in an encoding, with a substitute for characters that it lacks.
    fn lacking(&self, write: Codec, lost: Substitute, each: Each) -> DamageView {
        // Invalid bytes are lost in the same way.
        let (errors, lacking) = (Some((lost, Each::Item)), Some((lost, each)));
        DamageView { write, per_line: self.is_mixed, errors, lacking, ..DamageView::plain(self.old) }
    }

    /// Adds views in which the new version is not UTF-8.
    fn written_in(&self, write: Codec, views: &mut Vec<DamageView>) {
        let others = usual().filter(|&codec| codec != write && codec != UTF8 && is_bytes(write));
        for write in std::iter::once(write).chain(others) {
            if write != self.old {
                // An encoding that has all characters also has U+FFFD.
                let errors = write.has_all().then_some((Substitute::Replacement, Each::Item));
                let plain = DamageView::plain(self.old);
                views.push(DamageView { write, per_line: self.is_mixed, errors, ..plain });
                if write.has_all() && !self.old_is_utf8 && is_bytes(self.old) {
                    views.push(DamageView { write, per_line: !self.is_mixed, errors, ..plain });
                }
            }
            views.push(self.lacking(write, Substitute::Question, Each::Item));
            views.push(self.lacking(write, Substitute::Question, Each::Unit));
            views.push(self.lacking(write, Substitute::Nothing, Each::Item));
            if self.has_references {
                views.push(self.lacking(write, Substitute::Reference, Each::Item));
            }
            if self.old != UTF8 {
                // Read as UTF-8 although it is not.
                let lost = if write.has_all() { Substitute::Replacement } else { Substitute::Question };
                views.push(DamageView { write, ..lossy(UTF8, lost, Each::Item) });
            }
        }
    }

    /// Adds views in which characters became U+FFFD, question marks or nothing.
    fn lossy(&self, views: &mut Vec<DamageView>) {
        let ascii = ascii();
        if self.has_replacements {
            for each in [Each::Item, Each::Unit, Each::Run] {
                views.push(lossy(UTF8, Substitute::Replacement, each));
            }
            views.push(lossy(ascii, Substitute::Replacement, Each::Unit));
            let lacking = self.lacking(ascii, Substitute::Replacement, Each::Item);
            views.push(DamageView { write: UTF8, via: Some(ascii), ..lacking });
            views.push(lossy(self.old, Substitute::Replacement, Each::Item));
        }
        // Other text may have been added later.
        let write = if self.has_non_ascii && self.new.is_none() { UTF8 } else { ascii };
        let via = (write == UTF8).then_some(ascii);
        let to_ascii = |lost, each| DamageView { write, via, ..self.lacking(ascii, lost, each) };
        if self.has_questions {
            views.push(to_ascii(Substitute::Question, Each::Item));
            views.push(to_ascii(Substitute::Question, Each::Unit));
            for each in [Each::Item, Each::Unit, Each::Run] {
                views.push(lossy(UTF8, Substitute::Question, each));
            }
            views.push(lossy(ascii, Substitute::Question, Each::Unit));
        }
        if self.has_references {
            views.push(to_ascii(Substitute::Reference, Each::Item));
        }
        views.push(lossy(UTF8, Substitute::Nothing, Each::Item));
        views.push(to_ascii(Substitute::Nothing, Each::Item));
    }

    /// Adds views that read the old version in an encoding that it may not be in.
    fn push_misdecoding_views(&self, views: &mut Vec<DamageView>) {
        let others = usual().filter(|&codec| codec != self.old && codec != UTF8);
        for read in std::iter::once(self.old).chain(others).filter(|&read| read != UTF8) {
            let recoded = lossy(read, Substitute::Replacement, Each::Item);
            views.push(DamageView { per_line: self.is_mixed, ..recoded });
            if !self.old_is_utf8 && is_bytes(read) {
                views.push(DamageView { per_line: !self.is_mixed, ..recoded });
            }
            if is_single_byte(read) {
                views.push(DamageView { again: Some(read), ..recoded });
                if matches!(read, Codec::Legacy(legacy) if is_windows(legacy)) {
                    views.push(DamageView { again: Some(read), ..lossy(read, Substitute::Replacement, Each::Byte) });
                }
            }
            if let Codec::Legacy(legacy) = read {
                let by_byte = !legacy.is_single_byte() || is_windows(legacy);
                let each = by_byte.then_some(Each::Byte).into_iter().chain(parts_of(legacy).iter().copied());
                for each in each {
                    let by_each = lossy(read, Substitute::Replacement, each);
                    views.push(DamageView { per_line: self.is_mixed, ..by_each });
                    views.extend(self.is_mixed.then_some(by_each));
                }
            }
            if self.has_questions {
                views.push(lossy(read, Substitute::Question, Each::Item));
            }
        }
    }
}

/// Returns the views that are worth trying where the usual ones leave something unexplained: written in an encoding
/// that lacks some of it and then in the old one again, read in two encodings one after the other, and read in a wrong
/// encoding and written in another one.
pub(super) fn rare_views(signs: &Signs) -> Vec<DamageView> {
    let mut views = Vec::new();
    if signs.new.unwrap_or(UTF8) == signs.old && !signs.is_mixed {
        for via in std::iter::once(ascii()).chain(usual()).filter(|&via| via != signs.old) {
            let lost = signs.has_questions.then_some(Substitute::Question).into_iter().chain([Substitute::Nothing]);
            let lost = lost.chain(signs.has_references.then_some(Substitute::Reference));
            let lacking = lost.map(|lost| Some((lost, Each::Item)));
            let plain = DamageView { via: Some(via), ..DamageView::plain(signs.old) };
            views.extend(lacking.map(|lacking| DamageView { lacking, ..plain }));
        }
    }
    let errors = |read: Codec| {
        let is_single = matches!(read, Codec::Legacy(legacy) if legacy.is_single_byte());
        let only_item = is_single && !matches!(read, Codec::Legacy(legacy) if is_windows(legacy));
        let parts = if let Codec::Legacy(legacy) = read { parts_of(legacy) } else { &[] };
        let each = [Each::Item, Each::Byte].into_iter().take(if only_item { 1 } else { 2 });
        each.chain(parts.iter().copied())
    };
    if (signs.old_is_utf8 || signs.is_mixed) && signs.has_non_ascii {
        for (read, again) in codecs(&DOUBLE_DECODING_ENCODINGS)
            .flat_map(|read| codecs(&DOUBLE_DECODING_ENCODINGS).map(move |again| (read, again)))
        {
            let each = [Each::Item, Each::Byte].into_iter().filter(|each| *each == Each::Byte || read != again);
            views.extend(each.map(|each| {
                let once = lossy(read, Substitute::Replacement, each);
                DamageView { again: Some(again), ..once }
            }));
        }
    }
    if is_bytes(signs.old) && (signs.new.is_some() || !signs.has_non_ascii) {
        let write = if signs.has_non_ascii { signs.new } else { Some(ascii()) };
        let is_other = |other: &Codec| signs.has_non_ascii && Some(*other) != write && write.is_some_and(is_bytes);
        let others = codecs(&TAKEN_FOR).filter(is_other);
        for write in write.into_iter().chain(others) {
            // An encoding that has all characters also has U+FFFD.
            let (lost, lacking) = match write.has_all() {
                true => (Substitute::Replacement, None),
                false => (Substitute::Question, Some((Substitute::Question, Each::Item))),
            };
            for read in codecs(&TAKEN_FOR).filter(|&read| read != signs.old && read != write) {
                let view = |each| DamageView { write, lacking, ..lossy(read, lost, each) };
                views.extend(errors(read).map(view));
            }
        }
    }
    views
}

fn codecs(names: &'static [&str]) -> impl Iterator<Item = Codec> {
    names.iter().filter_map(|name| name.parse::<Charset>().ok()).map(Charset::writer)
}

/// Encodings in which files are read one after the other.
const DOUBLE_DECODING_ENCODINGS: [&str; 8] =
    ["windows-1252", "latin1", "windows-1251", "windows-1250", "cp437", "cp850", "koi8-r", "macintosh"];

/// Encodings that are mistaken for each other.
pub(super) const TAKEN_FOR: [&str; 17] = [
    "windows-1252", "latin1", "windows-1250", "windows-1251", "iso-8859-2", "cp437", "cp850", "cp852", "ibm866",
    "koi8-r", "macintosh", "x-mac-cyrillic", "shift_jis", "euc-jp", "euc-kr", "gb18030", "big5",
];

/// Reports whether the code units of an encoding are bytes.
fn is_bytes(codec: Codec) -> bool {
    match codec {
        Codec::Native(native) => native.is_ascii_compatible(),
        Codec::Legacy(_) => true,
    }
}

/// Returns the encodings that files are mistaken for, the usual ones first.
pub(super) fn usual() -> impl Iterator<Item = Codec> {
    USUAL.iter().copied()
}

static USUAL: LazyLock<Vec<Codec>> = LazyLock::new(|| {
    // Then the encodings of the WHATWG Encoding Standard, then these.
    const LAST: [&str; 18] = [
        "CP437", "CP737", "CP775", "CP850", "CP852", "CP855", "CP857", "CP860", "CP861", "CP862", "CP863", "CP865",
        "CP869", "CP1125", "x-mac-ce", "x-mac-greek", "x-mac-turkish", "hp-roman8",
    ];
    const FIRST: [&str; 12] = [
        "windows-1252", "latin1", "windows-1251", "windows-1250", "iso-8859-15", "shift_jis", "gb18030", "big5",
        "euc-jp", "euc-kr", "koi8-r", "macintosh",
    ];
    let names = Legacy::all().filter(|legacy| legacy.family() == Family::Web).map(Legacy::name);
    let names = FIRST.into_iter().chain(names).chain(LAST);
    let mut codecs: Vec<Codec> = Vec::new();
    for codec in names.filter_map(|name| name.parse::<Charset>().ok()).map(Charset::writer) {
        let is_legacy = match codec {
            Codec::Native(native) => native == AnyEncoding::Latin1,
            Codec::Legacy(legacy) => legacy.is_stateless() && legacy.keeps_ascii() && legacy.name() != "us-ascii",
        };
        if is_legacy && !codecs.contains(&codec) {
            codecs.push(codec);
        }
    }
    codecs
});
