/* What the functions do, and what they answer to miscalls. Prints one line; exits with 1 at the first surprise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8kit.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#define TEXT(literal) (const uint8_t *)(literal), sizeof(literal) - 1

static void validation(void)
{
    CHECK(utf8kit_is_valid(TEXT("caf\xC3\xA9")));
    CHECK(!utf8kit_is_valid(TEXT("caf\xE9")));

    utf8kit_error error = utf8kit_validate(TEXT("/\xC0\xAF"));
    CHECK(error.status == UTF8KIT_ILL_FORMED && error.offset == 1 && error.len == 1);
    CHECK(error.kind == UTF8KIT_OVERLONG && !error.incomplete);
    CHECK(utf8kit_validate(TEXT("caf\xC3")).incomplete == 1);
    CHECK(utf8kit_validate(TEXT("fine")).status == UTF8KIT_OK);

    /* The same emoji in UTF-8 and as old databases wrote it. */
    CHECK(utf8kit_validate_in(UTF8KIT_CESU_8, TEXT("\xF0\x9F\x98\x80")).kind == UTF8KIT_INVALID_BYTE);
    CHECK(utf8kit_validate_in(UTF8KIT_CESU_8, TEXT("\xED\xA0\xBD\xED\xB8\x80")).status == UTF8KIT_OK);
    CHECK(utf8kit_validate_in(UTF8KIT_UTF_16LE, TEXT("a\0\x3D\xD8")).kind == UTF8KIT_SURROGATE);
}

/* Text in pieces, shown in whole characters as readers see them. */
static void whole_characters(void)
{
    const char *pieces[] = {"cafe", "\xCC", "\x81 \xF0\x9F\x87\xAA", "\xF0\x9F\x87\xBA\n"};
    const char *texts[] = {"caf", "", "e\xCC\x81 ", "\xF0\x9F\x87\xAA\xF0\x9F\x87\xBA\n"};
    utf8kit_stream stream = {.policy = UTF8KIT_REPLACE};
    uint8_t text[64];
    size_t held = 0;
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *piece = (const uint8_t *)pieces[i];
        utf8kit_progress done =
            utf8kit_stream_push(&stream, piece, strlen(pieces[i]), i == 3, text + held, sizeof text - held);
        CHECK(done.error.status == UTF8KIT_OK);
        size_t len = held + done.written;
        utf8kit_length settled = utf8kit_settled(text, len);
        CHECK(settled.status == UTF8KIT_OK && settled.value == strlen(texts[i]));
        CHECK(memcmp(text, texts[i], settled.value) == 0);
        held = len - settled.value;
        memmove(text, text + settled.value, held);
    }
    CHECK(utf8kit_settled(TEXT("a\xFF")).status == UTF8KIT_ILL_FORMED);
}

/* All errors, two at a time. */
static void every_error(void)
{
    const uint8_t text[] = "a\xFF" "b\xE2\x82" "c\x80" "d\xED\xA0\x80";
    const uint64_t offsets[] = {1, 3, 6, 8, 9, 10};
    utf8kit_error errors[2];
    size_t start = 0, seen = 0;
    for (;;) {
        utf8kit_length found = utf8kit_errors(UTF8KIT_UTF_8, text, sizeof text - 1, start, errors, 2);
        CHECK(found.status >= 0);
        for (size_t i = 0; i < found.value; i++) {
            CHECK(seen < 6 && errors[i].offset == offsets[seen]);
            seen++;
            start = errors[i].offset + errors[i].len;
        }
        if (found.status != UTF8KIT_OUTPUT_FULL)
            break;
    }
    CHECK(seen == 6);
}

static void lengths(void)
{
    CHECK(utf8kit_count(UTF8KIT_UTF_8, TEXT("na\xC3\xAFve \xE2\x82\xAC")).value == 7);
    CHECK(utf8kit_count(UTF8KIT_UTF_16BE, TEXT("\0a\xD8\x3D\xDE\0")).value == 2);
    CHECK(utf8kit_truncate(UTF8KIT_UTF_8, TEXT("a\xE2\x82\xAC"), 3).value == 1);
    CHECK(utf8kit_truncate(UTF8KIT_UTF_8, TEXT("a\xE2\x82\xAC"), 99).value == 4);
}

