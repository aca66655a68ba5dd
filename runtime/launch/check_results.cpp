// Searches results for NaNs and infinities.
#include <runtime/launch/checks.hpp>

#include <codegen/ir/expression.hpp>
#include <codegen/ir/print.hpp>
#include <runtime/launch/elements.hpp>
#include <runtime/launch/origin.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

[[noreturn]] void tell(const ir::program& program, const detail::arguments_view& arguments, int result,
                       const detail::storage& s, std::int64_t element) {
    const probe p(program, arguments);
    extents shape{};
    std::copy_n(s.extents, s.rank, shape.begin());
    const extents at = index_of_element(element, shape, s.rank);
    const std::string which = program.root_count == 1 ? "" : fmt::format("result {} of a pack, ", result);
    const std::string where = s.rank == 0 ? "" : fmt::format("element {} of ", shape_text(at.data(), s.rank));
    throw error(fmt::format("nan check: {}{}{} is {}{}", where, which, expression_text(p.nodes(), p.root(result)),
                            text_at(s, element), origin_of(p, result, at)));
}

/// Whether a result only moves an operand's elements or is filled with one scalar, so that nothing in it was computed.
bool is_given(const ir::program& program, int node) {
    for (;;) {
        const ir::node& n = program.nodes[node];
        if (n.what == ir::kind::leaf || n.what == ir::kind::scalar || n.what == ir::kind::constant) return true;
        if (n.what != ir::kind::index_map && n.what != ir::kind::reshape) return false;
        node = n.in[0];
    }
}

}  // namespace

void check_results(const ir::program& program, const detail::arguments_view& arguments,
                   const detail::evaluation_result* results) {
    for (int r = 0; r < program.root_count; ++r) {
        if (is_given(program, program.roots[r])) continue;
        const detail::storage& s = *results[r].made.get();
        if (const std::optional<std::int64_t> found = first_nonfinite(s)) tell(program, arguments, r, s, *found);
    }
}

}  // namespace sinter::codegen
