//! Systems that text is loaded into, with the well-formed UTF-8 that they refuse.
//!
//! [`Target::all`] lists them; `docs/targets.md` has the same table.

#[cfg(feature = "unicode")]
mod damaged;
#[cfg(feature = "unicode")]
mod hidden;
#[cfg(feature = "unicode")]
mod identifier;
mod json;
#[cfg(feature = "unicode")]
mod line;
#[cfg(feature = "unicode")]
mod look_alike;
mod name;
#[cfg(not(feature = "unicode"))]
mod no_line;
mod repair;
mod subset;
mod value;
mod xml;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use memchr::memmem;
use utf8kit::{RestrictedKind, Restrictions, Utf8};

use crate::describe::Description;
use crate::display::counted;
use crate::rows::{Reader, RowFormat, RowSyntax};

pub use crate::refusal::{Refusal, RefusalKind};
use line::Written;
use name::Naming;
#[cfg(not(feature = "unicode"))]
use no_line::{self as line, identifier};
pub use repair::{RowRepair, Unsuitable};
use subset::Subset;
use value::Unit;

/// A system that text is loaded into.
#[derive(Clone, Copy, Debug)]
pub struct Target(&'static Entry);

/// A row of the table.
#[derive(Debug)]
struct Entry {
    name: &'static str,
    about: &'static str,
    reader: Reader,
    rules: &'static [(Rule, &'static str, &'static str)],
}

/// A rule of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Refuses nothing beyond ill-formed text.
    WellFormed,
    /// Refuses characters that the library can restrict.
    Characters(Restrictions),
    /// Refuses characters outside the production `Char` of XML 1.0, and references to them.
    Xml,
    /// Refuses characters outside of a subset of Unicode, and their escapes in JSON lines.
    Subset(Subset),
    /// Refuses what readers do not see, or take for something else.
    Hidden(Written),
    /// Refuses what is not an identifier, or can be taken for another one.
    Identifier,
    /// Refuses characters that a JSON string cannot contain, and escapes that are invalid or half of a surrogate pair.
    Json,
    /// Refuses these escapes in JSON lines.
    Escapes(&'static [RefusalKind]),
    /// Refuses a byte order mark.
    Mark,
    /// Refuses names that files cannot have.
    FileName(Naming),
    /// Limits the length of a value.
    Length(Unit, usize),
}

const NO_NUL: Rule = Rule::Characters(Restrictions::new().no_nul());
const NO_SUPPLEMENTARY: Rule = Rule::Characters(Restrictions::new().no_supplementary());

const NO_HALVES: Rule = Rule::Escapes(&[RefusalKind::SurrogateEscape]);

/// As in the examples of RFC 9839.
const HALVES_IN_JSON: (Rule, &str, &str) = (
    NO_HALVES,
    "In jsonl: no escape that is half of a surrogate pair.",
    "https://www.rfc-editor.org/rfc/rfc9839#section-2.2.1",
);

/// In text and code.
#[cfg(feature = "unicode")]
const LOOK_ALIKES: (Rule, &str, &str) = (
    Rule::WellFormed,
    "No words of letters of two scripts that look like words in ASCII (CVE-2021-42694).",
    "https://www.unicode.org/reports/tr39/",
);

/// All targets.
const TABLE: &[Entry] = &[
    Entry {
        name: "postgresql",
        about: "PostgreSQL, encoding UTF8",
        reader: Reader::POSTGRESQL,
        rules: &[
            (
                NO_NUL,
                "The character with code zero cannot be in a string.",
                "https://www.postgresql.org/docs/current/datatype-character.html",
            ),
            (
                Rule::Escapes(&[RefusalKind::NulEscape, RefusalKind::SurrogateEscape]),
                "In jsonl, for the type jsonb: no escape \\u0000, and none that is half of a surrogate pair.",
                "https://www.postgresql.org/docs/current/datatype-json.html",
            ),
        ],
    },
    Entry {
        name: "mysql",
        about: "MySQL and MariaDB, character set utf8mb4",
        reader: Reader::MYSQL,
        rules: &[
            (
                Rule::WellFormed,
                "All of Unicode, in one to four bytes.",
                "https://dev.mysql.com/doc/refman/8.4/en/charset-unicode-utf8mb4.html",
            ),
            (
                NO_HALVES,
                "In jsonl: no escape that is half of a surrogate pair.",
                "https://mariadb.com/kb/en/json_valid/",
            ),
        ],
    },
    Entry {
        name: "mysql-utf8mb3",
        about: "MySQL and MariaDB, character set utf8mb3 (formerly utf8)",
        reader: Reader::MYSQL,
        rules: &[
            (
                NO_SUPPLEMENTARY,
                "At most three bytes a character: no supplementary characters.",
                "https://dev.mysql.com/doc/refman/8.4/en/charset-unicode-utf8mb3.html",
            ),
            (
                NO_HALVES,
                "In jsonl: no escape that is half of a surrogate pair.",
                "https://mariadb.com/kb/en/json_valid/",
            ),
        ],
    },
    Entry {
        name: "redshift",
        about: "Amazon Redshift, COPY into VARCHAR",
        reader: Reader::POSTGRESQL,
        rules: &[(
            NO_NUL,
            "A NUL within a field ends the load; a field that is a single NUL can be loaded with NULL AS '\\0'.",
            "https://docs.aws.amazon.com/redshift/latest/dg/t_preparing-input-data.html",
        )],
    },
    Entry {
        name: "snowflake",
        about: "Snowflake, COPY INTO a table",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::WellFormed,
            "Records that are not well-formed UTF-8 are errors, unless REPLACE_INVALID_CHARACTERS is set.",
            "https://docs.snowflake.com/en/release-notes/bcr-bundles/un-bundled/bcr-1013-1014",
        )],
    },
    Entry {
        name: "bigquery",
        about: "BigQuery, load jobs of CSV and JSON",
        reader: Reader::STANDARD,
        rules: &[(
            NO_NUL,
            "ASCII 0 is a bad character, unless a CSV load sets preserve_ascii_control_characters.",
            "https://cloud.google.com/bigquery/docs/loading-data-cloud-storage-csv",
        )],
    },
    Entry {
        name: "oracle-al32utf8",
        about: "Oracle Database, character set AL32UTF8",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::WellFormed,
            "All of Unicode, in one to four bytes.",
            "https://docs.oracle.com/en/database/oracle/oracle-database/23/nlspg/supporting-multilingual-databases-with-unicode.html",
        )],
    },
    Entry {
        name: "json",
        about: "JSON, RFC 8259 and what all parsers agree on (RFC 7493)",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Json,
                "No control characters in strings, no escapes but those of section 7, and no half of a surrogate pair \
                 (section 8.2).",
                "https://www.rfc-editor.org/rfc/rfc8259",
            ),
            (
                Rule::Mark,
                "No byte order mark (section 8.1).",
                "https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
            ),
        ],
    },
    Entry {
        name: "xml",
        about: "XML 1.0",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::Xml,
            "No control characters but tab, line feed and carriage return; no U+FFFE and U+FFFF; nor references to \
             them, where there can be references.",
            "https://www.w3.org/TR/xml/#charsets",
        )],
    },
    Entry {
        name: "rfc9839-scalars",
        about: "Unicode Scalars, RFC 9839",
        reader: Reader::STANDARD,
        rules: &[
            (Rule::WellFormed, "All scalar values.", "https://www.rfc-editor.org/rfc/rfc9839#section-4.1"),
            HALVES_IN_JSON,
        ],
    },
    Entry {
        name: "rfc9839-xml",
        about: "XML Characters, RFC 9839",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Subset(Subset::Xml),
                "No control characters but tab, line feed and carriage return; no U+FFFE and U+FFFF.",
                "https://www.rfc-editor.org/rfc/rfc9839#section-4.2",
            ),
            HALVES_IN_JSON,
        ],
    },
    Entry {
        name: "rfc9839-assignables",
        about: "Unicode Assignables, RFC 9839",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Subset(Subset::Assignables),
                "No control characters but tab, line feed and carriage return; no noncharacters.",
                "https://www.rfc-editor.org/rfc/rfc9839#section-4.3",
            ),
            HALVES_IN_JSON,
        ],
    },
    #[cfg(feature = "unicode")]
    Entry {
        name: "text",
        about: "text that shows all it says: prompts, chats, comments",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Hidden(Written::Text),
                "No bidirectional embeddings, overrides and isolates, which show text in another order \
                 (CVE-2021-42574).",
                "https://www.unicode.org/reports/tr55/",
            ),
            (
                Rule::WellFormed,
                "No tags, variation selectors, joiners, spaces without a width and fillers where no emoji and no \
                 script needs them.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
            (
                Rule::WellFormed,
                "No code points that stand for no character: of private use, unassigned, noncharacters; nor U+FFFD.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
            LOOK_ALIKES,
            (Rule::WellFormed, "No text that was certainly encoded twice.", "https://www.w3.org/TR/charmod/"),
        ],
    },
    #[cfg(feature = "unicode")]
    Entry {
        name: "source",
        about: "source code that says what it does",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Hidden(Written::Code),
                "What text refuses, and line separators, which editors do not show (CVE-2021-42574).",
                "https://www.unicode.org/reports/tr55/",
            ),
            LOOK_ALIKES,
            (
                Rule::WellFormed,
                "In code, no names that look like names or operators in ASCII, and none in which letters of two \
                 scripts take turns.",
                "https://www.unicode.org/reports/tr39/",
            ),
            (
                Rule::WellFormed,
                "No text that an earlier program damaged: U+FFFD within words, and what was certainly encoded twice.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
        ],
    },
    #[cfg(feature = "unicode")]
    Entry {
        name: "identifiers",
        about: "names in code and of users, one each line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Identifier,
                "Letters, digits and _, not beginning with a digit, as identifiers of UAX #31.",
                "https://www.unicode.org/reports/tr31/",
            ),
            (
                Rule::WellFormed,
                "Characters in use for identifiers, of one script or of scripts that are written together; no name \
                 that looks like one in ASCII (CVE-2021-42694).",
                "https://www.unicode.org/reports/tr39/",
            ),
        ],
    },
    Entry {
        name: "java",
        about: "Java's modified UTF-8: DataInput.readUTF, class files, strings of JNI",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Characters(Restrictions::new().no_nul().no_supplementary()),
                "NUL and supplementary characters are written otherwise there: as the encoding mutf-8 has them.",
                "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/io/DataInput.html",
            ),
            (
                Rule::Length(Unit::Bytes, 65_535),
                "The length is written in two bytes.",
                "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/io/DataOutput.html",
            ),
        ],
    },
    Entry {
        name: "filename-windows",
        about: "names of files and folders on Windows, a name each line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::Windows),
                "None of < > : \" / \\ | ? * and control characters, no space or dot at the end, no name of a device.",
                "https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file",
            ),
            (
                Rule::Length(Unit::CodeUnits, 255),
                "At most 255 UTF-16 code units, the common limit.",
                "https://learn.microsoft.com/en-us/windows/win32/fileio/maximum-file-path-limitation",
            ),
        ],
    },
    Entry {
        name: "filename-macos",
        about: "names of files and folders on macOS, a name each line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::MacOs),
                "No NUL, / and :, which the Finder shows for each other.",
                "https://developer.apple.com/library/archive/qa/qa1173/_index.html",
            ),
            (
                Rule::Length(Unit::Bytes, 255),
                "At most 255 bytes of UTF-8, as Apple's table of APFS is read here.",
                "https://developer.apple.com/library/archive/documentation/FileManagement/Conceptual/APFS_Guide/VolumeFormatComparison/VolumeFormatComparison.html",
            ),
        ],
    },
    Entry {
        name: "filename-portable",
        about: "names of files and folders on all of these systems, a name each line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::Portable),
                "What filename-windows refuses, as macOS and Linux have fewer rules; and no control characters U+007F \
                 to U+009F.",
                "https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file",
            ),
            (
                Rule::WellFormed,
                "No - at the start, where programs read an option, and no space.",
                "https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap04.html#tag_04_08",
            ),
            (
                Rule::Length(Unit::Bytes, 255),
                "At most 255 bytes of UTF-8, the limit of Linux.",
                "https://man7.org/linux/man-pages/man0/limits.h.0p.html",
            ),
        ],
    },
];

