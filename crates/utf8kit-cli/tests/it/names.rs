//! Tests file names: findings, renames, and undoing them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use utf8kit_testing::Random;

use crate::common::{lines, messages, run_in, status, text, utf8};

/// Returns a path made of some bytes.
fn at(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

/// Creates files, each with its own path as the content. A path that ends with a slash is a folder.
fn made(paths: &[&[u8]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in paths {
        let place = at(folder.path(), path);
        if path.ends_with(b"/") {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, path).unwrap();
        }
    }
    folder
}

/// The content of a folder: each path with its content or link target.
type Content = BTreeMap<PathBuf, Vec<u8>>;

fn content(root: &Path) -> Content {
    let (mut all, mut folders) = (Content::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let held = match () {
                () if kind.is_symlink() => fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec(),
                () if kind.is_dir() => {
                    folders.push(path.clone());
                    b"folder".to_vec()
                }
                () => fs::read(&path).unwrap(),
            };
            all.insert(path.strip_prefix(root).unwrap().to_owned(), held);
        }
    }
    all
}

/// Returns the names of the entries of a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    content(folder).into_keys().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn found(root: &Path, args: &[&str]) -> Vec<(String, String)> {
    let output = run_in(root, ["check", "--names", "--format", "jsonl"].iter().chain(args));
    let errors = lines(&output).into_iter().filter(|line| line["type"] == "error");
    let of = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    errors.map(|line| (of(&line, "kind"), of(&line, "becomes"))).collect()
}

fn pair(kind: &str, becomes: &str) -> (String, String) {
    (kind.to_owned(), becomes.to_owned())
}

#[test]
fn what_is_wrong_with_names_is_found() {
    let folder = made(&[b"caf\xE9.txt", "caf\u{C3}\u{A9}2".as_bytes(), "\u{E9}t\u{E9}".as_bytes(), b"plain"]);
    let root = folder.path();
    let want = [pair("not_utf8", "caf\u{E9}.txt"), pair("double_encoding", "caf\u{E9}2")];
    let mut all = found(root, &[]);
    all.sort_by(|one, other| other.0.cmp(&one.0));
    assert_eq!(all, want);
    assert_eq!(status(&run_in(root, ["check", "--names"])), 1);
    assert_eq!(status(&run_in(root, ["check", "--names", "plain"])), 0);
    assert_eq!(status(&run_in(root, ["check", "--names", "none"])), 2);
    // Everything printed is safe on a terminal, and exact for programs.
    fs::remove_dir_all(root.join("plain")).ok();
    fs::write(root.join("a\u{1B}[31m\u{202E}\n\u{E9}"), "").unwrap();
    for format in ["human", "short", "github", "jsonl", "sarif"] {
        let output = run_in(root, ["check", "--names", "--for", "filename-windows", "--format", format]);
        let shown = text(&output);
        assert!(!shown.contains(['\u{1B}', '\u{202E}']), "{format}: {shown}");
        assert!(shown.contains("caf"), "{format}");
    }
    let output = run_in(root, ["check", "--names", "--format", "jsonl"]);
    let line = lines(&output).into_iter().find(|line| line["kind"] == "not_utf8").unwrap();
    assert_eq!((&line["path_base64"], &line["encoding"]), (&"Y2Fm6S50eHQ=".into(), &"windows-1252".into()));
    assert_eq!((&line["offset"], &line["bytes"], &line["column"]), (&3.into(), &"e9".into(), &4.into()));
    let list = run_in(root, ["check", "--names", "-l", "-0"]);
    assert!(list.stdout.split(|byte| *byte == 0).any(|name| name == b"caf\xE9.txt"));
}

#[test]
fn forms_targets_and_case_are_found() {
    let folder = made(&["e\u{301}.txt".as_bytes(), b"a:b", b"README", b"readme", b"x/README", b"-o"]);
    let root = folder.path();
    let case = pair("case_collision", "");
    assert_eq!(found(root, &[]), std::slice::from_ref(&case));
    assert_eq!(found(root, &["--normalize", "nfc"]), [pair("not_normalized", "\u{E9}.txt"), case.clone()]);
    assert_eq!(found(root, &["--for", "filename-windows"]), [pair("file_name", "a_b"), case.clone()]);
    let portable = [pair("file_name", "_o"), pair("file_name", "a_b"), case];
    assert_eq!(found(root, &["--for", "filename-portable"]), portable);
}

