//! Tests that policies named after programs behave like these. Each program reads lines of hexadecimal digits, and
//! writes the output of its decoder in hexadecimal digits.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{damaged, has, run_with, skip, status, unhex, vectors};

/// Returns inputs without a line feed, because every decoder restarts there.
fn cases() -> Vec<Vec<u8>> {
    let named = [&b"\xED\xA0\x80"[..], b"\xC0\xAF", b"\xF4\x90\x80\x80", b"\xE2\x82"].map(<[u8]>::to_vec);
    let vectors = vectors("check").into_iter().filter(|case| case["from"] == "utf-8");
    let vectors = vectors.map(|case| unhex(case["input_hex"].as_str().unwrap()));
    // Every pair and triple of bytes that represent a kind of error, and many others.
    let kinds = b"a\x80\x90\xA0\xBF\xC0\xC2\xE0\xE2\xED\xEF\xF0\xF4\xF5\xFF";
    let pairs = kinds.iter().flat_map(|&a| kinds.iter().map(move |&b| vec![a, b]));
    let fours = pairs
        .clone()
        .flat_map(|pair| kinds.iter().map(move |&last| [&pair[..], &[last], b"\x80"].concat()).collect::<Vec<_>>());
    let random = damaged(60_000).chunks(17).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let all = named.into_iter().chain(vectors).chain(pairs).chain(fours).chain(random);
    all.filter(|case| !case.is_empty() && !case.contains(&b'\n')).collect()
}

/// Repairs the cases with `utf8 repair` and a policy.
fn repaired(cases: &[Vec<u8>], policy: &str) -> Vec<Vec<u8>> {
    let output = run_with(&cases.join(&b'\n'), ["repair", "--policy", policy]);
    assert_eq!(status(&output), 0);
    output.stdout.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Decodes the cases with a program. Returns `None`, and skips the test, if it is not installed or does not run.
fn decoded(program: &mut Command, cases: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let name = program.get_program().to_string_lossy().into_owned();
    if !has(&name) {
        return None;
    }
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let input: String = cases.iter().map(|case| hex(case) + "\n").collect();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that fails to start reads nothing.
            let _ = stdin.write_all(input.as_bytes());
        });
        child.wait_with_output().unwrap()
    });
    if !output.status.success() {
        skip(&format!("{name} does not run here: {}", String::from_utf8_lossy(&output.stderr).trim()));
        return None;
    }
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| unhex(line.trim())).collect())
}

/// Checks that a policy does what the program does.
fn agree(policy: &str, program: &mut Command) {
    let cases = cases();
    let Some(theirs) = decoded(program, &cases) else { return };
    let ours = repaired(&cases, policy);
    assert_eq!((ours.len(), theirs.len()), (cases.len(), cases.len()));
    for ((case, ours), theirs) in cases.iter().zip(&ours).zip(&theirs) {
        assert_eq!(hex(ours), hex(theirs), "{policy}, input {}", hex(case));
    }
}

/// Writes a program to a file.
fn script(name: &str, text: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn replace_is_what_rust_does() {
    let cases = cases();
    for (case, ours) in cases.iter().zip(repaired(&cases, "replace")) {
        assert_eq!(ours, String::from_utf8_lossy(case).as_bytes());
    }
}

#[test]
fn replace_and_remove_are_what_python_does() {
    for (policy, errors) in [("replace", "replace"), ("remove", "ignore")] {
        let program = format!(
            "import sys\nfor line in sys.stdin:\n print(bytes.fromhex(line).decode('utf-8', '{errors}').encode().hex())"
        );
        agree(policy, Command::new("python3").args(["-c", &program]));
    }
}

#[test]
fn replace_is_what_node_does() {
    let decoders = [
        "new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes)", // as in browsers
        "bytes.toString('utf8')",
    ];
    for decoder in decoders {
        let program = format!(
            "for (const line of require('fs').readFileSync(0, 'latin1').trim().split('\\n')) {{
                const bytes = Buffer.from(line, 'hex');
                console.log(Buffer.from({decoder}).toString('hex'));
            }}"
        );
        agree("replace", Command::new("node").args(["-e", &program]));
    }
}

#[test]
fn java_is_what_java_does() {
    let program = script(
        "Repair.java",
        r#"
        import java.io.*;
        import java.nio.charset.StandardCharsets;
        class Repair {
            public static void main(String[] arguments) throws IOException {
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    byte[] bytes = new byte[line.length() / 2];
                    for (int i = 0; i < bytes.length; i++)
                        bytes[i] = (byte) Integer.parseInt(line.substring(2 * i, 2 * i + 2), 16);
                    StringBuilder text = new StringBuilder();
                    for (byte b : new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8))
                        text.append(String.format("%02x", b));
                    System.out.println(text);
                }
            }
        }"#,
    );
    agree("java", Command::new("java").arg(program));
}

#[test]
fn replace_byte_and_replace_run_are_what_go_does() {
    for (policy, decoder) in [("replace-byte", "loop(text)"), ("replace-run", "strings.ToValidUTF8(text, \"\\uFFFD\")")]
    {
        let program = script(
            &format!("{policy}.go"),
            &format!(
                r#"package main

import ("bufio"; "encoding/hex"; "fmt"; "os"; "strings")

func loop(text string) string {{
	var runes strings.Builder
	for _, r := range text {{ runes.WriteRune(r) }}
	return runes.String()
}}

func main() {{
	_ = loop
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {{
		bytes, _ := hex.DecodeString(lines.Text())
		text := string(bytes)
		fmt.Printf("%x\n", {decoder})
	}}
}}
"#
            ),
        );
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go");
        agree(policy, Command::new("go").arg("run").arg(program).env("GOCACHE", cache));
    }
}
