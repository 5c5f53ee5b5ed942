//! The encodings that dumps declare, by the names of the databases.

use utf8kit_encodings::charset::{Charset, Codec};

use super::DumpFormat;
use super::escapes::Lead;

/// The encoding that a dump declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Declared {
    /// None, or a name for arbitrary bytes (`SQL_ASCII`, `binary`). The text is read as UTF-8.
    #[default]
    Nothing,
    /// This one.
    Named(Charset),
    /// An unknown encoding, by its name.
    Unknown(String),
}

/// The names of encodings in PostgreSQL, without the punctuation that it ignores. The first name of an encoding is used
/// for output.
const POSTGRESQL_DECLARATIONS: [(&str, &str, &str); 45] = [
    ("utf8", "UTF8", "utf-8"),
    ("unicode", "UTF8", "utf-8"),
    ("latin1", "LATIN1", "latin1"),
    ("iso88591", "LATIN1", "latin1"),
    ("win1252", "WIN1252", "windows-1252"),
    ("win1250", "WIN1250", "windows-1250"),
    ("win1251", "WIN1251", "windows-1251"),
    ("win", "WIN1251", "windows-1251"),
    ("win1253", "WIN1253", "windows-1253"),
    ("win1254", "WIN1254", "windows-1254"),
    ("win1255", "WIN1255", "windows-1255"),
    ("win1256", "WIN1256", "windows-1256"),
    ("win1257", "WIN1257", "windows-1257"),
    ("win1258", "WIN1258", "windows-1258"),
    ("abc", "WIN1258", "windows-1258"),
    ("tcvn", "WIN1258", "windows-1258"),
    ("win866", "WIN866", "ibm866"),
    ("alt", "WIN866", "ibm866"),
    ("win874", "WIN874", "windows-874"),
    ("latin2", "LATIN2", "iso-8859-2"),
    ("latin3", "LATIN3", "iso-8859-3"),
    ("latin4", "LATIN4", "iso-8859-4"),
    ("latin5", "LATIN5", "windows-1254"),
    ("latin6", "LATIN6", "iso-8859-10"),
    ("latin7", "LATIN7", "iso-8859-13"),
    ("latin8", "LATIN8", "iso-8859-14"),
    ("latin9", "LATIN9", "iso-8859-15"),
    ("latin10", "LATIN10", "iso-8859-16"),
    ("iso88595", "ISO_8859_5", "iso-8859-5"),
    ("iso88596", "ISO_8859_6", "iso-8859-6"),
    ("iso88597", "ISO_8859_7", "iso-8859-7"),
    ("iso88598", "ISO_8859_8", "iso-8859-8"),
    ("koi8r", "KOI8R", "koi8-r"),
    ("koi8", "KOI8R", "koi8-r"),
    ("koi8u", "KOI8U", "koi8-u"),
    ("eucjp", "EUC_JP", "euc-jp"),
    ("sjis", "SJIS", "shift_jis"),
    ("shiftjis", "SJIS", "shift_jis"),
    ("mskanji", "SJIS", "shift_jis"),
    ("win932", "SJIS", "shift_jis"),
    ("euckr", "EUC_KR", "euc-kr"),
    ("uhc", "UHC", "euc-kr"),
    ("big5", "BIG5", "big5"),
    ("gbk", "GBK", "gbk"),
    ("gb18030", "GB18030", "gb18030"),
];

/// The names of encodings in MySQL and MariaDB. `latin1` is windows-1252 there.
const MYSQL_DECLARATIONS: [(&str, &str, &str); 36] = [
    ("utf8mb4", "utf8mb4", "utf-8"),
    ("utf8", "utf8mb4", "utf-8"),
    ("utf8mb3", "utf8mb4", "utf-8"),
    ("latin1", "latin1", "windows-1252"),
    ("latin2", "latin2", "iso-8859-2"),
    ("latin5", "latin5", "windows-1254"),
    ("latin7", "latin7", "iso-8859-13"),
    ("greek", "greek", "iso-8859-7"),
    ("hebrew", "hebrew", "iso-8859-8"),
    ("cp1250", "cp1250", "windows-1250"),
    ("cp1251", "cp1251", "windows-1251"),
    ("cp1256", "cp1256", "windows-1256"),
    ("cp1257", "cp1257", "windows-1257"),
    ("cp850", "cp850", "cp850"),
    ("cp852", "cp852", "cp852"),
    ("cp866", "cp866", "ibm866"),
    ("koi8r", "koi8r", "koi8-r"),
    ("koi8u", "koi8u", "koi8-u"),
    ("macroman", "macroman", "macintosh"),
    ("tis620", "tis620", "windows-874"),
    ("ascii", "ascii", "us-ascii"),
    ("cp932", "cp932", "shift_jis"),
    ("sjis", "sjis", "shift_jis"),
    ("ujis", "ujis", "euc-jp"),
    ("eucjpms", "eucjpms", "euc-jp-ms"),
    ("euckr", "euckr", "euc-kr"),
    ("gbk", "gbk", "gbk"),
    ("gb2312", "gbk", "gbk"),
    ("gb18030", "gb18030", "gb18030"),
    ("big5", "big5", "big5"),
    // Names used by drivers, not by MySQL itself.
    ("latin9", "latin1", "iso-8859-15"),
    ("cp1252", "latin1", "windows-1252"),
    ("cp1253", "greek", "windows-1253"),
    ("cp1254", "latin5", "windows-1254"),
    ("cp1255", "hebrew", "windows-1255"),
    ("utf-8", "utf8mb4", "utf-8"),
];

