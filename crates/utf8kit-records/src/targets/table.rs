//! The table of all targets: the text that each rejects, with its official source.

use utf8kit::restrict::Restrictions;

use super::name::Naming;
use super::spoofing::Written;
use super::start::Start;
use super::subset::Subset;
use super::value::Unit;
use crate::rows::Reader;
use crate::violation::ViolationKind;

/// A row of the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) reader: Reader,
    pub(super) rules: &'static [(Rule, &'static str, &'static str)],
}

/// A rule of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Rejects only invalid text.
    WellFormed,
    /// Rejects characters that the library can restrict.
    Characters(Restrictions),
    /// Rejects characters outside the production `Char` of XML 1.0, and references to them.
    Xml,
    /// Rejects characters outside of a subset of Unicode, and their escapes in JSON lines.
    Subset(Subset),
    /// Rejects text that people overlook or mistake for something else.
    Deceptive(Written),
    /// Rejects text that is not an identifier, or can be mistaken for another one.
    Identifier,
    /// Rejects characters that a JSON string cannot contain, and escapes that are invalid or half of a surrogate pair.
    Json,
    /// Rejects these escapes in JSON lines.
    Escapes(&'static [ViolationKind]),
    /// Rejects a byte order mark.
    Mark,
    /// Rejects non-ASCII text with another beginning.
    Start(Start),
    /// Rejects names that files cannot have.
    FileName(Naming),
    /// Limits the length of a value.
    Length(Unit, usize),
}

const NO_NUL: Rule = Rule::Characters(Restrictions::new().no_nul());
const NO_SUPPLEMENTARY: Rule = Rule::Characters(Restrictions::new().no_supplementary());

const NO_HALVES: Rule = Rule::Escapes(&[ViolationKind::SurrogateEscape]);

/// As in the examples of RFC 9839.
const HALVES_IN_JSON: (Rule, &str, &str) = (
    NO_HALVES,
    "In jsonl: no escape that is half of a surrogate pair.",
    "https://www.rfc-editor.org/rfc/rfc9839#section-2.2.1",
);

/// In text and code.
const LOOK_ALIKES: (Rule, &str, &str) = (
    Rule::WellFormed,
    "No words in letters of two scripts that look like words in ASCII (CVE-2021-42694).",
    "https://www.unicode.org/reports/tr39/",
);

/// All targets.
pub(super) const TABLE: &[Entry] = &[
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
                Rule::Escapes(&[ViolationKind::NulEscape, ViolationKind::SurrogateEscape]),
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
                "At most three bytes per character: no supplementary characters.",
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
        rules: &[
            (
                NO_NUL,
                "A NUL within a field ends the load; a field that is a single NUL can be loaded with NULL AS '\\0'.",
                "https://docs.aws.amazon.com/redshift/latest/dg/t_preparing-input-data.html",
            ),
            (
                Rule::Characters(Restrictions::new().no_noncharacters()),
                "No noncharacters: U+FDD0 to U+FDEF and the last two of each plane (error 1220, codes 6 and 7).",
                "https://docs.aws.amazon.com/redshift/latest/dg/multi-byte-character-load-errors.html",
            ),
        ],
    },
    Entry {
        name: "snowflake",
        about: "Snowflake, COPY INTO a table",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::WellFormed,
            "Records that are not valid UTF-8 are errors, unless REPLACE_INVALID_CHARACTERS is set.",
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
            (Rule::Mark, "No byte order mark (section 8.1).", "https://www.rfc-editor.org/rfc/rfc8259#section-8.1"),
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
    Entry {
        name: "text",
        about: "text without hidden content: prompts, chats, comments",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Deceptive(Written::Text),
                "No bidirectional embeddings, overrides and isolates, which show text in another order \
                 (CVE-2021-42574).",
                "https://www.unicode.org/reports/tr55/",
            ),
            (
                Rule::WellFormed,
                "No tags, variation selectors, joiners, zero-width spaces and fillers where no emoji and no \
                 script needs them.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
            (
                Rule::WellFormed,
                "No code points without a character: private use, unassigned, noncharacters; nor U+FFFD, \
                 nor its form decoded in GBK; no controls but white space.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
            LOOK_ALIKES,
            (Rule::WellFormed, "No text that was certainly encoded twice.", "https://www.w3.org/TR/charmod/"),
        ],
    },
    Entry {
        name: "source",
        about: "source code without deceptive characters",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::Deceptive(Written::Code),
                "Everything that text rejects, and line separators, which editors do not show (CVE-2021-42574).",
                "https://www.unicode.org/reports/tr55/",
            ),
            LOOK_ALIKES,
            (
                Rule::WellFormed,
                "In code, no names that look like names or operators in ASCII, and none in which letters of two \
                 scripts alternate.",
                "https://www.unicode.org/reports/tr39/",
            ),
            (
                Rule::WellFormed,
                "No text that an earlier program damaged: U+FFFD within words, and text \
                 that was certainly encoded twice.",
                "https://www.unicode.org/versions/latest/core-spec/chapter-23/",
            ),
        ],
    },
    Entry {
        name: "identifiers",
        about: "names in code and of users, one per line or field",
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
                "NUL and supplementary characters are written differently, as in the encoding mutf-8.",
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
        name: "powershell",
        about: "scripts of Windows PowerShell 5.1",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::Start(Start::Mark),
            "Non-ASCII text begins with a byte order mark: without one, it is read in the code page of the system.",
            "https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_character_encoding",
        )],
    },
    Entry {
        name: "batch",
        about: "batch files of Windows (.bat, .cmd)",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::Start(Start::CodePage),
            "A line `chcp 65001` before non-ASCII text: without one, it is read in the code page of the console. No \
             byte order mark, which is read as a command.",
            "https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/chcp",
        )],
    },
    Entry {
        name: "registry",
        about: "files of the Windows registry (.reg)",
        reader: Reader::STANDARD,
        rules: &[(
            Rule::Start(Start::Utf16),
            "Non-ASCII text is UTF-16LE with a byte order mark, or where REGEDIT4 begins it, in the code page of the \
             system: no UTF-8.",
            "https://support.microsoft.com/en-us/topic/9c7f37cf-a5e9-e1cd-c4fa-2a26218a1a23",
        )],
    },
    Entry {
        name: "filename-windows",
        about: "names of files and folders on Windows, one per line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::Windows),
                "None of < > : \" / \\ | ? * and control characters, no space or dot at the end, no device name.",
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
        about: "names of files and folders on macOS, one per line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::MacOs),
                "No NUL, / and :, which the Finder shows for each other.",
                "https://developer.apple.com/library/archive/qa/qa1173/_index.html",
            ),
            (
                Rule::Length(Unit::Bytes, 255),
                "At most 255 bytes of UTF-8, as we interpret Apple's table for APFS.",
                "https://developer.apple.com/library/archive/documentation/FileManagement/Conceptual/APFS_Guide/VolumeFormatComparison/VolumeFormatComparison.html",
            ),
        ],
    },
    Entry {
        name: "filename-portable",
        about: "names of files and folders on all of these systems, one per line or field",
        reader: Reader::STANDARD,
        rules: &[
            (
                Rule::FileName(Naming::Portable),
                "Everything that filename-windows rejects, because macOS and Linux have fewer rules; and no \
                 control characters U+007F to U+009F.",
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
