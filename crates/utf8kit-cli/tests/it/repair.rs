//! Tests `utf8 repair`.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{damaged, messages, run_in, run_with, status, text, unhex, vectors};
use utf8kit::{Encoding as _, Policy, Utf8};

#[test]
fn every_vector_passes_through_the_command() {
    type Case = (Vec<u8>, Vec<u8>);
    let mut by_encoding: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in vectors("check") {
        let input = unhex(case["input_hex"].as_str().unwrap());
        let repaired = match case["repaired_hex"].as_str() {
            Some(digits) => unhex(digits),
            None if case["valid"] == true => input.clone(),
            None => continue,
        };
        by_encoding.entry(case["from"].as_str().unwrap().to_owned()).or_default().push((input, repaired));
    }
    for (encoding, cases) in by_encoding {
        let folder = tempfile::tempdir().unwrap();
        let path = |i: usize| folder.path().join(format!("{i:05}"));
        for (i, (input, _)) in cases.iter().enumerate() {
            fs::write(path(i), input).unwrap();
        }
        let repair = ["repair", "--in-place", "--force", "--binary", "--encoding", encoding.as_str(), "."];
        let output = run_in(folder.path(), repair);
        assert_eq!(status(&output), 0);
        for (i, (input, repaired)) in cases.iter().enumerate() {
            assert_eq!(&fs::read(path(i)).unwrap(), repaired, "{encoding}: {input:02X?}");
        }
    }
}

#[test]
fn policies() {
    let input = b"a\xE2\x82\xFF\xED\xA0\x80b\\x41";
    let repair = |args: &[&str]| {
        let output = run_with(input, ["repair"].iter().chain(args));
        assert_eq!(status(&output), 0, "{args:?}");
        output.stdout
    };
    assert_eq!(repair(&[]), String::from_utf8_lossy(input).as_bytes());
    assert_eq!(repair(&["--policy", "replace-byte", "--replacement", "?"]), b"a??????b\\x41");
    assert_eq!(repair(&["--policy", "replace-run", "--replacement", "?"]), b"a?b\\x41");
    assert_eq!(repair(&["--policy", "java", "--replacement", "?"]), b"a???b\\x41");
    assert_eq!(repair(&["--policy", "remove"]), b"ab\\x41");
    assert_eq!(repair(&["--policy", "escape"]), br"a\xE2\x82\xFF\xED\xA0\x80b\x5Cx41");
    assert_eq!(repair(&["--policy", "same-length"]), b"a??????b\\x41");
    assert_eq!(status(&run_with(input, ["repair", "--policy", "remove", "--replacement", "?"])), 2);
    assert_eq!(status(&run_with(input, ["repair", "--policy", "nonsense"])), 2);
}

#[test]
fn large_inputs_as_small_ones() {
    let policies = [
        ("replace", Policy::REPLACE),
        ("replace-byte", Policy::REPLACE_BYTE),
        ("replace-run", Policy::REPLACE_RUN),
        ("java", Policy::JAVA),
        ("remove", Policy::Remove),
        ("escape", Policy::Escape),
        ("same-length", Policy::SameLength),
    ];
    // Errors everywhere, then a few errors, then errors across block boundaries.
    let mut rare = "well formed, été ".repeat(90_000).into_bytes();
    for at in [262_140, 262_143, 262_144, 700_001, 786_431, 1_048_575, 1_200_000] {
        rare[at..at + 3].copy_from_slice(b"\xED\xA0\x80");
    }
    for input in [damaged(1_500_001), rare] {
        for (name, policy) in policies {
            let expected = Utf8.repair(&input, policy);
            for threads in ["1", "3"] {
                let output = run_with(&input, ["repair", "--policy", name, "-j", threads]);
                assert!(output.stdout == *expected, "{name}, {threads} threads");
            }
        }
        let escaped = run_with(&input, ["repair", "--policy", "escape"]).stdout;
        assert!(run_with(&escaped, ["repair", "--policy", "unescape"]).stdout == input);
        // The summary is the same for every output.
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), &input).unwrap();
        let reported = |args: &[&str]| {
            let output = run_in(folder.path(), ["repair", "file"].iter().chain(args));
            messages(&output).replace("would repair", "repaired").replace(" -o new", "")
        };
        assert_eq!(reported(&[]), reported(&["--diff"]));
        assert_eq!(reported(&[]), reported(&["--ledger", "ledger", "-o", "new"]));
    }
}

#[test]
fn statuses_and_summary() {
    let bad = run_with(b"\xC0\xFF", ["repair"]);
    assert_eq!(status(&bad), 0);
    assert!(messages(&bad).contains("1 overlong form, 1 invalid byte"));
    assert_eq!(status(&run_with(b"\xFF", ["repair", "--exit-non-zero-on-fix"])), 1);
    let good = run_with(b"good", ["repair", "--exit-non-zero-on-fix"]);
    assert_eq!((status(&good), good.stdout, good.stderr), (0, b"good".to_vec(), vec![]));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(status(&run_in(folder.path(), ["repair", "missing", "-o", "out"])), 2);
    assert!(!folder.path().join("out").exists());
    let of_a_folder = run_in(folder.path(), ["repair", "."]);
    assert_eq!(status(&of_a_folder), 2);
    assert!(messages(&of_a_folder).contains("--in-place"), "{}", messages(&of_a_folder));
    assert_eq!(status(&run_in(folder.path(), ["repair", "a", "b"])), 2);
}