#[test]
fn what_does_not_count_is_reported() {
    let folder = made(&["e\u{301}".as_bytes(), "\u{E9}".as_bytes(), "\u{C9}".as_bytes(), b"a", b"A"]);
    let shown = text(&run_in(folder.path(), ["check", "--names", "--format", "short"]));
    assert!(shown.contains("the same name as \"A\" if case is ignored"), "{shown}");
    assert!(shown.contains("if normal forms are ignored"), "{shown}");
    assert!(shown.contains("if case and normal forms are ignored"), "{shown}");
}

#[test]
fn links_to_what_is_renamed_are_reported() {
    let folder = made(&[b"d\xE9/caf\xE9", b"sub/", b"plain"]);
    let root = folder.path();
    let link = |target: &[u8], name: &str| symlink(OsStr::from_bytes(target), root.join(name)).unwrap();
    link(b"d\xE9/caf\xE9", "through");
    link(b"../d\xE9", "sub/up");
    link(root.join(OsStr::from_bytes(b"d\xE9")).as_os_str().as_bytes(), "absolute");
    link(b"plain", "fine");
    link(b"caf\xE9", "nowhere");
    let reported = "which is renamed: the link is not changed and will be broken";
    for args in [["rename", "."].as_slice(), &["rename", "--apply", "--ledger=/dev/null", "."]] {
        let shown = messages(&run_in(root, args));
        assert_eq!(shown.matches(reported).count(), 3, "{shown}");
        assert!(shown.contains("through: a symbolic link to d\\xE9, "), "{shown}");
        assert!(!shown.contains("fine") && !shown.contains("nowhere"), "{shown}");
    }
    assert!(!messages(&run_in(root, ["rename", "--apply", "--ledger=/dev/null", "."])).contains(reported));
}

#[test]
fn names_are_repaired_and_restored() {
    let folder = made(&[b"\xE9t\xE9/pr\xE8s/caf\xE9.txt", b"\xE9t\xE9/pr\xE8s/\xFCber.txt", b"\xE9t\xE9/ok", b"plain"]);
    let root = folder.path();
    let before = content(root);
    let ledger = tempfile::tempdir().unwrap();
    let ledger = ledger.path().join("ledger");
    let dry = run_in(root, ["rename", "."]);
    assert!(text(&dry).contains("rename  \\xE9t\\xE9/pr\\xE8s/caf\\xE9.txt -> caf\u{E9}.txt"), "{}", text(&dry));
    assert_eq!(content(root), before);
    let output =
        run_in(root, [OsStr::new("rename"), "--apply".as_ref(), "--ledger".as_ref(), ledger.as_ref(), ".".as_ref()]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    assert!(messages(&output).contains("changed 4 names"), "{}", messages(&output));
    assert!(root.join("\u{E9}t\u{E9}/pr\u{E8}s/caf\u{E9}.txt").exists());
    assert_eq!(status(&run_in(root, ["check", "--names"])), 0);
    let after = content(root);
    let again = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "."]);
    assert_eq!((status(&again), content(root)), (0, after));
    for reported in ["restored 4 names", "restored 0 names, 4 already had their old names"] {
        let undo = run_in(root, [OsStr::new("undo"), ledger.as_ref()]);
        assert_eq!((status(&undo), content(root)), (0, before.clone()), "{}", messages(&undo));
        assert!(messages(&undo).contains(reported), "{}", messages(&undo));
    }
}

