//! Tests compressed files and archives: their content is read, and damage to them is distinguished from errors in the
//! text.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::common::{has, lines, messages, run_in, run_with, status, text};

/// A valid line, and one with an error at offset 10.
const TEXT: &[u8] = b"caf\xC3\xA9 au lai\xFFt\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in members {
        let method = rawzip::CompressionMethod::DEFLATE;
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        writer.write_all(bytes).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}

/// Creates a file with this content, in a folder of its own.
fn folder(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    folder
}

/// Returns the path of each file in `check`'s output, and the offset of its first error.
fn checked(root: &Path, args: &[&str]) -> Vec<(String, u64)> {
    let output = run_in(root, ["check", "--format", "jsonl"].iter().chain(args));
    let errors = lines(&output).into_iter().filter(|line| line["type"] == "error");
    errors.map(|line| (line["path"].as_str().unwrap().to_owned(), line["offset"].as_u64().unwrap())).collect()
}

#[test]
fn compressed_files_are_read_through() {
    let several = [gzip(&TEXT[..4]), gzip(&TEXT[4..])].concat();
    let frames = [zstd(&TEXT[..4]), b"\x50\x2A\x4D\x18\x02\0\0\0ab".to_vec(), zstd(&TEXT[4..])].concat();
    let streams = [bzip2(&TEXT[..4]), bzip2(&TEXT[4..])].concat();
    for packed in [gzip(TEXT), several, zstd(TEXT), frames, bzip2(TEXT), streams, xz(TEXT)] {
        // Recognised by content, whatever the name.
        let folder = folder("text", &packed);
        let root = folder.path();
        assert_eq!(checked(root, &["text"]), [("text".to_owned(), 12)]);
        assert_eq!(checked(root, &["."]), [("text".to_owned(), 12)]);
        let piped = run_with(&packed, ["check", "--format", "jsonl", "-"]);
        assert_eq!((status(&piped), lines(&piped)[0]["offset"].as_u64()), (1, Some(12)));

        let counted = run_in(root, ["stats", "--format", "jsonl", "text"]);
        assert_eq!(lines(&counted)[0]["bytes"], TEXT.len());
        let detected = run_in(root, ["detect", "--format", "short", "text"]);
        assert_ne!(text(&detected), "unknown\n");
        let converted = run_in(root, ["convert", "--on-error", "replace", "-t", "utf-16le", "text"]);
        assert_eq!(converted.stdout.len(), 2 * 14);
        assert_eq!(run_in(root, ["repair", "text"]).stdout, "café au lai\u{FFFD}t\n".as_bytes());
        assert_eq!(run_with(&packed, ["repair"]).stdout, "café au lai\u{FFFD}t\n".as_bytes());
        let diff = text(&run_in(root, ["repair", "--diff", "text"]));
        assert!(diff.contains("+café au lai\u{FFFD}t"), "{diff}");
        let explained = run_in(root, ["explain", "--at", "12", "text", "--format", "jsonl"]);
        assert!(lines(&explained).iter().any(|line| line["type"] == "error" && line["offset"] == 12));

        let raw = run_in(root, ["stats", "--no-decompress", "--format", "jsonl", "text"]);
        assert_eq!(lines(&raw)[0]["bytes"], packed.len());
    }
}

