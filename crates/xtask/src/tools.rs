//! Programs that the tests use if they are installed.

use std::env;
use std::iter;
use std::path::{Path, PathBuf};

use crate::root;
use crate::run::{command, prints};

/// A program that is not part of Rust.
pub(crate) struct Tool {
    /// A command on the path, or a file of the repository.
    pub(crate) program: &'static str,
    pub(crate) install: &'static str,
}

/// Programs that individual tests of the command run, and their purpose. Such a test counts as skipped if its program
/// is missing, and fails if `CI=true`.
pub(crate) const PEERS: &[(Tool, &str)] = &[
    (Tool { program: "iconv", install: "with the tools of the C library" }, "convert"),
    (Tool { program: "python3", install: "apt-get install python3" }, "repair as Python does"),
    (Tool { program: "node", install: "apt-get install nodejs" }, "repair as Node does"),
    (Tool { program: "perl", install: "apt-get install perl" }, "read GSM 03.38 as Perl does"),
    (Tool { program: "java", install: "apt-get install default-jdk-headless" }, "repair as Java does"),
    (Tool { program: "go", install: "apt-get install golang-go" }, "repair as Go does"),
    (Tool { program: "zsh", install: "apt-get install zsh" }, "complete as zsh does"),
    (Tool { program: "fish", install: "apt-get install fish" }, "complete as fish does"),
    (Tool { program: "psql", install: "apt-get install postgresql" }, "load what check --for passes"),
    (Tool { program: "mariadb", install: "apt-get install mariadb-server" }, "load what check --for passes"),
];

impl Tool {
    /// Returns the path of the program, or how to get it.
    pub(crate) fn find(&self) -> Result<PathBuf, String> {
        executable(self.program).ok_or_else(|| format!("{} ({})", self.program, self.install))
    }
}

/// Returns the file in the repository, or the command on the path.
pub(crate) fn executable(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = iter::once(root().to_path_buf()).chain(env::split_paths(&path));
    let names = [name.to_owned(), format!("{name}{}", env::consts::EXE_SUFFIX)];
    let mut files = folders.flat_map(|folder| names.each_ref().map(|name| folder.join(name)));
    files.find(|file| file.is_file())
}

/// Reports whether a compiler has the standard library of a target.
pub(crate) fn has_standard_library(rustc: &str, triple: &str) -> bool {
    let folder = prints(command(rustc, "--print target-libdir --target").arg(triple));
    folder.is_some_and(|folder| Path::new(&folder).is_dir())
}
