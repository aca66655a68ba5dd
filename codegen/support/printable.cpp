// Escapes characters that terminals interpret and bytes that are not text.
#include <codegen/support/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace sinter::codegen {
namespace {

/// The length of the UTF-8 character at the beginning of a text, 0 if it is invalid; `code` receives its code point.
std::size_t character(std::string_view text, std::uint32_t& code) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (bytes == 0 || bytes > text.size()) return 0;
    code = bytes == 1 ? first : first & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if (next >> 6 != 2) return 0;
        code = code << 6 | (next & 0x3fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // minimum per length: overlong forms are invalid
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[bytes] || code > 0x10ffff || surrogate ? 0 : bytes;
}

/// Whether a character is visible and does not reorder its surroundings.
bool is_plain(std::uint32_t c) {
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    const bool invisible = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x61c;
    return !control && !invisible;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::size_t at = 0, count = 0; at < text.size(); ++count) {
        if (count == most) return shown + "...";
        std::uint32_t code = 0;
        const std::size_t bytes = character(text.substr(at), code);
        const std::string_view piece = text.substr(at, std::max<std::size_t>(bytes, 1));
        if (bytes > 0 && is_plain(code))
            shown += piece;
        else
            for (const char c : piece) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        at += piece.size();
    }
    return shown;
}

}  // namespace sinter::codegen
