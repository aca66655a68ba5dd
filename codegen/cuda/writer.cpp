// Wraps comments and long lines.
#include <codegen/cuda/writer.hpp>

namespace sinter::codegen {

void writer::fit(std::size_t begin) {
    if (text_.size() - begin <= longest || text_.find("//", begin) != std::string::npos) return;
    for (std::size_t at = begin + longest - 1; at > begin; --at) {
        if (text_[at] != ' ' || (text_[at - 1] != ',' && text_[at - 1] != '=')) continue;
        text_[at] = '\n';
        text_.insert(at + 1, 4 * (depth_ + 1), ' ');
        fit(at + 1);
        return;
    }
}

void writer::comment(std::string_view words) {
    const std::size_t room = width - 4 * depth_ - 3;
    while (true) {
        const std::size_t newline = words.find('\n');
        std::string_view paragraph = words.substr(0, newline);
        do {
            std::size_t n = paragraph.size();
            if (n > room) {
                n = paragraph.rfind(' ', room);
                if (n == std::string_view::npos || n == 0) n = paragraph.find(' ', room);  // one endless word
                if (n == std::string_view::npos) n = paragraph.size();
            }
            // a backslash at the end of a comment would join the next line to it
            std::string_view shown = paragraph.substr(0, n);
            while (!shown.empty() && (shown.back() == '\\' || shown.back() == ' ')) shown.remove_suffix(1);
            if (shown.empty())
                line("//");
            else
                line("// {}", shown);
            paragraph.remove_prefix(n);
            if (!paragraph.empty()) paragraph.remove_prefix(1);
        } while (!paragraph.empty());
        if (newline == std::string_view::npos) return;
        words.remove_prefix(newline + 1);
    }
}

}  // namespace sinter::codegen
