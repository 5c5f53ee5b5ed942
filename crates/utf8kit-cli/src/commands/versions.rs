//! Old versions of files: in a folder, in a file, or in git.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use utf8kit_text::display::Name;
use utf8kit_text::files::Source;

use crate::error::Error;

/// Where old versions come from.
pub(super) enum Versions {
    /// The old version of the only file.
    File(PathBuf),
    /// Old versions have the same path in this folder.
    Folder(PathBuf),
    /// A repository, and the files that differ from a revision.
    Git(Git, Changes),
}

/// Files that differ from a revision, by their path from the root of the repository.
pub(super) type Changes = HashMap<PathBuf, Entry>;

/// A file that differs from a revision.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The object that it was.
    pub(super) old: String,
    /// The object that it is, if it is staged.
    pub(super) new: String,
}

impl Versions {
    /// Finds out what a name means: a file or a folder that exists, else a revision.
    pub(super) fn named(name: &OsStr, paths: &[PathBuf]) -> Result<Versions, Error> {
        let path = Path::new(name);
        if path.is_dir() {
            return Ok(Versions::Folder(path.to_owned()));
        }
        if path.is_file() {
            return match paths {
                [one] if !one.is_dir() => Ok(Versions::File(path.to_owned())),
                _ => Err(Error::at(path, "is a file: give the one file to compare with it as PATH")),
            };
        }
        let git = Git::around(paths)?;
        let changes = match name.to_str() {
            // The index has no tree, and is what `git diff` compares with by itself.
            Some(":0") => git.changes(&["--".as_ref()])?,
            _ => git.changes(&["--end-of-options".as_ref(), name, "--".as_ref()])?,
        };
        Ok(Versions::Git(git, changes))
    }

    /// Reports whether a file that has no line end but LF in this version has the line ends that Git gave it, so that
    /// others are not damage: `core.autocrlf`.
    pub(super) fn stores_line_feeds(&self, old: &[u8]) -> bool {
        matches!(self, Versions::Git(git, _) if git.stores_line_feeds(old))
    }

    /// See [`Git::elsewhere`].
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        match self {
            Versions::Git(git, _) => git.elsewhere(),
            Versions::File(_) | Versions::Folder(_) => Vec::new(),
        }
    }

    /// Returns the old version of a source; `None` if there is none, or it is the same.
    pub(super) fn old(&self, source: &Source) -> Result<Option<Vec<u8>>, Error> {
        let read = |path: &Path| match std::fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::at(path, error)),
        };
        match self {
            Versions::File(path) => read(path),
            Versions::Folder(folder) => {
                let within = source.root().and_then(|root| source.path.strip_prefix(root).ok());
                let relative = within.map(Path::to_owned).or_else(|| below(&source.path));
                let named = || source.path.file_name().map(PathBuf::from);
                match relative.map(|path| folder.join(path)).filter(|path| path.is_file()) {
                    Some(path) => read(&path),
                    None => named().map_or(Ok(None), |name| read(&folder.join(name))),
                }
            }
            Versions::Git(git, changes) => {
                git.meet(&source.path);
                match git.path_of(&source.path).and_then(|path| changes.get(&path)) {
                    Some(entry) => git.object(&entry.old),
                    None => Ok(None),
                }
            }
        }
    }
}

/// Returns a relative path without what leads out of the folder.
fn below(path: &Path) -> Option<PathBuf> {
    let is_plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    is_plain.then(|| path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect())
}

/// A repository.
pub(super) struct Git {
    pub(super) root: PathBuf,
    /// Whether `core.autocrlf` is set, once it was needed.
    converts: OnceLock<bool>,
    /// `git cat-file --batch`, once it was needed.
    objects: Mutex<Option<Objects>>,
    /// The other repository that a folder is in, or the folder itself if that is in none; `None`: it is in this one.
    elsewhere: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

/// A folder that is not in a repository.
pub(super) enum Elsewhere {
    /// It is in another one, or in none.
    Other(Error),
    /// It is a submodule, which has a history of its own: what is to be told of it.
    Submodule(String),
}

/// `git cat-file --batch`.
struct Objects {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Git {
    /// Finds the repository around the first path, or the current folder.
    pub(super) fn around(paths: &[PathBuf]) -> Result<Git, Error> {
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let folder = if first.is_dir() { first } else { folder_of(first) };
        let root = run(folder, &["rev-parse".as_ref(), "--show-toplevel".as_ref()])?;
        let root = root.strip_suffix(b"\n").unwrap_or(&root);
        let root = path_of_bytes(root);
        let root = root.canonicalize().unwrap_or(root);
        Ok(Git { root, converts: OnceLock::new(), objects: Mutex::default(), elsewhere: Mutex::default() })
    }

