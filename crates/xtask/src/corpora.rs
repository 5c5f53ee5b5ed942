//! Writes the benchmark's texts to files.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::language::{LANGUAGES, text};
use crate::{Result, target};

pub(crate) fn write(options: &[&str]) -> Result {
    let (mut bytes, mut damage) = (1 << 20, 0.0);
    let mut folder = target().join("corpora");
    for option in options.chunks(2) {
        match option {
            ["--bytes", value] => bytes = value.parse()?,
            ["--damage", value] => damage = value.parse()?,
            ["--out", value] => folder = PathBuf::from(value),
            _ => return Err(format!("unknown option, or one without a value: {}", option.join(" ")).into()),
        }
    }
    fs::create_dir_all(&folder)?;
    let one_each = LANGUAGES.iter().map(|language| (language.name, std::slice::from_ref(language)));
    for (name, languages) in one_each.chain([("mixed", LANGUAGES)]) {
        let file = folder.join(format!("{name}.txt"));
        fs::write(&file, text(languages, bytes, damage))?;
        println!("{}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}