#[cfg(unix)]
#[test]
fn outputs() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("bad"), b"a\xFF").unwrap();
    fs::set_permissions(path("bad"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(path("good"), b"a").unwrap();
    symlink("bad", path("link")).unwrap();

    assert_eq!(status(&run_in(folder.path(), ["repair", "bad", "-o", "new"])), 0);
    assert_eq!(fs::read(path("new")).unwrap(), "a\u{FFFD}".as_bytes());
    assert_eq!(fs::read(path("bad")).unwrap(), b"a\xFF");

    let good = fs::metadata(path("good")).unwrap().ino();
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place=.orig", "link", "good", "missing"])), 2);
    assert_eq!(fs::metadata(path("good")).unwrap().ino(), good, "not touched");
    assert!(path("link").is_symlink());
    assert_eq!(fs::read(path("bad")).unwrap(), "a\u{FFFD}".as_bytes());
    assert_eq!(fs::metadata(path("bad")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read(path("bad.orig")).unwrap(), b"a\xFF");
    let mut names: Vec<_> = folder.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["bad", "bad.orig", "good", "link", "new"], "nothing is left behind");
}

#[test]
fn help_has_examples() {
    for help in ["-h", "--help"] {
        let shown = text(&run_with(b"", ["repair", help]));
        assert!(shown.contains("Examples:") && shown.contains("`utf8 undo log`"), "{shown}");
    }
}

/// An option that has no effect with the others is a usage error, and nothing is written.
#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"caf\xC3\x83\xC2\xA9 \xFF\n").unwrap();
    for (args, reported) in [
        (&["repair", "--hard-links", "split"][..], "--hard-links needs --in-place"),
        (&["repair", "--glob", "*.txt"], "selects files in folders"),
        (&["mojibake", "--list-doubtful", "--rows", "pgdump"], "it lists lines"),
        (&["repair", "--rows", "csv", "--reject", "bad", "--force"], "--force"),
        (&["undo", "ledger", "--encoding", "latin1"], "unexpected argument '--encoding'"),
        (&["restore", "--from", "old", "--force"], "unexpected argument '--force'"),
        (
            &["convert", "--in-place", "--from", "latin1", "--max-bytes", "9"],
            "--in-place cannot be combined with --max-bytes",
        ),
        (&["convert", "--from", "latin1", "--hard-links", "write"], "--hard-links needs --in-place"),
    ] {
        let output = run_in(folder.path(), args.iter().chain(&["file"]));
        assert_eq!((status(&output), output.stdout.len()), (2, 0), "{args:?}");
        assert!(messages(&output).contains(reported), "{args:?}: {}", messages(&output));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{args:?}");
    }
    for args in [["--files-from", "list"], ["--glob", "*.txt"]] {
        let plan = ["convert", "--in-place", "--plan", "plan"];
        let output = run_in(folder.path(), plan.iter().chain(&args));
        assert!(messages(&output).contains("--plan cannot be combined with "), "{args:?}: {}", messages(&output));
    }
    // These request the default behaviour, so they are allowed.
    let output = run_in(folder.path(), ["repair", "--force", "file"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
}

#[test]
fn text_in_a_legacy_encoding_stays_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let japanese =
        "\u{3053}\u{308C}\u{306F}\u{65E5}\u{672C}\u{8A9E}\u{306E}\u{6587}\u{7AE0}\u{3067}\u{3059}\n".repeat(8);
    let sjis = run_with(japanese.as_bytes(), ["convert", "-t", "shift_jis"]).stdout;
    let broken = [&sjis[..], b"a\xFFb\n"].concat();
    fs::write(folder.path().join("file"), &broken).unwrap();
    let to_output = run_in(folder.path(), ["repair", "-e", "shift_jis", "file"]);
    assert_eq!((status(&to_output), to_output.stdout == [&sjis[..], b"a?b\n"].concat()), (0, true));
    assert!(messages(&to_output).contains("1 malformed character"), "{}", messages(&to_output));
    let dry = run_in(folder.path(), ["repair", "-n", "-e", "shift_jis", "file"]);
    assert!(fs::read(folder.path().join("file")).unwrap() == broken, "{}", messages(&dry));
    let done = run_in(folder.path(), ["repair", "-i", "--force", "-p", "remove", "-e", "shift_jis", "file"]);
    assert_eq!(status(&done), 0, "{}", messages(&done));
    assert!(fs::read(folder.path().join("file")).unwrap() == [&sjis[..], b"ab\n"].concat());
    fs::write(folder.path().join("file"), &broken).unwrap();
    let same = run_in(folder.path(), ["repair", "-p", "same-length", "-e", "shift_jis", "file"]);
    assert_eq!(same.stdout, [&sjis[..], b"a?b\n"].concat(), "{}", messages(&same));
    let refused = run_in(folder.path(), ["repair", "--replacement", "_", "-e", "shift_jis", "file"]);
    assert_eq!(status(&refused), 2, "{}", messages(&refused));
}
