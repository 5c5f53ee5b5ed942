/*
 * utf8kit: UTF-8 and its dialects. Validate with exact errors, repair, convert, count, map positions.
 *
 * Every function takes bytes as a pointer and a length; no text need end with NUL. NULL with length 0 is an empty text.
 * Nothing is allocated, kept or freed except a utf8kit_index. Results are structs by value, output goes to the caller's
 * buffers. The functions may be called from any thread at the same time, also by signal handlers, except those of a
 * utf8kit_index; a utf8kit_stream, and an index that is edited or freed, belongs to one caller at a time.
 *
 * Statuses: 0 is success, positive numbers are findings, negative ones are mistakes of the caller, which leave buffers
 * untouched.
 *
 * Written by cbindgen from crates/utf8kit-c/src/.
 */

#ifndef UTF8KIT_H
#define UTF8KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Success. For validation: the text has no error.
#define UTF8KIT_OK 0

// There is an error.
#define UTF8KIT_ILL_FORMED 1

// The output is full; call again with the rest of the input and more capacity.
#define UTF8KIT_OUTPUT_FULL 2

// There is no such position or line in the text.
#define UTF8KIT_BEYOND_END 3

// Invalid call: NULL with a length that is not 0, or a required pointer is NULL.
#define UTF8KIT_NULL -1

// Invalid call: no encoding has this number.
#define UTF8KIT_UNKNOWN_ENCODING -2

// Invalid call: no policy has this number.
#define UTF8KIT_UNKNOWN_POLICY -3

// Invalid call: input and output overlap.
#define UTF8KIT_OVERLAP -4

// Invalid call: a length greater than any object in memory can have.
#define UTF8KIT_TOO_LONG -5

// Invalid call: the text and the index have different lengths.
#define UTF8KIT_WRONG_TEXT -6

// Invalid call: no unit has this number.
#define UTF8KIT_UNKNOWN_UNIT -7

// Invalid call: the text has no such range.
#define UTF8KIT_OUT_OF_RANGE -8

// Invalid call: no convention of line ends has this number.
#define UTF8KIT_UNKNOWN_LINES -9

// RFC 3629.
#define UTF8KIT_UTF_8 0

// Every value to 1FFFFF in 1 to 4 bytes.
#define UTF8KIT_UTF_8_21BIT 1

// Every value to 7FFFFFFF in 1 to 6 bytes (RFC 2279).
#define UTF8KIT_UTF_8_31BIT 2

// Each length begins where the previous one ends, so nothing can be overlong.
#define UTF8KIT_UTF_8_OFFSET 3

// Surrogate pairs, three bytes each (UTR #26).
#define UTF8KIT_CESU_8 4

// Java's modified UTF-8: CESU-8 with NUL as C0 80, and lone surrogates.
#define UTF8KIT_MUTF_8 5

// UTF-8 and lone surrogates.
#define UTF8KIT_WTF_8 6

// UTF-16, lowest byte first. All lengths are in bytes.
#define UTF8KIT_UTF_16LE 7

// UTF-16, highest byte first.
#define UTF8KIT_UTF_16BE 8

// UTF-32, lowest byte first.
#define UTF8KIT_UTF_32LE 9

// UTF-32, highest byte first.
#define UTF8KIT_UTF_32BE 10

// Any 16-bit units, lowest byte first: lone surrogates are characters.
#define UTF8KIT_WTF_16LE 11

// Any 16-bit units, highest byte first.
#define UTF8KIT_WTF_16BE 12

// ISO 8859-1.
#define UTF8KIT_LATIN1 13

// Stop at the first error.
#define UTF8KIT_STRICT 0

// U+FFFD for each maximal subpart, as in WHATWG decoders, Python, Rust, ICU.
#define UTF8KIT_REPLACE 1

// U+FFFD for each byte, as in Go's range loop and glib's g_utf8_make_valid (which also replaces NUL).
#define UTF8KIT_REPLACE_BYTE 2

// U+FFFD for each run of errors, as in Go's strings.ToValidUTF8.
#define UTF8KIT_REPLACE_RUN 3

// U+FFFD wherever Java's decoder writes one.
#define UTF8KIT_JAVA 4

// Omit the error's bytes. This loses data, and can join separate text.
#define UTF8KIT_REMOVE 5

// \xHH for each byte. This is reversible.
#define UTF8KIT_ESCAPE 6

// `?` for each byte, so that everything else keeps its offset.
#define UTF8KIT_SAME_LENGTH 7

