//! Reads old versions of files from git.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher as _;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use utf8kit_encodings::display::Name;
use utf8kit_files::{canonical, folder_of};

use super::renames::{Side, pairs};
use super::{Changes, Version};
use crate::error::Error;

/// Keeps Git LFS from fetching large files only to compare them.
const NO_FETCH: (&str, &str) = ("GIT_LFS_SKIP_SMUDGE", "1");

/// The largest untracked file that is considered as the new name of a renamed file.
const MAX_OBJECT_BYTES: u64 = 16 << 20;

/// A file that differs from a revision.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Entry {
    /// Its old object.
    pub(in crate::commands) old: String,
    /// Its staged object, if it is staged.
    pub(in crate::commands) new: String,
}

/// A repository.
pub(in crate::commands) struct Git {
    pub(in crate::commands) root: PathBuf,
    /// Whether `core.autocrlf` is set, once it was needed.
    converts: OnceLock<bool>,
    /// The process for stored objects, once one was needed.
    objects: Mutex<Option<Objects>>,
    /// The process for objects converted as for checkout.
    files: Mutex<Option<Objects>>,
    /// For each folder: `None` if it is in this repository, else the other repository, or the folder itself if it is in
    /// none.
    elsewhere: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

/// A folder that is not in a repository.
pub(in crate::commands) enum Elsewhere {
    /// It is in another repository, or in none.
    Other(Error),
    /// It is a submodule, which has its own history. The message explains that.
    Submodule(String),
}

/// `git cat-file --batch`.
struct Objects {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// A name that is never an object. Git's reply to it marks the end of the content before it, whose length git does
    /// not give.
    end: String,
}

/// An object.
struct Object {
    id: String,
    content: Vec<u8>,
}

impl Git {
    /// Finds the repository around the first path, or the current folder.
    pub(in crate::commands) fn around(paths: &[PathBuf]) -> Result<Git, Error> {
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let folder = first.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let root = run(folder, &["rev-parse".as_ref(), "--show-toplevel".as_ref()])?;
        let root = root.strip_suffix(b"\n").unwrap_or(&root);
        let root = path_of_bytes(root);
        let root = root.canonicalize().unwrap_or(root);
        let (objects, files) = (Mutex::default(), Mutex::default());
        Ok(Git { root, converts: OnceLock::new(), objects, files, elsewhere: Mutex::default() })
    }

    /// Reports whether `core.autocrlf` is set.
    fn converts(&self) -> bool {
        *self.converts.get_or_init(|| {
            let set = run(&self.root, &["config".as_ref(), "--get".as_ref(), "core.autocrlf".as_ref()]);
            set.is_ok_and(|value| matches!(value.trim_ascii(), b"true" | b"input"))
        })
    }

    /// Returns the path of a file, which need not exist, or of a folder, relative to the root.
    pub(in crate::commands) fn path_of(&self, path: &Path) -> Option<PathBuf> {
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let absolute = match path.file_name().filter(|_| !is_folder) {
            Some(name) => canonical(folder_of(path)).join(name),
            None => path.canonicalize().ok()?,
        };
        absolute.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    /// Returns the folders of the files so far that are in another repository or in none.
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        let others: BTreeSet<PathBuf> = locked(&self.elsewhere).values().flatten().cloned().collect();
        let root = Name(&self.root);
        let of = |folder: PathBuf| {
            if self.is_submodule(&folder) {
                let message = "a submodule, so it was not compared: run the command within it";
                return Elsewhere::Submodule(format!("{}: {message}", Name(&folder)));
            }
            let message = format!("not in the repository {root}, so there is no old version to compare with");
            Elsewhere::Other(Error::at(&folder, message))
        };
        others.into_iter().map(of).collect()
    }

