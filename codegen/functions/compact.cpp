// Stream compaction: its rules, and its kernels in order.
#include <codegen/functions/compact.hpp>

#include <codegen/cuda/compact.hpp>
#include <codegen/ir/round.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

using kind = call_argument::kind;

call_array vector_of(dtype type, std::int64_t extent) {
    call_array made;
    made.type = type;
    made.rank = 1;
    made.shape[0] = extent;
    return made;
}

call_launch launch_of(compact_kernel which, std::size_t element_bytes, const call_array& mask, std::int64_t blocks,
                      std::vector<call_argument> arguments) {
    const bool in_words = mask.type == dtype::uint32;
    return {fmt::format("{} {} {}", compact_name(which), element_bytes, in_words),
            [which, element_bytes, in_words](const argument_functions&) {
                return printed_kernel{compact_text(which, element_bytes, in_words), compact_name(which), {}};
            },
            blocks, which == compact_kernel::scan ? compact_scan_block : compact_block, std::move(arguments)};
}

std::int64_t tiles_of(const call_array& mask) { return divide_up(elements_of_mask(mask), compact_tile); }

}  // namespace

call_array mask_offsets_array(const std::vector<call_array>& operands, const call_integers&, int) {
    return vector_of(dtype::int64, tiles_of(operands[0]) + 1);
}

call_launches mask_offsets_on_device(const call_site& call, const machine&) {
    const call_array& mask = call.operands[0];
    const std::int64_t tiles = tiles_of(mask);
    const call_argument counts{kind::workspace, 0, 0};
    call_launches all;
    all.workspace_bytes = tiles * 4;
    if (tiles > 0)
        all.kernels.push_back(launch_of(compact_kernel::count, 0, mask, tiles,
                                        {counts, {kind::operand, 0, 0}, {kind::number, 0, elements_of_mask(mask)}}));
    all.kernels.push_back(
        launch_of(compact_kernel::scan, 0, mask, 1, {{kind::result, 0, 0}, counts, {kind::number, 0, tiles}}));
    return all;
}

call_array mask_positions_array(const std::vector<call_array>&, const call_integers& integers, int) {
    return vector_of(dtype::int64, integers[0]);
}

call_array mask_elements_array(const std::vector<call_array>& operands, const call_integers& integers, int) {
    return vector_of(operands[2].type, integers[0]);
}

call_launches compact_on_device(const call_site& call, const machine&) {
    const bool elements = call.operands.size() == 3;
    std::vector<call_argument> arguments{{kind::result, 0, 0}};
    for (std::size_t i = 0; i < call.operands.size(); ++i) arguments.push_back({kind::operand, static_cast<int>(i), 0});
    arguments.push_back({kind::number, 0, elements_of_mask(call.operands[0])});
    call_launches all;
    all.kernels.push_back(launch_of(elements ? compact_kernel::elements : compact_kernel::positions,
                                    elements ? size_of(call.operands[2].type) : 0, call.operands[0],
                                    tiles_of(call.operands[0]), std::move(arguments)));
    return all;
}

}  // namespace sinter::codegen
