// Removes from a kernel what its source does not depend on.
#include <codegen/lower/kernel_class.hpp>

#include <codegen/schedule/kept_values.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

int equivalent_layout(const loop_nest& k, int layout_position) {
    for (int other = 0; other < layout_position; ++other)
        if (std::all_of(k.outer.begin(), k.outer.end(),
                        [&](int a) { return stride_of(k, other, a) == stride_of(k, layout_position, a); }))
            return other;
    return layout_position;
}

step step_of_stride(std::int64_t stride) { return stride == 0 ? step::none : stride == 1 ? step::unit : step::general; }

void forget_shapes(loop_nest& k) {
    std::fill(k.extents.begin(), k.extents.end(), 0);
    for (layout& l : k.layouts)
        for (std::int64_t& stride : l.stride) stride = static_cast<std::int64_t>(step_of_stride(stride));
    k.output_shapes.clear();
    k.numbers.clear();
}

void forget_program(loop_nest& k) {
    for (kernel_input& in : k.inputs) {
        in.leaf = -1;
        in.offset = 0;
        in.elements = 0;
    }
    for (value& v : k.values) v.node = -1;
    std::fill(k.scalars.begin(), k.scalars.end(), 0);
    k.results.clear();
    k.read_later = 0;
    k.product = ir::product::none;
}

}  // namespace

kernel_class class_of(const loop_nest& k, const schedule& s) {
    kernel_class c{k, s, {}, {}};
    for (int l = 0; l < static_cast<int>(k.layouts.size()); ++l)
        c.equivalent_layouts.push_back(equivalent_layout(k, l));
    c.equivalents = equivalent_values(k, s);
    forget_shapes(c.body);
    forget_program(c.body);
    c.how.blocks_per_output = s.blocks_per_output > 1 || s.tensor.divides_steps ? 2 : 1;
    c.how.block_groups = 1;
    c.how.tensor.persistent_blocks = std::min(s.tensor.persistent_blocks, 1);
    c.how.folding_blocks = k.block_axis >= 0 ? 2 : std::min(s.folding_blocks, 2);
    return c;
}

}  // namespace sinter::codegen
