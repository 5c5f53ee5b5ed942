//! What a target refuses in well-formed text, and why.

/// The reason why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// U+0000.
    Nul,
    /// A character above U+FFFF.
    Supplementary,
    /// A control character.
    Control,
    /// A noncharacter, such as U+FFFE.
    Noncharacter,
    /// A JSON escape that is half of a surrogate pair.
    SurrogateEscape,
    /// The JSON escape of U+0000.
    NulEscape,
    /// The JSON escape of another refused character.
    CharacterEscape,
    /// A backslash in a JSON string that begins no escape.
    InvalidEscape,
    /// A reference to a character that XML lacks.
    CharacterReference,
    /// A byte order mark.
    Mark,
    /// A character that file names cannot contain, or cannot end with.
    FileName,
    /// The name of a device.
    DeviceName,
    /// A bidirectional embedding, override or isolate.
    BidiControl,
    /// Tag characters or variation selectors that no emoji or letter before them calls for.
    HiddenText,
    /// A joiner, space or filler without a width, where no script needs it.
    Invisible,
    /// U+2028 or U+2029.
    LineSeparator,
    /// U+FFFD.
    ReplacementCharacter,
    /// Text that was encoded twice.
    DoubleEncoding,
    /// A code point for private use.
    PrivateUse,
    /// A code point that Unicode has not assigned.
    Unassigned,
    /// A character that identifiers do not have, or do not begin with.
    NotIdentifier,
    /// A name in scripts that are not written together.
    MixedScripts,
    /// A name that looks like one in ASCII.
    LookAlike,
    /// The part of a value after the last boundary within its limit.
    TooLong,
}

impl RefusalKind {
    /// Every kind.
    pub const ALL: &[RefusalKind] = &[
        RefusalKind::Nul,
        RefusalKind::Supplementary,
        RefusalKind::Control,
        RefusalKind::Noncharacter,
        RefusalKind::SurrogateEscape,
        RefusalKind::NulEscape,
        RefusalKind::CharacterEscape,
        RefusalKind::InvalidEscape,
        RefusalKind::CharacterReference,
        RefusalKind::Mark,
        RefusalKind::FileName,
        RefusalKind::DeviceName,
        RefusalKind::BidiControl,
        RefusalKind::HiddenText,
        RefusalKind::Invisible,
        RefusalKind::LineSeparator,
        RefusalKind::ReplacementCharacter,
        RefusalKind::DoubleEncoding,
        RefusalKind::PrivateUse,
        RefusalKind::Unassigned,
        RefusalKind::NotIdentifier,
        RefusalKind::MixedScripts,
        RefusalKind::LookAlike,
        RefusalKind::TooLong,
    ];

    /// Reports whether an earlier program damaged the text: an older version of it has what is lost.
    pub fn is_damage(self) -> bool {
        matches!(self, RefusalKind::ReplacementCharacter | RefusalKind::DoubleEncoding)
    }

    /// Returns its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            RefusalKind::Nul => "nul",
            RefusalKind::Supplementary => "supplementary",
            RefusalKind::Control => "control",
            RefusalKind::Noncharacter => "noncharacter",
            RefusalKind::SurrogateEscape => "surrogate_escape",
            RefusalKind::NulEscape => "nul_escape",
            RefusalKind::CharacterEscape => "character_escape",
            RefusalKind::InvalidEscape => "invalid_escape",
            RefusalKind::CharacterReference => "character_reference",
            RefusalKind::Mark => "byte_order_mark",
            RefusalKind::FileName => "file_name",
            RefusalKind::DeviceName => "device_name",
            RefusalKind::BidiControl => "bidi_control",
            RefusalKind::HiddenText => "hidden_text",
            RefusalKind::Invisible => "invisible",
            RefusalKind::LineSeparator => "line_separator",
            RefusalKind::ReplacementCharacter => "replacement_character",
            RefusalKind::DoubleEncoding => "double_encoding",
            RefusalKind::PrivateUse => "private_use",
            RefusalKind::Unassigned => "unassigned",
            RefusalKind::NotIdentifier => "not_identifier",
            RefusalKind::MixedScripts => "mixed_scripts",
            RefusalKind::LookAlike => "look_alike",
            RefusalKind::TooLong => "too_long",
        }
    }

    /// Describes it in words.
    pub fn about(self) -> &'static str {
        match self {
            RefusalKind::Nul => "NUL",
            RefusalKind::Supplementary => "a character of four bytes",
            RefusalKind::Control => "a control character",
            RefusalKind::Noncharacter => "a noncharacter",
            RefusalKind::SurrogateEscape => "an escape that is half of a surrogate pair",
            RefusalKind::NulEscape => "the escape of NUL",
            RefusalKind::CharacterEscape => "the escape of a control character or a noncharacter",
            RefusalKind::InvalidEscape => "a backslash that begins no escape",
            RefusalKind::CharacterReference => "a reference to no character of XML",
            RefusalKind::Mark => "a byte order mark",
            RefusalKind::FileName => "not allowed in a file name, or not at its end",
            RefusalKind::DeviceName => "the name of a device",
            RefusalKind::BidiControl => "a control that changes the order in which text is shown",
            RefusalKind::HiddenText => "characters that are not shown and can spell a text",
            RefusalKind::Invisible => "a character that is not shown and has no use here",
            RefusalKind::LineSeparator => "a line separator, where programs end a line and editors do not",
            RefusalKind::ReplacementCharacter => "U+FFFD: an earlier program replaced what it could not read",
            RefusalKind::DoubleEncoding => "text that was encoded twice",
            RefusalKind::PrivateUse => "a character of private use, without a meaning that others know",
            RefusalKind::Unassigned => "a code point without a character",
            RefusalKind::NotIdentifier => "a character that identifiers do not have, or do not begin with",
            RefusalKind::MixedScripts => "letters of scripts that are not written together",
            RefusalKind::LookAlike => "a name that looks like another one",
            RefusalKind::TooLong => "what is too long for its field",
        }
    }
}
