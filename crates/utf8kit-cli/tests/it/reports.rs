//! Cases from public reports, by kind: the first command identifies the problem, and the command after `help:` recovers
//! the text.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{messages, run_in, status, text};
use utf8kit_encodings::charset::Legacy;

/// Pastes a command into a shell.
fn pasted(folder: &Path, command: &str) -> (i32, Vec<u8>, String) {
    let bin = Path::new(env!("CARGO_BIN_EXE_utf8")).parent().unwrap();
    let path = std::env::join_paths(
        [bin.to_owned()]
            .into_iter()
            .chain(std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect::<Vec<_>>()),
    );
    let output =
        Command::new("sh").args(["-c", command]).env("PATH", path.unwrap()).current_dir(folder).output().unwrap();
    (status(&output), output.stdout.clone(), messages(&output))
}

/// Returns the command that follows `help:` in an output.
fn help(folder: &Path, args: &[&str]) -> Option<String> {
    let output = run_in(folder, args);
    let shown = format!("{}\n{}", text(&output), messages(&output));
    shown.lines().find_map(|line| line.strip_prefix("  help: ")).map(str::to_owned)
}

/// Checks that `check` and `detect` suggest the same command for a file, and the output of that command. The file does
/// not change.
fn helped(folder: &Path, name: &str, bytes: &[u8], right: &str) {
    fs::write(folder.join(name), bytes).unwrap();
    let command = help(folder, &["check", name]).unwrap_or_else(|| panic!("{name}: no help"));
    assert_eq!(help(folder, &["detect", name]).as_ref(), Some(&command), "{name}");
    let (status, out, said) = pasted(folder, &command);
    assert_eq!((status, String::from_utf8_lossy(&out).as_ref()), (0, right), "{name}: {command}: {said}");
    assert_eq!(fs::read(folder.join(name)).unwrap(), bytes, "{name}");
}

fn encoded(text: &str, page: &str) -> Vec<u8> {
    let page = Legacy::labelled(page).unwrap();
    text.chars().flat_map(|c| page.bytes_of(c).unwrap()).collect()
}

#[test]
fn letters_of_a_nation_in_ebcdic() {
    let folder = tempfile::tempdir().unwrap();
    for (page, right) in [
        ("CP273", "Größe und Länge der Türen\nÖffnung nicht möglich, Übergröße\n"),
        ("CP297", "L'été à Besançon était très agréable\nLe garçon a été reçu\n"),
        ("CP278", "Åsa går på gången över ängen\nÖrjan äter räksmörgås på båten\n"),
    ] {
        // The line end of mainframes.
        let bytes: Vec<u8> =
            encoded(right, page).into_iter().map(|byte| if byte == 0x25 { 0x15 } else { byte }).collect();
        helped(folder.path(), "old.ebc", &bytes, right);
    }
}

#[test]
fn encodings_of_one_country() {
    let folder = tempfile::tempdir().unwrap();
    for (page, right) in [
        ("MAZOVIA", "Proszę o zapłatę kwoty: pięćset złotych\r\nŻółta łódź płynie, gęś idzie ścieżką\r\n"),
        ("CP895", "Příliš žluťoučký kůň úpěl ďábelské ódy\r\nPlaťte v hotovosti, děkujeme za nákup\r\n"),
        ("CWI-2", "Árvíztűrő tükörfúrógép\r\nA fizetendő összeg kétszáz forint, köszönjük szépen\r\n"),
    ] {
        helped(folder.path(), "old.txt", &encoded(right, page), right);
    }
}

/// A single letter, next to ASCII that fits UTF-8 as well.
#[test]
fn one_sign_of_windows_in_a_table_of_ascii() {
    let folder = tempfile::tempdir().unwrap();
    for right in [
        "id,name,note\n1,Anna,ok\n2,Bob,the client’s wish\n3,Cy,fine\n",
        "id,n\n1,Müller\n2,Meier\n",
        "id,t\n1,10 – 20\n",
        "AVDA. DE ESPAÑA 5\n",
    ] {
        helped(folder.path(), "data.csv", &encoded(right, "windows-1252"), right);
    }
    helped(folder.path(), "data.csv", &encoded("Loggfør\n", "CP850"), "Loggfør\n");
}

#[test]
fn nuls_in_another_encoding_are_removed_before_it_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let right = "start\ncafé ouvert ce soir\nfin\n";
    let log = [vec![0; 64], encoded(right, "windows-1252")].concat();
    helped(root, "app.log", &log, right);
    // In place, the file is changed in two steps, and not at all the second time.
    let skipped = run_in(root, ["repair", "--in-place", "app.log"]);
    let reported = messages(&skipped);
    let command = reported.lines().find_map(|line| line.trim_start().strip_prefix("help: ")).unwrap();
    assert_eq!(pasted(root, command).0, 0, "{command}");
    assert_eq!(fs::read_to_string(root.join("app.log")).unwrap(), right);
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "app.log"])), 0);
    assert_eq!(fs::read_to_string(root.join("app.log")).unwrap(), right);
}

