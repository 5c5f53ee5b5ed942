//! Tests that PostgreSQL and MariaDB load what `check --for` accepts, and reject what it rejects. Each is started only
//! for the test, with its own folder and socket.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{has, run_in, skip, status};
use crate::readers::{Random, SAME_JSON, csv, jsonl, python, sifted, values};

/// Lines of a column: some that are rejected, and some that are not.
const CASES: [&[u8]; 12] = [
    b"plain",
    "na\u{EF}ve \u{65E5}\u{672C}".as_bytes(),
    "\u{1F600}".as_bytes(),
    "\u{10FFFF}".as_bytes(),
    "\u{FFFF}\u{FDD0}".as_bytes(),
    b"a\x01\x7Fb",
    b"nul\0l",
    b"\xC0\xAF",
    b"\xED\xA0\x80",
    b"\xF4\x90\x80\x80",
    b"caf\xE9",
    b"\xE2\x82",
];

/// Finds a program in the usual folders of a system.
fn find(name: &str, folders: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions =
        fs::read_dir(folders).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
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

/// Returns what a command prints, or why it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A server that is stopped at the end of the test.
struct Server {
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

/// Checks each case for a target, and loads it. `tolerated` cases are loaded although they are ill-formed.
fn compare(folder: &Path, target: &str, tolerated: &[&[u8]], load: impl Fn(&Path) -> bool) {
    for case in CASES {
        let file = folder.join("rows.csv");
        fs::write(&file, [b"first\n", case, b"\nlast\n"].concat()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let args = [OsStr::new("check"), "-q".as_ref(), "--for".as_ref(), target.as_ref(), file.as_ref()];
        let passes = status(&run_in(folder, args)) == 0;
        assert_eq!(load(&file), passes || tolerated.contains(&case), "{target}: {}", case.escape_ascii());
    }
}

/// Reports whether the last row that has an end ends with CR LF.
fn ends_with_crlf(rows: &[u8]) -> bool {
    let end = rows.iter().rposition(|&byte| byte == b'\n');
    end.is_some_and(|end| rows[..end].ends_with(b"\r"))
}

/// Checks that generated rows that pass are loaded, with the same values. `load` loads a file of rows that end with CR
/// LF or LF, and returns the values in hexadecimal digits; `load_json` returns JSON lines.
fn compare_rows(
    folder: &Path,
    target: &str,
    load: impl Fn(&Path, bool) -> Result<String, String>,
    load_json: impl Fn(&Path, bool) -> Result<String, String>,
) {
    let file = folder.join("good");
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let mut passed = 0;
    for trial in 0..25 {
        let good = sifted(folder, &csv(&mut random), &["csv", "--fields", "2", "--for", target]);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let loaded = load(&file, ends_with_crlf(&good));
        assert_eq!(loaded.as_deref(), Ok(&*values(&good)), "{trial}: {}", good.escape_ascii());
        let lines = sifted(folder, &jsonl(&mut random), &["jsonl", "--for", target]);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let loaded =
            load_json(&file, ends_with_crlf(&lines)).unwrap_or_else(|error| panic!("{trial}: {error}"));
        fs::write(folder.join("loaded"), loaded).unwrap();
        if has("python3") {
            python(folder, SAME_JSON, &["good", "loaded"]);
        }
        passed += good.len() + lines.len();
    }
    assert!(passed > 20_000, "{passed}");
}

/// Checks that `--max-chars` and `--max-bytes` are what columns of ten characters or 255 bytes hold.
fn compare_lengths(folder: &Path, target: &str, option: &str, most: usize, load: impl Fn(&Path) -> bool) {
    for character in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}", "e\u{301}"] {
        let one = if option == "--max-bytes" { character.len() } else { character.chars().count() };
        for count in [most / one, most / one + 1] {
            let file = folder.join("long.csv");
            fs::write(&file, character.repeat(count) + "\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            let most = most.to_string();
            let args = ["check", "-q", "--rows", "csv", "--for", target, option, &most, "long.csv"];
            let passes = status(&run_in(folder, args)) == 0;
            assert_eq!(
                (passes, load(&file)),
                (count * one <= most.parse().unwrap(), passes),
                "{character} {count}"
            );
        }
    }
}

#[test]
fn postgresql_loads_what_passes() {
    let folders = "/usr/lib/postgresql";
    let programs = ["initdb", "postgres", "psql"].map(|name| find(name, folders));
    let [Some(initdb), Some(postgres), Some(psql)] = programs else {
        return skip("PostgreSQL is not installed");
    };
    let folder = open_folder();
    let (data, sockets) = (folder.path().join("data"), folder.path());
    let mut init = command(&initdb, "postgres");
    init.args(["--encoding=UTF8", "--locale=C", "--auth=trust", "--username=test", "--no-sync"])
        .arg("-D")
        .arg(&data);
    assert!(run(&mut init), "initdb");
    let ask = |statements: &[&str]| {
        let mut client = Command::new(&psql);
        client.args(["-X", "-q", "-A", "-t", "-U", "test", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-h"]);
        client.arg(sockets).args(statements.iter().flat_map(|statement| ["-c", statement]));
        output(client.env("PGCLIENTENCODING", "UTF8"))
    };
    let query = |sql: &str| ask(&[sql]).is_ok();
    let mut server = command(&postgres, "postgres");
    server.args(["-F", "-c", "listen_addresses="]).arg("-D").arg(&data).arg("-k").arg(sockets);
    let _server = start(&mut server, || query("select 1"));
    assert!(query("create table lines (line text)"));
    compare(folder.path(), "postgresql", &[], |file| {
        // Not \copy: psql reads lines only up to a NUL, and drops the rest.
        query(&format!("copy lines from '{}' with (format csv)", file.display()))
    });
    assert!(query(
        "create table rows (a text, b text); create table json (a jsonb); create table short (a varchar(10))"
    ));
    let hex = "upper(encode(convert_to(coalesce(a, ''), 'UTF8'), 'hex'))";
    let select = format!("select {hex} || ' ' || {} from rows", hex.replace("(a,", "(b,"));
    compare_rows(
        folder.path(),
        "postgresql",
        |file, _| {
            ask(&["truncate rows", &format!("copy rows from '{}' (format csv)", file.display()), &select])
        },
        |file, _| {
            let copy = format!(
                "copy json from '{}' (format csv, delimiter e'\\x02', quote e'\\x01')",
                file.display()
            );
            ask(&["truncate json", &copy, "select a from json"])
        },
    );
    compare_lengths(folder.path(), "postgresql", "--max-chars", 10, |file| {
        query(&format!("copy short from '{}' with (format csv)", file.display()))
    });
}

#[test]
fn mariadb_loads_what_passes() {
    let folders = "/usr/lib/mysql";
    let programs = ["mariadb-install-db", "mariadbd", "mariadb"].map(|name| find(name, folders));
    let [Some(install), Some(mariadbd), Some(mariadb)] = programs else {
        return skip("MariaDB is not installed");
    };
    let folder = open_folder();
    let (data, socket) = (folder.path().join("data"), folder.path().join("socket"));
    let mut init = command(&install, "mysql");
    init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
    init.arg(format!("--datadir={}", data.display()));
    assert!(run(&mut init), "mariadb-install-db");
    let ask = |sql: &str| {
        let mut client = Command::new(&mariadb);
        client.args(["--no-defaults", "--user=root", "--default-character-set=utf8mb4", "-N", "-r"]);
        output(client.arg(format!("--socket={}", socket.display())).args(["--execute", sql]))
    };
    let query = |sql: &str| ask(sql).is_ok();
    let mut server = command(&mariadbd, "mysql");
    server.args([
        "--no-defaults",
        "--skip-networking",
        "--sql-mode=STRICT_ALL_TABLES",
        "--innodb-flush-log-at-trx-commit=0",
    ]);
    server.arg(format!("--datadir={}", data.display())).arg(format!("--socket={}", socket.display()));
    server.arg(format!("--pid-file={}", folder.path().join("pid").display()));
    let _server = start(&mut server, || query("select 1"));
    for (target, set) in [("mysql", "utf8mb4"), ("mysql-utf8mb3", "utf8mb3")] {
        assert!(query(&format!(
            "create or replace table mysql.lines_of_test (line text) character set {set}"
        )));
        // MariaDB accepts surrogates, which are not UTF-8 for anyone who reads them.
        compare(folder.path(), target, &[b"\xED\xA0\x80"], |file| {
            query(&format!(
                "load data infile '{}' into table mysql.lines_of_test \
                 character set utf8mb4 fields terminated by ',' escaped by ''",
                file.display()
            ))
        });
    }
    assert!(query(
        "create database test; create table test.t (a text, b text) character set utf8mb4; \
         create table test.j (a json) character set utf8mb4; \
         create table test.s (a varchar(10)) character set utf8mb4; \
         create table test.x (a tinytext) character set utf8mb4"
    ));
    let load = |file: &Path, table: &str, syntax: &str, crlf: bool| {
        let end = if crlf { r"lines terminated by '\r\n'" } else { "" };
        format!(
            "truncate test.{table}; load data infile '{}' into table test.{table} character set utf8mb4 \
             fields terminated by {syntax} escaped by '' {end};",
            file.display()
        )
    };
    let csv = "',' optionally enclosed by '\"'";
    compare_rows(
        folder.path(),
        "mysql",
        |file, crlf| ask(&(load(file, "t", csv, crlf) + "select concat(hex(a), ' ', hex(b)) from test.t")),
        |file, crlf| ask(&(load(file, "j", "x'01'", crlf) + "select a from test.j")),
    );
    compare_lengths(folder.path(), "mysql", "--max-chars", 10, |file| query(&load(file, "s", csv, false)));
    compare_lengths(folder.path(), "mysql", "--max-bytes", 255, |file| query(&load(file, "x", csv, false)));
}
