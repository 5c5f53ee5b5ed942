//! What of the Rust libraries is where in Python, JavaScript and C: `docs/doors.md`. The functions and types come from
//! the sources, what they do from their doc comments, and the names elsewhere from the table below, which has to name
//! each of them, or say why there is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, root};

/// The page.
pub(crate) const PATH: &str = "docs/doors.md";

/// A function or a type, with its names in Python, JavaScript and C: separated by commas, a method behind its class,
/// and `-` with the reason where there is none.
type Door = (&'static str, [&'static str; 3]);

const SLICES: &str = "- the language's own slices and methods do it";
const STRINGS: &str = "- strings there are compared by code points";
const BUFFERS: &str = "- results are objects there, of whatever size";
const TABLES: &str = "- takes tables that the C library leaves out: use the command";
const PICTURES: &str = "- for people, not for programs: use the command";
const FILES: &str = "- works on files: use the command";
const NO_FILES: &str = "- browsers have no files: use the command";
const ONE_BY_ONE: &str = "- one call for each character costs more than it does";
const LEVELS: &str = "- a setting for tests: the variable UTF8KIT_LEVEL";
const ORDER: &str = "- a comparison function for sorting, which calls from there would slow down";
const OWN_STREAMS: &str = "- Rust's own interface of readers and writers";
const NO_DAMAGE: &str = "- `compare` then finds no damage";
const MARKS: &str = "- part of reading a text";