static void repair(void)
{
    const char *broken = "caf\xE9 \xC0\xAF.";
    const char *repaired = "caf\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD.";
    size_t len = strlen(broken);
    utf8kit_length need = utf8kit_repaired_len(UTF8KIT_UTF_8, UTF8KIT_REPLACE, (const uint8_t *)broken, len);
    CHECK(need.status == UTF8KIT_OK && need.value == strlen(repaired));

    uint8_t *out = malloc(need.value); /* exactly: a byte more, and the sanitizer would tell */
    CHECK(out != NULL);
    utf8kit_progress done =
        utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, (const uint8_t *)broken, len, out, need.value);
    CHECK(done.error.status == UTF8KIT_OK && done.read == len && done.written == need.value);
    CHECK(memcmp(out, repaired, need.value) == 0);

    done = utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, (const uint8_t *)broken, len, out, 4);
    CHECK(done.error.status == UTF8KIT_OUTPUT_FULL && done.read == 3 && done.written == 3);
    done = utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_STRICT, (const uint8_t *)broken, len, out, need.value);
    CHECK(done.error.status == UTF8KIT_ILL_FORMED && done.error.offset == 3 && done.written == 3);
    free(out);
}

static void conversion(void)
{
    uint8_t out[16];
    utf8kit_progress done =
        utf8kit_convert(UTF8KIT_UTF_8, UTF8KIT_UTF_16LE, UTF8KIT_STRICT, TEXT("a\xE2\x82\xAC"), out, sizeof out);
    CHECK(done.error.status == UTF8KIT_OK && done.written == 4 && memcmp(out, "a\0\xAC\x20", 4) == 0);
    done = utf8kit_convert(UTF8KIT_UTF_8, UTF8KIT_LATIN1, UTF8KIT_STRICT, TEXT("a\xE2\x82\xAC"), out, sizeof out);
    CHECK(done.error.status == UTF8KIT_ILL_FORMED && done.error.unrepresentable && done.error.offset == 1);
    CHECK(done.read == 1 && done.written == 1);
    done = utf8kit_convert(UTF8KIT_UTF_8, UTF8KIT_LATIN1, UTF8KIT_REPLACE, TEXT("a\xE2\x82\xAC"), out, sizeof out);
    CHECK(done.error.status == UTF8KIT_OK && done.written == 2 && out[1] == '?');
}

/* The same text in every two pieces, into a buffer of six bytes. */
static void stream(void)
{
    const uint8_t text[] = "a\xE2\x82\xAC\xFF\xFE\xF0\x9F\x98\x80\xE2\x82";
    const char *expected = "a\xE2\x82\xAC\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD";
    size_t len = sizeof text - 1;
    for (size_t cut = 0; cut <= len; cut++) {
        utf8kit_stream stream = {0};
        stream.from = stream.to = UTF8KIT_UTF_8;
        stream.policy = UTF8KIT_REPLACE_RUN;
        uint8_t out[64];
        size_t written = 0;
        for (int piece = 0; piece < 2; piece++) {
            size_t at = piece ? cut : 0, end = piece ? len : cut;
            for (;;) {
                utf8kit_progress progress =
                    utf8kit_stream_push(&stream, text + at, end - at, piece == 1, out + written, 6);
                CHECK(progress.error.status >= 0 && written + progress.written <= sizeof out - 6);
                at += progress.read;
                written += progress.written;
                if (progress.error.status != UTF8KIT_OUTPUT_FULL)
                    break;
            }
            CHECK(at == end);
        }
        CHECK(written == strlen(expected) && memcmp(out, expected, written) == 0);
        CHECK(stream.offset == len && stream.pending_len == 0);

        /* Only validated: the error is at the same place, wherever the cut is, and stays. */
        utf8kit_stream strict = {0};
        strict.from = strict.to = UTF8KIT_UTF_8;
        utf8kit_error error = utf8kit_stream_push(&strict, text, cut, false, NULL, 0).error;
        if (error.status == UTF8KIT_OK)
            error = utf8kit_stream_push(&strict, text + cut, len - cut, true, NULL, 0).error;
        CHECK(error.status == UTF8KIT_ILL_FORMED && error.offset == 4 && error.kind == UTF8KIT_INVALID_BYTE);
        CHECK(utf8kit_stream_push(&strict, TEXT("fine"), false, NULL, 0).error.offset == 4);
    }
}

