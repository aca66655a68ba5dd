// Infers the results of functions of whole arrays, for the compiler and for the templates.
#include <codegen/ir/call.hpp>

#include <sinter/call.hpp>

#include <algorithm>

namespace sinter {
namespace codegen {

std::vector<call_array> results_of(const ir::call_row& callee, const std::vector<call_array>& operands,
                                   const call_integers& integers) {
    std::vector<call_array> all;
    for (int r = 0; r < callee.results; ++r) all.push_back(callee.body->result(operands, integers, r));
    return all;
}

}  // namespace codegen

namespace detail {

void call_extents(const ir::call_row& row, int result, std::initializer_list<call_operand> operands,
                  const std::int64_t* integers, std::int64_t* extents) {
    std::vector<codegen::call_array> arrays;
    for (const call_operand& o : operands) {
        codegen::call_array& a = arrays.emplace_back();
        a.type = o.type;
        a.rank = o.rank;
        std::copy_n(o.extents, o.rank, a.shape.begin());
    }
    codegen::call_integers given{};
    std::copy_n(integers, row.integers, given.begin());
    const codegen::call_array made = row.body->result(arrays, given, result);
    std::copy_n(made.shape.begin(), made.rank, extents);
}

}  // namespace detail
}  // namespace sinter