/// The doors of `utf8kit`. Variants of a function (`_in`, `_into`, `_units`, ...) belong to it.
const LIBRARY: &[Door] = &[
    (
        "validate",
        ["validate, is_valid", "validate", "utf8kit_validate, utf8kit_validate_in, utf8kit_is_valid"],
    ),
    ("errors", ["errors, iter_errors", "errors", "utf8kit_errors"]),
    ("chunks", [SLICES, SLICES, "- `utf8kit_errors` gives what lies between them"]),
    ("repair", ["repair", "repair", "utf8kit_repair, utf8kit_repaired_len"]),
    ("unescape", ["repair", "repair", "- escapes are decoded by the command"]),
    ("convert", ["convert", "convert", "utf8kit_convert"]),
    ("converted_len", [BUFFERS, BUFFERS, "- `utf8kit_convert` goes on where its output was full"]),
    ("count", ["count", "count", "utf8kit_count"]),
    ("truncate", ["truncate", "truncate", "utf8kit_truncate"]),
    ("floor", ["truncate", "truncate", "utf8kit_truncate"]),
    (
        "ceil",
        [
            "- `truncate` cuts before, which fits a limit",
            "- `truncate` cuts before, which fits a limit",
            "- `utf8kit_truncate` cuts before, which fits a limit",
        ],
    ),
    (
        "is_boundary",
        [
            "- `truncate` gives the place itself",
            "- `truncate` gives the place itself",
            "- `utf8kit_truncate` gives the place itself",
        ],
    ),
    ("split", [SLICES, SLICES, "- `utf8kit_truncate` in a loop"]),
    ("trim_partial", ["TextStream", "Decoder", "utf8kit_stream_push"]),
    ("settled", ["TextStream", "Hold", "utf8kit_settled"]),
    ("Hold", ["TextStream, stream", "Hold, Utf8DecoderStream, DecoderStream", "utf8kit_settled"]),
    ("explain", ["explain, Explanation", "explain, describe", PICTURES]),
    ("items", ["explain", "outline", ONE_BY_ONE]),
    ("decode", ["codecs", "Decoder", ONE_BY_ONE]),
    ("encode", ["codecs", "encode, encodeText", ONE_BY_ONE]),
    ("is_noncharacter", [ONE_BY_ONE, ONE_BY_ONE, ONE_BY_ONE]),
    ("lead_len", [ONE_BY_ONE, ONE_BY_ONE, ONE_BY_ONE]),
    ("intended_sequence", ["explain", "explain", PICTURES]),
    (
        "is_ascii",
        [SLICES, "- `bytes.every((byte) => byte < 128)`", "- a loop that compilers turn into vectors"],
    ),
    ("detect_bom", ["detect", "detect", MARKS]),
    ("strip_bom", ["open", "Decoder", MARKS]),
    ("index_of", ["TextIndex.position", "TextIndex.position", "utf8kit_index_position"]),
    ("offset_of", ["TextIndex.offset", "TextIndex.offset", "utf8kit_index_offset"]),
    ("utf16_len", ["TextIndex.length", "TextIndex.length", "utf8kit_index_position"]),
    ("line_column", ["TextIndex.line_column", "TextIndex.lineColumn", "utf8kit_index_lsp_position"]),
    ("offset_at", ["TextIndex.offset_at", "TextIndex.offsetAt", "utf8kit_index_lsp_offset"]),
    ("TextIndex", ["TextIndex", "TextIndex", "utf8kit_index_new, utf8kit_index_edit"]),
    ("Indexed", ["TextIndex", "TextIndex", "utf8kit_index_lsp_position, utf8kit_index_lsp_offset"]),
    ("compare_in", [ORDER, ORDER, ORDER]),
    ("compare_utf8", [STRINGS, ORDER, "- `memcmp` does it"]),
    ("compare_utf16", [STRINGS, ORDER, ORDER]),
    ("compare_utf8_utf16", [STRINGS, ORDER, ORDER]),
    ("byte_order_is_code_point_order", [ORDER, ORDER, ORDER]),
    ("from_utf16", ["convert", "convert, encodeText", "utf8kit_convert"]),
    ("from_utf32", ["convert", "convert", "utf8kit_convert"]),
    ("from_latin1", ["convert", "convert", "utf8kit_convert"]),
    ("to_utf16", ["convert", "convert, Decoder", "utf8kit_convert"]),
    ("to_utf32", ["convert", "convert", "utf8kit_convert"]),
    ("to_latin1", ["convert", "convert", "utf8kit_convert"]),
    ("latin1_to_utf8_len", [BUFFERS, BUFFERS, "- twice the length suffices"]),
    ("utf8_to_latin1_len", [BUFFERS, BUFFERS, "- the length suffices"]),
    ("repair_utf16", ["repair", "repair", "utf8kit_repair"]),
    ("validate_utf16", ["validate", "validate", "utf8kit_validate_in"]),
    ("validate_utf32", ["validate", "validate", "utf8kit_validate_in"]),
    ("with_level", [LEVELS, LEVELS, LEVELS]),
    ("Validator", ["Validator", "Validator, ValidatorStream", "utf8kit_stream_push"]),
    (
        "Converter",
        [
            "Converter, Repairer",
            "Converter, ConverterStream, RepairStream, EncoderStream",
            "utf8kit_stream_push",
        ],
    ),
    (
        "TextStream",
        ["TextStream, stream, open", "Decoder, DecoderStream, Utf8DecoderStream", "utf8kit_stream_push"],
    ),
    ("Reader", ["open", OWN_STREAMS, OWN_STREAMS]),
    ("Writer", [OWN_STREAMS, OWN_STREAMS, OWN_STREAMS]),
    ("Summary", ["Summary", "Checker.counts", "utf8kit_errors, utf8kit_count"]),
    (
        "SummaryStream",
        [
            "SummaryStream",
            "Checker",
            "- `utf8kit_errors` and `utf8kit_count` take whole texts: use the command",
        ],
    ),
    ("Histogram", ["Summary.histogram", "Checker.histogram", PICTURES]),
    ("Stats", ["Summary", "Checker.counts", "utf8kit_count"]),
    ("Restrictions", ["rows.check, rows.repair", "- `utf8 check --for` names the targets", TABLES]),
    ("Grammar", [PICTURES, "forms", PICTURES]),
];

/// The doors of `utf8kit-text`, and of its documents.
const TEXT: &[Door] = &[
    ("detect", ["detect", "detect", TABLES]),
    ("candidates", ["candidates", "candidates", TABLES]),
    ("undouble", ["undouble, doubled", "undouble", TABLES]),
    ("describe", ["Utf8Error.reason", "describe", PICTURES]),
    ("Conversion", ["convert", "convert", TABLES]),
    ("Converter", ["Converter", "Converter", TABLES]),
    ("Repairer", ["Repairer", "Repairer", TABLES]),
    ("Ledger", ["edit", NO_FILES, FILES]),
    ("check_file", ["check_file", NO_FILES, FILES]),
    ("repair_file", ["repair_file", NO_FILES, FILES]),
    ("Hold", ["TextStream, stream", "Hold", "utf8kit_settled"]),
    ("Document", ["Document, edit", "Document", TABLES]),
    ("compare", ["compare", "compare", TABLES]),
    ("restore", ["restore", "restore", TABLES]),
    ("line_changes", ["Comparison.edits", "compare", TABLES]),
    ("is_ascii_edit", [NO_DAMAGE, NO_DAMAGE, TABLES]),
];

