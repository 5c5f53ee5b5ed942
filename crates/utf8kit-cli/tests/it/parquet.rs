//! Tests Parquet files, which a build with the feature `parquet` checks by their columns.

use std::fs;

use crate::common::{lines, messages, run_in, status, text};

/// Row groups of two rows; the second value of the column `name` has an error at byte 3. Compressed.
const FILE: &[u8] = include_bytes!("broken.parquet");

#[test]
fn errors_have_row_group_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.parquet"), FILE).unwrap();
    // By content, whatever the name, and in folders as well.
    for name in ["data.parquet", "."] {
        let output = run_in(folder.path(), ["check", "--format", "short", name]);
        assert_eq!(status(&output), 1);
        let found = text(&output);
        assert!(found.contains("data.parquet:2:4: row group 0, row 2, column name: truncated"), "{found}");
    }
    let output = run_in(folder.path(), ["check", "--format", "jsonl", "data.parquet"]);
    let found = lines(&output);
    assert_eq!(found[0]["row_group"], 0);
    assert_eq!(found[0]["row"], 2);
    assert_eq!(found[0]["column_name"], "name");
    assert_eq!((&found[0]["offset"], &found[0]["bytes"]), (&3.into(), &"e9".into()));
    assert_eq!((&found[1]["errors"], &found[1]["kinds"]["truncated"]), (&1.into(), &1.into()));
    for arguments in [&["check", "data.parquet"][..], &["check", "--report", "page.html", "data.parquet"]] {
        let output = run_in(folder.path(), arguments);
        assert_eq!(status(&output), 1);
        assert!(text(&output).contains("row group 0, row 2, column name"), "{}", text(&output));
    }
}

#[test]
fn a_damaged_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cut.parquet"), &FILE[..FILE.len() - 4]).unwrap();
    let output = run_in(folder.path(), ["check", "cut.parquet"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("not a Parquet file"));
}