// A longer form than necessary, such as C0 AF for a slash.
#define UTF8KIT_OVERLONG 0

// A surrogate where the encoding does not allow it, or half of a pair.
#define UTF8KIT_SURROGATE 1

// A value greater than the encoding's maximum.
#define UTF8KIT_TOO_LARGE 2

// A sequence with missing bytes.
#define UTF8KIT_TRUNCATED 3

// A byte 80..BF where a sequence must start.
#define UTF8KIT_UNEXPECTED_CONTINUATION 4

// A byte that occurs in no sequence of the encoding.
#define UTF8KIT_INVALID_BYTE 5

// Positions count bytes: `utf-8` in the Language Server Protocol.
#define UTF8KIT_BYTES 0

// Positions count UTF-16 code units: `utf-16`, the protocol's default.
#define UTF8KIT_UTF_16_UNITS 1

// Positions count code points: `utf-32`.
#define UTF8KIT_CODE_POINTS 2

// Lines end with LF.
#define UTF8KIT_LINES_LF 0

// Lines end with LF, CR LF or CR, as the Language Server Protocol prescribes.
#define UTF8KIT_LINES_UNIVERSAL 1

// Lines end with those, VT, FF, NEL, LS or PS.
#define UTF8KIT_LINES_UNICODE 2

// The positions of a text. It does not hold the text, and must be freed.
typedef struct utf8kit_index utf8kit_index;

// An error in a text, or only a status. Two registers wide.
typedef struct utf8kit_error {
    // Where the error begins, in bytes from the start of the text or stream. This is the length of the valid text
    // before it.
    uint64_t offset;
    // UTF8KIT_OK, UTF8KIT_ILL_FORMED, or another status. Unless it is UTF8KIT_ILL_FORMED, all other fields are 0.
    int32_t status;
    // The length of the error, 1 to 6 bytes: a maximal subpart (The Unicode Standard, section 3.9).
    uint8_t len;
    // The kind of error: UTF8KIT_OVERLONG or another kind.
    uint8_t kind;
    // 1 if the text ends here and more input could have made this valid, else 0.
    uint8_t incomplete;
    // 1 if the text is valid here, but the target of the conversion cannot represent the character, else 0.
    uint8_t unrepresentable;
} utf8kit_error;

// A number and a status.
typedef struct utf8kit_length {
    // The number; 0 if the status is negative.
    uint64_t value;
    // UTF8KIT_OK, UTF8KIT_OUTPUT_FULL, or a negative status.
    int32_t status;
} utf8kit_length;

// The progress of a function that writes.
typedef struct utf8kit_progress {
    // The number of bytes of the input that were read.
    size_t read;
    // The number of bytes of the output that were written.
    size_t written;
    // Why it stopped there: a status, and the error if the status is UTF8KIT_ILL_FORMED.
    struct utf8kit_error error;
} utf8kit_progress;

// A text that arrives in pieces. To start a stream, set `from`, `to` and `policy`, and everything else to zero.
typedef struct utf8kit_stream {
    // The encoding of the input.
    uint32_t from;
    // The encoding of the output.
    uint32_t to;
    // How to handle errors.
    uint32_t policy;
    // The number of bytes in `pending`, which need more input.
    uint8_t pending_len;
    // For the internal use of utf8kit.
    uint8_t flags;
    // Must be zero.
    uint8_t reserved[2];
    // The pending bytes, which need more input.
    uint8_t pending[8];
    // The number of bytes of the stream that were processed, not counting those pending.
    uint64_t offset;
    // The stream's first error, once UTF8KIT_STRICT has found one.
    struct utf8kit_error error;
} utf8kit_stream;

// A position in the Language Server Protocol.
typedef struct utf8kit_position {
    // The line, from 0.
    uint64_t line;
    // The length of the line before the position, in the requested unit.
    uint64_t character;
    // UTF8KIT_OK, or a negative status.
    int32_t status;
} utf8kit_position;

// A range of bytes.
typedef struct utf8kit_range {
    // Its start.
    uint64_t start;
    // Its end (exclusive).
    uint64_t end;
    // UTF8KIT_OK, UTF8KIT_BEYOND_END, or a negative status.
    int32_t status;
} utf8kit_range;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Reports whether the bytes are well-formed UTF-8 (RFC 3629). False for NULL with a length.
//
// `bytes` points to `len` bytes that may be read, or `len` is 0.
bool utf8kit_is_valid(const uint8_t *bytes, size_t len);

