//! Tests that a file whose repair is cancelled is unchanged.

use std::fs;
use std::ops::ControlFlow;

use utf8kit_files::{FileError, Repair, RepairOptions, repair_file};

/// A cancellation while the new file is flushed, which is the last chance, keeps the old file.
#[test]
fn a_file_stays_if_the_last_call_asks_to_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let repair = |stop_at: usize| {
        fs::write(&path, b"caf\xE9").unwrap();
        let mut calls = 0;
        let mut progress = |_: u64| {
            calls += 1;
            if calls == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut options = RepairOptions::default();
        options.force = true;
        (repair_file(&path, &Repair::default(), &mut options, &mut progress), fs::read(&path).unwrap(), calls)
    };
    let (done, repaired, calls) = repair(0);
    assert_eq!((done.is_ok(), &*repaired), (true, "caf\u{FFFD}".as_bytes()));
    let (stopped, kept, _) = repair(calls);
    assert!(matches!(stopped, Err(FileError::Cancelled)), "{stopped:?}");
    assert_eq!(kept, b"caf\xE9");
}
