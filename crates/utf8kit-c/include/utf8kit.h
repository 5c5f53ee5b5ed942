/*
 * utf8kit: UTF-8 and its dialects. Validate with exact errors, repair, convert, count.
 *
 * Every function takes bytes as a pointer and a length; no text need end with NUL. NULL with length 0 is an empty text.
 * Nothing is allocated, kept or freed: results are structs by value, output goes to the caller's buffers. The functions may
 * be called from any thread at the same time, also by signal handlers; only a utf8kit_stream belongs to one caller at a time.
 *
 * Statuses: 0 is success, positive numbers are findings, negative ones are mistakes of the caller, which leave buffers
 * untouched.
 *
 * Written by cbindgen from crates/utf8kit-c/src/lib.rs.
 */

#ifndef UTF8KIT_H
#define UTF8KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Done; or nothing is ill-formed.
#define UTF8KIT_OK 0

// There is an error.
#define UTF8KIT_ILL_FORMED 1

// The output is full; call again with the rest of the input and more room.
#define UTF8KIT_OUTPUT_FULL 2

// A mistake: NULL where there should be something, a length not being 0.
#define UTF8KIT_NULL -1

// A mistake: no encoding has this number.
#define UTF8KIT_UNKNOWN_ENCODING -2

// A mistake: no policy has this number.
#define UTF8KIT_UNKNOWN_POLICY -3

// A mistake: input and output overlap.
#define UTF8KIT_OVERLAP -4

// A mistake: a length that no object in memory has.
#define UTF8KIT_TOO_LONG -5

// RFC 3629.
#define UTF8KIT_UTF_8 0

// Every value to 1FFFFF in 1 to 4 bytes.
#define UTF8KIT_UTF_8_21BIT 1

// Every value to 7FFFFFFF in 1 to 6 bytes (RFC 2279).
#define UTF8KIT_UTF_8_31BIT 2

// Each length begins where the shorter one ends: nothing can be overlong.
#define UTF8KIT_UTF_8_OFFSET 3

// Surrogate pairs, three bytes each (UTR #26).
#define UTF8KIT_CESU_8 4

// Java's: the same with NUL as C0 80, and lone surrogates.
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

// U+FFFD for each maximal subpart: WHATWG decoders, Python, Rust, ICU.
#define UTF8KIT_REPLACE 1

// U+FFFD for each byte: Go's range loop; glib's g_utf8_make_valid, which replaces NUL as well.
#define UTF8KIT_REPLACE_BYTE 2

// U+FFFD for each run of errors: Go's strings.ToValidUTF8.
#define UTF8KIT_REPLACE_RUN 3

// U+FFFD where Java's decoder writes one.
#define UTF8KIT_JAVA 4

// Leave the error's bytes out. Loses data, and can join what was apart.
#define UTF8KIT_REMOVE 5

// \xHH for each byte; reversible.
#define UTF8KIT_ESCAPE 6

// `?` for each byte: everything else keeps its offset.
#define UTF8KIT_SAME_LENGTH 7

// A longer form than needed, as C0 AF for a slash.
#define UTF8KIT_OVERLONG 0

// A surrogate where the encoding has none, or half of a pair.
#define UTF8KIT_SURROGATE 1

// A value above the encoding's largest.
#define UTF8KIT_TOO_LARGE 2

// A sequence that lacks bytes.
#define UTF8KIT_TRUNCATED 3

// A byte 80..BF where a sequence must start.
#define UTF8KIT_UNEXPECTED_CONTINUATION 4

// A byte that no sequence of the encoding holds.
#define UTF8KIT_INVALID_BYTE 5

// One error of a text, or a status alone. Two registers wide.
typedef struct utf8kit_error {
    // Where the error begins, in bytes from the start of the text (of the stream, in a stream): the length of the well-formed
    // text before it.
    uint64_t offset;
    // UTF8KIT_OK, UTF8KIT_ILL_FORMED, or another status. Unless it is UTF8KIT_ILL_FORMED, all else is 0.
    int32_t status;
    // How many bytes the error spans, 1 to 6: a maximal subpart (The Unicode Standard, section 3.9).
    uint8_t len;
    // Why: UTF8KIT_OVERLONG or another kind.
    uint8_t kind;
    // 1 if the text ends here and more of it could have made this well formed, else 0.
    uint8_t incomplete;
    // 1 if the text is well formed here, but the target of the conversion cannot hold the character, else 0.
    uint8_t unrepresentable;
} utf8kit_error;

// A number, and whether it is one.
typedef struct utf8kit_length {
    // The number; 0 if the status is negative.
    uint64_t value;
    // UTF8KIT_OK, UTF8KIT_OUTPUT_FULL, or a negative status.
    int32_t status;
} utf8kit_length;

