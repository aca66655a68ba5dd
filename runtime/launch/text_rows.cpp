// Rows defined by text at run time. There is one row per text, which is never freed: plans and keys refer to it.
#include <codegen/rows/expression_text.hpp>
#include <codegen/support/created_once.hpp>
#include <runtime/system/fork.hpp>
#include <sinter/custom.hpp>

#include <map>
#include <mutex>
#include <tuple>

namespace sinter::detail {
namespace {

/// A row and the strings it refers to.
struct text_and_row {
    std::string body, identity;
    op_row row;
};

using text_key = std::tuple<std::string, std::string, int>;  // body, identity, arity; reductions have arity 0

struct text_table {
    codegen::fork_safe<std::mutex> mutex;
    std::map<text_key, text_and_row> rows;
};

const op_row* intern(const std::string& body, const std::string& identity, int arity) {
    static constinit std::atomic<text_table*> place{nullptr};
    text_table& all = codegen::created_once(place, [] { return new text_table; });
    const std::lock_guard lock(all.mutex);
    const auto [at, fresh] = all.rows.try_emplace({body, identity, arity});
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

}  // namespace

const op_row* map_of_text(const std::string& body, int arity) {
    codegen::require_expression("custom", body);
    return intern(body, "", arity);
}

const op_row* fold_of_text(const std::string& combine, const std::string& identity) {
    codegen::require_expression("custom_reduce", combine);
    codegen::require_expression("custom_reduce", identity);
    return intern(combine, identity, 0);
}

}  // namespace sinter::detail