#[test]
fn a_part_of_a_moved_tree_is_restored() {
    let folder = made(&[b"tree/a\xE9/caf\xE9.txt", b"tree/b\xE9/caf\xE9.txt"]);
    let root = folder.path();
    assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger", "ledger", "tree"])), 0);
    fs::rename(root.join("tree"), root.join("moved")).unwrap();
    let undo = |args: &[&str]| run_in(root, ["undo", "ledger"].iter().chain(args));
    assert_eq!(status(&undo(&[])), 2, "the tree is not there");
    assert_eq!(status(&undo(&["--root", "moved", "moved/a\u{E9}/caf\u{E9}.txt"])), 0);
    assert!(at(root, b"moved/a\xC3\xA9/caf\xE9.txt").exists(), "in the folder as it is named now");
    let output = undo(&["--root", "moved"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    for path in [&b"moved/a\xE9/caf\xE9.txt"[..], b"moved/b\xE9/caf\xE9.txt"] {
        assert!(at(root, path).exists());
    }
}

#[test]
fn names_that_would_become_one_stay_or_are_numbered() {
    let paths: [&[u8]; 4] = [b"caf\xE9.txt", "caf\u{C3}\u{A9}.txt".as_bytes(), b"\xFCber", "\u{FC}ber".as_bytes()];
    let folder = made(&paths);
    let root = folder.path();
    let before = content(root);
    let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "."]);
    assert_eq!((status(&output), content(root)), (1, before.clone()));
    assert!(messages(&output).contains("the name \"\u{FC}ber\" already exists"), "{}", messages(&output));
    let numbered = ["rename", "--apply", "--on-collision", "number", "--ledger", "../ledger-of-names", "."];
    let ledger = root.with_file_name("ledger-of-names");
    assert_eq!(status(&run_in(root, numbered)), 0);
    assert_eq!(names(root), ["caf\u{E9} (2).txt", "caf\u{E9}.txt", "\u{FC}ber", "\u{FC}ber (2)"]);
    assert_eq!(status(&run_in(root, [OsStr::new("undo"), ledger.as_ref()])), 0);
    assert_eq!(content(root), before);
    fs::remove_file(ledger).unwrap();
}