    /// Reports whether a folder is a submodule of the repository.
    fn is_submodule(&self, folder: &Path) -> bool {
        let Ok(path) = folder.strip_prefix(&self.root) else { return false };
        let words = ["ls-files", "--stage", "-z", "--"].map(OsStr::new);
        let listed = run(&self.root, &[&words[..], &[path.as_os_str()]].concat());
        listed.is_ok_and(|listed| listed.starts_with(b"160000 "))
    }

    /// Records the folder of a file that is not in the repository.
    pub(super) fn meet(&self, path: &Path) {
        let folder = folder_of(path);
        if !locked(&self.elsewhere).contains_key(folder) {
            let other = self.other_repository(folder);
            locked(&self.elsewhere).insert(folder.to_owned(), other);
        }
    }

    /// Returns the other repository that a folder is in, or the folder itself if it is in none.
    fn other_repository(&self, folder: &Path) -> Option<PathBuf> {
        let full = folder.canonicalize().ok()?;
        let mut others = full.ancestors().take_while(|at| *at != self.root);
        match others.find(|at| at.join(".git").exists()) {
            Some(other) => Some(other.to_owned()),
            None => (!full.starts_with(&self.root)).then_some(full),
        }
    }

    /// Returns the files that `git diff` lists, with the renames that git or this program detects.
    pub(in crate::commands) fn changes(&self, arguments: &[&OsStr], is_staged: bool) -> Result<Changes, Error> {
        let mut all: Vec<&OsStr> = ["diff", "--raw", "-z", "--no-abbrev", "-M"].map(OsStr::new).to_vec();
        all.extend(is_staged.then_some(OsStr::new("--cached")));
        all.extend(arguments);
        let listed = self.revisions(&all)?;
        let mut listed: Vec<Raw> = raw(&listed).collect();
        if !is_staged && listed.iter().any(Raw::is_gone) {
            let untracked = ["ls-files", "--others", "--exclude-standard", "-z"].map(OsStr::new);
            let untracked = run(&self.root, &untracked)?;
            let paths = untracked.split(|&byte| byte == 0).filter(|path| !path.is_empty());
            listed.extend(paths.map(|path| Raw::untracked(path_of_bytes(path))));
        }
        let content = |raw: &Raw| match is_staged {
            true => self.object(&raw.new),
            false => Ok(read_small(&self.root.join(&raw.to))),
        };
        let renamed = self.renamed(&listed, content)?.into_iter();
        let olds: HashMap<usize, String> =
            renamed.filter_map(|(new, deleted)| Some((new, listed.get(deleted)?.old.clone()))).collect();
        let entries = listed.into_iter().enumerate().filter(|(_, raw)| !raw.is_gone()).map(|(at, raw)| {
            let Raw { old, new, to, .. } = raw;
            (to, Entry { old: olds.get(&at).cloned().unwrap_or(old), new })
        });
        Ok(entries.collect())
    }

    /// Returns pairs of a renamed file that seems new and its deleted old file, as indexes into a list of changes.
    pub(super) fn renamed(
        &self,
        listed: &[Raw],
        content: impl Fn(&Raw) -> Result<Option<Vec<u8>>, Error>,
    ) -> Result<HashMap<usize, usize>, Error> {
        let (mut deleted, mut new) = (Vec::new(), Vec::new());
        if !listed.iter().any(Raw::is_gone) || !listed.iter().any(Raw::is_new) {
            return Ok(HashMap::new());
        }
        for (at, raw) in listed.iter().enumerate() {
            if raw.is_gone() {
                let old = self.object(&raw.old)?.unwrap_or_default();
                deleted.push((at, Side::new(&raw.from, &old)));
            } else if raw.is_new() {
                let now = content(raw)?.unwrap_or_default();
                new.push((at, Side::new(&raw.to, &now)));
            }
        }
        let ((deleted, olds), (new, news)): ((Vec<_>, Vec<_>), (Vec<_>, Vec<_>)) =
            (deleted.into_iter().unzip(), new.into_iter().unzip());
        let found = pairs(&olds, &news).into_iter();
        Ok(found.filter_map(|(one, other)| Some((*new.get(other)?, *deleted.get(one)?))).collect())
    }