#[test]
fn members_are_checked_by_name() {
    let large = [b"x".repeat(9 << 20), b"\xFF".to_vec()].concat();
    let inner = gzip(TEXT);
    let members: [(&str, &[u8]); 5] =
        [("good", b"text"), ("dir/bad", TEXT), ("binary", b"\0\xFF"), ("large", &large), ("inner.gz", &inner)];
    let (tar, zip) = (tar(&members), zip(&members));
    for packed in [&zip, &gzip(&zip), &tar, &gzip(&tar), &zstd(&tar), &bzip2(&tar), &xz(&tar)] {
        let folder = folder("a.pack", packed);
        let root = folder.path();
        let found = [
            ("a.pack!dir/bad".to_owned(), 12),
            ("a.pack!large".to_owned(), 9 << 20),
            ("a.pack!inner.gz".to_owned(), 12),
        ];
        assert_eq!(checked(root, &["a.pack"]), found);
        assert_eq!(checked(root, &["a.pack", "--binary"]).len(), 4);
        assert_eq!(checked(root, &["a.pack!dir/bad", "a.pack!binary"]).len(), 2, "they are named");
        let piped = run_with(packed, ["check", "--format", "jsonl", "-"]);
        let first = lines(&piped).into_iter().find(|line| line["type"] == "error");
        assert_eq!(first.unwrap()["path"], "-!dir/bad");

        assert_eq!(run_in(root, ["repair", "a.pack!dir/bad"]).stdout, "café au lai\u{FFFD}t\n".as_bytes());
        let all = run_in(root, ["repair", "a.pack"]);
        assert_eq!((status(&all), all.stdout.len()), (2, 0), "which of them?");
        assert!(messages(&all).contains("archive.zip!folder/name"), "{}", messages(&all));
        let missing = run_in(root, ["check", "a.pack!nothing"]);
        assert_eq!(status(&missing), 2);
        assert!(messages(&missing).contains("no such member"), "{}", messages(&missing));
        let detected = run_in(root, ["detect", "--format", "jsonl", "a.pack"]);
        assert_eq!(lines(&detected).len(), 4);
        let counted = run_in(root, ["stats", "--format", "jsonl", "a.pack"]);
        assert_eq!(lines(&counted).last().unwrap()["files"], 4);
    }
}

#[test]
fn a_bad_archive_is_no_bad_text() {
    let noise: Vec<u8> = (0_u32..100_000).map(|i| b'a' + (i.wrapping_mul(2_654_435_761) >> 27) as u8 % 26).collect();
    for packed in [gzip(&noise), zstd(&noise), bzip2(&noise), xz(&noise), gzip(&tar(&[("noise", &noise)]))] {
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        damaged[middle + 1] ^= 0x55;
        let truncated = &packed[..packed.len() - 9];
        for (bad, word) in [(&damaged[..], "damaged"), (truncated, "ends too early")] {
            let folder = folder("bad", bad);
            fs::write(folder.path().join("other"), b"\xFF").unwrap();
            let output = run_in(folder.path(), ["check", "--format", "jsonl", "bad", "other"]);
            assert_eq!(status(&output), 2, "{:X?}: {word}", &packed[..4]);
            assert!(messages(&output).contains(word), "{word}: {}", messages(&output));
            let errors = lines(&output).into_iter().filter(|line| line["type"] == "error");
            assert!(errors.map(|line| line["path"].clone()).eq(["other"]), "none of the archive");
        }
    }
}

#[test]
fn members_that_cannot_be_read_do_not_hide_the_others() {
    let inner = zip(&[("x", b"text")]);
    let deep = gzip(&inner);
    let mut packed =
        zip(&[("nested", &inner), ("deep", &deep), ("encrypted", b"text"), ("wrong", b"text"), ("bad", TEXT)]);
    // The encryption flag in the central directory, and a byte of the checksum there.
    let mut headers = Vec::new();
    for at in 0..packed.len() - 4 {
        if packed[at..].starts_with(b"PK\x01\x02") {
            headers.push(at);
        }
    }
    packed[headers[2] + 8] |= 1;
    packed[headers[3] + 16] ^= 1;
    let folder = folder("a.zip", &packed);
    let output = run_in(folder.path(), ["check", "--format", "jsonl", "a.zip"]);
    assert_eq!(status(&output), 2);
    assert_eq!(lines(&output)[0]["path"], "a.zip!bad");
    for word in [
        "a.zip!nested: an archive (zip) in", "a.zip!deep: an archive", "a.zip!encrypted: encrypted",
        "a.zip!wrong: damaged zip",
    ] {
        assert!(messages(&output).contains(word), "{word}: {}", messages(&output));
    }
}

