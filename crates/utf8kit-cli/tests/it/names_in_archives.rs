//! Tests the names in zip and tar files: findings, and that nothing but the names changes.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::Crc;
use rawzip::ZipArchive;

use crate::common::{lines, messages, run_in, status, text};

/// A member of a zip file to create.
#[derive(Clone, Debug, Default)]
struct Member {
    name: Vec<u8>,
    data: Vec<u8>,
    comment: Vec<u8>,
    /// The name of a Unicode extra field.
    unicode: Option<&'static str>,
    is_marked: bool,
    /// Whether its sizes follow its data.
    has_descriptor: bool,
    /// Whether its offset is in an extra field.
    is_long: bool,
    host: u8,
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Member {
    fn new(name: &[u8]) -> Member {
        Member { name: name.to_vec(), data: [b"data of ", name].concat(), ..Member::default() }
    }

    /// Returns the fields that the local and the central header share, from the version to the lengths.
    fn shared(&self, extra: &[u8], local: bool) -> Vec<u8> {
        let flags = u16::from(self.is_marked) << 11 | u16::from(self.has_descriptor) << 3;
        let (crc, len) = match local && self.has_descriptor {
            true => (0, 0),
            false => (crc(&self.data), self.data.len() as u32),
        };
        let mut out = vec![20, 0];
        out.extend(flags.to_le_bytes());
        out.extend([0; 6]);
        out.extend([crc, len, len].into_iter().flat_map(u32::to_le_bytes));
        out.extend([self.name.len() as u16, extra.len() as u16].into_iter().flat_map(u16::to_le_bytes));
        out
    }

    fn extra(&self) -> Vec<u8> {
        let mut extra = b"\x99\x99\x02\0ab".to_vec();
        if let Some(unicode) = self.unicode {
            extra.extend(b"\x75\x70");
            extra.extend((unicode.len() as u16 + 5).to_le_bytes());
            extra.push(1);
            extra.extend(crc(&self.name).to_le_bytes());
            extra.extend(unicode.as_bytes());
        }
        extra
    }
}

/// Returns a zip of members that are stored, after a prefix.
fn zip(members: &[Member], prefix: &[u8]) -> Vec<u8> {
    let (mut out, mut directory) = (prefix.to_vec(), Vec::new());
    for member in members {
        let (offset, mut extra) = (out.len() as u64, member.extra());
        out.extend(b"PK\x03\x04");
        out.extend(member.shared(&extra, true));
        out.extend(&member.name);
        out.extend(&extra);
        out.extend(&member.data);
        if member.has_descriptor {
            out.extend(b"PK\x07\x08");
            let len = member.data.len() as u32;
            out.extend([crc(&member.data), len, len].into_iter().flat_map(u32::to_le_bytes));
        }
        let mut short = offset as u32;
        if member.is_long {
            extra.splice(0..0, [&b"\x01\0\x08\0"[..], &offset.to_le_bytes()].concat());
            short = u32::MAX;
        }
        directory.extend(b"PK\x01\x02\x14");
        directory.push(member.host);
        directory.extend(member.shared(&extra, false));
        directory.extend((member.comment.len() as u16).to_le_bytes());
        directory.extend([0; 8]);
        directory.extend(short.to_le_bytes());
        directory.extend(&member.name);
        directory.extend(&extra);
        directory.extend(&member.comment);
    }
    let (offset, count) = (out.len() as u32, members.len() as u16);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].into_iter().flat_map(u16::to_le_bytes));
    out.extend([directory.len() as u32, offset].into_iter().flat_map(u32::to_le_bytes));
    out.extend(b"\x04\0note");
    out
}

/// A member that was read: its name, whether it is marked as UTF-8, its comment, its data, and its Unicode extra field.
type Found = (Vec<u8>, bool, Vec<u8>, Vec<u8>, Option<Vec<u8>>);

fn unzipped(bytes: &[u8]) -> Vec<Found> {
    let archive = ZipArchive::from_slice(bytes).unwrap();
    assert_eq!(archive.comment().as_bytes(), b"note");
    let mut found = Vec::new();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        let own = archive.get_entry(entry.wayfinder()).unwrap();
        let mut data = Vec::new();
        own.verifying_reader(own.data()).read_to_end(&mut data).unwrap();
        let name = entry.file_path().as_ref().to_vec();
        assert_eq!(own.local_header().file_path().as_ref(), name);
        let at = entry.central_directory_offset() as usize;
        let unicode = entry.extra_fields().find(|(id, _)| id.as_u16() == 0x7075).map(|(_, data)| data.to_vec());
        found.push((name, bytes[at + 9] & 8 != 0, entry.comment().as_bytes().to_vec(), data, unicode));
    }
    found
}

