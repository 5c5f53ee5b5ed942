//! Texts for measurements: generated, or real ones from a folder.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::language::{LANGUAGES, text};

pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Generates a text for each language profile, and one with all of them.
pub(crate) fn synthetic(size: usize) -> Vec<Corpus> {
    let one_each = LANGUAGES.iter().map(|language| (language.name, std::slice::from_ref(language)));
    one_each
        .chain([("mixed", LANGUAGES)])
        .map(|(name, languages)| Corpus {
            name: name.into(),
            text: String::from_utf8_lossy(&text(languages, size, 0.0)).into_owned(),
        })
        .collect()
}

/// Reads all UTF-8 files of a folder, with their names.
pub(crate) fn real(folder: &Path) -> Result<Vec<Corpus>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut corpora = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(text) = String::from_utf8(fs::read(&file)?) {
            corpora.push(Corpus { name, text });
        }
    }
    Ok(corpora)
}

/// Joins a part of each text, about `size` bytes in total: Short inputs in all scripts are cut from it.
pub(crate) fn mixed(corpora: &[Corpus], size: usize) -> Corpus {
    let each = size / corpora.len().max(1);
    let part = |corpus: &Corpus| corpus.text[..utf8kit::floor_char_boundary(corpus.text.as_bytes(), each)].to_owned();
    Corpus { name: "all scripts".into(), text: corpora.iter().map(part).collect() }
}