#[test]
fn bombs_end_early() {
    let zeros = vec![b'0'; 200 << 20];
    for packed in [gzip(&zeros), zip(&[("a", &zeros[..100 << 20]), ("b", &zeros[..100 << 20])]), bzip2(&zeros)] {
        let folder = folder("bomb", &packed);
        let output = run_in(folder.path(), ["check", "bomb"]);
        assert_eq!(status(&output), 2);
        assert!(messages(&output).contains("more than 250 times its size"), "{}", messages(&output));
        assert_eq!(status(&run_in(folder.path(), ["check", "--max-expansion", "0", "bomb"])), 0);
    }
}

#[test]
fn archives_are_not_changed_in_place() {
    let packed = gzip(TEXT);
    let folder = folder("a.gz", &packed);
    let output = run_in(folder.path(), ["repair", "--in-place", "a.gz"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("gzip cannot be changed in place"), "{}", messages(&output));
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "."])), 0, "as any binary file");
    assert_eq!(fs::read(folder.path().join("a.gz")).unwrap(), packed);
    assert_eq!(status(&run_in(folder.path(), ["repair", "a.gz", "--output", "a"])), 0);
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), "café au lai\u{FFFD}t\n".as_bytes());
}

#[test]
fn zeros_after_a_gzip_file_are_padding() {
    let padded = [&gzip(TEXT)[..], &[0; 3000]].concat();
    let more = [&padded[..], &gzip(TEXT)].concat();
    for (packed, errors) in [(&padded, 1), (&more, 2)] {
        let output = run_with(packed, ["check", "--format", "jsonl"]);
        assert_eq!(status(&output), 1, "{}", messages(&output));
        assert_eq!(lines(&output).last().unwrap()["errors"], errors);
    }
    let garbage = run_with(&[&padded[..], b"garbage"].concat(), ["check"]);
    assert_eq!(status(&garbage), 2);
    assert!(messages(&garbage).contains("damaged gzip"), "{}", messages(&garbage));
}

#[test]
fn sparse_members_are_read_with_their_holes() {
    if !has("tar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let content = [&[b'a'; 5000][..], &[0; 100_000], TEXT, &[0; 70_000], b"end\n", &[0; 40_000]].concat();
    // tar looks for holes only in a file that has some.
    let mut member = fs::File::create(root.join("member")).unwrap();
    for (offset, part) in [(0, &content[..5000]), (105_000, TEXT), (175_000 + TEXT.len(), b"end\n")] {
        member.seek(SeekFrom::Start(offset as u64)).unwrap();
        member.write_all(part).unwrap();
    }
    member.set_len(content.len() as u64).unwrap();
    for version in ["0.0", "0.1", "1.0", "gnu"] {
        let mut tar = std::process::Command::new("tar");
        match version {
            "gnu" => tar.arg("--format=gnu"),
            _ => tar.arg("--format=pax").arg(format!("--sparse-version={version}")),
        };
        tar.args(["--sparse", "--hole-detection=raw", "-cf", "archive.tar", "member"]).current_dir(root);
        if !tar.output().unwrap().status.success() {
            return crate::common::skip("this tar writes no sparse members");
        }
        assert!(fs::metadata(root.join("archive.tar")).unwrap().len() < 60_000, "{version}: it is not sparse");
        let output = run_in(root, ["check", "--binary", "--format", "jsonl", "archive.tar"]);
        let lines = lines(&output);
        assert_eq!(lines[0]["path"], "archive.tar!member", "{version}");
        assert_eq!(lines[0]["offset"], 105_012, "{version}");
        assert_eq!(lines[1]["size"], content.len(), "{version}");
        let repaired = run_in(root, ["repair", "archive.tar!member", "--policy", "escape"]);
        let unescaped = run_with(&repaired.stdout, ["repair", "--policy", "unescape"]);
        assert!(unescaped.stdout == content, "{version}: {}", messages(&repaired));
    }
}
