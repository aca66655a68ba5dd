// From slices in shared memory to a warp's fragments, and from computed numbers to parts of them in shared memory.
#include <codegen/lower/number_parts.hpp>
#include <codegen/lower/tensor_factor.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

scalar tensor_factor::fragment(const scalar& number, const scalar& step, int part) {
    std::vector<scalar> index{number};
    if (how_.keeps_steps) index.push_back(step / fragment_rows);
    if (parts_ > 1) index.push_back(c.b.integer(part));
    return c.b.element(fragments_, index);
}

void tensor_factor::write_parts(const scalar& buffer, const chunk& at) {
    const id numbers = compute_chunk(at);
    array parts{c.unique(side_.name + "s_parts"), space::registers, type_, {parts_}};
    parts.packed = chunk_elements;
    const id split = c.b.declare(parts);
    const scalar e = c.b.open_unrolled("e", chunk_elements);
    assign_parts(c, c.b.element(numbers, {e}), parts_, [&](int p) { return c.b.element(split, {c.b.integer(p), e}); });
    c.b.close();
    for (int p = 0; p < parts_; ++p) c.b.assign(line_of(buffer, at, p), c.b.element(split, {c.b.integer(p)}));
}

/// Lane l names line l % 8 of one of four matrices of 8 x 8. In the order of the fragment's registers these lie along
/// the side first in a left factor, along the steps first in a right one; lines go along the side, or along the steps.
void tensor_factor::read_fragment(const scalar& buffer, const scalar& along, const scalar& step, const scalar& number) {
    const int half = fragment_rows / 2;
    const scalar faster = lane_ / half % 2 * half, slower = lane_ / fragment_rows * half;
    const bool lines_first = how_.along_steps != how_.is_right;
    const scalar line = lines_first ? lane_ % fragment_rows : lane_ % half + slower;
    const scalar beside = lines_first ? slower : faster;
    const scalar of_first = (how_.along_steps ? along : step) + line;
    const scalar within = (how_.along_steps ? step : along) + beside;
    for (int part = 0; part < parts_; ++part) {
        const scalar of_part = part > 0 ? of_first + part * lines() : of_first;
        const scalar row = c.b.neighbours(tile_, {buffer, of_part, within}, fragment_elements);
        c.b.load_matrix(fragment(number, step, part), row, !how_.along_steps);
    }
}

}  // namespace sinter::codegen::lower
