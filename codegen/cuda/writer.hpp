// Lines of generated source: indentation and wrapping, nothing else.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sinter::codegen {

class writer {
public:
    static constexpr std::size_t width = 110;

    template <class... A>
    void line(fmt::format_string<A...> format, A&&... arguments) {
        const std::size_t begin = text_.size();
        text_.append(4 * depth_, ' ');
        fmt::format_to(std::back_inserter(text_), format, std::forward<A>(arguments)...);
        fit(begin);
        text_ += '\n';
    }
    void blank() { text_ += '\n'; }

    /// `head {`; what follows is indented until close().
    template <class... A>
    void open(fmt::format_string<A...> format, A&&... arguments) {
        text_.append(4 * depth_++, ' ');
        fmt::format_to(std::back_inserter(text_), format, std::forward<A>(arguments)...);
        text_ += text_.back() == ' ' || text_.back() == '\n' ? "{\n" : " {\n";
    }
    void close() {
        --depth_;
        line("}}");
    }
    void indent() { ++depth_; }
    void outdent() { --depth_; }

    /// A comment, broken at spaces into lines of at most `width` columns; a newline in it starts a new line.
    void comment(std::string_view words);

    std::string take() { return std::move(text_); }
    const std::string& text() const { return text_; }
    void append(std::string_view text) { text_ += text; }

private:
    /// Breaks the line that begins at `begin` after a comma or an equals sign, if it is longer than `longest`.
    void fit(std::size_t begin);
    static constexpr std::size_t longest = 120;

    std::string text_;
    std::size_t depth_ = 0;
};

}  // namespace sinter::codegen