/// Repairs the names in an archive, twice, and returns the result.
fn repaired(folder: &Path, archive: &[u8], args: &[&str], want: i32) -> Vec<u8> {
    fs::write(folder.join("old"), archive).unwrap();
    let output = run_in(folder, ["rename", "old", "-o", "new"].iter().chain(args));
    assert_eq!(status(&output), want, "{}", messages(&output));
    assert_eq!(fs::read(folder.join("old")).unwrap(), archive);
    run_in(folder, ["rename", "new", "-o", "again"].iter().chain(args));
    let new = fs::read(folder.join("new")).unwrap();
    assert_eq!(fs::read(folder.join("again")).unwrap(), new);
    new
}

fn kinds(folder: &Path, archive: &[u8]) -> Vec<(String, String)> {
    fs::write(folder.join("old"), archive).unwrap();
    let output = run_in(folder, ["check", "--names", "--format", "jsonl", "old"]);
    let errors = lines(&output).into_iter().filter(|line| line["type"] == "error");
    let of = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    errors.map(|line| (of(&line["kind"]), of(&line["becomes"]))).collect()
}

#[test]
fn each_convention_of_zip_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let name = "caf\u{E9}.txt";
    let decomposed = "cafe\u{301}.txt";
    let legacy = |bytes: &[u8], host| Member { host, ..Member::new(bytes) };
    let not_utf8 = ("not_utf8".to_owned(), name.to_owned());
    let unmarked = ("unmarked".to_owned(), String::new());
    let cases = [
        ("Windows", legacy(b"caf\x82.txt", 0), Some(not_utf8.clone()), name),
        ("Windows, ANSI", legacy(b"caf\xE9.txt", 11), Some(not_utf8.clone()), name),
        ("Java", Member { is_marked: true, ..legacy(name.as_bytes(), 0) }, None, name),
        ("macOS", legacy(decomposed.as_bytes(), 3), Some(unmarked.clone()), decomposed),
        ("Info-ZIP on Unix", legacy(name.as_bytes(), 3), Some(unmarked), name),
        (
            "Info-ZIP on Windows",
            Member { unicode: Some(name), ..legacy(b"caf\x82.txt", 0) },
            Some(not_utf8.clone()),
            name,
        ),
        ("marked wrongly", Member { is_marked: true, ..legacy(b"caf\xE9.txt", 0) }, Some(not_utf8), name),
    ];
    for (convention, member, problem, want) in cases {
        let archive = zip(&[Member::new(b"plain"), member.clone()], b"");
        assert_eq!(kinds(folder, &archive), Vec::from_iter(problem), "{convention}");
        let found = unzipped(&repaired(folder, &archive, &[], 0)).remove(1);
        assert_eq!((&found.0[..], found.1, &found.3), (want.as_bytes(), true, &member.data), "{convention}");
        if member.unicode.is_some() {
            let field = [&[1][..], &crc(want.as_bytes()).to_le_bytes(), want.as_bytes()].concat();
            assert_eq!(found.4, Some(field));
        }
    }
}

#[test]
fn what_is_not_certain_stays_and_a_named_encoding_decides() {
    let folder = tempfile::tempdir().unwrap();
    let archive = zip(&[Member::new(b"\xF4\xEE.jpg"), Member::new(b"plain")], b"");
    let found = unzipped(&repaired(folder.path(), &archive, &[], 1));
    assert_eq!((&found[0].0[..], found[0].1), (&b"\xF4\xEE.jpg"[..], false));
    let found = unzipped(&repaired(folder.path(), &archive, &["--from", "windows-1251"], 0));
    assert_eq!((&found[0].0[..], found[0].1), ("\u{444}\u{43E}.jpg".as_bytes(), true));
    assert_eq!((&found[1].0[..], found[1].1), (&b"plain"[..], false));
    let text = run_in(folder.path(), ["rename", "--no-config", "new", "-o", "/dev/null", "--apply"]);
    assert_eq!(status(&text), 2);
    fs::write(folder.path().join("text"), "text").unwrap();
    let output = run_in(folder.path(), ["rename", "text", "-o", "out"]);
    assert!(status(&output) == 2 && !folder.path().join("out").exists());
}

#[test]
fn without_output_the_names_inside_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut tar = tar::Header::new_ustar();
    tar.as_old_mut().name[..8].copy_from_slice(b"caf\xE9.txt");
    tar.set_size(0);
    tar.set_cksum();
    fs::write(folder.path().join("old.tar"), [tar.as_bytes().as_slice(), &[0; 1024]].concat()).unwrap();
    // Without --output, names in the archive are left alone.
    let commands = [(["rename", "old.tar"].as_slice(), 0), (&["rename", "--apply", "old.tar"], 1)];
    for (args, status) in commands {
        let done = run_in(folder.path(), args);
        let shown = messages(&done);
        assert!(shown.contains("old.tar: 1 name in it would change with --output"), "{shown}");
        assert_eq!(done.status.code(), Some(status), "{args:?}");
    }
}