impl Target {
    /// Returns all targets.
    pub fn all() -> impl Iterator<Item = Target> {
        TABLE.iter().map(Target)
    }

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns its description.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Returns its rules in words, each with its official source.
    pub fn rules(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.rules.iter().map(|&(_, words, source)| (words, source))
    }

    /// Reports whether it is about names of files.
    pub fn is_of_names(self) -> bool {
        self.0.rules.iter().any(|(rule, ..)| matches!(rule, Rule::FileName(_)))
    }

    fn has(self, wanted: Rule) -> bool {
        self.0.rules.iter().any(|(rule, ..)| *rule == wanted)
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Target) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Target {}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No target has this name. The message lists the valid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTarget;

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Target::all().map(Target::name).collect();
        write!(f, "known targets are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownTarget {}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Target, UnknownTarget> {
        Target::all().find(|target| target.name().eq_ignore_ascii_case(text)).ok_or(UnknownTarget)
    }
}

/// Demands on rows of UTF-8 beyond well-formedness: the rules of targets, and a maximum length of values.
///
/// A value is a field of CSV or TSV, a string of JSON lines, or a line. Its length is that of its content, without
/// quotes and with escapes decoded.
///
/// ```
/// use utf8kit_text::rows::{RowFormat, RowOptions, RowSyntax};
/// use utf8kit_text::targets::{Demands, RefusalKind};
/// let utf8 = utf8kit_text::charset::Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let csv = RowSyntax::new(RowOptions::new(RowFormat::Csv), utf8).unwrap();
/// let mut demands = Demands::default();
/// demands.targets = vec!["postgresql".parse().unwrap()];
/// demands.max_bytes = Some(4);
/// let found = demands.find(&csv, "a\0,caf\u{E9}s\n".as_bytes(), false);
/// let found: Vec<_> = found.iter().map(|one| (one.offset, one.len, one.kind)).collect();
/// assert_eq!(found, [(1, 1, RefusalKind::Nul), (6, 3, RefusalKind::TooLong)]);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Demands {
    /// The targets. What one of them refuses is refused.
    pub targets: Vec<Target>,
    /// The maximum length of a value, in bytes.
    pub max_bytes: Option<usize>,
    /// The maximum length of a value, in code points.
    pub max_chars: Option<usize>,
    /// Whether a value that is too long is cut only between graphemes (user-perceived characters).
    pub graphemes: bool,
    /// Characters that are meant to be there, whatever `source`, `text` or `identifiers` say of them.
    pub allowed: Vec<RangeInclusive<char>>,
}

