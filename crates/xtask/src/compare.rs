//! Finds which programs accept which bytes as UTF-8, for the generated tables in bench/record/programs.md.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};

use crate::generate::built;
use crate::run::command;
use crate::{Result, root, target};

const FILE: &str = "bench/record/programs.md";
const FIRST: &str = "<!-- made by: cargo xtask compare -->\n";
const LAST: &str = "<!-- end -->";

/// Programs that read UTF-8: the name in the table, a shell command that prints the version, and one that reads
/// standard input as UTF-8 and fails if it is not.
const READERS: &[(&str, &str, &str)] = &[
    ("utf8", "utf8 --version", "utf8 check -q"),
    ("iconv", "iconv --version", "iconv -f UTF-8 -t UTF-8"),
    ("uconv", "uconv --version", "uconv -f UTF-8 -t UTF-8"),
    ("isutf8", "dpkg-query --show moreutils || isutf8 --help | head -n 1", "isutf8 -q"),
    ("Python", "python3 --version", "python3 -c 'import sys; sys.stdin.buffer.read().decode()'"),
    (
        "Node",
        "node --version",
        "node -e 'new TextDecoder(\"utf-8\", { fatal: true }).decode(require(\"fs\").readFileSync(0))'",
    ),
    ("Java", "java --version", "java \"$JAVA\""),
    ("Perl UTF-8", "perl -e 'print $^V'", "perl -MEncode -e 'local $/; decode(\"UTF-8\", <STDIN>, Encode::FB_CROAK)'"),
    ("Perl utf8", "perl -e 'print $^V'", "perl -MEncode -e 'local $/; decode(\"utf8\", <STDIN>, Encode::FB_CROAK)'"),
];

/// Java needs a class for this.
const JAVA: &str = "class Reads { public static void main(String[] a) throws Exception {
    java.nio.charset.StandardCharsets.UTF_8.newDecoder().decode(
        java.nio.ByteBuffer.wrap(System.in.readAllBytes())); } }";

/// Sequences on which programs differ, and whether they are well-formed by The Unicode Standard.
const CASES: &[(&[u8], &str, bool)] = &[
    (b"\xF4\x8F\xBF\xBF", "U+10FFFF, the last", true),
    (b"\xEF\xBF\xBE", "U+FFFE, a noncharacter", true),
    (b"\xEF\xB7\x90", "U+FDD0, a noncharacter", true),
    (b"\x00", "NUL", true),
    (b"\xF4\x90\x80\x80", "110000, above the last", false),
    (b"\xF8\x88\x80\x80\x80", "five bytes", false),
    (b"\xFC\x84\x80\x80\x80\x80", "six bytes", false),
    (b"\xED\xA0\x80", "a surrogate", false),
    (b"\xED\xA0\xBD\xED\xB8\x80", "a surrogate pair (CESU-8)", false),
    (b"\xC0\xAF", "overlong /", false),
    (b"\xC0\x80", "overlong NUL (Java's)", false),
    (b"\xE0\x80\xAF", "overlong / in three", false),
    (b"\xF0\x80\x80\xAF", "overlong / in four", false),
    (b"\xE2\x82", "cut off", false),
    (b"\x80", "a lone continuation", false),
    (b"\xFF", "FF", false),
];

/// Commands that remove errors.
const REMOVERS: &[&str] = &[
    "iconv -c -f UTF-8 -t UTF-8",
    "iconv -c -f UTF-8 -t UTF-16BE",
    "uconv --callback skip -f UTF-8 -t UTF-8",
    "utf8 convert -c -f UTF-8 -t UTF-8",
    "utf8 convert -c -f UTF-8 -t UTF-16BE",
];

/// The input for [`REMOVERS`]: an overlong slash and a value that is too large, each between letters.
const REMOVED: &[&[u8]] = &[b"a\xC0\xAFb", b"a\xF4\x90\x80\x80b"];

