//! Tests documents: edits, damage between versions, and its repair.

mod damage;
mod edit;
mod history;
mod repository;

use std::path::Path;
use std::process::Command;

use crate::common::messages;

const MENU: &[u8] = b"/* caf\xE9 */\r\nint th\xE9;\r\n";

/// Runs git in a folder.
pub(super) fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "core.autocrlf=false"];
    let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", messages(&output));
}

/// Makes a folder a repository, with its files in a first commit.
pub(super) fn committed(folder: &Path) {
    git(folder, &["init", "--quiet", "."]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "first"]);
}
