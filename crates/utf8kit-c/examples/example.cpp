// The library from C++: strings in, strings out, errors as exceptions if one likes them.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utf8kit.h>

namespace {

const uint8_t *bytes(std::string_view text) { return reinterpret_cast<const uint8_t *>(text.data()); }

void check(utf8kit_error error)
{
    if (error.status != UTF8KIT_OK)
        throw std::runtime_error("status " + std::to_string(error.status) + " at byte " + std::to_string(error.offset));
}

std::string repair(std::string_view text, uint32_t policy = UTF8KIT_REPLACE)
{
    if (utf8kit_is_valid(bytes(text), text.size()))
        return std::string(text);
    std::string out(utf8kit_repaired_len(UTF8KIT_UTF_8, policy, bytes(text), text.size()).value, '\0');
    check(utf8kit_repair(UTF8KIT_UTF_8, policy, bytes(text), text.size(), reinterpret_cast<uint8_t *>(out.data()),
                         out.size())
              .error);
    return out;
}

std::u16string to_utf16(std::string_view text)
{
    std::u16string out(text.size(), u'\0'); // never more units than bytes
    const uint16_t one = 1;
    const bool little = *reinterpret_cast<const uint8_t *>(&one) == 1;
    auto utf16 = little ? UTF8KIT_UTF_16LE : UTF8KIT_UTF_16BE;
    auto done = utf8kit_convert(UTF8KIT_UTF_8, utf16, UTF8KIT_STRICT, bytes(text),
                                text.size(), reinterpret_cast<uint8_t *>(out.data()), out.size() * 2);
    check(done.error);
    out.resize(done.written / 2);
    return out;
}

void expect(bool as_expected, const char *what)
{
    if (!as_expected)
        throw std::runtime_error(what);
}

} // namespace

int main()
{
    expect(repair("caf\xE9") == "caf\xEF\xBF\xBD", "repair");
    expect(repair("caf\xE9", UTF8KIT_ESCAPE) == "caf\\xE9", "escape");
    expect(to_utf16("na\xC3\xAFve \xF0\x9F\x98\x80") == u"na\u00EFve \U0001F600", "UTF-16");
    try {
        to_utf16("a\xFF");
        return 1;
    } catch (const std::runtime_error &error) {
        expect(std::string(error.what()) == "status 1 at byte 1", "the error");
    }
    std::puts("C++: as expected");
}