#[test]
fn folds_of_a_calendar_go_away_where_they_cut_a_character() {
    let folder = tempfile::tempdir().unwrap();
    let cut = b"BEGIN:VCALENDAR\r\nDESCRIPTION:Gr\xC3\r\n \xBC\xC3\x9Fe \xE2\r\n \x80\x93 an\r\n  alle\r\n\
        END:VCALENDAR\r\n";
    let right = "BEGIN:VCALENDAR\r\nDESCRIPTION:Grüße – an\r\n  alle\r\nEND:VCALENDAR\r\n";
    helped(folder.path(), "feed.ics", cut, right);
}

#[test]
fn text_within_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    helped(root, "b.csv", b"id,t\n1,b'Caf\\xc3\\xa9'\n2,plain\n", "id,t\n1,b'Café'\n2,plain\n");
    let mail = b"Gr=C3=BC=C3=9Fe aus K=C3=B6ln, 2 =3D 2, und so weit=\ner.\n";
    helped(root, "mail.txt", mail, "Grüße aus Köln, 2 = 2, und so weiter.\n");
    let old = b"Gr=FC=DFe aus K=F6ln, die Stra=DFe ist sch=F6n und l=E4nger =\nals gedacht.\n";
    helped(root, "old.txt", old, "Grüße aus Köln, die Straße ist schön und länger als gedacht.\n");
    // Only one layer is undone, and text with such signs for other reasons is unchanged.
    for _ in 0..2 {
        assert_eq!(status(&run_in(root, ["repair", "--in-place", "-p", "quoted-printable", "mail.txt"])), 0);
        let repaired = fs::read_to_string(root.join("mail.txt")).unwrap();
        assert_eq!(repaired, "Grüße aus Köln, 2 = 2, und so weiter.\n");
    }
    for clean in ["a=b\nx==y =C3=A9\n", "https://example.org/?q=20\n", "data = 'C:\\xampp'\n", "café =C3=A9\n"] {
        fs::write(root.join("clean.txt"), clean).unwrap();
        assert_eq!(help(root, &["check", "clean.txt"]), None, "{clean}");
        let same = run_in(root, ["repair", "-p", "quoted-printable", "clean.txt"]);
        assert_eq!(text(&same), clean);
    }
}

#[test]
fn short_messages_are_seven_bits() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    helped(
        root,
        "sms.bin",
        b"Hej! Vi ses kl 7 p\x0F torget, k\x0Fra du. Pris 50\x02 eller 3\x1Be\n",
        "Hej! Vi ses kl 7 på torget, kåra du. Pris 50$ eller 3€\n",
    );
    // Other controls in ASCII.
    for clean in [&b"\x1B[31mred\x1B[0m and plain text\n"[..], b"NAME\0\0\0\0CITY\0\0\0\0\n", b"Page 1\n\x0CPage 2\n"] {
        fs::write(root.join("clean.txt"), clean).unwrap();
        assert!(!text(&run_in(root, ["detect", "clean.txt"])).contains("GSM"), "{}", clean.escape_ascii());
    }
}

#[test]
fn controls_of_direction_are_left_out_where_an_encoding_lacks_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("heb.srt"), "\u{202B}לא ראיתי.\u{202C}\r\n").unwrap();
    let args = ["convert", "--to", "windows-1255", "heb.srt"];
    assert_eq!(status(&run_in(root, args)), 1);
    let command = help(root, &args).unwrap();
    assert_eq!(command, "utf8 convert --to windows-1255 --on-error transliterate heb.srt");
    let (status, out, _) = pasted(root, &command);
    assert_eq!((status, out), (0, encoded("לא ראיתי.\r\n", "windows-1255")));
}

#[test]
fn a_table_of_dbase_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mut table = b"\x03\x78\x05\x04\x02\0\0\0\x41\0\x0B\0".to_vec();
    table.resize(32, 0);
    table.extend(b"NAME\0\0\0\0\0\0\0C\0\0\0\0\x0A");
    table.resize(64, 0);
    table.extend(b"\r Le\xF3n       M\xE9rida    \x1A");
    fs::write(root.join("t.dbf"), &table).unwrap();
    let shown = text(&run_in(root, ["check", "t.dbf"]));
    assert!(shown.contains("a dBase table, whose texts read as ") && !shown.contains("utf8 repair"), "{shown}");
    assert!(shown.contains("  help: utf8 detect t.dbf\n"), "{shown}");
}