impl DumpFormat {
    fn names(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            DumpFormat::PgDump => &POSTGRESQL_DECLARATIONS,
            DumpFormat::MysqlDump => &MYSQL_DECLARATIONS,
        }
    }

    /// Returns the encoding that a name means to the database.
    pub(crate) fn declared(self, name: &str) -> Declared {
        let plain = match self {
            // PostgreSQL compares letters and digits only.
            DumpFormat::PgDump => {
                name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
            }
            DumpFormat::MysqlDump => name.to_ascii_lowercase(),
        };
        if matches!(&*plain, "" | "sqlascii" | "binary" | "default") {
            return Declared::Nothing;
        }
        let known = self.names().iter().find(|(known, ..)| *known == plain);
        let charset = known.map_or_else(|| name.parse().ok(), |(.., label)| label.parse().ok());
        // A client encoding always has single bytes as its units.
        let of_bytes = charset.filter(|charset: &Charset| match charset.writer() {
            Codec::Native(native) => utf8kit::Encoding::unit(native) == 1,
            Codec::Legacy(_) => true,
        });
        of_bytes.map_or_else(|| Declared::Unknown(name.to_owned()), Declared::Named)
    }

    /// Returns the database's name of an encoding, if it has one.
    pub fn name_of(self, charset: Charset) -> Option<&'static str> {
        let is = |label: &str| label.parse::<Charset>().is_ok_and(|known| known == charset);
        self.names().iter().find(|(.., label)| is(label)).map(|(_, name, _)| *name)
    }
}

impl Declared {
    /// Returns the codec for reading text, or `None` if the encoding is unknown.
    pub(crate) fn codec(&self) -> Option<Codec> {
        match self {
            Declared::Nothing => Some(Codec::Native(utf8kit::AnyEncoding::Utf8)),
            Declared::Named(charset) => Some(charset.writer()),
            Declared::Unknown(_) => None,
        }
    }

    /// Reports whether text is read as UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        self.codec() == Some(Codec::Native(utf8kit::AnyEncoding::Utf8))
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> String {
        match self {
            Declared::Nothing => "utf-8".to_owned(),
            Declared::Named(charset) => charset.to_string(),
            Declared::Unknown(name) => name.clone(),
        }
    }

    /// Returns the lead bytes of characters whose last byte may be a backslash.
    pub(crate) fn lead(&self) -> Option<Lead> {
        self.codec().and_then(lead)
    }
}

/// Returns the lead bytes of characters whose last byte may be a backslash.
pub(crate) fn lead(codec: Codec) -> Option<Lead> {
    match codec.name() {
        "Shift_JIS" => Some(|byte| matches!(byte, 0x81..=0x9F | 0xE0..=0xFC)),
        "Big5" | "GBK" | "gb18030" => Some(|byte| matches!(byte, 0x81..=0xFE)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_each_database() {
        let named = |format: DumpFormat, name: &str| format.declared(name).name();
        let (pg, mysql) = (DumpFormat::PgDump, DumpFormat::MysqlDump);
        assert_eq!(named(pg, "UTF8"), "utf-8");
        assert_eq!(named(pg, "Latin-1"), "latin1");
        assert_eq!(named(mysql, "utf8mb3"), "utf-8");
        assert_eq!((pg.declared("SQL_ASCII"), mysql.declared("binary")), (Declared::Nothing, Declared::Nothing));
        assert_eq!(pg.declared("MULE_INTERNAL"), Declared::Unknown("MULE_INTERNAL".to_owned()));
        assert_eq!(pg.declared("utf-16"), Declared::Unknown("utf-16".to_owned()));
        assert_eq!(named(pg, "koi8"), "KOI8-R");
        assert_eq!(named(mysql, "latin1"), "windows-1252");
        for format in [pg, mysql] {
            for (name, written, label) in format.names() {
                let charset: Charset = label.parse().unwrap_or_else(|_| panic!("{label}"));
                assert_eq!(format.declared(name), Declared::Named(charset));
                assert!(format.name_of(charset).is_some(), "{written}");
            }
        }
    }
}