// Validates UTF-8 (RFC 3629). Returns the first error, or UTF8KIT_OK.
//
// As `utf8kit_is_valid`.
struct utf8kit_error utf8kit_validate(const uint8_t *bytes, size_t len);

// Validates any encoding. Returns the first error, or UTF8KIT_OK.
//
// As `utf8kit_is_valid`.
struct utf8kit_error utf8kit_validate_in(uint32_t encoding, const uint8_t *bytes, size_t len);

// Writes the errors of a text to `errors`, in order, from byte `start`, which is 0 or the end of the last error of an
// earlier call. The value is the number of errors written. The status is UTF8KIT_OUTPUT_FULL if `capacity` was reached
// and more may follow. Text and errors must not overlap (UTF8KIT_OVERLAP).
//
// As `utf8kit_is_valid`; `errors` points to `capacity` errors that may be written, or `capacity` is 0.
struct utf8kit_length utf8kit_errors(uint32_t encoding,
                                     const uint8_t *bytes,
                                     size_t len,
                                     size_t start,
                                     struct utf8kit_error *errors,
                                     size_t capacity);

// Counts the characters (code points) of a text. Each error counts as one.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_count(uint32_t encoding, const uint8_t *bytes, size_t len);

// Returns exactly how many bytes `utf8kit_repair` writes for a text.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_repaired_len(uint32_t encoding, uint32_t policy, const uint8_t *bytes, size_t len);

// Repairs a text: handles every error by a policy. After UTF8KIT_OUTPUT_FULL, call again with the input from `read`
// and more capacity. (If an error or a run of errors crosses that place, repair in one call: `utf8kit_repaired_len`
// returns the capacity needed.) UTF8KIT_STRICT copies up to the first error. Input and output must not overlap
// (UTF8KIT_OVERLAP).
//
// As `utf8kit_is_valid`; `out` points to `capacity` bytes that may be written, or `capacity` is 0.
struct utf8kit_progress utf8kit_repair(uint32_t encoding,
                                       uint32_t policy,
                                       const uint8_t *bytes,
                                       size_t len,
                                       uint8_t *out,
                                       size_t capacity);

// Converts a text. The policy handles every error, and every character that the target cannot represent.
// UTF8KIT_STRICT stops at the first one, and `read` and `written` do not include it. After UTF8KIT_OUTPUT_FULL, call
// again with the input from `read` and more capacity. Input and output must not overlap (UTF8KIT_OVERLAP).
//
// As `utf8kit_repair`.
struct utf8kit_progress utf8kit_convert(uint32_t from,
                                        uint32_t to,
                                        uint32_t policy,
                                        const uint8_t *bytes,
                                        size_t len,
                                        uint8_t *out,
                                        size_t capacity);

// Returns the length of the longest prefix of at most `budget` bytes that splits no character.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_truncate(uint32_t encoding, const uint8_t *bytes, size_t len, size_t budget);

// Adds the next piece to a stream, and writes the output that no further input can change. The result does not depend
// on how the text is split into pieces. With `last`, the stream ends after the piece. After UTF8KIT_OUTPUT_FULL, call
// again with the input from `read` and more capacity. At most 7 bytes are pending in the stream. Stream, input and
// output must not overlap (UTF8KIT_OVERLAP).
//
// UTF8KIT_STRICT stops at the first error, and every later call returns it again. With UTF8KIT_STRICT, `from` equal to
// `to` and `out` NULL, the stream is only validated.
//
// `stream` points to a stream, or is NULL; otherwise as `utf8kit_repair`.
struct utf8kit_progress utf8kit_stream_push(struct utf8kit_stream *stream,
                                            const uint8_t *bytes,
                                            size_t len,
                                            bool last,
                                            uint8_t *out,
                                            size_t capacity);

// Returns the length in bytes of the part of a UTF-8 text that later text cannot change visually: everything except
// the last user-perceived character (extended grapheme cluster, UAX #29), because a mark, a joiner or half of a flag
// may still follow it. This is all of the text if it ends with a line feed or another control, or if that character
// takes more than 256 bytes. To display text as it arrives, display this much of the output of `utf8kit_stream_push`,
// and prepend the rest to its next output.
//
// The status is UTF8KIT_ILL_FORMED, and the value 0, if the text is not valid UTF-8.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_settled(const uint8_t *bytes, size_t len);

