// Selects device snippets. A snippet uses only earlier ones, of its header and of those before it in the alphabet, so
// one backward walk finds all that are needed.
#include <codegen/analysis/device_snippets.hpp>

#include <codegen/ir/identifier.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

bool mentions(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !in_identifier(text[at - 1])) && (end == text.size() || !in_identifier(text[end]))) return true;
    }
    return false;
}

/// The name of a snippet, which begins with "// sqrt: ...".
std::string_view name_of(std::string_view piece) { return piece.substr(3, piece.find(':') - 3); }

std::vector<std::string_view> pieces_of(std::string_view header) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin; (begin = header.find_first_not_of('\n')) != header.npos;) {
        header.remove_prefix(begin);
        pieces.push_back(header.substr(0, header.find("\n\n")));
        header.remove_prefix(pieces.back().size());
    }
    return pieces;
}

/// A snippet without its leading comment, which may name others.
std::string_view code_of(std::string_view piece) {
    while (piece.substr(0, 2) == "//") piece.remove_prefix(piece.find('\n') + 1);
    return piece;
}

bool defines_type(std::string_view piece) { return code_of(piece).find("struct ") != piece.npos; }

/// Whether the kernel may use a header's snippets. If they define types, it must use one of these types: most of the
/// functions only overload common names.
bool may_mean(std::string_view kernel, const std::vector<std::string_view>& pieces) {
    if (std::none_of(pieces.begin(), pieces.end(), defines_type)) return true;
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](std::string_view piece) { return defines_type(piece) && mentions(kernel, name_of(piece)); });
}

/// The call of the snippet that keeps g++ from merging choices; calls f<T>(x) are left as (x).
constexpr std::string_view barrier_name = "settled", barrier_call = "settled<T>";

/// The snippets that `user` uses. The barrier is one of them only if `has_barrier`.
std::string snippets_of(std::string_view user, bool has_barrier) {
    std::string text(user), all;
    const std::vector<std::string_view>& headers = number_headers();
    for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
        const std::vector<std::string_view> pieces = pieces_of(*header);
        if (!may_mean(user, pieces)) continue;
        for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
            if (!mentions(text, name_of(*piece)) || (!has_barrier && name_of(*piece) == barrier_name)) continue;
            all = std::string(*piece) + "\n\n" + all;
            text += code_of(*piece);
        }
    }
    return all;
}

}  // namespace

std::string_view piece_named(std::string_view name) {
    for (const std::string_view header : number_headers())
        for (const std::string_view piece : pieces_of(header))
            if (name_of(piece) == name) return code_of(piece);
    return {};
}

std::string device_snippets(std::string_view kernel) {
    std::string all = snippets_of(kernel, false);
    for (std::size_t at; (at = all.find(barrier_call)) != all.npos;) all.erase(at, barrier_call.size());
    return all;
}

std::string host_snippets(std::string_view loops) { return snippets_of(loops, true); }

}  // namespace sinter::codegen
