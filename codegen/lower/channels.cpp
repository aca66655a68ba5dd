// Kernels whose threads compute all channels of a few neighbouring pixels (schedule/channels.hpp).
#include <codegen/lower/access.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/schedule/channels.hpp>
#include <codegen/schedule/interleaved.hpp>

#include <fmt/format.h>

#include <map>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class channels_lowering {
public:
    channels_lowering(lowering& shared, const element_function& of)
        : c(shared), f(of), pixels(pixel_axes(shared.k, shared.s)), axes(pixels) {
        axes.insert(axes.end() - 1, channel_axis());
    }

    void full_block(const scalar& first) {
        first_ = first;
        place_pixel(first + c.b.thread() * c.s.vector_width, layouts_of(c, f));
        c.set_index(channel_axis(), c.b.integer(0));
        access_plan plan = whole_arrays(c, axes);
        std::vector<int> own, of_all;
        for (int v : f.loads)
            if (interleaved_read(c.s, v) == nullptr)
                (moves_along_channels(c.k, c.s, c.at(v).at) ? own : of_all).push_back(v);
        declare_registers(c, plan, own);
        declare_registers(c, plan, of_all);
        const interleaved_registers windows = declare_interleaved(c, plan);
        load_interleaved(c, plan, windows);
        load_registers(c, plan, of_all);
        if (!own.empty()) {
            open_channels();
            load_registers(c, plan, own);
            c.close_unroll();
        }
        compute_channels(plan);
    }

    /// One pixel by itself.
    void single_pixel(const scalar& i) {
        c.decompose(pixels, i, layouts_of(c, f));
        const access_plan plan = whole_arrays(c, axes);
        open_channels();
        const auto place = [&](int v) { return index_or_gathered(c, plan, v); };
        const auto element = [&](int v) { return loaded_element(c, plan, v); };
        const auto result = [&](int st) { return element_in(c, plan.target(st), c.store_at(st).at, axes); };
        call(c, f, {element, place, {}, result});
        c.close_unroll();
    }

private:
    int channel_axis() const { return c.s.channels.channel_axis; }

    void open_channels() {
        c.open_unroll();
        c.set_index(channel_axis(), c.access);
    }

    /// Results of planes are stored channel by channel, interleaved ones together.
    void compute_channels(const access_plan& plan) {
        std::map<int, id> results;
        const auto declare = [&](bool planar) {
            for (int st : f.stores)
                if (is_planar(c.k, c.s, c.store_at(st).at) == planar)
                    results[st] = c.b.declare(registers_of(st, planar));
        };
        declare(false);
        open_channels();
        declare(true);
        c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
        const auto element = [&](int v) { return element_of(c, plan, v); };
        const auto place = [&](int v) { return index_or_gathered(c, plan, v, c.neighbour); };
        const auto result = [&](int st) {
            if (is_planar(c.k, c.s, c.store_at(st).at)) return c.b.element(results.at(st), {c.neighbour});
            const scalar number = c.neighbour * c.s.unroll + c.access;
            const int each = c.b.at_array(results.at(st)).packed;
            return c.b.element(results.at(st), {number / each, number % each});
        };
        call(c, f, {element, place, {}, result});
        c.b.close();
        for (int st : f.stores)
            if (is_planar(c.k, c.s, c.store_at(st).at))
                c.b.assign(c.b.memory(plan.target(st), c.terms(c.store_at(st).at, axes), 0, c.s.vector_width),
                           c.b.element(results.at(st), {}));
        c.close_unroll();
        c.set_index(channel_axis(), c.b.integer(0));
        for (const auto& [st, from] : results)
            if (!is_planar(c.k, c.s, c.store_at(st).at)) store_interleaved(st, plan.target(st), from);
        store_staged(plan);
    }

    array registers_of(int st, bool planar) const {
        array held{output_name(c.store_at(st).output) + "_at", space::registers, c.output_type(st), {}};
        const stencil_window window = stored_window(c.s);
        held.packed = planar ? c.s.vector_width : access_of_window(window, held.type);
        if (!planar) held.extents = {(window.last + 1) / held.packed};
        return held;
    }

    /// To memory, or to the shared memory from which neighbouring threads store neighbours. A row of it is a thread's.
    void store_interleaved(int st, id target, id from) {
        const array held = c.b.at_array(from);
        const int accesses = held.extents[0], each = held.packed;
        const bool staged = is_staged(c.s, held.type);
        if (staged) {
            array rows{c.unique(held.name + "_stored"), space::shared, held.type, {}};
            rows.extents = {c.s.block_threads, staged_row(c.s, held.type)};
            rows.alignment = 16;
            staged_[st] = c.b.declare(rows);
        }
        for (int a = 0; a < accesses; ++a)
            c.b.assign(staged ? c.b.neighbours(staged_.at(st), {c.b.thread(), c.b.integer(a * each)}, each)
                              : c.b.memory(target, c.terms(c.store_at(st).at, axes), a * each, each),
                       c.b.element(from, {c.b.integer(a)}));
    }

    /// No access crosses the end of a thread's pixels, and these are neighbours in one row.
    void store_staged(const access_plan& plan) {
        if (staged_.empty()) return;
        c.b.barrier(barrier_scope::block);
        for (const auto& [st, rows] : staged_) {
            const stencil_window window = stored_window(c.s);
            const int each = access_of_window(window, c.output_type(st)), accesses = (window.last + 1) / each;
            const scalar a = c.b.open_unrolled("a", accesses);
            const scalar access = c.b.let_index("access", dtype::uint32, c.b.thread() + a * c.s.block_threads);
            const scalar element = c.b.let_index("element", dtype::uint32, access * each);
            place_pixel(first_ + element / c.s.unroll, {c.store_at(st).at});
            c.set_index(channel_axis(), c.b.let_index("channel", c.index_type(), element % c.s.unroll));
            c.b.assign(c.b.memory(plan.target(st), c.terms(c.store_at(st).at, axes), 0, each),
                       c.b.neighbours(rows, {access / accesses, access % accesses * each}, each));
            c.b.close();
        }
    }

    void place_pixel(const scalar& position, const std::vector<int>& layouts) {
        c.decompose(pixels, c.b.let_index("i", c.index_type(), position), layouts);
    }

    lowering& c;
    const element_function& f;
    std::vector<int> pixels, axes;  ///< the outer axes without the channels, and with them before the last one
    scalar first_;                  ///< the block's first pixel
    std::map<int, id> staged_;      ///< by store: shared memory
};

}  // namespace

void lower_channels(lowering& c) {
    const element_function f = make_element_function(c, group_level, "element");
    load_outside(c, f);
    channels_lowering channels(c, f);
    const int of_block = c.s.block_threads * c.s.vector_width;
    c.b.comment(
        fmt::format("A thread computes {} channels of {} neighbouring pixels, so that it accesses both planes "
                    "and interleaved channels by whole vectors.",
                    c.s.unroll, c.s.vector_width));
    const scalar n = c.b.let_index("pixels", c.index_type(), c.groups() / c.s.unroll);
    const scalar first = c.b.let_index("first", c.index_type(), c.block_position() * of_block);
    c.b.open_branch(first + of_block <= n);
    channels.full_block(first);
    c.b.otherwise();
    c.b.comment("The last block computes the remaining pixels one by one.");
    const scalar i = c.b.open_loop("i", c.index_type(), first + c.b.thread(), n, c.b.integer(c.s.block_threads), 1);
    channels.single_pixel(i);
    c.b.close();
    c.b.close();
}

}  // namespace sinter::codegen::lower