#[test]
fn made_zips_keep_all_but_the_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize % end
    };
    for round in 0..60 {
        let members: Vec<Member> = (0..=below(6))
            .map(|number| {
                let name: &[u8] =
                    [&b"caf\xE9"[..], b"Gr\xF6\xDFe/\xFCber", b"plain", b"fa\xE7ade", "\u{E9}t\u{E9}".as_bytes()]
                        [below(5)];
                Member {
                    name: [name, number.to_string().as_bytes()].concat(),
                    data: vec![b'x'; below(3000)],
                    comment: [&b""[..], b"note", b"\xE9t\xE9"][below(3)].to_vec(),
                    unicode: [None, Some("caf\u{E9} of the extra field")][usize::from(below(8) == 0)],
                    has_descriptor: below(2) == 0,
                    is_long: below(3) == 0,
                    host: [0, 3, 11, 19][below(4)],
                    is_marked: false,
                }
            })
            .collect();
        let archive = zip(&members, &vec![b'#'; [0, 0, 100][below(3)]]);
        let args: &[&str] = &["--from", "windows-1252", "--on-collision", "number"];
        fs::write(folder.path().join("old"), &archive).unwrap();
        let output = run_in(folder.path(), ["rename", "old", "-o", "new"].iter().chain(args));
        assert!(status(&output) < 2, "{round}: {}", messages(&output));
        let new = fs::read(folder.path().join("new")).unwrap();
        let (before, after) = (unzipped(&archive), unzipped(&new));
        assert_eq!(before.len(), after.len());
        for (old, new) in before.iter().zip(&after) {
            assert_eq!(old.3, new.3, "{round}");
            let held = messages(&output).contains("left alone");
            assert!(held || std::str::from_utf8(&new.0).is_ok(), "{round}");
            assert!(held || new.0.is_ascii() || new.1, "{round}");
        }
    }
}

#[test]
fn each_kind_of_tar_is_understood() {
    let long = [&b"caf\xE9 ".repeat(16)[..], b"/", &b"gr\xFCn ".repeat(14)].concat();
    let folder = tempfile::tempdir().unwrap();
    for kind in ["ustar", "gnu", "pax"] {
        let mut builder = tar::Builder::new(Vec::new());
        for name in [&b"plain"[..], b"caf\xE9", &long] {
            let mut header = if kind == "gnu" { tar::Header::new_gnu() } else { tar::Header::new_ustar() };
            header.set_size(5);
            let mut field = name;
            if name.len() > 100 {
                let records = [format!("{} path=", name.len() + 10).as_bytes(), name, b"\n"].concat();
                let mut extension = header.clone();
                let (kind, data) = match kind {
                    "gnu" => (tar::EntryType::GNULongName, [name, b"\0"].concat()),
                    "pax" => (tar::EntryType::XHeader, records),
                    _ => (tar::EntryType::Regular, Vec::new()),
                };
                if !data.is_empty() {
                    extension.set_entry_type(kind);
                    extension.set_size(data.len() as u64);
                    extension.set_cksum();
                    builder.append(&extension, &data[..]).unwrap();
                }
                if let Some(ustar) = header.as_ustar_mut().filter(|_| data.is_empty()) {
                    ustar.prefix[..80].copy_from_slice(&name[..80]);
                    field = &name[81..];
                }
            }
            header.as_mut_bytes()[..field.len().min(100)].copy_from_slice(&field[..field.len().min(100)]);
            header.set_cksum();
            builder.append(&header, &b"data\n"[..]).unwrap();
        }
        let mut link = tar::Header::new_ustar();
        link.set_entry_type(tar::EntryType::Link);
        link.as_mut_bytes()[..4].copy_from_slice(b"link");
        link.as_mut_bytes()[157..161].copy_from_slice(b"caf\xE9");
        link.set_size(0);
        link.set_cksum();
        builder.append(&link, &b""[..]).unwrap();
        let archive = builder.into_inner().unwrap();
        fs::write(folder.path().join("old"), &archive).unwrap();
        let list = run_in(folder.path(), ["check", "--names", "-l", "old"]);
        assert_eq!(list.stdout, [&b"old!caf\xE9\nold!"[..], &long, b"\n"].concat(), "{kind}");
        let new = repaired(folder.path(), &archive, &["--from", "latin1"], 0);
        let mut read = tar::Archive::new(&new[..]);
        let mut found = Vec::new();
        for entry in read.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut data = String::new();
            entry.read_to_string(&mut data).unwrap();
            let link = entry.link_name_bytes().map(|link| String::from_utf8(link.into_owned()).unwrap());
            let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
            assert_eq!(data, if link.is_some() { "" } else { "data\n" });
            found.push((name, link));
        }
        let long = format!("{}/{}", "caf\u{E9} ".repeat(16), "gr\u{FC}n ".repeat(14));
        let want = ["plain", "caf\u{E9}", &long].map(|name| (name.to_owned(), None));
        assert_eq!(found[..3], want, "{kind}");
        assert_eq!(found[3], ("link".to_owned(), Some("caf\u{E9}".to_owned())), "{kind}");
        assert_eq!(text(&run_in(folder.path(), ["check", "--names", "-l", "new"])), "");
    }
}