// How far a function that writes has come.
typedef struct utf8kit_progress {
    // How many bytes of the input are dealt with.
    size_t read;
    // How many bytes of the output are written.
    size_t written;
    // Why it stopped there: its status, and the error if that is UTF8KIT_ILL_FORMED.
    struct utf8kit_error error;
} utf8kit_progress;

// A text that arrives in pieces. Set `from`, `to` and `policy`, everything else to zero: that is the start of a stream.
typedef struct utf8kit_stream {
    // The encoding of the input.
    uint32_t from;
    // The encoding of the output.
    uint32_t to;
    // What to do about errors.
    uint32_t policy;
    // How many bytes wait for more, in `pending`.
    uint8_t pending_len;
    // Read and written by utf8kit alone.
    uint8_t flags;
    // Zero.
    uint8_t reserved[2];
    // The bytes that wait for more.
    uint8_t pending[8];
    // How many bytes of the stream are dealt with; those pending are not.
    uint64_t offset;
    // The stream's first error, once UTF8KIT_STRICT has met one.
    struct utf8kit_error error;
} utf8kit_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Whether the bytes are well-formed UTF-8 (RFC 3629). False for NULL with a length.
//
// `bytes` points to `len` bytes that may be read, or `len` is 0.
bool utf8kit_is_valid(const uint8_t *bytes, size_t len);

// Validates UTF-8 (RFC 3629): the first error, or UTF8KIT_OK.
//
// As `utf8kit_is_valid`.
struct utf8kit_error utf8kit_validate(const uint8_t *bytes, size_t len);

// Validates any encoding: the first error, or UTF8KIT_OK.
//
// As `utf8kit_is_valid`.
struct utf8kit_error utf8kit_validate_in(uint32_t encoding, const uint8_t *bytes, size_t len);

// Writes the errors of a text to `errors`, in order, from byte `start` on: 0, or the end of the last error that an earlier call
// wrote. The value is how many were written; the status is UTF8KIT_OUTPUT_FULL if `capacity` was reached and more may follow.
//
// As `utf8kit_is_valid`; `errors` points to `capacity` errors that may be written, or `capacity` is 0.
struct utf8kit_length utf8kit_errors(uint32_t encoding,
                                     const uint8_t *bytes,
                                     size_t len,
                                     size_t start,
                                     struct utf8kit_error *errors,
                                     size_t capacity);

// How many characters (code points) a text has, each error counting as one.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_count(uint32_t encoding, const uint8_t *bytes, size_t len);

// How many bytes `utf8kit_repair` writes for a text, exactly.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_repaired_len(uint32_t encoding, uint32_t policy, const uint8_t *bytes, size_t len);

// Writes a text with every error dealt with by a policy. UTF8KIT_OUTPUT_FULL: call again with the input from `read` on, and
// more room. (Where an error lies across that place, or a run of errors, repair in one call: `utf8kit_repaired_len` tells the
// room.) UTF8KIT_STRICT copies up to the first error.
//
// As `utf8kit_is_valid`; `out` points to `capacity` bytes that may be written, or `capacity` is 0.
struct utf8kit_progress utf8kit_repair(uint32_t encoding,
                                       uint32_t policy,
                                       const uint8_t *bytes,
                                       size_t len,
                                       uint8_t *out,
                                       size_t capacity);

// Converts a text. What the policy deals with is every error, and every character that the target cannot hold;
// UTF8KIT_STRICT stops at the first, `read` and `written` telling of what came before it. UTF8KIT_OUTPUT_FULL: call again with
// the input from `read` on, and more room.
//
// As `utf8kit_repair`.
struct utf8kit_progress utf8kit_convert(uint32_t from,
                                        uint32_t to,
                                        uint32_t policy,
                                        const uint8_t *bytes,
                                        size_t len,
                                        uint8_t *out,
                                        size_t capacity);

// How long the longest prefix of at most `budget` bytes is that cuts no character.
//
// As `utf8kit_is_valid`.
struct utf8kit_length utf8kit_truncate(uint32_t encoding, const uint8_t *bytes, size_t len, size_t budget);

// Takes the next piece of a stream, and writes what no further input can change; the result does not depend on how the text is
// cut into pieces. With `last`, the stream ends behind the piece. UTF8KIT_OUTPUT_FULL: call again with the input from `read`
// on, and more room. At most 7 bytes wait in the stream.
//
// UTF8KIT_STRICT stops at the first error, which every later call repeats. With UTF8KIT_STRICT, `from` and `to` the same and
// `out` NULL, the stream is only validated.
//
// `stream` points to a stream, or is NULL; all else as `utf8kit_repair`.
struct utf8kit_progress utf8kit_stream_push(struct utf8kit_stream *stream,
                                            const uint8_t *bytes,
                                            size_t len,
                                            bool last,
                                            uint8_t *out,
                                            size_t capacity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UTF8KIT_H */