/// Types that hold an argument or an answer of the functions, and traits.
const VALUES: &[&str] = &[
    "AnyEncoding",
    "Bit",
    "Bom",
    "Buffer",
    "Change",
    "Charset",
    "Checkpoint",
    "Chunk",
    "Chunks",
    "CodeUnit",
    "ColumnUnit",
    "Comparison",
    "Counts",
    "Damage",
    "DamageKind",
    "DamageView",
    "Dialect",
    "Each",
    "EditError",
    "Encoded",
    "Encoding",
    "EncodingLabel",
    "Error",
    "ErrorKind",
    "Errors",
    "Explanation",
    "Explanations",
    "FormatError",
    "IndexError",
    "Item",
    "Items",
    "Lacking",
    "Level",
    "LevelUnavailable",
    "LineColumn",
    "LineEnds",
    "LspPosition",
    "PlacedError",
    "Policy",
    "PolicyBuf",
    "Progress",
    "RepairPolicy",
    "Restricted",
    "RestrictedKind",
    "Row",
    "Status",
    "Step",
    "Unencodable",
    "Unit",
    "UnitEncoding",
    "UnknownEncoding",
    "UnknownErrorKind",
    "UnknownPolicy",
];

/// The parts of a name that make it a variant of another function.
const VARIANTS: &[&str] =
    &["_in", "_into", "_units", "_str", "_lossy", "_some", "_observed", "_last", "_char_boundary"];

/// What is public in a library.
struct Library {
    /// The names, each with its module: a path without the ending.
    names: BTreeMap<String, PathBuf>,
}

impl Library {
    /// Reads the names that some files export, and the source that has their doc comments.
    fn read(krate: &str, exporting: &[&str]) -> Result<Library> {
        let folder = root().join("crates").join(krate).join("src");
        let mut names = BTreeMap::new();
        for file in exporting {
            let inner = folder.join(file).with_file_name("");
            for (module, name) in exported(&fs::read_to_string(folder.join(file))?) {
                let own = || folder.join(file).with_extension("");
                names.insert(name, if module.is_empty() { own() } else { inner.join(module) });
            }
        }
        Ok(Library { names })
    }

    /// Returns the names that are neither values, encodings nor constants, each with its variants.
    fn doors(&self) -> Vec<(&str, Vec<&str>)> {
        let is_own =
            |name: &&String| !VALUES.contains(&name.as_str()) && !is_encoding(name) && !is_constant(name);
        let names: Vec<&str> = self.names.keys().filter(is_own).map(String::as_str).collect();
        let bases = names.iter().filter(|name| self.base(name) == **name);
        bases
            .map(|base| (*base, names.iter().filter(|name| self.base(name) == *base).copied().collect()))
            .collect()
    }

    /// Returns the function that this is a variant of, or itself.
    fn base<'n>(&self, name: &'n str) -> &'n str {
        let shorter = VARIANTS.iter().filter_map(|end| name.strip_suffix(end));
        let found = shorter.map(|name| self.base(name)).find(|base| self.names.contains_key(*base));
        found.unwrap_or(name)
    }

    /// Returns the first sentence of the doc comment of a name, as its own module has it; `None` if it comes from
    /// another library.
    ///
    /// # Errors
    /// Several files of the module define the name.
    fn sentence(&self, name: &str) -> Result<Option<String>> {
        let Some(module) = self.names.get(name) else { return Ok(None) };
        let file = module.with_extension("rs");
        if file.is_file()
            && let Some(sentence) = sentence(&fs::read_to_string(file)?, name)
        {
            return Ok(Some(sentence));
        }
        let files = if module.is_dir() { gather(module)? } else { Vec::new() };
        let mut found = files.iter().filter_map(|text| sentence(text, name));
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(format!("{name} is defined twice in {}", module.display()).into()),
            (sentence, _) => Ok(sentence),
        }
    }
}