static void miscalls(void)
{
    uint8_t out[8] = "1234567";
    utf8kit_stream stream = {0};
    utf8kit_error error;

    CHECK(utf8kit_is_valid(NULL, 0));
    CHECK(!utf8kit_is_valid(NULL, 1));
    CHECK(utf8kit_validate(NULL, 0).status == UTF8KIT_OK);
    CHECK(utf8kit_validate(NULL, 1).status == UTF8KIT_NULL);
    CHECK(utf8kit_validate(out, SIZE_MAX).status == UTF8KIT_TOO_LONG);
    CHECK(utf8kit_validate_in(14, TEXT("a")).status == UTF8KIT_UNKNOWN_ENCODING);
    CHECK(utf8kit_validate_in(UINT32_MAX, NULL, 0).status == UTF8KIT_UNKNOWN_ENCODING);
    CHECK(utf8kit_count(UTF8KIT_UTF_8, NULL, 5).status == UTF8KIT_NULL);
    CHECK(utf8kit_truncate(99, TEXT("a"), 1).status == UTF8KIT_UNKNOWN_ENCODING);
    CHECK(utf8kit_errors(UTF8KIT_UTF_8, TEXT("\xFF"), 0, NULL, 1).status == UTF8KIT_NULL);
    CHECK(utf8kit_errors(UTF8KIT_UTF_8, TEXT("\xFF"), 0, NULL, 0).status == UTF8KIT_OUTPUT_FULL);
    CHECK(utf8kit_errors(UTF8KIT_UTF_8, TEXT("\xFF"), 2, &error, 1).value == 0); /* a start beyond the end */
    CHECK(utf8kit_errors(UTF8KIT_UTF_8, TEXT("\xFF"), 0, &error, SIZE_MAX).status == UTF8KIT_TOO_LONG);
    CHECK(utf8kit_repaired_len(UTF8KIT_UTF_8, 8, TEXT("a")).status == UTF8KIT_UNKNOWN_POLICY);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, 8, TEXT("a"), out, 8).error.status == UTF8KIT_UNKNOWN_POLICY);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, NULL, 1, out, 8).error.status == UTF8KIT_NULL);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, TEXT("a"), NULL, 8).error.status == UTF8KIT_NULL);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, NULL, 0, NULL, 0).error.status == UTF8KIT_OK);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, TEXT("a"), NULL, 0).error.status == UTF8KIT_OUTPUT_FULL);
    CHECK(utf8kit_repair(UTF8KIT_UTF_8, UTF8KIT_REPLACE, out, 4, out + 3, 4).error.status == UTF8KIT_OVERLAP);
    struct utf8kit_error few[2] = {{0}};
    CHECK(utf8kit_errors(UTF8KIT_UTF_8, (const uint8_t *)few, sizeof few, 0, few, 2).status == UTF8KIT_OVERLAP);
    CHECK(utf8kit_convert(14, UTF8KIT_UTF_8, UTF8KIT_REPLACE, TEXT("a"), out, 8).error.status
          == UTF8KIT_UNKNOWN_ENCODING);
    CHECK(utf8kit_stream_push(NULL, TEXT("a"), true, out, 8).error.status == UTF8KIT_NULL);
    CHECK(utf8kit_stream_push(&stream, NULL, 1, true, out, 8).error.status == UTF8KIT_NULL);
    stream.to = 99;
    CHECK(utf8kit_stream_push(&stream, TEXT("a"), true, out, 8).error.status == UTF8KIT_UNKNOWN_ENCODING);
    CHECK(memcmp(out, "1234567", 8) == 0);
}

