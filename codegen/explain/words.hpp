// Shared by the text and the HTML form of an explanation.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

inline std::string megabytes(std::int64_t bytes) { return fmt::format("{:.3f} MB", static_cast<double>(bytes) / 1e6); }

/// A count of operations: "234.9 million".
inline std::string count_in_words(double n) {
    if (n < 1e6) return fmt::format("{:.0f}", n);
    if (n < 1e9) return fmt::format("{:.4g} million", n / 1e6);
    return n < 1e12 ? fmt::format("{:.4g} billion", n / 1e9) : fmt::format("{:.4g} trillion", n / 1e12);
}

/// Suffix of a schedule or a library algorithm chosen by measurement.
inline constexpr const char* was_measured = "; the fastest of those measured";

/// The lines of a text without line ends; views into the text.
inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return lines;
}

}  // namespace sinter::codegen