    /// Runs git on revisions. If one is missing, the error mentions that the clone is shallow.
    pub(super) fn revisions(&self, arguments: &[&OsStr]) -> Result<Vec<u8>, Error> {
        run(&self.root, arguments).map_err(|error| {
            let shallow = run(&self.root, &["rev-parse".as_ref(), "--is-shallow-repository".as_ref()]);
            match error {
                Error::Other(message) if shallow.is_ok_and(|answer| answer.trim_ascii() == b"true") => {
                    Error::Other(format!("{message} (the clone is shallow: `git fetch --unshallow` gets the rest)"))
                }
                error => error,
            }
        })
    }

    /// Returns the object name of a file in a commit, or `None` if it is not there.
    pub(super) fn id_of(&self, commit: &str, path: &Path) -> Result<Option<String>, Error> {
        let mut name = OsString::from(commit);
        name.push(":");
        name.push(path);
        // `cat-file --batch` reads one name per line, as text.
        if let Some(name) = name.to_str().filter(|name| !name.contains('\n')) {
            return Ok(self.read(&self.objects, name, None)?.map(|object| object.id));
        }
        let found = run(&self.root, &["rev-parse".as_ref(), "--verify".as_ref(), name.as_ref()]);
        Ok(found.ok().map(|id| String::from_utf8_lossy(&id).trim_end().to_owned()))
    }

    /// Returns the content of an object, or `None` if there is no such object.
    pub(in crate::commands) fn object(&self, id: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.read(&self.objects, id, None)?.map(|object| object.content))
    }

    /// Returns an object as Git would check it out at a path, in the encoding and with the line ends that attributes
    /// request. If `core.autocrlf` is set, a file stored with CR LF keeps them, and any other file may have either line
    /// end.
    pub(super) fn version(&self, id: &str, path: &Path) -> Result<Option<Version>, Error> {
        let content = match path.to_str().filter(|path| !path.contains('\n')) {
            Some(path) => self.read(&self.files, id, Some(path))?.map(|object| object.content),
            None if self.object(id)?.is_none() => None,
            None => {
                let mut of_path = OsString::from("--path=");
                of_path.push(path);
                let words = ["cat-file".as_ref(), "--filters".as_ref(), &*of_path, id.as_ref()];
                Some(run(&self.root, &words)?)
            }
        };
        let Some(content) = content else { return Ok(None) };
        let has_returns = |stored: Vec<u8>| stored.windows(2).any(|pair| pair == b"\r\n");
        let is_converted = self.converts() && !self.object(id)?.is_some_and(has_returns);
        Ok(Some(Version { content, is_converted }))
    }

    /// Reads an object, converted as for checkout at a path if one is given.
    fn read(&self, objects: &Mutex<Option<Objects>>, name: &str, path: Option<&str>) -> Result<Option<Object>, Error> {
        if name.contains('\n') {
            return Ok(None);
        }
        let mut objects = locked(objects);
        let read = match &mut *objects {
            Some(objects) => objects.read(name, path),
            none => Objects::of(&self.root, path.is_some()).and_then(|new| none.insert(new).read(name, path)),
        };
        read.map_err(|error| {
            // After an error, git stops reading its input.
            objects.take().into_iter().for_each(Objects::end);
            Error::Other(format!("git cat-file: {error}"))
        })
    }
}