#[test]
fn damaged_archives_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let archive = zip(&[Member::new(b"caf\xE9"), Member::new(b"fa\xE7ade")], b"");
    for at in 0..archive.len() {
        let mut broken = archive.clone();
        broken[at] ^= 0xFF;
        if at % 7 == 0 {
            broken.truncate(at);
        }
        fs::write(folder.path().join("old"), &broken).unwrap();
        let output = run_in(folder.path(), ["rename", "--from", "latin1", "old", "-o", "new"]);
        let stderr = messages(&output);
        assert!((0..=2).contains(&status(&output)) && !stderr.contains("panicked"), "{at}: {stderr}");
    }
}

/// Everything after an unreadable record would be lost.
#[test]
fn records_that_cannot_be_read_are_not_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    for (rest, want) in [(&b""[..], 0), (b"13 mtime=1.5\n", 0), (b"12 mtime=1.5\n", 2), (b"12 mtime:1.5\n", 2)] {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..4].copy_from_slice(b"name");
        let records = [b"13 path=caf\xE9\n", rest].concat();
        let mut extension = header.clone();
        extension.set_entry_type(tar::EntryType::XHeader);
        extension.set_size(records.len() as u64);
        extension.set_cksum();
        builder.append(&extension, &records[..]).unwrap();
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
        fs::write(folder.path().join("old"), builder.into_inner().unwrap()).unwrap();
        let _ = fs::remove_file(folder.path().join("new"));
        let output = run_in(folder.path(), ["rename", "--from", "latin1", "old", "-o", "new"]);
        assert_eq!(status(&output), want, "{}: {}", rest.escape_ascii(), messages(&output));
        assert_eq!(folder.path().join("new").exists(), want == 0);
    }
}

#[test]
fn the_plan_shows_the_names_inside() {
    let folder = tempfile::tempdir().unwrap();
    let mut tar = tar::Header::new_ustar();
    tar.as_old_mut().name[..8].copy_from_slice(b"caf\xE9.txt");
    tar.set_size(0);
    tar.set_cksum();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/old.tar"), [tar.as_bytes().as_slice(), &[0; 1024]].concat()).unwrap();
    for path in ["in", "in/old.tar"] {
        let shown = run_in(folder.path(), ["rename", path]);
        let (plan, reported) = (text(&shown), messages(&shown));
        assert!(plan.contains(" -> café.txt  "), "{plan}");
        assert!(!reported.contains("would change 0 names"), "{reported}");
    }
}

/// A folder is searched for archives, whose names come where the archive does.
#[test]
fn archives_in_folders_are_checked_and_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("in")).unwrap();
    for name in ["in/a.zip", "in/b.zip"] {
        fs::write(root.join(name), zip(&[Member::new(b"Gr\xFC\xDFe aus K\xF6ln.txt")], b"")).unwrap();
    }
    fs::write(root.join("in/a.zip.txt"), "no archive").unwrap();
    let found = run_in(root, ["check", "--names", "--format", "jsonl", "in"]);
    let names: Vec<_> = lines(&found).iter().map(|line| line["path"].as_str().map(str::to_owned)).collect();
    let member = |zip: &str| Some(format!("in/{zip}!Gr\u{FFFD}\u{FFFD}e aus K\u{FFFD}ln.txt"));
    let own = |name: &str| Some(name.to_owned());
    let (a, b) = (member("a.zip"), member("b.zip"));
    let expected = [own("in"), own("in/a.zip"), a.clone(), a, own("in/a.zip.txt"), own("in/b.zip"), b.clone(), b, None];
    assert_eq!((status(&found), &names[..]), (1, &expected[..]));
    let help = text(&run_in(root, ["rename", "in"]));
    assert!(help.contains("  help: utf8 rename in/b.zip -o in/b-renamed.zip\n"), "{help}");
    assert_eq!(text(&run_in(root, ["check", "--names", "--no-decompress", "-l", "in"])), "");
}