impl Demands {
    /// Reports whether anything is demanded.
    pub fn is_any(&self) -> bool {
        !self.targets.is_empty() || self.max_bytes.is_some() || self.max_chars.is_some()
    }

    /// Returns how all of the targets read rows.
    pub fn reader(&self) -> Reader {
        self.targets.iter().fold(Reader::STANDARD, |reader, target| reader.and(target.0.reader))
    }

    /// Returns the format of text that is not read as rows: lines, or those of the JSON or XML that a target reads.
    pub fn lines(&self) -> RowFormat {
        let has = |wanted| self.rules().any(|(_, rule)| rule == wanted);
        match (has(Rule::Json), has(Rule::Xml)) {
            (true, _) => RowFormat::Json,
            (_, true) => RowFormat::Xml,
            _ => RowFormat::Lines,
        }
    }

    /// Reports whether nothing is refused in a line of ASCII of which nothing is refused in any part.
    pub fn allow_parts(&self) -> bool {
        let goes_by_character =
            |rule| matches!(rule, Rule::WellFormed | Rule::Characters(_) | Rule::Subset(_) | Rule::Hidden(_));
        self.rules().all(|(_, rule)| goes_by_character(rule))
    }

    /// Reports whether nothing is refused in some well-formed rows. `first` means that the input begins with them.
    pub fn pass(&self, syntax: &RowSyntax, rows: &[u8], first: bool) -> bool {
        let clear = |(_, rule): (Option<Target>, Rule)| match rule {
            Rule::WellFormed => true,
            Rule::Characters(restrictions) => {
                let rare = rows.iter().any(|&byte| byte == 0 || byte >= 0xF0);
                !rare || restrictions.allows(Utf8, rows)
            }
            Rule::Xml => xml::passes(rows),
            Rule::Mark => !first || !rows.starts_with(b"\xEF\xBB\xBF"),
            Rule::Length(_, most) => self.are_short(rule, most, syntax, rows),
            Rule::Escapes(_)
                if syntax.format() != RowFormat::Jsonl || memmem::find(rows, b"\\u").is_none() =>
            {
                true
            }
            Rule::Json if json::passes(syntax.format(), rows) => true,
            Rule::Subset(subset) if subset.passes(syntax.format(), rows) => true,
            Rule::Hidden(_) if line::passes(syntax, rows) => true,
            Rule::Identifier if identifier::passes(rows) => true,
            Rule::Json
            | Rule::Escapes(_)
            | Rule::FileName(_)
            | Rule::Subset(_)
            | Rule::Hidden(_)
            | Rule::Identifier => syntax.rows(rows).all(|row| {
                let first = first && row.range.start == 0;
                self.rule(rule, syntax, &rows[row.range], first).is_empty()
            }),
        };
        self.rules().all(clear)
    }

