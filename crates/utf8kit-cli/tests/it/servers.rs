//! PostgreSQL and MariaDB, each started only for a test, with its own folder and socket.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::skip;

/// Finds a program in the usual folders of a system.
fn find(name: &str, folders: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir(folders).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]).chain(versions);
    folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()))
}

/// Returns a command that runs as a user other than root, as servers require.
fn command(program: &Path, user: &str) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", user, "--"]).arg(program);
    command
}

fn run(command: &mut Command) -> bool {
    output(command).is_ok()
}

/// Returns the output of a command, or why it fails.
fn output(command: &mut Command) -> Result<String, String> {
    output_from(command, Stdio::null())
}

/// Returns the output of a command for an input, or why it fails.
fn output_from(command: &mut Command, input: Stdio) -> Result<String, String> {
    let output = command.stdin(input).output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A server that is stopped at the end of the test.
pub(crate) struct Server {
    process: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Signal the server itself, which may run as another user.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

/// Starts a server, and waits until `client` gets an answer.
fn start(server: &mut Command, client: impl Fn() -> bool) -> Server {
    let process = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let server = Server { process };
    let begun = Instant::now();
    while !client() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the server does not answer");
        std::thread::sleep(Duration::from_millis(100));
    }
    server
}

/// Creates a folder that other users can access.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// A PostgreSQL server whose databases `postgres` and `template0` are in a given encoding.
pub(crate) struct Postgresql {
    pub(crate) folder: tempfile::TempDir,
    psql: PathBuf,
    pg_dump: PathBuf,
    _server: Server,
}

impl Postgresql {
    /// Starts it. Returns `None`, and notes the skipped test, if it is not installed.
    pub(crate) fn start(encoding: &str) -> Option<Postgresql> {
        let folders = "/usr/lib/postgresql";
        let programs = ["initdb", "postgres", "psql", "pg_dump"].map(|name| find(name, folders));
        let [Some(initdb), Some(postgres), Some(psql), Some(pg_dump)] = programs else {
            skip("PostgreSQL is not installed");
            return None;
        };
        let folder = open_folder();
        let data = folder.path().join("data");
        let mut init = command(&initdb, "postgres");
        init.arg(format!("--encoding={encoding}"));
        init.args(["--locale=C", "--auth=trust", "--username=test", "--no-sync", "-D"]).arg(&data);
        assert!(run(&mut init), "initdb");
        let mut server = command(&postgres, "postgres");
        server.args(["-F", "-c", "listen_addresses="]).arg("-D").arg(&data).arg("-k").arg(folder.path());
        let server = start(&mut server, || ask_postgresql(&psql, folder.path(), "postgres", &["select 1"]).is_ok());
        Some(Postgresql { folder, psql, pg_dump, _server: server })
    }

    /// Returns the output of statements.
    pub(crate) fn ask(&self, database: &str, statements: &[&str]) -> Result<String, String> {
        ask_postgresql(&self.psql, self.folder.path(), database, statements)
    }

    /// Returns the output of a script.
    pub(crate) fn run(&self, database: &str, script: &Path) -> Result<String, String> {
        let mut client = Command::new(&self.psql);
        client.args(["-X", "-q", "-U", "test", "-v", "ON_ERROR_STOP=1", "-d", database, "-h"]);
        output(client.arg(self.folder.path()).arg("-f").arg(script))
    }

    /// Dumps a database into a file.
    pub(crate) fn dump(&self, database: &str, options: &[&str], file: &Path) {
        let mut dump = Command::new(&self.pg_dump);
        dump.args(["-U", "test", "-d", database, "-h"]).arg(self.folder.path()).args(options);
        let dumped = output(dump.arg("-f").arg(file));
        assert!(dumped.is_ok(), "{dumped:?}");
    }
}

fn ask_postgresql(psql: &Path, sockets: &Path, database: &str, statements: &[&str]) -> Result<String, String> {
    let mut client = Command::new(psql);
    client.args(["-X", "-q", "-A", "-t", "-U", "test", "-d", database, "-v", "ON_ERROR_STOP=1", "-h"]);
    client.arg(sockets).args(statements.iter().flat_map(|statement| ["-c", statement]));
    output(client.env("PGCLIENTENCODING", "UTF8"))
}

/// A MariaDB server.
pub(crate) struct Mariadb {
    pub(crate) folder: tempfile::TempDir,
    client: PathBuf,
    dump: PathBuf,
    socket: PathBuf,
    _server: Server,
}

impl Mariadb {
    /// Starts it. Returns `None`, and notes the skipped test, if it is not installed.
    pub(crate) fn start() -> Option<Mariadb> {
        let folders = "/usr/lib/mysql";
        let programs = ["mariadb-install-db", "mariadbd", "mariadb", "mariadb-dump"];
        let [Some(install), Some(mariadbd), Some(client), Some(dump)] = programs.map(|name| find(name, folders)) else {
            skip("MariaDB is not installed");
            return None;
        };
        let folder = open_folder();
        let (data, socket) = (folder.path().join("data"), folder.path().join("socket"));
        let mut init = command(&install, "mysql");
        init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        init.arg(format!("--datadir={}", data.display()));
        assert!(run(&mut init), "mariadb-install-db");
        let mut server = command(&mariadbd, "mysql");
        server.args([
            "--no-defaults", "--skip-networking", "--sql-mode=STRICT_ALL_TABLES", "--innodb-flush-log-at-trx-commit=0",
        ]);
        server.arg(format!("--datadir={}", data.display())).arg(format!("--socket={}", socket.display()));
        server.arg(format!("--pid-file={}", folder.path().join("pid").display()));
        let server = start(&mut server, || ask_mariadb(&client, &socket, &[], "select 1").is_ok());
        Some(Mariadb { folder, client, dump, socket, _server: server })
    }

    /// Returns the output of a statement.
    pub(crate) fn ask(&self, options: &[&str], sql: &str) -> Result<String, String> {
        ask_mariadb(&self.client, &self.socket, options, sql)
    }

    /// Returns the output of a script.
    pub(crate) fn run(&self, database: &str, script: &Path) -> Result<String, String> {
        let mut client = Command::new(&self.client);
        client.args(["--no-defaults", "--user=root", "--binary-mode", "--default-character-set=utf8mb4"]);
        client.arg(format!("--socket={}", self.socket.display())).arg(database);
        output_from(&mut client, fs::File::open(script).unwrap().into())
    }

    /// Dumps databases into a file.
    pub(crate) fn dump(&self, options: &[&str], file: &Path) {
        let mut dump = Command::new(&self.dump);
        dump.args(["--no-defaults", "--user=root"]).arg(format!("--socket={}", self.socket.display()));
        let dumped = output(dump.arg(format!("--result-file={}", file.display())).args(options));
        assert!(dumped.is_ok(), "{dumped:?}");
    }
}

fn ask_mariadb(client: &Path, socket: &Path, options: &[&str], sql: &str) -> Result<String, String> {
    let mut client = Command::new(client);
    client.args(["--no-defaults", "--user=root", "-N", "-r"]).args(options);
    output(client.arg(format!("--socket={}", socket.display())).args(["--execute", sql]))
}
