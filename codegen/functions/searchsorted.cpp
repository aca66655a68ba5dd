// searchsorted: its shape rule and its kernel.
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
    const std::int64_t length = call.operands[0].elements();
    const sort_order order = order_of(call.operands[0].type, false);
    const bool few = order.parts == 1 && length <= max_searched(order.word_bytes);
    const std::int64_t in_block = few ? 8 * sort_block : sort_block;
    call_launches all;
    all.kernels.push_back(launch_of({few ? sort_kernel::search_few : sort_kernel::search, true}, order,
                                    divide_up(count, in_block),
                                    {{kind::result, 0, 0},
                                     {kind::operand, 0, 0},
                                     {kind::operand, 1, 0},
                                     {kind::number, 0, count},
                                     {kind::number, 0, length},
                                     {kind::number, 0, call.integers[0]}}));
    return all;
}

}  // namespace sinter::codegen