/// Returns the first sentence of the doc comment of what a file defines.
fn sentence(text: &str, name: &str) -> Option<String> {
    let (at, _) = ["fn", "struct", "enum"].iter().find_map(|kind| {
        let head = format!("\npub {kind} {name}");
        let mut found = text.match_indices(&head);
        found.find(|(at, head)| {
            !text[at + head.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })?;
    let above = text[..at].lines().rev().take_while(|line| line.starts_with("///") || line.starts_with('#'));
    let mut lines: Vec<&str> = above.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
    lines.reverse();
    let paragraph = lines.split(|line| line.is_empty()).next()?.join(" ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    let plain = paragraph[..end].trim_end_matches([':', '.']);
    Some(plain.replace("[`", "`").replace("`]", "`").replace("[", "").replace("]", ""))
}

fn is_encoding(name: &str) -> bool {
    name.starts_with("Utf") || name.starts_with("Wtf") || ["Cesu8", "Latin1", "Mutf8"].contains(&name)
}

fn is_constant(name: &str) -> bool {
    !name.contains(|c: char| c.is_lowercase())
}

/// Returns the texts of all files in a folder.
fn gather(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            texts.extend(gather(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(fs::read_to_string(&path)?);
        }
    }
    Ok(texts)
}

/// Returns the names that a file exports, each with the path of its module: `pub use`, and public functions and types
/// of its own, whose path is empty.
fn exported(text: &str) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (_, statement) in text.split("\npub ").skip(1).map(|rest| ("pub", rest)) {
        if let Some(list) = statement.strip_prefix("use ") {
            let list = list.split(';').next().unwrap_or_default();
            let (module, inner) =
                list.split_once("::{").or_else(|| list.rsplit_once("::")).unwrap_or(("", list));
            let inner = inner.trim_end_matches(['}', ' ', '\n']).split(',').map(str::trim);
            let inner = inner.filter(|name| !name.is_empty() && *name != "*");
            names.extend(inner.map(|name| (module.replace("::", "/"), name.to_owned())));
        } else if let Some((kind, rest)) = statement.split_once(' ')
            && ["fn", "struct", "enum"].contains(&kind)
        {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            names.push((String::new(), rest[..end].to_owned()));
        }
    }
    names
}

/// The interfaces of the other languages: what must occur in them for a name.
struct Elsewhere {
    python: String,
    methods: String,
    javascript: String,
    members: String,
    c: String,
}

impl Elsewhere {
    fn read() -> Result<Elsewhere> {
        let read = |path: &str| fs::read_to_string(root().join(path));
        let js = "crates/utf8kit-wasm/js";
        let files =
            ["checker", "convert", "decoder", "hold", "streams", "text-index", "document", "validate"];
        let members: std::io::Result<Vec<String>> =
            files.iter().map(|file| read(&format!("{js}/{file}.ts"))).collect();
        let methods =
            ["_native.pyi", "_error.py", "rows.py"].map(|file| read(&format!("python/utf8kit/{file}")));
        Ok(Elsewhere {
            python: read("python/utf8kit/__init__.py")?,
            methods: methods.into_iter().collect::<std::io::Result<String>>()?,
            javascript: read(&format!("{js}/index.ts"))? + &read(&format!("{js}/document.ts"))?,
            members: members?.concat(),
            c: read("crates/utf8kit-c/include/utf8kit.h")?,
        })
    }

    /// Reports whether a name exists in a language: 0 Python, 1 JavaScript, 2 C.
    fn has(&self, language: usize, name: &str) -> bool {
        let (class, member) = name.split_once('.').unwrap_or((name, ""));
        let is_word = |text: &str, word: &str| {
            text.match_indices(word).any(|(at, _)| {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
            })
        };
        match language {
            0 => {
                (class == "rows" || self.python.contains(&format!("    \"{class}\",\n")))
                    && (member.is_empty() || self.methods.contains(&format!("def {member}(")))
            }
            1 => is_word(&self.javascript, class) && (member.is_empty() || is_word(&self.members, member)),
            _ => self.c.contains(&format!("{name}(")),
        }
    }
}

/// Returns the page, or what is missing from it.
pub(crate) fn page() -> Result<String> {
    let elsewhere = Elsewhere::read()?;
    let mut page = PREFACE.to_owned();
    let mut missing = Vec::new();
    let libraries = [
        ("utf8kit", LIBRARY, Library::read("utf8kit", &["lib.rs", "convert/mod.rs", "convert/units.rs"])?),
        ("utf8kit-text", TEXT, Library::read("utf8kit-text", &["lib.rs", "document/mod.rs"])?),
    ];
    let mut reasons: Vec<&str> = Vec::new();
    for (title, table, library) in &libraries {
        page += &format!("\n## {title}\n\n| Rust | | Python | JavaScript | C |\n|---|---|---|---|---|\n");
        let doors = library.doors();
        for (name, _) in &doors {
            if !table.iter().any(|(known, _)| known == name) {
                missing.push(format!(
                    "{title}: {name} is in no row of crates/xtask/src/doors.rs, nor among VALUES"
                ));
            }
        }
        for (name, cells) in *table {
            let Some((_, variants)) = doors.iter().find(|(door, _)| door == name) else {
                missing.push(format!("{title}: {name} is not public"));
                continue;
            };
            let own = library.sentence(name)?;
            let Some(what) = own.map_or_else(|| libraries[0].2.sentence(name), |own| Ok(Some(own)))? else {
                missing.push(format!("{title}: {name} has no doc comment"));
                continue;
            };
            let mut row = format!("| {} | {what} |", code(variants));
            for (language, cell) in cells.iter().enumerate() {
                if let Some(reason) = cell.strip_prefix("- ") {
                    let number = reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    row += &format!(" – ({}) |", number + 1);
                    continue;
                }
                let names: Vec<&str> = cell.split(", ").collect();
                for name in names.iter().filter(|name| !elsewhere.has(language, name)) {
                    missing.push(format!("{name} is not in {}", ["Python", "JavaScript", "C"][language]));
                }
                row += &format!(" {} |", code(&names));
            }
            page += &(row + "\n");
        }
    }
    page += "\n## Reasons\n\n";
    for (number, reason) in reasons.iter().enumerate() {
        page += &format!("{}. {}{}.\n", number + 1, reason[..1].to_uppercase(), &reason[1..]);
    }
    if missing.is_empty() { Ok(page) } else { Err(missing.join("\n").into()) }
}

fn code(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

const PREFACE: &str = "\
# Names in each language

What the functions and types at the root of the two Rust libraries do, and those of `utf8kit_text::document`, and what
does it in Python, JavaScript and C, perhaps among other things. A number stands for the reason why nothing does. Types
that hold an argument or an answer are left out, and so are the other modules, such as `utf8kit::column` and
`utf8kit_text::files`.

`cargo xtask gen` writes this page from the sources. A test fails when a function or type of these is missing here, or a
name is missing in its language. What the names do there is for the tests of each package to tell.
";

#[test]
fn the_page_is_what_the_sources_say() {
    let page = page().expect("every public function is in the table");
    let written = fs::read_to_string(root().join(PATH)).unwrap_or_default();
    assert!(page == written.replace("\r\n", "\n"), "run cargo xtask gen");
}

#[test]
fn exports_are_found() {
    let text = "\npub use a::{B, c};\npub use d::e;\npub use f::*;\npub fn g<T>() {}\npub(crate) fn h() {}\n\
        pub struct I;";
    let found = exported(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(module, name)| (&**module, &**name)).collect();
    assert_eq!(found, [("a", "B"), ("a", "c"), ("d", "e"), ("", "g"), ("", "I")]);
}

#[test]
fn sentences_are_those_of_the_module_that_is_exported() {
    let library = Library::read("utf8kit", &["lib.rs"]).unwrap();
    let column = Library::read("utf8kit", &["column/mod.rs"]).unwrap();
    let [of_text, of_column] = [library, column].map(|library| library.sentence("repair").unwrap().unwrap());
    assert!(of_text != of_column, "{of_text}");
}
