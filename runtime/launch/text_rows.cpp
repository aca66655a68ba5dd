// Rows made of text that only run time knows. Each text has one row, which is never freed: plans and keys point to it.
#include <runtime/io/printable.hpp>
#include <sinter/custom.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace sinter::detail {
namespace {

/// A row, and the text it points to.
struct text_and_row {
    std::string body, identity;
    op_row row;
};

using text_key = std::tuple<std::string, std::string, int>;  // body, identity, arity; reductions have arity 0

struct text_table {
    std::mutex mutex;
    std::map<text_key, text_and_row> rows;
};

const op_row* intern(const std::string& body, const std::string& identity, int arity) {
    static auto* const all = new text_table;  // never destroyed, as plans are not
    const std::lock_guard lock(all->mutex);
    const auto [at, fresh] = all->rows.try_emplace({body, identity, arity});
    text_and_row& made = at->second;
    if (fresh) {
        made.body = body;
        made.identity = identity;
        made.row = arity == 0   ? fold_placeholder
                   : arity == 1 ? map_placeholder<1>
                   : arity == 2 ? map_placeholder<2>
                                : map_placeholder<3>;
        made.row.body = made.body.c_str();
        if (arity == 0) made.row.identity = made.identity.c_str();
    }
    return &made.row;
}

/// Whether each bracket that opens is closed, and none closes that was not opened.
bool is_balanced(const std::string& text) {
    std::string open;
    for (const char c : text) {
        if (c == '(' || c == '[') open += c;
        if (c != ')' && c != ']') continue;
        if (open.empty() || open.back() != (c == ')' ? '(' : '[')) return false;
        open.pop_back();
    }
    return open.empty();
}

/// The text goes into a kernel's function: what would leave that function is refused here, in words of one line.
void check(const char* what, const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        throw error(fmt::format("{}: the text is empty; give an expression such as \"x * x\"", what));
    if (text.find_first_of(";{}#\\\"'") != std::string::npos || text.find("//") != std::string::npos ||
        text.find("/*") != std::string::npos)
        throw error(
            fmt::format("{}: \"{}\" is not one expression; leave out ; {{ }} # quotes, backslashes and comments", what,
                        codegen::printable(text)));
    if (!is_balanced(text))
        throw error(
            fmt::format("{}: \"{}\" is not one expression; its brackets do not match", what, codegen::printable(text)));
    if (std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n'; }))
        throw error(fmt::format("{}: \"{}\" has a control character; leave it out", what, codegen::printable(text)));
}

}  // namespace

const op_row* map_of_text(const std::string& body, int arity) {
    check("custom", body);
    return intern(body, "", arity);
}

const op_row* fold_of_text(const std::string& combine, const std::string& identity) {
    check("custom_reduce", combine);
    check("custom_reduce", identity);
    return intern(combine, identity, 0);
}

}  // namespace sinter::detail
