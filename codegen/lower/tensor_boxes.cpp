// Copies of a factor's slices by boxes: lines of 128 bytes of shared memory, as products of warpgroups read them. One
// thread starts the copy of a slice, a box per panel; beyond the array's ends, or those of a layer of a batch, a box is
// 0, and adds nothing.
#include <codegen/lower/names.hpp>
#include <codegen/lower/tensor_factor.hpp>

#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

void tensor_factor::map_boxes(const scalar& first_byte) {
    map_ = c.b.carve({c.unique(side_.name + "s_map"), space::global, dtype::uint8, {}}, c.workspace(), first_byte);
    const scalar nought = c.b.integer(0);
    const value& self = c.at(loads_[0].load);
    std::vector<int> axes{side_.axes[0], steps().back()};
    if (how_.along_steps) std::swap(axes[0], axes[1]);
    for (const int axis : axes_of_layers()) axes.push_back(axis);
    std::vector<scalar> extents;
    for (const int axis : axes) {
        c.set_index(axis, nought);
        extents.push_back(axis == steps().back() ? c.trips(how_.loop) : c.extent(axis));
    }
    c.b.tensor_map(map_, c.b.memory(c.input(self.input), c.terms(self.at, axes)), extents, lines());
}

/// The outer axes beside the side's along which the array moves.
std::vector<int> tensor_factor::axes_of_layers() const {
    std::vector<int> axes;
    for (const int axis : c.k.outer)
        if (axis != side_.axes[0] && step_of(c.k, c.at(loads_[0].load).at, axis) != step::none) axes.push_back(axis);
    return axes;
}

void tensor_factor::copy_boxes(const scalar& buffer, const scalar& first, const scalar& barrier) {
    const scalar nought = c.b.integer(0);
    const scalar panel = c.b.open_unrolled("panel", run() * chunk_of_line() / line_elements());
    const scalar beside = panel * line_elements();
    std::vector<scalar> box{(how_.along_steps ? first : side_.first) + beside, how_.along_steps ? side_.first : first};
    for (const int axis : axes_of_layers()) box.push_back(c.index(axis));
    c.b.copy_box(c.b.element(tile_, {buffer, panel, nought, nought}), map_, box, barrier);
    c.b.close();
}

}  // namespace sinter::codegen::lower
