//! The parts of well-formed text that a target rejects, and why.

/// The reason why something is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationKind {
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
    /// The JSON escape of another rejected character.
    CharacterEscape,
    /// A backslash in a JSON string that does not begin an escape.
    InvalidEscape,
    /// A reference to a character that XML lacks.
    CharacterReference,
    /// A byte order mark.
    Mark,
    /// A character that file names cannot contain or end with.
    FileName,
    /// The name of a device.
    DeviceName,
    /// A bidirectional embedding, override or isolate.
    BidiControl,
    /// Tag characters or variation selectors without an emoji or letter that uses them.
    HiddenText,
    /// A zero-width joiner, space or filler where no script needs it.
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
    /// A character that identifiers cannot contain or begin with.
    NotIdentifier,
    /// A name in scripts that are not used together.
    MixedScripts,
    /// A name that looks like an ASCII name.
    LookAlike,
    /// The part of a value after the last boundary within its limit.
    TooLong,
}

impl ViolationKind {
    /// Every kind.
    pub const ALL: &[ViolationKind] = &[
        ViolationKind::Nul,
        ViolationKind::Supplementary,
        ViolationKind::Control,
        ViolationKind::Noncharacter,
        ViolationKind::SurrogateEscape,
        ViolationKind::NulEscape,
        ViolationKind::CharacterEscape,
        ViolationKind::InvalidEscape,
        ViolationKind::CharacterReference,
        ViolationKind::Mark,
        ViolationKind::FileName,
        ViolationKind::DeviceName,
        ViolationKind::BidiControl,
        ViolationKind::HiddenText,
        ViolationKind::Invisible,
        ViolationKind::LineSeparator,
        ViolationKind::ReplacementCharacter,
        ViolationKind::DoubleEncoding,
        ViolationKind::PrivateUse,
        ViolationKind::Unassigned,
        ViolationKind::NotIdentifier,
        ViolationKind::MixedScripts,
        ViolationKind::LookAlike,
        ViolationKind::TooLong,
    ];

    /// Reports whether an earlier program damaged the text, so that an older version may contain the lost characters.
    pub fn is_damage(self) -> bool {
        matches!(self, ViolationKind::ReplacementCharacter | ViolationKind::DoubleEncoding)
    }

    /// Returns its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            ViolationKind::Nul => "nul",
            ViolationKind::Supplementary => "supplementary",
            ViolationKind::Control => "control",
            ViolationKind::Noncharacter => "noncharacter",
            ViolationKind::SurrogateEscape => "surrogate_escape",
            ViolationKind::NulEscape => "nul_escape",
            ViolationKind::CharacterEscape => "character_escape",
            ViolationKind::InvalidEscape => "invalid_escape",
            ViolationKind::CharacterReference => "character_reference",
            ViolationKind::Mark => "byte_order_mark",
            ViolationKind::FileName => "file_name",
            ViolationKind::DeviceName => "device_name",
            ViolationKind::BidiControl => "bidi_control",
            ViolationKind::HiddenText => "hidden_text",
            ViolationKind::Invisible => "invisible",
            ViolationKind::LineSeparator => "line_separator",
            ViolationKind::ReplacementCharacter => "replacement_character",
            ViolationKind::DoubleEncoding => "double_encoding",
            ViolationKind::PrivateUse => "private_use",
            ViolationKind::Unassigned => "unassigned",
            ViolationKind::NotIdentifier => "not_identifier",
            ViolationKind::MixedScripts => "mixed_scripts",
            ViolationKind::LookAlike => "look_alike",
            ViolationKind::TooLong => "too_long",
        }
    }

    /// Describes it in words.
    pub fn about(self) -> &'static str {
        match self {
            ViolationKind::Nul => "NUL",
            ViolationKind::Supplementary => "a character of four bytes",
            ViolationKind::Control => "a control character",
            ViolationKind::Noncharacter => "a noncharacter",
            ViolationKind::SurrogateEscape => "an escape that is half of a surrogate pair",
            ViolationKind::NulEscape => "an escaped NUL",
            ViolationKind::CharacterEscape => "an escaped control character or noncharacter",
            ViolationKind::InvalidEscape => "a backslash that does not begin an escape",
            ViolationKind::CharacterReference => "a reference to a character that XML does not allow",
            ViolationKind::Mark => "a byte order mark",
            ViolationKind::FileName => "a character that is not allowed in a file name, or not at its end",
            ViolationKind::DeviceName => "the name of a device",
            ViolationKind::BidiControl => "a control that changes the order in which text is shown",
            ViolationKind::HiddenText => "invisible characters that can spell a hidden text",
            ViolationKind::Invisible => "an invisible character that has no use here",
            ViolationKind::LineSeparator => "a line separator, which ends a line in programs but not in editors",
            ViolationKind::ReplacementCharacter => "U+FFFD: an earlier program replaced what it could not read",
            ViolationKind::DoubleEncoding => "text that was encoded twice",
            ViolationKind::PrivateUse => "a private-use character, whose meaning is not standardised",
            ViolationKind::Unassigned => "an unassigned code point",
            ViolationKind::NotIdentifier => "a character that identifiers cannot contain, or cannot begin with",
            ViolationKind::MixedScripts => "letters of scripts that are not used together",
            ViolationKind::LookAlike => "a name that looks like another one",
            ViolationKind::TooLong => "text that is too long for its field",
        }
    }
}
