// Windows of interleaved loads (schedule/interleaved.hpp): a thread loads the elements of all of them together.
#include <codegen/lower/access.hpp>

#include <codegen/schedule/channels.hpp>
#include <codegen/schedule/interleaved.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Each unrolled access has windows, but all channels share theirs.
std::vector<scalar> of_window(const lowering& c) {
    return c.s.form == schedule_form::channels ? std::vector<scalar>() : of_access(c);
}

}  // namespace

interleaved_registers declare_interleaved(lowering& c, access_plan& p) {
    interleaved_registers all;
    const bool has_channels = c.s.form == schedule_form::channels;
    for (const stencil_window& w : c.s.stencil.windows) {
        array held{c.unique(input_name(w.input) + "_window"),
                   space::registers,
                   c.k.inputs[static_cast<std::size_t>(w.input)].type,
                   {}};
        if (c.s.unroll > 1 && !has_channels) held.extents.push_back(c.s.unroll);
        held.packed = access_of_window(w, held.type);
        held.extents.push_back((w.last + 1) / held.packed);
        all.windows.push_back(c.b.declare(held));
    }
    if (all.windows.empty()) return all;
    p.elsewhere = [&c, all, has_channels](int v) -> scalar {
        const stencil_read* read = interleaved_read(c.s, v);
        if (read == nullptr) return {};
        const stencil_window& w = c.s.stencil.windows[static_cast<std::size_t>(read->window)];
        const int stride = (w.last + 1) / c.s.vector_width, each = access_of_window(w, c.at(v).type);
        scalar number = c.neighbour * stride + read->along;
        if (has_channels && moves_along_channels(c.k, c.s, w.at)) number = number + c.access;
        std::vector<scalar> indices = of_window(c);
        indices.push_back(number / each);
        indices.push_back(number % each);
        return c.b.element(all.windows[static_cast<std::size_t>(read->window)], indices);
    };
    return all;
}

void load_interleaved(lowering& c, const access_plan& p, const interleaved_registers& to) {
    for (std::size_t i = 0; i < to.windows.size(); ++i) {
        const stencil_window& w = c.s.stencil.windows[i];
        const array held = c.b.at_array(to.windows[i]);
        std::vector<term> first = c.terms(w.at, p.axes);
        if (c.s.form != schedule_form::channels) {
            const scalar sum = c.b.let(fmt::format("{}_first", held.name), c.index_type(), c.sum_of(first));
            first = {{-1, sum.at, none}};
        }
        for (int a = 0; a < held.extents.back(); ++a) {
            std::vector<scalar> indices = of_window(c);
            indices.push_back(c.b.integer(a));
            c.b.assign(c.b.element(to.windows[i], indices),
                       c.b.memory(c.input(w.input), first, a * held.packed, held.packed));
        }
    }
}

}  // namespace sinter::codegen::lower
