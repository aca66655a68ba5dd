// Values of a loop that a thread keeps in registers for later loops.
#include <codegen/lower/group.hpp>

#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

// Whether loops share loads or values, and with these their positions.
bool group_lowering::keeps() const {
    const auto computes = [](const std::vector<int>& values_of_loop) { return !values_of_loop.empty(); };
    return c.s.register_cached &&
           (!kept.empty() || std::any_of(values.computed.begin(), values.computed.end(), computes));
}

// Before the loop that computes them. Nothing is read that was not computed, but where a loop folds in vain what is
// past the end, or what threads past the last row did not compute, since the loop also stores.
void group_lowering::declare_kept_values(int l, bool with_beside) {
    const std::vector<int>& all = values.computed[static_cast<std::size_t>(l)];
    if (all.empty()) return;
    bool cleared =
        std::any_of(c.k.stores.begin(), c.k.stores.end(), [l](const kernel_store& s) { return s.loop == l; });
    for (int loop = 0; loop < static_cast<int>(functions.size()); ++loop)
        cleared = cleared || folds_past_the_end(c.k, c.s, loop);
    std::vector<int> extents;
    if (c.s.unroll > 1) extents.push_back(c.s.unroll);
    if (walk.vectored) extents.push_back(c.s.vector_width);
    c.b.comment("Later loops need these, too.");
    for (int v : all) {
        value_registers[c.equivalent(v)] =
            c.b.declare({c.unique(c.name(v) + (c.at(v).what == value_kind::load ? "_kept" : "_at")), space::registers,
                         c.at(v).type, extents},
                        cleared);
        if (with_beside)
            beside_registers[c.equivalent(v)] =
                c.b.declare({c.unique(c.name(v) + "_beside"), space::registers, c.at(v).type, {}}, cleared);
    }
}

// Among those of a step.
scalar group_lowering::number_of_access() const {
    return !first_access ? c.access : c.unroll > 1 ? first_access + c.access : first_access;
}

// Where later loops have loads of their own beside what is kept, a step is taken in parts, whose loads fit the
// registers that are left. The others would be spilled, which takes as many accesses again, and more.
int group_lowering::accesses_at_once(const std::vector<int>& loads) const {
    constexpr int of_indices = 24;  // registers
    // the folds of columns lie in registers by the access of a whole step
    if (!c.s.register_cached || has_scans(c.k) || c.k.block_axis >= 0) return c.s.unroll;
    const int threads = c.s.block_threads * std::max(1, c.s.blocks_per_multiprocessor);
    int room = 4 * (std::min(255, registers_of_multiprocessor / threads) - of_indices);
    int own = 0;
    for (int v : kept) room -= register_bytes(c.at(v).type, c.s.vector_width) * c.s.unroll;
    for (int v : loads) own += register_bytes(c.at(v).type, c.s.vector_width);
    int at_once = c.s.unroll;
    while (at_once > 1 && at_once * own > room) at_once /= 2;
    return at_once;
}

// A load or a value that is kept, while a step is taken in parts; else a value.
scalar group_lowering::kept_element(int v, bool vectored) const {
    if (is_given(functions[static_cast<std::size_t>(c.at(v).loop)], v)) return kept_value(v);
    const auto found = kept_registers.find(c.equivalent(v));
    if (!first_access || found == kept_registers.end()) return {};
    std::vector<scalar> indices{number_of_access()};
    const int fast =
        c.has_neighbours() ? c.k.outer.back() : c.k.loops[static_cast<std::size_t>(c.at(v).loop)].axes.back();
    const bool strided = c.s.form == schedule_form::rows;  // whose neighbours are loaded one by one
    const step along = step_of(c.k, c.at(v).at, fast);
    if (vectored && (along == step::unit || (strided && along != step::none))) indices.push_back(c.neighbour);
    return c.b.element(found->second, indices);
}

// Of the current access and neighbour.
scalar group_lowering::kept_value(int v) const {
    std::vector<scalar> indices;
    if (c.s.unroll > 1) indices.push_back(number_of_access());
    if (walk.vectored) indices.push_back(c.neighbour);
    return c.b.element(value_registers.at(c.equivalent(v)), indices);
}

// Of the thread's element beside the whole vectors: of a tail, or at an end of a peeled row.
scalar group_lowering::kept_beside(int v) const { return c.b.element(beside_registers.at(c.equivalent(v)), {}); }

}  // namespace sinter::codegen::lower
