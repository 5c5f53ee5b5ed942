//! Runs the recipes in `docs/recipes.md`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{has, messages, repository, status};

#[test]
fn every_recipe_works() {
    let Some(page) = repository("docs/recipes.md") else { return };
    if !has("git") {
        return;
    }
    let page = fs::read_to_string(page).unwrap();
    let blocks: Vec<_> = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 25);
    let program = Path::new(env!("CARGO_BIN_EXE_utf8")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program.into()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    for (block, number) in blocks.into_iter().zip(1..) {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", block]).current_dir(folder.path()).env("PATH", &path);
        let output = shell.output().unwrap();
        assert_eq!(status(&output), 0, "recipe {number}: {}", messages(&output));
    }
}