// Creates the index of a text, which may be invalid UTF-8: an error is one code point and one UTF-16 code unit. It
// takes 1.7 % of the text's size, and does not refer to the text. `line_ends` is UTF8KIT_LINES_UNIVERSAL or another
// convention. NULL if the call is invalid.
//
// As `utf8kit_is_valid`.
struct utf8kit_index *utf8kit_index_new(const uint8_t *bytes, size_t len, uint32_t line_ends);

// Frees an index. NULL is ignored.
//
// `index` is from `utf8kit_index_new` and was not freed yet, or is NULL.
void utf8kit_index_free(struct utf8kit_index *index);

// Returns the number of lines: one more than line ends.
//
// `index` is from `utf8kit_index_new`, or is NULL.
struct utf8kit_length utf8kit_index_lines(const struct utf8kit_index *index);

// Returns the position of a byte offset in a unit, such as UTF8KIT_CODE_POINTS. An offset within a character gives the
// position of the character; an offset beyond the end gives the end.
//
// `bytes` is the text of the index. If it has another length, the status is UTF8KIT_WRONG_TEXT.
//
// As `utf8kit_is_valid`; `index` is from `utf8kit_index_new`, or is NULL.
struct utf8kit_length utf8kit_index_position(const struct utf8kit_index *index,
                                             const uint8_t *bytes,
                                             size_t len,
                                             size_t offset,
                                             uint32_t unit);

// Returns the byte offset of a position in a unit. A position within a character, such as between two UTF-16
// surrogates, gives the offset of the character. The status is UTF8KIT_BEYOND_END if there is no such position; the
// end itself is valid.
//
// As `utf8kit_index_position`.
struct utf8kit_length utf8kit_index_offset(const struct utf8kit_index *index,
                                           const uint8_t *bytes,
                                           size_t len,
                                           size_t position,
                                           uint32_t unit);

// Replaces `count` offsets by their positions in a unit, in any order; ascending ones are faster. Returns a status.
//
// As `utf8kit_index_position`; `places` points to `count` numbers that may be read and written, or `count` is 0.
int32_t utf8kit_index_positions(const struct utf8kit_index *index,
                                const uint8_t *bytes,
                                size_t len,
                                uint32_t unit,
                                size_t *places,
                                size_t count);

// Replaces `count` positions in a unit by their offsets, in any order; ascending ones are faster. The offset of a
// position beyond the end is SIZE_MAX. Returns a status.
//
// As `utf8kit_index_positions`.
int32_t utf8kit_index_offsets(const struct utf8kit_index *index,
                              const uint8_t *bytes,
                              size_t len,
                              uint32_t unit,
                              size_t *places,
                              size_t count);

// Returns the position of an offset for the Language Server Protocol. Within CR LF, it is the end of the line.
//
// As `utf8kit_index_position`.
struct utf8kit_position utf8kit_index_lsp_position(const struct utf8kit_index *index,
                                                   const uint8_t *bytes,
                                                   size_t len,
                                                   size_t offset,
                                                   uint32_t unit);

// Returns the offset of a Language Server Protocol position, clamped as the protocol prescribes: a position beyond the
// end of a line gives the end of the line, before its line end; beyond the last line, the end of the text.
//
// As `utf8kit_index_position`.
struct utf8kit_length utf8kit_index_lsp_offset(const struct utf8kit_index *index,
                                               const uint8_t *bytes,
                                               size_t len,
                                               size_t line,
                                               size_t character,
                                               uint32_t unit);

// Returns the range of a line, from 0, without its line end. The status is UTF8KIT_BEYOND_END if there is none.
//
// As `utf8kit_index_position`.
struct utf8kit_range utf8kit_index_line(const struct utf8kit_index *index,
                                        const uint8_t *bytes,
                                        size_t len,
                                        size_t line);

// Updates an index after an edit: bytes `start` to `end` of its text were replaced, and `bytes` is the whole new text.
// The length of the replacement is inferred from the two lengths. The time depends on the size of the change, and
// slightly on the size of the text after it. Returns UTF8KIT_OUT_OF_RANGE if the text had no such range, and
// UTF8KIT_WRONG_TEXT if `len` is less than the length of the text that was not replaced. In both cases, the index is
// unchanged.
//
// As `utf8kit_index_position`, and nothing else uses the index at the same time.
int32_t utf8kit_index_edit(struct utf8kit_index *index, size_t start, size_t end, const uint8_t *bytes, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UTF8KIT_H */
