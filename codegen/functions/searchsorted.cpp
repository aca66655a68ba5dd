// Searching: its rule, and its kernel.
#include <codegen/functions/searchsorted.hpp>

#include <codegen/cuda/sort.hpp>
#include <codegen/functions/sort.hpp>
#include <codegen/ir/round.hpp>

namespace sinter::codegen {

namespace {
using kind = call_argument::kind;
}

call_array array_of_places(const std::vector<call_array>& operands, const call_integers&, int) {
    call_array made = operands[1];
    made.type = dtype::int64;
    return made;
}

call_launches search_on_device(const call_site& call, const machine&) {
    const std::int64_t count = call.operands[1].elements();
    call_launches all;
    all.kernels.push_back(launch_of(sort_kernel::search, order_of(call.operands[0].type, false), true,
                                    divide_up(count, std::int64_t{sort_block}),
                                    {{kind::result, 0, 0},
                                     {kind::operand, 0, 0},
                                     {kind::operand, 1, 0},
                                     {kind::number, 0, count},
                                     {kind::number, 0, call.operands[0].elements()},
                                     {kind::number, 0, call.integers[0]}}));
    return all;
}

}  // namespace sinter::codegen