impl Objects {
    fn of(root: &Path, as_files: bool) -> io::Result<Objects> {
        let mut command = Command::new("git");
        command.arg("-C").arg(root).args(["cat-file", "--batch"]);
        if as_files {
            command.arg("--filters").env(NO_FETCH.0, NO_FETCH.1);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let end = format!("end-{:016x}", RandomState::new().hash_one(child.id()));
        Ok(Objects { child, input, output: BufReader::new(output), end })
    }

    fn read(&mut self, name: &str, path: Option<&str>) -> io::Result<Option<Object>> {
        match path {
            Some(path) => writeln!(self.input, "{name} {path}\n{} {path}", self.end)?,
            None => writeln!(self.input, "{name}\n{}", self.end)?,
        }
        self.input.flush()?;
        let mut header = String::new();
        self.output.read_line(&mut header)?;
        let (end, mut content) = (format!("\n{} missing\n", self.end).into_bytes(), vec![b'\n']);
        while !content.ends_with(&end) {
            if self.output.read_until(b'\n', &mut content)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let words: Vec<&str> = header.trim_end().split(' ').collect();
        // The name of a missing object may contain spaces.
        let [id, "blob", size] = words[..] else { return Ok(None) };
        if size.parse::<u64>().is_err() {
            return Ok(None);
        }
        content.truncate(content.len() - end.len());
        content.drain(..content.len().min(1));
        Ok(Some(Object { id: id.to_owned(), content }))
    }

    fn end(self) {
        let Objects { mut child, input, output, .. } = self;
        drop((input, output));
        let _ = child.wait();
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        for objects in [&mut self.objects, &mut self.files] {
            let objects = objects.get_mut().unwrap_or_else(PoisonError::into_inner);
            objects.take().into_iter().for_each(Objects::end);
        }
    }
}

/// Locks a mutex even if a thread panicked while holding it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a file of the folder, if it is a regular file and not too large to be paired.
fn read_small(path: &Path) -> Option<Vec<u8>> {
    let metadata = path.symlink_metadata().ok()?;
    (metadata.is_file() && metadata.len() <= MAX_OBJECT_BYTES).then(|| std::fs::read(path).ok())?
}

/// Runs git and returns what it prints.
fn run(folder: &Path, arguments: &[&OsStr]) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).env(NO_FETCH.0, NO_FETCH.1);
    let output = command.output();
    let output = output.map_err(|error| Error::Other(format!("git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
    let asked = arguments.first().map(|one| one.to_string_lossy()).unwrap_or_default();
    Err(Error::Other(format!("git {asked}: {message}")))
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}

/// A change of a file in git's listing.
pub(super) struct Raw {
    /// The number of listed commits up to and including the one of this change.
    pub(super) commit: usize,
    status: u8,
    /// Its old and new object.
    pub(super) old: String,
    pub(super) new: String,
    /// Its old and new path.
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
}

impl Raw {
    /// An untracked file.
    fn untracked(path: PathBuf) -> Raw {
        Raw { commit: 0, status: b'A', old: String::new(), new: String::new(), from: path.clone(), to: path }
    }

    fn is_gone(&self) -> bool {
        self.status == b'D'
    }

    pub(super) fn is_new(&self) -> bool {
        self.status == b'A'
    }
}

/// Parses the output of `git diff --raw -z` or `git log`, with a line for each commit. Omits entries that are not files
/// on either side.
pub(super) fn raw(listed: &[u8]) -> impl Iterator<Item = Raw> {
    let mut fields = listed.split(|&byte| byte == 0);
    let mut commit = 0;
    std::iter::from_fn(move || {
        loop {
            let header = loop {
                // The name of a commit is followed by the end of its line.
                let field = fields.next()?.trim_ascii_start();
                if field.starts_with(b":") {
                    break field;
                }
                commit += 1;
            };
            let header = String::from_utf8_lossy(header).into_owned();
            let mut words = header.trim_start_matches(':').split(' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            let (old_mode, new_mode, old, new, status) = (word(), word(), word(), word(), word());
            let from = path_of_bytes(fields.next()?);
            let to = if status.starts_with(['R', 'C']) { path_of_bytes(fields.next()?) } else { from.clone() };
            let is_file = |mode: &str| mode.starts_with("100") || mode == "000000";
            if is_file(&old_mode) && is_file(&new_mode) {
                let status = status.bytes().next().unwrap_or_default();
                return Some(Raw { commit, status, old, new, from, to });
            }
        }
    })
}