pub(crate) fn write() -> Result {
    let utf8 = built()?;
    let folder = target().join("compare");
    fs::create_dir_all(&folder)?;
    let shell = Shell { utf8, input: folder.join("case"), java: folder.join("Reads.java") };
    fs::write(&shell.java, JAVA)?;
    let table = shell.versions()? + &shell.readers()? + &shell.removers()?;
    let path = root().join(FILE);
    let text = fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(FIRST).ok_or("programs.md lacks the first mark")?;
    let (_, after) = rest.split_once(LAST).ok_or("programs.md lacks the last mark")?;
    fs::write(path, format!("{before}{FIRST}\n{table}\n{LAST}{after}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs programs on bytes.
struct Shell {
    /// The folder of our own command.
    utf8: PathBuf,
    input: PathBuf,
    java: PathBuf,
}

impl Shell {
    fn run(&self, line: &str, bytes: &[u8]) -> Result<Output> {
        fs::write(&self.input, bytes)?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([self.utf8.clone()].into_iter().chain(std::env::split_paths(&path)))?;
        let mut command: Command = command("sh", "-c");
        command.arg(line).env("PATH", path).env("JAVA", &self.java).env("LC_ALL", "C.UTF-8");
        Ok(command.stdin(File::open(&self.input)?).output()?)
    }

    /// Returns the versions of the programs; an error if one is missing.
    fn versions(&self) -> Result<String> {
        let mut all: Vec<String> = Vec::new();
        for (name, version, _) in READERS {
            let output = self.run(version, b"")?;
            if !output.status.success() {
                return Err(format!("{name} is missing: `{version}` fails").into());
            }
            let text = String::from_utf8_lossy(&output.stdout);
            let line = text.lines().next().unwrap_or_default().trim().replace('\t', " ");
            let line = if line.starts_with('v') {
                format!("{} {line}", name.split(' ').next().unwrap_or_default())
            } else {
                line
            };
            if !all.iter().any(|known| known.ends_with(line.rsplit(' ').next().unwrap_or(&line))) {
                all.push(line);
            }
        }
        Ok(format!("With {}:\n\n", all.join("; ")))
    }

    /// Returns the table of accepted bytes by program.
    fn readers(&self) -> Result<String> {
        let names: Vec<&str> = READERS.iter().map(|reader| reader.0).collect();
        let mut text = format!("| bytes | what | should be | {} |\n", names.join(" | "));
        text += &format!("|---|---|---|{}\n", "---|".repeat(names.len()));
        for &(bytes, what, well_formed) in CASES {
            text += &format!("| `{}` | {what} | {} |", hex(bytes), word(well_formed));
            for (_, _, line) in READERS {
                let accepted = self.run(line, &[b"a", bytes, b"b"].concat())?.status.success();
                let bold = if accepted == well_formed { "" } else { "**" };
                text += &format!(" {bold}{}{bold} |", word(accepted));
            }
            text += "\n";
        }
        Ok(text
            + "\n\"Perl utf8\" is Perl's lax encoding, \"Perl UTF-8\" the strict one. The commands:\n\n```sh\n"
            + &READERS.iter().map(|reader| format!("{}\n", reader.2)).collect::<String>()
            + "```\n\n")
    }

    /// Returns the table of the text that remains when errors are removed, and whether the command reports them.
    fn removers(&self) -> Result<String> {
        let mut text = String::from("| command | input | output | status | reports it |\n|---|---|---|---|---|\n");
        for line in REMOVERS {
            for bytes in REMOVED {
                let Output { status, stdout, stderr } = self.run(line, bytes)?;
                let says = if stderr.is_empty() { "**no**" } else { "yes" };
                let status = status.code().map_or("killed".to_owned(), |code| code.to_string());
                text += &format!("| `{line}` | `{}` | `{}` | {status} | {says} |\n", hex(bytes), hex(&stdout));
            }
        }
        Ok(text)
    }
}

fn word(accepted: bool) -> &'static str {
    if accepted { "accepted" } else { "rejected" }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}
