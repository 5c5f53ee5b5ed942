//! Tests the formats of `utf8 check` that other programs read.

#[cfg(unix)]
use std::fs;

use crate::common::schema::Schema;
#[cfg(unix)]
use crate::common::{run_in, status};
use crate::common::{run_with, text};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("data/sarif-schema-2.1.0.json");

/// Parses the report in SARIF and validates it.
fn sarif(output: &std::process::Output) -> Value {
    let report: Value = serde_json::from_str(&text(output)).unwrap();
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let errors = Schema(&schema).errors(&report);
    assert!(errors.is_empty(), "{errors:?}");
    assert!(!Schema(&schema).is_valid(&json!({"version": "2.1.0"})), "the schema refuses something");
    report
}

#[cfg(unix)]
#[test]
fn sarif_is_valid_and_exact() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a b%:\u{E9}.txt"), b"x\n\xC3\xA9 \xE2\x82 \xC0\xAF").unwrap();
    fs::write(folder.path().join("good"), b"fine").unwrap();
    let output = run_in(folder.path(), ["check", "--format", "sarif", "."]);
    assert_eq!(status(&output), 1);
    let run = &sarif(&output)["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b%25%3A%C3%A9.txt");
    let region = json!({"startLine": 2, "startColumn": 3, "endColumn": 4, "byteOffset": 5, "byteLength": 2});
    assert_eq!((&place["region"], &results[0]["properties"]["bytes"]), (&region, &json!("e282")));
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    assert_eq!(run["properties"], json!({"files": 2, "invalid_files": 1, "errors": 3, "places": 2, "bytes": 14}));
}

#[test]
fn sarif_of_nothing_and_of_byte_order_marks() {
    let none = sarif(&run_with(b"fine", ["check", "--format", "sarif"]));
    assert_eq!(none["runs"][0]["results"], json!([]));
    let mark = sarif(&run_with(b"fine", ["check", "--format", "sarif", "--bom", "require"]));
    let result = &mark["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["ruleIndex"]), (&json!("bom"), &json!(6)));
}

#[cfg(unix)]
#[test]
fn github_reads_no_command_out_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a,b:c%\n::set-output name=x::y";
    fs::create_dir(folder.path().join("a,b:c%\n::set-output name=x::y")).unwrap();
    fs::write(folder.path().join(name).join("f"), b"\xFF\xFF\xFF").unwrap();
    let output = text(&run_in(folder.path(), ["check", "--format", "github", "--max-errors", "2", "."]));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 3);
    let start = "::error file=a%2Cb%3Ac%25\\u{a}%3A%3Aset-output name=x%3A%3Ay/f,";
    assert!(lines.iter().all(|line| line.starts_with(start)), "{output}");
    assert!(lines[1].contains(",line=1,col=2,title=utf8 invalid_byte::a,b:c%25"));
    assert!(lines[2].ends_with("f: 1 error more"));
}

#[cfg(target_os = "linux")]
#[test]
fn sarif_names_any_file() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(OsStr::from_bytes(b"caf\xE9")), b"\xFF").unwrap();
    let report = sarif(&run_in(folder.path(), ["check", "--format", "sarif", "."]));
    let place = &report["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "caf%E9");
}