    /// Reports whether no value of some rows can exceed a rule's limit.
    fn are_short(&self, rule: Rule, most: usize, syntax: &RowSyntax, rows: &[u8]) -> bool {
        let mut rest = rows;
        loop {
            // No unit of length is shorter than a byte.
            rest = &rest[syntax.short_values(rest, most)..];
            let Some(row) = syntax.rows(rest).next() else { return true };
            let (row, behind) = rest.split_at(row.range.end);
            if !self.rule(rule, syntax, row, false).is_empty() {
                return false;
            }
            rest = behind;
        }
    }

    /// Returns what is refused in a row, in order. `first` means that the input begins with it.
    pub fn find(&self, syntax: &RowSyntax, row: &[u8], first: bool) -> Vec<Refusal> {
        let found = self.rules().flat_map(|(target, rule)| {
            let found = self.rule(rule, syntax, row, first).into_iter();
            found.map(move |refusal| Refusal { target: target.map(Target::name), ..refusal })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|refusal| refusal.offset);
        // Several targets may refuse the same.
        let mut kept: Vec<Refusal> = Vec::with_capacity(found.len());
        for refusal in found {
            let same = kept.iter().rev().take_while(|other| other.offset == refusal.offset);
            if !same.clone().any(|other| other.kind == refusal.kind) {
                kept.push(refusal);
            }
        }
        kept
    }

    /// Returns all rules, each with its target.
    fn rules(&self) -> impl Iterator<Item = (Option<Target>, Rule)> {
        let targets = self.targets.iter().copied();
        let rules =
            targets.flat_map(|target| target.0.rules.iter().map(move |&(rule, ..)| (Some(target), rule)));
        let limits = [(Unit::Bytes, self.max_bytes), (Unit::CodePoints, self.max_chars)];
        rules.chain(limits.into_iter().filter_map(|(unit, most)| Some((None, Rule::Length(unit, most?)))))
    }

    /// Reports whether a value of this text is within the demanded lengths.
    fn fits(&self, text: &[u8]) -> bool {
        let chars = || String::from_utf8_lossy(text).chars().count();
        self.max_bytes.is_none_or(|most| text.len() <= most)
            && self.max_chars.is_none_or(|most| chars() <= most)
    }

    /// Returns what a rule refuses in a row, in order.
    fn rule(&self, rule: Rule, syntax: &RowSyntax, row: &[u8], first: bool) -> Vec<Refusal> {
        match rule {
            Rule::WellFormed => Vec::new(),
            Rule::Characters(restrictions) => restrictions
                .find(Utf8, row)
                .map(|found| {
                    let kind = match found.kind {
                        RestrictedKind::Supplementary => RefusalKind::Supplementary,
                        _ => RefusalKind::Nul,
                    };
                    Refusal::new(found.offset, found.len, kind)
                })
                .collect(),
            Rule::Xml => xml::find(row),
            Rule::Subset(subset) => subset.find(syntax, row),
            Rule::Identifier => self.not_allowed(row, identifier::find(syntax, row, first)),
            Rule::Hidden(written) => self.not_allowed(row, line::find(syntax, row, first, written)),
            // Fields are not JSON, and quoted in their own way.
            Rule::Json if matches!(syntax.format(), RowFormat::Csv | RowFormat::Tsv) => Vec::new(),
            Rule::Json => {
                json::find(row).into_iter().filter(|refusal| refusal.kind != RefusalKind::NulEscape).collect()
            }
            Rule::Escapes(kinds) if syntax.format() == RowFormat::Jsonl => {
                json::find(row).into_iter().filter(|refusal| kinds.contains(&refusal.kind)).collect()
            }
            Rule::Escapes(_) => Vec::new(),
            // All marks at the start: if only the first were removed, the next would take its place.
            Rule::Mark if first => {
                let marks = row.chunks(3).take_while(|&mark| mark == b"\xEF\xBB\xBF").enumerate();
                marks.map(|(index, _)| Refusal::new(3 * index, 3, RefusalKind::Mark)).collect()
            }
            Rule::Mark => Vec::new(),
            Rule::FileName(naming) => {
                value::of(syntax, row).flat_map(|value| naming.find(row, &value)).collect()
            }
            Rule::Length(unit, most) => value::of(syntax, row)
                .filter_map(|value| value.too_long(row, most, self.graphemes, unit))
                .collect(),
        }
    }

    /// Returns the refusals but those of characters that are allowed.
    fn not_allowed(&self, row: &[u8], mut found: Vec<Refusal>) -> Vec<Refusal> {
        let is_allowed = |c: char| self.allowed.iter().any(|range| range.contains(&c));
        found.retain(|refusal| {
            let span = row.get(refusal.offset..refusal.offset + refusal.len).unwrap_or_default();
            let mut beyond = std::str::from_utf8(span).unwrap_or_default().chars().filter(|c| !c.is_ascii());
            !beyond.next().is_some_and(|first| is_allowed(first) && beyond.all(is_allowed))
        });
        found
    }

    /// Describes a refusal in words.
    pub fn describe(&self, refusal: &Refusal) -> Description {
        let what = match (&refusal.text, refusal.kind) {
            (Some(other), RefusalKind::LookAlike) => format!("looks like {other:?}"),
            (Some(other), RefusalKind::DoubleEncoding) => format!("encoded twice: {other:?}"),
            (Some(text), _) => format!("hidden: {text:?}"),
            (None, kind) => kind.about().to_owned(),
        };
        let expected = refusal.kind.is_damage().then(|| "damaged earlier".to_owned());
        let what = match (refusal.target, refusal.kind) {
            (None, RefusalKind::TooLong) => {
                let bytes = self.max_bytes.map(|most| counted(most as u64, "byte"));
                let chars = self.max_chars.map(|most| counted(most as u64, "character"));
                let limits: Vec<_> = bytes.into_iter().chain(chars).collect();
                format!("refused: longer than {}", limits.join(" or "))
            }
            (Some(target), RefusalKind::TooLong) => format!("refused by {target}: the value is too long"),
            (Some(target), _) => format!("refused by {target}: {what}"),
            (None, _) => format!("refused: {what}"),
        };
        Description { expected, ..Description::new(what) }
    }
}

#[cfg(all(test, feature = "unicode"))]
mod attacks;
#[cfg(test)]
mod tests;
