//! Tests that the public types of the libraries can grow: callers must not list all variants or fields.

use crate::lines::visit;
use crate::root;

/// Types that will never get another variant or field: wrappers for display; an encoding, which is either the library's
/// or a legacy one, so that every crate handles both; and a piece, which is either the last one or not.
const FINAL: &[&str] = &["Argument", "Charset", "Codec", "Hex", "Name", "Piece"];

const LIBRARIES: &[&str] = &[
    "utf8kit", "utf8kit-encodings", "utf8kit-detect", "utf8kit-document", "utf8kit-records", "utf8kit-files",
    "utf8kit-parquet",
];

#[test]
fn public_types_can_grow() {
    let mut fixed = Vec::new();
    for library in LIBRARIES {
        let source = root().join("crates").join(library).join("src");
        visit(&source, &["rs"], &[], &mut |_, text| fixed.extend(fixed_types(text)));
    }
    fixed.retain(|name| !FINAL.contains(&name.as_str()));
    assert!(fixed.is_empty(), "public types without #[non_exhaustive]: {fixed:?}");
}

/// Returns the names of public enums, and of public structs without a private field, that lack `#[non_exhaustive]`.
fn fixed_types(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut names = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_enum = line.starts_with("pub enum ");
        let Some(rest) = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub struct ")) else {
            continue;
        };
        let before = lines[..at].iter().rev().take_while(|line| line.starts_with('#') || line.starts_with("//"));
        let can_grow = before.clone().any(|line| line.contains("#[non_exhaustive]"));
        if !can_grow && (is_enum || has_only_public_fields(rest, &lines[at + 1..])) {
            names.push(rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned());
        }
    }
    names
}

/// Reports whether a struct has fields and all of them are public. `header` is the text after `pub struct`.
fn has_only_public_fields(header: &str, below: &[&str]) -> bool {
    if let Some((_, fields)) = header.split_once('(') {
        return fields.split(',').all(|field| field.trim().starts_with("pub "));
    }
    let fields = below.iter().take_while(|line| **line != "}").filter(|line| !line.starts_with(['#', '/']));
    header.ends_with('{') && fields.clone().count() > 0 && fields.clone().all(|line| line.starts_with("pub "))
}

#[test]
fn types_that_cannot_grow_are_found() {
    let found = "
        pub enum Found { A }
        #[non_exhaustive]
        /// Text.
        pub enum Grows { A }
        pub struct Open<'t> {
            /// Text.
            pub field: u8,
        }
        pub struct Closed {
            pub field: u8,
            other: u8,
        }
        pub struct Wrapper(pub u8);
        pub struct Hidden(u8);
        pub struct Empty;";
    assert_eq!(fixed_types(found), ["Found", "Open", "Wrapper"]);
}
