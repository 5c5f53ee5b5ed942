//! Tests that the header in the tree is the output of cbindgen.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_what_cbindgen_writes() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = crate_folder.join("include/utf8kit.h");
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    let sources = ["numbers.rs", "lib.rs"].map(|name| crate_folder.join("src").join(name));
    let builder = sources.iter().fold(cbindgen::Builder::new(), |builder, source| builder.with_src(source));
    let mut header = Vec::new();
    builder.with_config(config).generate().unwrap().write(&mut header);
    // The headings `# Safety` are for Rust, so the header has only the text below them.
    let header = without_safety(&String::from_utf8(header).unwrap());
    if env::var_os("UTF8KIT_WRITE_HEADER").is_some() {
        fs::write(&file, &header).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(there == header, "run UTF8KIT_WRITE_HEADER=1 cargo test --package utf8kit-c");
}

fn without_safety(header: &str) -> String {
    header.replace(" *\n * # Safety\n", " *\n").replace("//\n// # Safety\n", "//\n")
}