#[test]
fn what_is_utf8_already_is_left_alone_and_reported() {
    let folder =
        made(&["\u{E9}t\u{E9}".as_bytes(), "caf\u{C3}\u{A9}".as_bytes(), "\u{65E5}\u{672C}".as_bytes(), b"\xE9"]);
    let root = folder.path();
    let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "--from", "IBM866", "."]);
    assert_eq!(status(&output), 0);
    assert!(
        messages(&output).contains("3 names with non-ASCII characters already in UTF-8: left alone"),
        "{}",
        messages(&output)
    );
    assert_eq!(names(root), ["caf\u{C3}\u{A9}", "\u{E9}t\u{E9}", "\u{449}", "\u{65E5}\u{672C}"]);
    // Neither names that are mostly UTF-8, nor characters that the encoding lacks.
    let folder = made(&[b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA", b"\x81"]);
    let output = run_in(folder.path(), ["rename", "--apply", "--ledger=/dev/null", "--from", "latin1", "."]);
    assert_eq!((status(&output), names(folder.path()).len()), (1, 2));
    assert!(messages(&output).contains("most of it is UTF-8 already"), "{}", messages(&output));
    assert!(messages(&output).contains("control characters"), "{}", messages(&output));
}

#[test]
fn policies_deal_with_what_no_encoding_explains() {
    for (policy, want) in [("replace", "\u{65E5}\u{672C}\u{FFFD}.txt"), ("escape", "\u{65E5}\u{672C}\\xE8\\xAA.txt")] {
        let folder = made(&[b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA.txt"]);
        let plain = run_in(folder.path(), ["rename", "--apply", "--ledger=/dev/null", "."]);
        assert_eq!((status(&plain), status(&run_in(folder.path(), ["check", "--names"]))), (1, 1));
        assert_eq!(
            status(&run_in(folder.path(), ["rename", "--apply", "--ledger=/dev/null", "--on-error", policy, "."])),
            0
        );
        assert_eq!(names(folder.path()), [want]);
    }
}

#[test]
fn a_plan_is_edited_and_carried_out() {
    let folder = made(&[b"d\xE9/caf\xE9.txt", b"d\xE9/\xFCber", b"tr\xE6\x97"]);
    let root = folder.path();
    let dry = run_in(root, ["rename", "--format", "jsonl", "."]);
    let mut steps = lines(&dry);
    assert_eq!(steps.len(), 4);
    for step in &mut steps {
        match step["to"].as_str().unwrap_or_default() {
            "caf\u{E9}.txt" => step["to"] = "coffee.txt".into(),
            "\u{FC}ber" => step["action"] = "skip".into(),
            "d\u{E9}" => {}
            _ => {
                assert_eq!(step["action"], "skip", "not certain: {step}");
                step["action"] = "rename".into();
                step["to"] = "tree".into();
            }
        }
    }
    let plan: String = steps.iter().map(|step| format!("{step}\n")).collect();
    fs::write(root.join("plan"), plan).unwrap();
    let output = run_in(root, ["rename", "--apply", "--plan", "plan", "--ledger", "ledger"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    let want: [&[u8]; 3] = [b"d\xC3\xA9/coffee.txt", b"d\xC3\xA9/\xFCber", b"tree"];
    assert!(want.iter().all(|path| at(root, path).exists()));
    // The files are no longer the ones in the plan.
    assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger=/dev/null", "--plan", "plan"])), 2);
    for to in ["../x", "a/b", "", ".."] {
        let path = serde_json::json!({"type": "name_plan", "path": "ledger", "action": "rename", "to": to});
        fs::write(root.join("plan"), path.to_string()).unwrap();
        assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger=/dev/null", "--plan", "plan"])), 2, "{to}");
        assert!(root.join("ledger").exists());
    }
    let path = serde_json::json!({"type": "name_plan", "path": "ledger", "action": "rename", "to": "plan"});
    fs::write(root.join("plan"), path.to_string()).unwrap();
    let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "--plan", "plan"]);
    assert!(messages(&output).contains("that name is already taken"), "{}", messages(&output));
    assert_eq!(fs::read_to_string(root.join("plan")).unwrap(), path.to_string());
}

#[test]
fn what_was_replaced_since_the_plan_is_left_alone() {
    let folder = made(&[b"caf\xE9"]);
    let root = folder.path();
    let dry = run_in(root, ["rename", "--format", "jsonl", "."]);
    fs::write(root.join("plan"), &dry.stdout).unwrap();
    // The old file stays open, so that its number is not used again.
    let file = fs::File::open(at(root, b"caf\xE9")).unwrap();
    fs::remove_file(at(root, b"caf\xE9")).unwrap();
    fs::write(at(root, b"caf\xE9"), "another").unwrap();
    let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "--plan", "plan"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("replaced meanwhile"), "{}", messages(&output));
    assert!(at(root, b"caf\xE9").exists());
    drop(file);
}

#[test]
fn symbolic_links_are_renamed_and_not_followed() {
    let folder = made(&[b"outside/caf\xE9.txt", b"tree/ok"]);
    let root = folder.path();
    std::os::unix::fs::symlink("../outside", at(root, b"tree/link-caf\xE9")).unwrap();
    let before = content(&root.join("outside"));
    let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "tree"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    assert_eq!(fs::read_link(root.join("tree/link-caf\u{E9}")).unwrap(), Path::new("../outside"));
    assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger=/dev/null", "tree/link-caf\u{E9}"])), 0);
    assert_eq!(content(&root.join("outside")), before);
}

#[test]
fn ledgers_of_names_and_of_content_do_not_mix() {
    let folder = made(&[b"caf\xE9"]);
    let root = folder.path();
    fs::write(root.join("bad"), b"a\xFF").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--ledger", "content", "bad"])), 0);
    assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger", "content", "."])), 2);
    assert!(at(root, b"caf\xE9").exists());
    assert_eq!(status(&run_in(root, ["rename", "--apply", "--ledger", "names", "."])), 0);
    fs::write(root.join("bad"), b"a\xFF").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--ledger", "names", "bad"])), 2);
    assert_eq!(fs::read(root.join("bad")).unwrap(), b"a\xFF");
    for args in [&["--rows", "csv"][..], &["--on-error", "unescape"], &["--diff"]] {
        let output = run_in(root, ["rename", "--apply", "--ledger=/dev/null", "."].iter().chain(args));
        assert_eq!(status(&output), 2, "{args:?}");
    }
}

/// Returns a name: clean, in some legacy encoding, encoded twice, damaged, or anything.
fn name(random: &mut Random) -> Vec<u8> {
    let stems: [&[u8]; 16] = [
        b"plain",
        b"PLAIN",
        b"caf\xE9",
        "caf\u{E9}".as_bytes(),
        "caf\u{C3}\u{A9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        b"\xCD\xEE\xE2\xE0\xFF",
        b"\x8E\x91\x97\xBF",
        "\u{65E5}\u{672C}".as_bytes(),
        b"\xE6\x97\xA5\xE6\x9C",
        b"\xFF\xFE\x80",
        b"a:b?",
        b"-\x1B[31m",
        b"con",
        b"gr\x94\xE1e",
        b"\n",
    ];
    let mut name = random.pick(&stems).to_vec();
    match random.below(4) {
        0 => name.extend_from_slice(b" (2)"),
        1 => name.push([b'a', b'B', 0xE9, 0x80][random.below(4)]),
        _ => {}
    }
    name.extend_from_slice(random.pick(&[&b""[..], b".txt", b".TXT", b"."]));
    name
}

/// Makes a tree of up to 20 files, folders and links.
fn tree(random: &mut Random) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut folders = vec![folder.path().to_owned()];
    for number in 0..=random.below(20) {
        let place = at(&folders[random.below(folders.len())], &name(random));
        let _ = match random.below(6) {
            0 if folders.len() < 6 => fs::create_dir(&place).map(|()| folders.push(place)),
            1 => std::os::unix::fs::symlink("..", place),
            _ if place.symlink_metadata().is_ok() => Ok(()),
            _ => fs::write(place, number.to_string()),
        };
    }
    folder
}

/// Returns the contents of a tree, whatever the names.
fn nameless(content: &Content) -> Vec<&Vec<u8>> {
    let mut all: Vec<_> = content.values().collect();
    all.sort();
    all
}

#[test]
fn no_name_of_made_trees_is_lost_and_undo_is_exact() {
    let options: [&[&str]; 8] = [
        &[],
        &["--on-collision", "number"],
        &["--from", "windows-1251"],
        &["--from", "Shift_JIS", "--on-collision", "number"],
        &["--normalize", "nfc", "--on-collision", "number"],
        &["--for", "filename-windows", "--on-collision", "number"],
        &["--on-error", "replace", "--on-collision", "number"],
        &["--on-error", "remove", "--for", "filename-portable", "--normalize", "nfc", "--on-collision", "number"],
    ];
    for seed in 1..=120_u64 {
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let folder = tree(&mut random);
        let (root, ledger) = (folder.path(), tempfile::tempdir().unwrap());
        let ledger = ledger.path().join("ledger");
        let before = content(root);
        let args = options[random.below(options.len())];
        let repair = |ledger: &[&OsStr]| {
            let mut command = utf8(["rename", "--apply", "--hidden"].iter().chain(args));
            command.args(ledger).arg(".").current_dir(root).output().unwrap()
        };
        let output = repair(&["--ledger".as_ref(), ledger.as_ref()]);
        assert!(status(&output) < 2, "{seed} {args:?}: {}", messages(&output));
        let after = content(root);
        assert_eq!(nameless(&before), nameless(&after), "{seed} {args:?}");
        let again = repair(&["--ledger=/dev/null".as_ref()]);
        assert_eq!((status(&again), content(root)), (status(&output), after), "{seed} {args:?}: {}", messages(&again));
        if ledger.exists() && ledger.metadata().unwrap().len() > 0 {
            let undo = run_in(root, [OsStr::new("undo"), ledger.as_ref()]);
            assert_eq!(status(&undo), 0, "{seed} {args:?}: {}", messages(&undo));
        }
        assert_eq!(content(root), before, "{seed} {args:?}");
    }
}

#[test]
fn what_a_killed_repair_did_is_undone() {
    let paths: Vec<Vec<u8>> = (0..1500).map(|n| format!("d{}\u{1}/f{n}\u{1}", n % 40).into_bytes()).collect();
    let paths: Vec<Vec<u8>> =
        paths.into_iter().map(|path| path.into_iter().map(|b| if b == 1 { 0xE9 } else { b }).collect()).collect();
    let folder = made(&paths.iter().map(|path| &path[..]).collect::<Vec<_>>());
    let (root, ledger) = (folder.path(), tempfile::tempdir().unwrap());
    let ledger = ledger.path().join("ledger");
    let before = content(root);
    let mut halfway = 0;
    for recorded in [1, 20_000, 60_000, 100_000] {
        let mut command = utf8(["rename", "--apply", "--from", "latin1", "--ledger"]);
        command.arg(&ledger).arg(".").current_dir(root).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let len = || ledger.metadata().map_or(0, |metadata| metadata.len());
        let start = len();
        while len() < start + recorded && child.try_wait().unwrap().is_none() {}
        let _ = child.kill();
        child.wait().unwrap();
        let now = content(root);
        assert_eq!(nameless(&before), nameless(&now));
        halfway += u32::from(now != before && now.keys().any(|path| path.to_str().is_none()));
        if ledger.exists() && ledger.metadata().unwrap().len() > 0 {
            let undo = run_in(root, [OsStr::new("undo"), ledger.as_ref()]);
            assert_eq!(status(&undo), 0, "{}", messages(&undo));
        }
        assert_eq!(content(root), before, "after {recorded} bytes");
    }
    assert!(halfway > 0, "none was killed halfway");
}

#[test]
fn what_is_renamed_below_a_folder_without_a_name_is_undone() {
    let folder = made(&[b"d/caf\xE9"]);
    for undone in [".", "..", "../d"] {
        let below = folder.path().join("d");
        let renamed = run_in(folder.path(), ["rename", "--apply", "--from", "latin1", "--ledger", "ledger", "d"]);
        assert_eq!(status(&renamed), 0, "{}", messages(&renamed));
        let output = run_in(&below, ["undo", "../ledger", undone]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert!(at(&below, b"caf\xE9").exists(), "{undone}: {}", messages(&output));
    }
}

#[test]
fn a_replacement_goes_with_policies_that_replace() {
    let folder = made(&[b"caf\xE9"]);
    let with = |policy| {
        run_in(
            folder.path(),
            ["rename", "--apply", "--ledger=/dev/null", "--on-error", policy, "--replacement", "_", "."],
        )
    };
    let refused = with("escape");
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("--replacement goes with"), "{}", messages(&refused));
    assert!(at(folder.path(), b"caf\xE9").exists());
    assert_eq!(status(&with("replace")), 0);
}

#[test]
fn names_in_another_encoding_than_the_one_given_are_left() {
    let russian: &[u8] = b"\xE4\xCF\xCB\xD5\xCD\xC5\xCE\xD4\xD9.doc";
    let folder = made(&[
        russian,
        b"\xEE\xCF\xD7\xC1\xD1 \xD0\xC1\xD0\xCB\xC1/",
        b"\xE6\xCF\xD4\xCF\xC7\xD2\xC1\xC6\xC9\xC9.jpg",
        b"menu/caf\xE9",
    ]);
    let before = content(folder.path());
    let output = run_in(folder.path(), ["rename", "--apply", "--ledger=/dev/null", "--from", "windows-1252", "."]);
    assert_eq!(status(&output), 1, "{}", messages(&output));
    let reported = "it is plausible in KOI8-U, but not in this encoding; --force overrides this";
    assert_eq!(messages(&output).matches(reported).count(), 3, "{}", messages(&output));
    assert!(folder.path().join("menu/café").exists());
    assert_eq!(content(folder.path()).len(), before.len());
    assert!(at(folder.path(), russian).exists());
    let forced =
        run_in(folder.path(), ["rename", "--apply", "--ledger=/dev/null", "--from", "windows-1252", "--force", "."]);
    assert_eq!(status(&forced), 0, "{}", messages(&forced));
    assert!(!at(folder.path(), russian).exists());
}

#[test]
fn an_uncertain_name_is_listed_with_its_candidates() {
    let folder = made(&[b"ab\x8B"]);
    let shown = text(&run_in(folder.path(), ["rename", "."]));
    assert!(shown.contains("its encoding is uncertain: perhaps \"ab‹\" in windows-1252, or "), "{shown}");
    let applied = messages(&run_in(folder.path(), ["rename", "--apply", "."]));
    assert!(applied.contains("uncertain: perhaps \"ab‹\" in windows-1252, or "), "{applied}");
}
