// Marks a position below its line.
#include <tools/explain/problem.hpp>

#include <algorithm>

namespace sinter::spoken {

std::string with_marks(const std::string& text, const problem& p) {
    const std::size_t at = std::min(p.where().begin, text.size());
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    constexpr std::size_t most = 160;  // characters of the line shown on either side
    const std::size_t line = before == std::string::npos ? 0 : before + 1;
    const std::size_t first = at - line > most ? at - most : line;
    const std::size_t last = std::min({text.find('\n', at), text.size(), at + most});
    const std::size_t marked = std::clamp<std::size_t>(std::min(p.where().end, last) - at, 1, 120);
    // keeps tabs, so that the mark is aligned with the position
    std::string lead = text.substr(first, at - first);
    std::replace_if(
        lead.begin(), lead.end(), [](char c) { return c != '\t'; }, ' ');
    return std::string(p.what()) + "\n  " + text.substr(first, last - first) + "\n  " + lead + '^' +
           std::string(marked - 1, '~');
}

}  // namespace sinter::spoken
