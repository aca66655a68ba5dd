// Stream compaction: its rules and its kernel.
#include <codegen/functions/compact.hpp>

#include <codegen/cuda/compact.hpp>
#include <codegen/ir/round.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {

namespace {
using kind = call_argument::kind;
}

call_array compacted_array(const std::vector<call_array>& operands, const call_integers& integers, int result) {
    call_array made;
    made.type = result == 1 || operands.size() == 1 ? dtype::int64 : operands[1].type;
    made.rank = 1;
    made.shape[0] = result == 1 ? 1 : integers[0];
    return made;
}

call_launches compact_on_device(const call_site& call, const device_properties&) {
    const bool has_values = call.operands.size() == 2;
    const compact_source source{has_values ? size_of(call.operands[1].type) : 0};
    const std::int64_t count = call.operands[0].elements();
    const std::int64_t tiles = std::max(divide_up(count, std::int64_t{compact_tile}), std::int64_t{1});
    call_launches all;
    all.workspace_bytes = all.zeroed = 8 * (tiles + 1);
    std::vector<call_argument> arguments{{kind::result, 0, 0}, {kind::result, 1, 0}, {kind::operand, 0, 0}};
    if (has_values) arguments.push_back({kind::operand, 1, 0});
    arguments.insert(
        arguments.end(),
        {{kind::workspace, 0, 8}, {kind::workspace, 0, 0}, {kind::number, 0, count}, {kind::number, 0, tiles}});
    all.kernels.push_back(
        {fmt::format("{} {}", compact_name(source), source.element_bytes),
         [source](const argument_functions& f) {
             return printed_kernel{compact_text(source, f.operands[0], f.operands[1]), compact_name(source), {}};
         },
         tiles, compact_block, std::move(arguments)});
    return all;
}

element_access compacted_by_element(const call_site&) { return {3, 0, 1}; }

}  // namespace sinter::codegen