/* A language server whose clients agreed on different position encodings asks one index. */
static void positions(void)
{
    const char *text = "print('\xF0\x9F\x98\x80', naive)\r\nprint(2)\n";
    const char *edited = "print('\xF0\x9F\x98\x80', x)\r\nprint(2)\n";
    size_t len = strlen(text);
    const uint8_t *bytes = (const uint8_t *)text;
    utf8kit_index *index = utf8kit_index_new(bytes, len, UTF8KIT_LINES_UNIVERSAL);

    CHECK(index != NULL && utf8kit_index_lines(index).value == 3);
    CHECK(utf8kit_index_lsp_offset(index, bytes, len, 0, 14, UTF8KIT_BYTES).value == 14);
    CHECK(utf8kit_index_lsp_offset(index, bytes, len, 0, 12, UTF8KIT_UTF_16_UNITS).value == 14);
    CHECK(utf8kit_index_lsp_offset(index, bytes, len, 0, 11, UTF8KIT_CODE_POINTS).value == 14);
    /* Clamped: before the line end, and at the end of the text. */
    CHECK(utf8kit_index_lsp_offset(index, bytes, len, 0, 999, UTF8KIT_UTF_16_UNITS).value == 20);
    CHECK(utf8kit_index_lsp_offset(index, bytes, len, 9, 0, UTF8KIT_UTF_16_UNITS).value == len);
    utf8kit_position position = utf8kit_index_lsp_position(index, bytes, len, 21, UTF8KIT_UTF_16_UNITS);
    CHECK(position.status == UTF8KIT_OK && position.line == 0 && position.character == 18);
    utf8kit_range line = utf8kit_index_line(index, bytes, len, 1);
    CHECK(line.status == UTF8KIT_OK && line.start == 22 && line.end == 30);
    CHECK(utf8kit_index_line(index, bytes, len, 3).status == UTF8KIT_BEYOND_END);

    size_t places[] = {14, 7, 1000};
    CHECK(utf8kit_index_positions(index, bytes, len, UTF8KIT_CODE_POINTS, places, 3) == UTF8KIT_OK);
    CHECK(places[0] == 11 && places[1] == 7 && places[2] == 28);
    places[2] = 29;
    CHECK(utf8kit_index_offsets(index, bytes, len, UTF8KIT_CODE_POINTS, places, 3) == UTF8KIT_OK);
    CHECK(places[0] == 14 && places[1] == 7 && places[2] == SIZE_MAX);
    CHECK(utf8kit_index_position(index, bytes, len, 14, UTF8KIT_UTF_16_UNITS).value == 12);
    CHECK(utf8kit_index_offset(index, bytes, len, 12, UTF8KIT_UTF_16_UNITS).value == 14);
    CHECK(utf8kit_index_offset(index, bytes, len, 99, UTF8KIT_UTF_16_UNITS).status == UTF8KIT_BEYOND_END);

    /* Five bytes became one. */
    const uint8_t *now = (const uint8_t *)edited;
    CHECK(utf8kit_index_edit(index, 14, 19, now, len - 4) == UTF8KIT_OK);
    CHECK(utf8kit_index_lsp_offset(index, now, len - 4, 1, 0, UTF8KIT_UTF_16_UNITS).value == 18);
    CHECK(utf8kit_index_lines(index).value == 3);

    CHECK(utf8kit_index_edit(index, 14, 99, now, len) == UTF8KIT_OUT_OF_RANGE);
    CHECK(utf8kit_index_edit(index, 0, 1, now, 3) == UTF8KIT_WRONG_TEXT);
    CHECK(utf8kit_index_edit(index, 0, 1, NULL, 3) == UTF8KIT_NULL);
    CHECK(utf8kit_index_edit(NULL, 0, 0, NULL, 0) == UTF8KIT_NULL);
    CHECK(utf8kit_index_position(index, bytes, len, 0, UTF8KIT_BYTES).status == UTF8KIT_WRONG_TEXT);
    CHECK(utf8kit_index_position(index, now, len - 4, 0, 3).status == UTF8KIT_UNKNOWN_UNIT);
    CHECK(utf8kit_index_lsp_position(NULL, now, len - 4, 0, 0).status == UTF8KIT_NULL);
    CHECK(utf8kit_index_positions(index, now, len - 4, 0, NULL, 1) == UTF8KIT_NULL);
    CHECK(utf8kit_index_lines(NULL).status == UTF8KIT_NULL);
    CHECK(utf8kit_index_new(bytes, len, 3) == NULL && utf8kit_index_new(NULL, 1, 0) == NULL);
    utf8kit_index_free(index);
    utf8kit_index_free(NULL);
}

int main(void)
{
    validation();
    whole_characters();
    every_error();
    lengths();
    repair();
    conversion();
    stream();
    miscalls();
    positions();
    puts("C: as expected");
    return 0;
}
