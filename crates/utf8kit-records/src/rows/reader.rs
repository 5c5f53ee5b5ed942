//! The differences between programs in how they read rows.

/// How a program reads rows, and which rows it rejects that others accept.
///
/// ```
/// use utf8kit_encodings::charset::Codec;
/// use utf8kit_records::rows::{Reader, RowFormat, RowOptions, RowSyntax};
/// let broken = |reader| {
///     let mut options = RowOptions::new(RowFormat::Csv);
///     options.reader = reader;
///     let csv = RowSyntax::new(options, Codec::Native(utf8kit::AnyEncoding::Utf8)).unwrap();
///     csv.rows(b"1,5\" pipe\n").next().unwrap().broken
/// };
/// assert_eq!(broken(Reader::STANDARD), None);
/// assert_eq!(broken(Reader::POSTGRESQL), Some(3));
/// assert_eq!(broken(Reader::MYSQL.and(Reader::POSTGRESQL)), Some(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reader {
    /// Whether a quote within an unquoted field is an ordinary character.
    pub inner_quotes: bool,
    /// Whether some rows may end with LF and others with CR LF.
    pub mixed_row_ends: bool,
    /// Whether a line `\.` is an ordinary one, and not the end of the data.
    pub dot_lines: bool,
    /// Whether an empty line is a row of one empty field, and not a row of none.
    pub empty_rows: bool,
    /// Whether a byte order mark is skipped, and not part of the first field.
    pub skips_mark: bool,
    /// Whether an empty field may end the data, without a line end.
    pub empty_end: bool,
    /// How deep arrays and objects of JSON may be nested.
    pub max_depth: usize,
    /// Whether JSON numbers may exceed the range of a double, or have any number of decimals.
    pub any_number: bool,
    /// How many digits a JSON integer may have.
    pub max_digits: usize,
}

impl Reader {
    /// The common rules of programs that read RFC 4180 and RFC 8259, including Python's modules `csv` and `json`.
    pub const STANDARD: Reader = Reader {
        inner_quotes: true,
        mixed_row_ends: true,
        dot_lines: true,
        empty_rows: false,
        skips_mark: true,
        empty_end: true,
        // Python's limit is near 1,000, depending on the caller.
        max_depth: 512,
        any_number: true,
        max_digits: 4300,
    };

    /// PostgreSQL's `COPY ... (FORMAT csv)`, and its type `jsonb`.
    pub const POSTGRESQL: Reader = Reader {
        inner_quotes: false,
        mixed_row_ends: false,
        dot_lines: false,
        empty_rows: true,
        skips_mark: false,
        any_number: false,
        ..Reader::STANDARD
    };

    /// MySQL's and MariaDB's `LOAD DATA` with `OPTIONALLY ENCLOSED BY '"' ESCAPED BY ''`, MariaDB's `JSON_VALID`, and
    /// MySQL's type `JSON`, in which large integers are doubles.
    pub const MYSQL: Reader = Reader {
        mixed_row_ends: false,
        empty_rows: true,
        skips_mark: false,
        empty_end: false,
        max_depth: 31,
        any_number: false,
        max_digits: 308,
        ..Reader::STANDARD
    };

    /// Returns the reader of rows that both readers accept.
    #[must_use]
    pub const fn and(self, other: Reader) -> Reader {
        Reader {
            inner_quotes: self.inner_quotes && other.inner_quotes,
            mixed_row_ends: self.mixed_row_ends && other.mixed_row_ends,
            dot_lines: self.dot_lines && other.dot_lines,
            empty_rows: self.empty_rows || other.empty_rows,
            skips_mark: self.skips_mark && other.skips_mark,
            empty_end: self.empty_end && other.empty_end,
            max_depth: if self.max_depth < other.max_depth { self.max_depth } else { other.max_depth },
            any_number: self.any_number && other.any_number,
            max_digits: if self.max_digits < other.max_digits { self.max_digits } else { other.max_digits },
        }
    }
}

/// The number of fields that each row must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldCount {
    /// This number.
    Exactly(u64),
    /// As many as the first row.
    Header,
}

/// The properties that all rows of an input must share, set by the first row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// The number of fields, if it matters.
    pub fields: Option<u64>,
    /// Whether rows end with CR LF instead of LF. `None` if the first row has no line end.
    pub crlf: Option<bool>,
}