#[test]
fn windows_powershell_reads_scripts_without_a_mark_in_the_code_page() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let script = [&b"# a script\r\n".repeat(20_000)[..], "Write-Host 'Größe'\r\n".as_bytes()].concat();
    fs::write(root.join("a.ps1"), &script).unwrap();
    let args = ["check", "--for", "powershell", "a.ps1"];
    assert_eq!(status(&run_in(root, args)), 1);
    let command = help(root, &args).unwrap();
    assert_eq!(command, "utf8 convert --bom add a.ps1");
    let (status_of, marked, _) = pasted(root, &command);
    assert_eq!((status_of, &marked), (0, &[b"\xEF\xBB\xBF", &script[..]].concat()));
    for fine in [&marked[..], b"Write-Host 'a'\r\n"] {
        fs::write(root.join("a.ps1"), fine).unwrap();
        assert_eq!(status(&run_in(root, args)), 0);
    }
}

#[test]
fn batch_files_are_read_in_the_code_page_of_the_console() {
    let folder = tempfile::tempdir().unwrap();
    let check = |text: &[u8]| {
        fs::write(folder.path().join("run.bat"), text).unwrap();
        run_in(folder.path(), ["check", "--for", "batch", "run.bat"])
    };
    let wrong = check("@echo off\r\necho Größe ändern\r\n".as_bytes());
    assert_eq!(status(&wrong), 1);
    assert!(text(&wrong).contains("no `chcp 65001` before non-ASCII text"), "{}", text(&wrong));
    // Our own repairs never suggest a command.
    assert!(!text(&wrong).contains("help:"), "{}", text(&wrong));
    for fine in ["@echo off\r\nCHCP 65001 >nul\r\necho Größe ändern\r\n", "echo size\r\n"] {
        assert_eq!(status(&check(fine.as_bytes())), 0, "{fine}");
    }
    let marked = check("\u{FEFF}chcp 65001\r\necho Größe\r\n".as_bytes());
    assert!(text(&marked).contains("help: utf8 convert --bom strip run.bat"), "{}", text(&marked));
}

#[test]
fn registry_files_are_utf16_or_in_a_code_page() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let args = ["check", "--for", "reg", "a.reg"];
    let keys = "Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Größe]\r\n";
    fs::write(root.join("a.reg"), keys).unwrap();
    let command = help(root, &args).unwrap();
    assert_eq!(command, "utf8 convert --to utf-16le --bom add a.reg");
    let (status_of, wide, _) = pasted(root, &command);
    let right: Vec<u8> = format!("\u{FEFF}{keys}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!((status_of, &wide), (0, &right));
    for fine in [&wide[..], b"Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Size]\r\n"] {
        fs::write(root.join("a.reg"), fine).unwrap();
        let output = run_in(root, args);
        assert_eq!(status(&output), 0, "{}", text(&output));
    }
    fs::write(root.join("a.reg"), "REGEDIT4\r\n\r\n[HKEY_CURRENT_USER\\Größe]\r\n").unwrap();
    let output = run_in(root, args);
    assert!(text(&output).contains("REGEDIT4 begins it"), "{}", text(&output));
    assert_eq!((status(&output), help(root, &args)), (1, None));
}

/// Reports of PowerShell were joined with `copy /b`.
#[test]
fn marks_within_utf16_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let part = |text: &str| format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let joined = [part("eins: Größe\r\n"), part("zwei\r\n"), part("drei\r\n")].concat();
    helped(folder.path(), "joined.txt", &joined, "eins: Größe\r\nzwei\r\ndrei\r\n");
    let output = run_in(folder.path(), ["check", "joined.txt"]);
    assert!(text(&output).contains("note: byte order marks within it"), "{}", text(&output));
    for from in ["auto", "utf-16"] {
        for args in [&["joined.txt", "-o", "out.txt"][..], &["--in-place", "joined.txt"]] {
            fs::write(folder.path().join("joined.txt"), &joined).unwrap();
            let output = run_in(folder.path(), [&["convert", "--from", from][..], args].concat());
            assert_eq!(status(&output), 0, "{}", messages(&output));
            let removed = "removed 2 byte order marks within the text";
            assert!(messages(&output).contains(removed), "{}", messages(&output));
            let written = args.iter().find(|name| name.ends_with("t.txt")).unwrap_or(&"joined.txt");
            let written = fs::read_to_string(folder.path().join(written)).unwrap();
            assert_eq!(written, "eins: Größe\r\nzwei\r\ndrei\r\n", "{from} {args:?}");
        }
    }
}