    /// Reports whether Git stores a file with LF, whatever line ends it has in the folder: `core.autocrlf`. A file
    /// that was stored with CR LF stays so.
    pub(super) fn stores_line_feeds(&self, old: &[u8]) -> bool {
        let converts = *self.converts.get_or_init(|| {
            let set = run(&self.root, &["config".as_ref(), "--get".as_ref(), "core.autocrlf".as_ref()]);
            set.is_ok_and(|value| matches!(value.trim_ascii(), b"true" | b"input"))
        });
        converts && !old.windows(2).any(|pair| pair == b"\r\n")
    }

    /// Returns the path from the root of a file, which need not exist, or of a folder.
    pub(super) fn path_of(&self, path: &Path) -> Option<PathBuf> {
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let absolute = match path.file_name().filter(|_| !is_folder) {
            Some(name) => folder_of(path).canonicalize().ok()?.join(name),
            None => path.canonicalize().ok()?,
        };
        absolute.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    /// Returns the folders of the files so far that are not in the repository, but in another one or none.
    fn elsewhere(&self) -> Vec<Elsewhere> {
        let others: BTreeSet<PathBuf> = locked(&self.elsewhere).values().flatten().cloned().collect();
        let root = Name(&self.root);
        let of = |folder: PathBuf| {
            if self.is_submodule(&folder) {
                let message = "a submodule, which was compared with nothing: compare it within itself";
                return Elsewhere::Submodule(format!("{}: {message}", Name(&folder)));
            }
            let message = format!("not in the repository {root}, which has no old version of its files");
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

    /// Remembers where the folder of a file is, if it is not in the repository.
    fn meet(&self, path: &Path) {
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

    /// Returns the files that `git diff` lists, with its detection of renames.
    pub(super) fn changes(&self, arguments: &[&OsStr]) -> Result<Changes, Error> {
        let mut all: Vec<&OsStr> = ["diff", "--raw", "-z", "--no-abbrev", "-M"].map(OsStr::new).to_vec();
        all.extend(arguments);
        let listed = self.revisions(&all)?;
        let entries = raw(&listed).map(|Raw { old, new, to, .. }| (to, Entry { old, new }));
        Ok(entries.collect())
    }

    /// Runs git on revisions. Where one is missing, a shallow clone may be the reason.
    fn revisions(&self, arguments: &[&OsStr]) -> Result<Vec<u8>, Error> {
        run(&self.root, arguments).map_err(|error| {
            let shallow = run(&self.root, &["rev-parse".as_ref(), "--is-shallow-repository".as_ref()]);
            match error {
                Error::Other(message) if shallow.is_ok_and(|answer| answer.trim_ascii() == b"true") => {
                    Error::Other(format!(
                        "{message} (the clone is shallow: `git fetch --unshallow` gets the rest)"
                    ))
                }
                error => error,
            }
        })
    }

    /// Returns the content of a file in a commit; `None` if it is not there.
    fn object_at(&self, commit: &str, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let mut name = OsString::from(commit);
        name.push(":");
        name.push(path);
        // `cat-file --batch` reads names of text in one line.
        if let Some(name) = name.to_str().filter(|name| !name.contains('\n')) {
            return self.object(name);
        }
        let found = run(&self.root, &["rev-parse".as_ref(), "--verify".as_ref(), name.as_ref()]);
        found.map_or(Ok(None), |id| self.object(String::from_utf8_lossy(&id).trim_end()))
    }

    /// Returns the content of an object; `None` if there is no such object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        if name.contains('\n') {
            return Ok(None);
        }
        let mut objects = locked(&self.objects);
        let read = match &mut *objects {
            Some(objects) => objects.read(name),
            none => Objects::of(&self.root).and_then(|new| none.insert(new).read(name)),
        };
        read.map_err(|error| Error::Other(format!("git cat-file: {error}")))
    }
}

impl Objects {
    fn of(root: &Path) -> io::Result<Objects> {
        let mut command = Command::new("git");
        command.arg("-C").arg(root).args(["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        Ok(Objects { child, input, output: BufReader::new(output) })
    }

    fn read(&mut self, name: &str) -> io::Result<Option<Vec<u8>>> {
        writeln!(self.input, "{name}")?;
        self.input.flush()?;
        let mut header = Vec::new();
        if self.output.read_until(b'\n', &mut header)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = String::from_utf8_lossy(&header);
        let (kind, size) = match header.trim_end().rsplit(' ').collect::<Vec<_>>()[..] {
            // The name that follows may be anything.
            ["missing" | "ambiguous" | "submodule", ..] => return Ok(None),
            [size, kind, ..] => (kind, size),
            _ => return Err(io::Error::other(header.into_owned())),
        };
        let size: usize = size.parse().map_err(|_| io::Error::other(header.clone().into_owned()))?;
        let mut content = vec![0; size + 1];
        self.output.read_exact(&mut content)?;
        content.pop();
        // A folder, or the commit of a submodule, is no old version of a file.
        Ok((kind == "blob").then_some(content))
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        let objects = self.objects.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(Objects { mut child, input, output }) = objects.take() {
            drop((input, output));
            let _ = child.wait();
        }
    }
}

/// Locks what a thread that panicked may have left as it was.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Runs git and returns what it prints.
fn run(folder: &Path, arguments: &[&OsStr]) -> Result<Vec<u8>, Error> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output = output.map_err(|error| Error::Other(format!("git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
    let asked: Vec<_> = arguments.iter().map(|one| one.to_string_lossy()).collect();
    Err(Error::Other(format!("git {}: {message}", asked.join(" "))))
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

/// Returns a range of revisions, if it is one and no file.
pub(super) fn range(name: &OsStr) -> Option<&str> {
    name.to_str().filter(|name| name.contains("..") && !Path::new(name).exists())
}

/// What changed in a range of revisions, the last change first.
pub(super) struct History {
    git: Git,
    /// The revision that the range begins with.
    start: Option<String>,
    changes: Vec<Raw>,
    /// The changes that led to each path, in order.
    of_path: HashMap<PathBuf, Vec<usize>>,
}

impl History {
    /// Asks git once for all changes in a range, with its detection of renames.
    pub(super) fn of(range: &str, paths: &[PathBuf]) -> Result<History, Error> {
        let git = Git::around(paths)?;
        let words =
            ["log", "-m", "--format=", "--raw", "-z", "--no-abbrev", "-M", "--end-of-options", range, "--"];
        let listed = git.revisions(&words.map(OsStr::new))?;
        let changes: Vec<Raw> = raw(&listed).collect();
        let mut of_path: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (index, change) in changes.iter().enumerate() {
            of_path.entry(change.to.clone()).or_default().push(index);
        }
        let start = range.split("..").next().filter(|start| !start.is_empty()).map(str::to_owned);
        Ok(History { git, start, changes, of_path })
    }

    /// See [`Git::elsewhere`].
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        self.git.elsewhere()
    }

    /// Returns the versions of a file, the last first, and whether Git stores each with other line ends than those in
    /// the folder.
    pub(super) fn versions(&self, source: &Source) -> Result<Vec<(bool, Vec<u8>)>, Error> {
        self.git.meet(&source.path);
        let Some(mut path) = self.git.path_of(&source.path) else { return Ok(Vec::new()) };
        let mut names: Vec<&str> = Vec::new();
        let mut at = 0;
        let next = |path: &Path, at: usize| {
            let of_path = self.of_path.get(path)?;
            of_path.get(of_path.partition_point(|&index| index < at)).copied()
        };
        while let Some(index) = next(&path, at)
            && let Some(change) = self.changes.get(index)
        {
            for name in [&change.new, &change.old] {
                if !names.contains(&&**name) {
                    names.push(name);
                }
            }
            (at, path) = (index + 1, change.from.clone());
        }
        let mut versions: Vec<(bool, Vec<u8>)> = Vec::new();
        let mut add = |content: Option<Vec<u8>>| {
            if let Some(content) = content
                && versions.last().is_none_or(|(_, last)| *last != content)
            {
                versions.push((self.git.stores_line_feeds(&content), content));
            }
        };
        for name in names {
            add(self.git.object(name)?);
        }
        if let Some(start) = &self.start {
            add(self.git.object_at(start, &path)?);
        }
        Ok(versions)
    }
}

/// A change of a file, as git lists it.
struct Raw {
    /// The objects that it was, and is.
    old: String,
    new: String,
    /// The paths that it had, and has.
    from: PathBuf,
    to: PathBuf,
}

/// Parses what `git diff --raw -z` or `git log` lists. What is not a file on either side is left out.
fn raw(listed: &[u8]) -> impl Iterator<Item = Raw> {
    let mut fields = listed.split(|&byte| byte == 0);
    std::iter::from_fn(move || {
        loop {
            // Between commits, there is nothing.
            let header = fields.find(|field| !field.trim_ascii().is_empty())?;
            let header = String::from_utf8_lossy(header.trim_ascii()).into_owned();
            let mut words = header.trim_start_matches(':').split(' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            let (old_mode, new_mode, old, new, status) = (word(), word(), word(), word(), word());
            let from = path_of_bytes(fields.next()?);
            let to =
                if status.starts_with(['R', 'C']) { path_of_bytes(fields.next()?) } else { from.clone() };
            let is_file = |mode: &str| mode.starts_with("100") || mode == "000000";
            if is_file(&old_mode) && is_file(&new_mode) {
                return Some(Raw { old, new, from, to });
            }
        }
    })
}
