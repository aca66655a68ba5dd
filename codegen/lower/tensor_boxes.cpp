// Copies of a factor's slices by boxes: lines of 128 bytes of shared memory, as products of warpgroups read them. One
// thread starts the copy of a slice, a box per panel; beyond the array's ends a box is 0, and adds nothing.
#include <codegen/lower/tensor_factor.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

void tensor_factor::map_boxes(const scalar& first_byte) {
    map_ = c.b.carve({c.unique(side_.name + "s_map"), space::global, dtype::uint8, {}}, c.workspace(), first_byte);
    const scalar nought = c.b.integer(0), side = c.extent(side_.axes[0]), all_steps = c.trips(how_.loop);
    for (const int axis : axes_around()) c.set_index(axis, nought);
    set_place(nought, nought);
    c.b.tensor_map(c.b.memory(map_, {}), in_memory(loads_[0], 1), how_.along_steps ? all_steps : side,
                   how_.along_steps ? side : all_steps, lines());
}

void tensor_factor::copy_boxes(const scalar& buffer, const scalar& first, const scalar& barrier) {
    const scalar nought = c.b.integer(0);
    const scalar panel = c.b.open_unrolled("panel", run() * chunk_elements / swizzled_elements);
    const scalar beside = panel * swizzled_elements;
    const scalar neighbour = (how_.along_steps ? first : side_.first) + beside;
    c.b.copy_box(c.b.element(tile_, {buffer, panel, nought, nought}), map_, neighbour,
                 how_.along_steps ? side_.first : first, barrier);
    c.b.close();
}

}  // namespace sinter::codegen::lower
