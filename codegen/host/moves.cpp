// Chooses the boxes of a move, and copies one.
#include <codegen/host/moves.hpp>

#include <codegen/host/strided.hpp>
#include <codegen/host/value_types.hpp>
#include <codegen/ir/round.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t box_size = 32 * 1024;  // elements; as many as are worth a task
constexpr std::int64_t lines = 128;  // bytes that a box reads together where the result's rows are not the operand's
constexpr std::int64_t shortest_stream = 512;

/// The axes of a region, as few as both layouts allow.
std::vector<move_axis> joint_axes(const loop_nest& k, const layout& to, const layout& from, std::int64_t size) {
    std::vector<move_axis> axes;
    for (const int a : k.outer) {
        const auto i = static_cast<std::size_t>(a);
        const move_axis next{k.extents[i], to.stride[i] * size, from.stride[i] * size, 1};
        if (next.extent == 1) continue;
        if (!axes.empty() && axes.back().to == next.to * next.extent && axes.back().from == next.from * next.extent)
            axes.back() = {axes.back().extent * next.extent, next.to, next.from, 1};
        else
            axes.push_back(next);
    }
    if (axes.empty()) axes.push_back({1, size, size, 1});
    return axes;
}

/// The axis with the smallest stride that is not 0, or -1.
template <class Stride>
int fastest(const std::vector<move_axis>& axes, Stride stride) {
    int best = -1;
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (stride(axes[a]) != 0 &&
            (best < 0 || std::abs(stride(axes[a])) <= std::abs(stride(axes[static_cast<std::size_t>(best)]))))
            best = static_cast<int>(a);
    return best;
}

class box_choice {
public:
    explicit box_choice(move_plan& m) : m_(m) {}

    void run() {
        m_.along = fastest(m_.axes, [](const move_axis& a) { return a.to; });
        const int read_along = fastest(m_.axes, [](const move_axis& a) { return a.from; });
        const auto size = static_cast<std::int64_t>(m_.element_size);
        if (read_along >= 0 && read_along != m_.along) {
            m_.across = read_along;
            grow(m_.across, std::max<std::int64_t>(lines / size, 1));
        }
        grow(m_.along, left_);
        if (m_.across >= 0) widen(m_.across);
        for (int a = static_cast<int>(m_.axes.size()); a-- > 0 && left_ > 1;) {
            if (a == m_.along || a == m_.across) continue;
            if (m_.across < 0) m_.across = a;
            const bool whole = axis(a).extent <= left_;
            grow(a, left_);
            if (!whole) return;
        }
    }

private:
    move_axis& axis(int a) { return m_.axes[static_cast<std::size_t>(a)]; }

    void grow(int a, std::int64_t most) {
        axis(a).side = std::max<std::int64_t>(1, std::min(axis(a).extent, most));
        left_ = std::max<std::int64_t>(1, left_ / axis(a).side);
    }
    /// By a whole multiple.
    void widen(int a) {
        const std::int64_t before = axis(a).side;
        axis(a).side = std::min(axis(a).extent, before * left_);
        left_ = std::max<std::int64_t>(1, left_ * before / axis(a).side);
    }

    move_plan& m_;
    std::int64_t left_ = box_size;
};

}  // namespace

std::int64_t move_plan::boxes() const {
    std::int64_t n = 1;
    for (const move_axis& a : axes) n *= divide_up(a.extent, a.side);
    return n;
}

std::int64_t move_plan::box_elements() const {
    std::int64_t n = 1;
    for (const move_axis& a : axes) n *= a.side;
    return n;
}

std::optional<move_plan> find_move(const region& r, instruction_set isa) {
    const loop_nest& k = r.body;
    if (!k.loops.empty() || k.stores.size() != 1 || outer_size(k) == 0) return std::nullopt;
    const kernel_store& store = k.stores[0];
    const value& load = k.values[static_cast<std::size_t>(store.value)];
    if (load.what != value_kind::load || load.in[0] >= 0) return std::nullopt;
    const auto input = static_cast<std::size_t>(load.input), output = static_cast<std::size_t>(store.output);
    const dtype type = k.inputs[input].type;
    if (k.outputs[output] != type || k.inputs[input].may_alias_output) return std::nullopt;
    move_plan m;
    m.element_size = size_of(type);
    const auto size = static_cast<std::int64_t>(m.element_size);
    m.axes = joint_axes(k, k.layouts[static_cast<std::size_t>(store.at)], k.layouts[static_cast<std::size_t>(load.at)],
                        size);
    m.input = load.input;
    m.output = store.output;
    m.to_start = r.store_starts[0] * size;
    m.from_start = r.value_starts[static_cast<std::size_t>(store.value)] * size;
    m.copy = plane_copy_of(m.element_size, isa);
    if (std::any_of(m.axes.begin(), m.axes.end(), [](const move_axis& a) { return a.to == 0; })) return std::nullopt;
    box_choice(m).run();
    return m;
}

void run_box(const move_plan& m, void* to, const void* from, std::int64_t box) {
    auto* out = static_cast<std::byte*>(to) + m.to_start;
    const auto* in = static_cast<const std::byte*>(from) + m.from_start;
    std::array<std::int64_t, max_axes> extent{}, at{};
    const std::size_t axes = m.axes.size();
    for (std::size_t a = axes; a-- > 0;) {
        const move_axis& x = m.axes[a];
        const std::int64_t sides = divide_up(x.extent, x.side), begin = box % sides * x.side;
        box /= sides;
        extent[a] = std::min(x.side, x.extent - begin);
        out += begin * x.to;
        in += begin * x.from;
    }
    const auto along = static_cast<std::size_t>(m.along), across = static_cast<std::size_t>(m.across);
    const move_axis& line = m.axes[along];
    const move_axis none{1, 0, 0, 1};
    const move_axis& plane = m.across < 0 ? none : m.axes[across];
    const std::int64_t rows = m.across < 0 ? 1 : extent[across], columns = extent[along];
    const auto size = static_cast<std::int64_t>(m.element_size);
    const bool streams = m.streams && line.to == size && line.from == size && columns * size >= shortest_stream;
    for (;;) {
        if (!streams)
            m.copy(out, {plane.to, line.to}, in, {plane.from, line.from}, rows, columns);
        else
            for (std::int64_t r = 0; r < rows; ++r)
                stream(out + r * plane.to, in + r * plane.from, static_cast<std::size_t>(columns * size));
        std::size_t a = axes;
        for (; a > 0; --a) {  // the next plane
            const std::size_t i = a - 1;
            if (i == along || static_cast<int>(i) == m.across || extent[i] == 1) continue;
            out += m.axes[i].to;
            in += m.axes[i].from;
            if (++at[i] < extent[i]) break;
            out -= extent[i] * m.axes[i].to;
            in -= extent[i] * m.axes[i].from;
            at[i] = 0;
        }
        if (a == 0) return;
    }
}

}  // namespace sinter::codegen::blocked
