//! Records: a first line with date, machine and command, then a line for each definition, level and text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::Result;

pub(crate) struct Record {
    /// `cpu`, `date`, `commit`, `command`.
    pub(crate) head: Value,
    /// `operation`, `level`, `corpus`, `bytes`, and `ns` by peer.
    pub(crate) rows: Vec<Value>,
}

/// Returns the folder of this crate.
pub(crate) fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Record {
    pub(crate) fn new(words: &[&str], rows: Vec<Value>) -> Record {
        // Omit the folder of the texts, which is private.
        let mut words = words.to_vec();
        if let Some(at) = words.iter().position(|&word| word == "--corpora") {
            words[at + 1] = "DIR";
        }
        if let Some(at) = words.iter().position(|&word| word == "--out") {
            words.drain(at..at + 2);
        }
        let features = if cfg!(feature = "peers-cpp") { " --features peers-cpp" } else { "" };
        let command = format!("cargo run --release -p utf8kit-bench{features} -- run {}", words.join(" "));
        let commit = printed("git", &["rev-parse", "--short", "HEAD"]);
        let head = json!({"cpu": cpu(), "date": today(), "commit": commit, "command": command.trim_end()});
        Record { head, rows }
    }

    /// Writes it to a file. If the path is a folder or missing, the file is named after the CPU and the day.
    pub(crate) fn write(&self, place: Option<&Path>) -> Result<PathBuf> {
        let head = |name: &str| self.head[name].as_str().unwrap_or_default();
        let name: String =
            head("cpu").chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
        let name = format!("{}-{name}.jsonl", head("date"));
        let file = match place {
            None => home().join("record").join(name),
            Some(folder) if folder.is_dir() => folder.join(name),
            Some(file) => file.to_path_buf(),
        };
        let lines: Vec<String> =
            std::iter::once(&self.head).chain(&self.rows).map(|line| format!("{line}\n")).collect();
        fs::write(&file, lines.concat())?;
        Ok(file)
    }

    /// Reads the newest record in the folder: their names begin with the date.
    pub(crate) fn newest() -> Result<Record> {
        let files = fs::read_dir(home().join("record"))?.filter_map(|entry| Some(entry.ok()?.path()));
        let newest = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).max();
        let text = fs::read_to_string(newest.ok_or("no record")?)?;
        let mut lines = text.lines().map(serde_json::from_str);
        let head = lines.next().ok_or("an empty record")??;
        Ok(Record { head, rows: lines.collect::<Result<_, _>>()? })
    }
}

/// Returns the system's name of the CPU, with its family and model, which some names do not determine.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split(':').nth(1)).map(|value| value.trim().to_owned())
    };
    let arch = std::env::consts::ARCH;
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => format!("{name} family {family} model {model}"),
        // ARM has numbers instead of names.
        _ => match (field("CPU implementer"), field("CPU part")) {
            (Some(implementer), Some(part)) => format!("{arch} implementer {implementer} part {part}"),
            _ => printed("sysctl", &["-n", "machdep.cpu.brand_string"]).unwrap_or_else(|| arch.into()),
        },
    }
}

/// Returns the output of a program, or nothing if it does not exist or fails.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns today's date in UTC, as 2026-01-31.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Years begin in March here, so that the leap day is the last one.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}
