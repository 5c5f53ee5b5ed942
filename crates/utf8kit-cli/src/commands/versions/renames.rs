//! Files that were renamed and damaged in one step. Git pairs only files that have lines in common, but damage changes
//! many lines. It preserves the ASCII of most lines and the name of the file.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The fewest characters by which a line can be recognized.
const MIN_CHARACTERS_OF_LINE: usize = 4;

/// The most files that may share a line. A line in more files does not identify one.
const MAX_FILES_SHARING_LINE: usize = 16;

/// A file that is deleted, or one that is new.
pub(super) struct Side {
    path: PathBuf,
    lines: HashSet<u64>,
}

impl Side {
    pub(super) fn new(path: &Path, content: &[u8]) -> Side {
        let of_line = |line: &[u8]| {
            let (mut hasher, mut letters) = (DefaultHasher::new(), 0);
            for byte in line.iter().filter(|byte| byte.is_ascii_graphic() && **byte != b'?') {
                byte.hash(&mut hasher);
                letters += 1;
            }
            (letters >= MIN_CHARACTERS_OF_LINE).then(|| hasher.finish())
        };
        let lines = content.split(|&byte| byte == b'\n').filter_map(of_line).collect();
        Side { path: path.to_owned(), lines }
    }

    fn name(&self) -> Option<&OsStr> {
        self.path.file_name()
    }
}

/// Returns pairs of a deleted file and the new file that it likely became. They have half of their lines in common. A
/// quarter is enough if both have the same name and no other file has it; then they may also have no lines to compare.
pub(super) fn pairs(deleted: &[Side], new: &[Side]) -> Vec<(usize, usize)> {
    let mut in_common: HashMap<(usize, usize), usize> = HashMap::new();
    let with_line = |sides: &[Side]| {
        let mut with_line: HashMap<u64, Vec<usize>> = HashMap::new();
        for (index, side) in sides.iter().enumerate() {
            side.lines.iter().for_each(|line| with_line.entry(*line).or_default().push(index));
        }
        with_line.retain(|_, files| files.len() <= MAX_FILES_SHARING_LINE);
        with_line
    };
    let of_new = with_line(new);
    for (line, deleted) in with_line(deleted) {
        for new in of_new.get(&line).into_iter().flatten() {
            deleted.iter().for_each(|deleted| *in_common.entry((*deleted, *new)).or_default() += 1);
        }
    }
    let only = |sides: &[Side]| {
        let mut only: HashMap<OsString, Option<usize>> = HashMap::new();
        for (index, name) in sides.iter().enumerate().filter_map(|(index, side)| Some((index, side.name()?))) {
            only.entry(name.to_owned()).and_modify(|one| *one = None).or_insert(Some(index));
        }
        only
    };
    let of_new = only(new);
    let named = only(deleted).into_iter().filter_map(|(name, deleted)| Some((deleted?, (*of_new.get(&name)?)?)));
    let named: HashSet<(usize, usize)> = named.collect();
    for pair in &named {
        in_common.entry(*pair).or_default();
    }
    let mut rated: Vec<(usize, usize, usize)> = Vec::new();
    for (pair @ (one, other), common) in in_common {
        let most = deleted[one].lines.len().max(new[other].lines.len());
        let parts = if named.contains(&pair) { 4 } else { 2 };
        if parts * common >= most {
            rated.push((100 * common / most.max(1) + parts, one, other));
        }
    }
    rated.sort_by_key(|&(likeness, one, other)| (std::cmp::Reverse(likeness), one, other));
    let (mut paired, mut taken) = (HashSet::new(), HashSet::new());
    rated.retain(|(_, one, other)| {
        let is_free = !paired.contains(one) && !taken.contains(other);
        is_free && paired.insert(*one) && taken.insert(*other)
    });
    rated.into_iter().map(|(_, one, other)| (one, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(deleted: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(usize, usize)> {
        let sides = |files: &[(&str, &str)]| -> Vec<Side> {
            files.iter().map(|(path, content)| Side::new(Path::new(path), content.as_bytes())).collect()
        };
        let mut found = pairs(&sides(deleted), &sides(new));
        found.sort_unstable();
        found
    }

    #[test]
    fn files_are_paired_by_what_damage_leaves_of_their_lines() {
        let deleted = [("a.txt", "un café à\nthé noir\nx = 1\n"), ("b.txt", "été comme hiver\n"), ("c.txt", "foo\n")];
        let new = [("d.txt", "?t? comme hiver\r\n"), ("e.txt", "un cafÃ© Ã\nnew line\nthÃ© noir\n")];
        assert_eq!(found(&deleted, &new), [(0, 1), (1, 0)]);
        // Text without ASCII is recognized only by its file name.
        let new = [("lib/a.txt", "\u{FFFD}\u{FFFD}\n"), ("b.txt", "foo bar\n")];
        assert_eq!(found(&[("src/a.txt", "да\n"), ("src/b.txt", "другой\n")], &new), [(0, 0)]);
        assert_eq!(found(&[("src/a.txt", "да\n"), ("a.txt", "нет\n")], &new[..1]), []);
    }

    #[test]
    fn lines_of_many_files_pair_none() {
        let files: Vec<(String, String)> =
            (0..3 * MAX_FILES_SHARING_LINE).map(|at| (format!("{at}"), "the same line\n".to_owned())).collect();
        let (deleted, new): (Vec<_>, Vec<_>) =
            files.iter().map(|(path, content)| ((&**path, &**content), ("other", &**content))).unzip();
        assert_eq!(found(&deleted, &new), []);
    }
}
