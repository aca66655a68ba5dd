// Slices are stored in shared memory as lines of neighbours, padded so that ldmatrix has no bank conflicts.
#include <codegen/lower/tensor_factor.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

constexpr int swizzled_alignment = 1024;  ///< bytes after which the pattern repeats

}  // namespace

tensor_factor::tensor_factor(lowering& shared, int factor, const tile_side& side, const factor_slices& slices)
    : c(shared),
      value_(factor),
      parts_(slices.in_registers || slices.by_boxes ? 1 : parts_of(shared.k, factor)),
      type_(parts_ > 1 ? type_of_parts(shared.k, factor) : shared.at(factor).type),
      side_(side),
      how_(slices),
      widened_(widened_loads(factor)),
      pairs_(find_pairs()),
      function_(function_of_factor()) {
    const std::vector<char> wide = wide_values(c.k, c.s.tensor);
    for (const int given : function_.loads) {
        const auto from = std::find_if(widened_.begin(), widened_.end(), [&](auto& w) { return w.second == given; });
        const int load = from == widened_.end() ? given : from->first;
        const bool varies = (c.at(load).varies >> fast_axis() & 1) != 0;
        loads_.push_back({load, given, varies && wide[static_cast<std::size_t>(load)] != 0, varies});
        whole_ = whole_ || loads_.back().wide;
    }
    copied_ = !how_.in_registers && parts_ == 1 && function_.function == none && loads_.size() == 1 && loads_[0].wide &&
              widened_.empty();
    find_shared_loads();
}

/// Chunks per line.
int tensor_factor::run() const {
    const int elements = how_.along_steps ? how_.depth : side_.size();
    return (how_.swizzled ? static_cast<int>(round_up(elements, line_elements())) : elements) / chunk_of_line();
}

void tensor_factor::declare(const scalar& lane) {
    lane_ = lane;
    if (how_.in_registers) {
        declare_registers();
        return declare_views();
    }
    array tile{c.unique(side_.name + "s_slice"), space::shared, type_, {}};
    tile.extents = {buffers(), parts_ * lines(), run() * chunk_elements + tensor_padding};
    tile.alignment = 16;
    if (how_.swizzled) {
        tile.extents = {buffers(), run() * chunk_of_line() / line_elements(), lines(), line_elements()};
        tile.swizzled = true;
        tile.alignment = swizzled_alignment;
    }
    tile_ = c.b.declare(tile);
    declare_registers();
    if (is_steady()) declare_steady();
}

void tensor_factor::declare_registers() {
    array fragments{c.unique(side_.name + "s_fragment"), space::registers, type_, {}};
    fragments.extents = {side_.size() / how_.warps / fragment_rows};
    if (how_.keeps_steps) fragments.extents.push_back(how_.depth / fragment_rows);
    if (parts_ > 1) fragments.extents.push_back(parts_);
    fragments.packed = fragment_elements;
    if (!how_.swizzled) fragments_ = c.b.declare(fragments);
    if (copied_ || how_.late) return;
    for (staged& l : loads_) {
        array next = array_for(l);
        if (how_.fetches && l.by_slice) {
            array fetched{c.unique(c.name(l.load) + "_fetched"), space::shared, next.type, {}};
            fetched.extents = {how_.stages, count(), chunk_elements};
            fetched.alignment = 16;
            l.fetched = c.b.declare(fetched);
            continue;
        }
        if (l.by_chunk) next.extents = {how_.in_registers ? positions() : chunks_of_thread()};
        if (how_.in_registers && l.by_slice) next.extents.push_back(groups_of_registers());
        l.next = c.b.declare(next, true);
    }
    if (how_.in_registers) {
        array computed{c.unique(side_.name + "s_computed"), space::registers, c.at(value_).type, {positions_of_part()}};
        computed.packed = chunk_elements;
        computed_ = c.b.declare(computed);
    }
    declare_kept();
}

/// Registers for what a load reads.
array tensor_factor::array_for(const staged& l) {
    array next{c.unique(c.name(l.load) + "_next"), space::registers, c.at(l.load).type, {}};
    if (l.varies) next.packed = chunk_elements;
    next.words = l.given != l.load || (how_.in_registers && l.varies && size_of(next.type) < 4);
    return next;
}

/// Distributes the chunks of a slice over the threads: neighbouring threads take neighbouring chunks.
void tensor_factor::each_chunk(const scalar& first, const std::function<void(const chunk&)>& body, bool names_place) {
    const scalar u = c.b.open_unrolled("u", chunks_of_thread());
    const scalar q = c.b.let_index("q", dtype::int32, c.b.thread() + u * c.s.block_threads);
    const bool partly = count() % c.s.block_threads != 0;
    if (partly) c.b.open_branch(q < count());
    chunk at = chunk_at(q, first, names_place);
    at.number = {u};
    body(at);
    if (partly) c.b.close();
    c.b.close();
}

/// `names_place`: where it lies in the array is guaranteed to be used.
tensor_factor::chunk tensor_factor::chunk_at(const scalar& q, const scalar& first, bool names_place) {
    chunk at;
    at.position = q;
    at.line = c.b.let_index("line", dtype::int32, q / run());
    constexpr int panel_chunks = swizzled_elements / chunk_elements;
    const bool one_panel = !how_.swizzled || run() == panel_chunks;
    const int chunks = one_panel ? run() : panel_chunks;
    at.panel = one_panel ? c.b.integer(0) : c.b.let_index("panel", dtype::int32, q % run() / panel_chunks);
    at.first = c.b.let_index("part", dtype::int32, q % chunks * chunk_elements);
    const scalar beside = one_panel ? at.first : at.panel * swizzled_elements + at.first;
    at.along = side_.first + (how_.along_steps ? at.line : beside);
    at.step = first + (how_.along_steps ? beside : at.line);
    if (!names_place) return at;
    at.along = c.b.let_index(side_.name, c.index_type(), at.along);
    at.step = c.b.let_index("step", c.index_type(), at.step);
    return at;
}

scalar tensor_factor::is_inside(const scalar& along, const scalar& step) {
    if (whole_slice_) return whole_slice_;
    return along < side_.extent && step < step_count();
}

void tensor_factor::set_place(const scalar& along, const scalar& step) {
    for (int axis : side_.axes) c.set_index(axis, along);
    std::vector<int> layouts;
    for (const staged& l : loads_) layouts.push_back(c.at(l.load).at);
    c.decompose(steps(), step, layouts);
}

/// The axes whose places are set outside the loop: the side's may be that of the nest.
std::vector<int> tensor_factor::axes_around() const {
    std::vector<int> axes = c.k.outer;
    if (std::find(axes.begin(), axes.end(), side_.axes[0]) == axes.end()) axes.push_back(side_.axes[0]);
    if (c.k.nest_axis >= 0 && c.k.loops.back().axes.size() == 2) axes.push_back(c.k.loops.back().axes[0]);
    return axes;
}

scalar tensor_factor::in_memory(const staged& l, int elements) {
    std::vector<int> axes = axes_around();
    for (const int axis : steps()) axes.push_back(axis);
    const value& self = c.at(l.load);
    return c.b.memory(c.input(self.input), c.terms(self.at, axes), 0, elements);
}

/// The lines of a part follow those of the part before.
scalar tensor_factor::line_of(const scalar& buffer, const chunk& at, int part) {
    if (part > 0) return c.b.neighbours(tile_, {buffer, at.line + part * lines(), at.first}, chunk_elements);
    if (how_.swizzled) return c.b.neighbours(tile_, {buffer, at.panel, at.line, at.first}, chunk_elements);
    return c.b.neighbours(tile_, {buffer, at.line, at.first}, chunk_elements);
}

/// Whether slices are copied again and again, and a thread's chunks are at one place of all lines.
bool tensor_factor::is_steady() const {
    return how_.swizzled && copied_ && !how_.by_boxes && how_.stages > 1 && steps().size() == 1 && is_regular();
}

scalar tensor_factor::beside(const scalar& panel, const scalar& part) const {
    return run() == swizzled_elements / chunk_elements ? part : panel * swizzled_elements + part;
}

/// Only the slice and a whole number of lines are added to what is computed here: a multiprocessor has few registers
/// and instructions to spare.
void tensor_factor::declare_steady() {
    constexpr int panel_chunks = swizzled_elements / chunk_elements;
    const auto let = [&](const char* name, const scalar& x) {
        return c.b.let_index(c.unique(side_.name + "s_" + name), dtype::int32, x);
    };
    steady_.line = let("line", c.b.thread() / run());
    steady_.panel = run() == panel_chunks ? c.b.integer(0) : let("panel", c.b.thread() % run() / panel_chunks);
    steady_.first = let("part", c.b.thread() % panel_chunks * chunk_elements);
    steady_.side_first = side_.first;
    const scalar next = beside(steady_.panel, steady_.first);
    set_place(side_.first + (how_.along_steps ? steady_.line : next), how_.along_steps ? next : steady_.line);
    steady_.from = c.b.view(c.unique(side_.name + "s_from"), in_memory(loads_[0], 1));
}

/// Slices that are inside as a whole, nearly all, have code of their own, which tests nothing per chunk: on a device
/// whose clock power limits, what instructions take slows the products.
void tensor_factor::tell_whole_slices(const scalar& first, const std::function<void()>& body) {
    const scalar past = side_.first + side_.size(), then = first + how_.depth;
    const scalar whole =
        c.b.let_index(c.unique(side_.name + "s_whole"), dtype::bool_, past <= side_.extent && then <= step_count());
    c.b.open_branch(whole);
    whole_slice_ = whole;
    body();
    whole_slice_ = {};
    c.b.otherwise();
    body();
    c.b.close();
}

void tensor_factor::copy_steady(const scalar& buffer, const scalar& first) {
    if (!how_.side_stays) return copy_chunks(buffer, first);
    tell_whole_slices(first, [&] { copy_chunks(buffer, first); });
}

void tensor_factor::copy_chunks(const scalar& buffer, const scalar& first) {
    const scalar u = c.b.open_unrolled("u", chunks_of_thread());
    const scalar of_others = u * (c.s.block_threads / run()), next = beside(steady_.panel, steady_.first);
    const scalar line = c.b.let_index("line", dtype::int32, steady_.line + of_others);
    const bool partly = count() % c.s.block_threads != 0;
    if (partly) c.b.open_branch(line < lines());
    scalar is_there = whole_slice_;
    if (!whole_slice_) {
        const scalar along = c.b.let_index(side_.name, c.index_type(), side_.first + (how_.along_steps ? line : next));
        const scalar step = c.b.let_index("step", c.index_type(), first + (how_.along_steps ? next : line));
        is_there = is_inside(along, step);
    }
    const bool moves = side_.first.at != steady_.side_first.at;
    c.set_index(side_.axes[0], moves ? (how_.along_steps ? side_.first + of_others : side_.first) : of_others);
    c.set_index(steps()[0], how_.along_steps ? first : first + of_others);
    std::vector<int> axes;
    if (moves || how_.along_steps) axes.push_back(side_.axes[0]);
    const expression& from_step = c.b[first];
    const bool begins_at_0 = from_step.kind == expression_kind::integer && from_step.value == 0;
    if (!begins_at_0 || !how_.along_steps) axes.push_back(steps()[0]);
    const scalar from = c.b.memory(steady_.from, c.terms(c.at(loads_[0].load).at, axes), 0, chunk_elements);
    c.b.async_copy(c.b.neighbours(tile_, {buffer, steady_.panel, line, steady_.first}, chunk_elements), from, is_there);
    if (partly) c.b.close();
    c.b.close();
}

void tensor_factor::copy(const scalar& buffer, const scalar& first) {
    if (is_steady()) return copy_steady(buffer, first);
    each_chunk(first, [&](const chunk& at) {
        set_place(at.along, at.step);
        c.b.async_copy(line_of(buffer, at), in_memory(loads_[0], chunk_elements), is_inside(at.along, at.step));
    });
}

tensor_factor::staged_loads tensor_factor::loads_that(bool by_chunk, bool by_slice) const {
    staged_loads found;
    for (const staged& l : loads_)
        if (l.by_chunk == by_chunk && l.by_slice == by_slice) found.push_back(&l);
    return found;
}

/// Lines go along the side, or along the steps.
void tensor_factor::find_shared_loads() {
    if (!has_shared_values()) return;
    for (staged& l : loads_) {
        const auto varies = [&](int axis) { return (c.at(l.load).varies >> axis & 1) != 0; };
        l.by_slice = varies(steps()[0]);
        l.by_chunk = how_.along_steps ? varies(side_.axes[0]) : l.by_slice;
    }
}

void tensor_factor::load_once() {
    keep_outside();
    const scalar nought = c.b.integer(0);
    if (how_.in_registers) return load_lane_once();
    load_first_chunk(loads_that(false, false), nought);
    if (const staged_loads own = loads_that(true, false); !own.empty())
        each_chunk(nought, [&](const chunk& at) { load_chunk(own, at); });
}

void tensor_factor::load(const scalar& first) {
    load_first_chunk(loads_that(false, true), first);
    if (const staged_loads own = loads_that(true, true); !own.empty())
        each_chunk(first, [&](const chunk& at) { load_chunk(own, at); });
}

/// What all chunks of a thread share: if any of them is inside, so is the first one.
void tensor_factor::load_first_chunk(const staged_loads& loads, const scalar& first) {
    if (loads.empty()) return;
    c.b.open_scope();
    load_chunk(loads, chunk_at(c.b.index_cast(dtype::int32, c.b.thread()), first));
    c.b.close();
}

std::vector<scalar> tensor_factor::index_of(const staged& l, const chunk& at) const {
    if (!how_.in_registers) return l.by_chunk && l.fetched == none ? at.number : std::vector<scalar>{};
    std::vector<scalar> index;
    if (l.by_chunk) index.push_back(at.number[0]);
    if (l.by_slice) index.push_back(at.number[1]);
    return index;
}

/// Registers past an end keep an earlier value, which is not used.
void tensor_factor::load_chunk(const staged_loads& loads, const chunk& at) {
    const auto one_by_one = [](const staged* l) { return l->varies && !l->wide; };
    if (!std::all_of(loads.begin(), loads.end(), one_by_one)) {
        c.b.open_branch(is_inside(at.along, at.step));
        set_place(at.along, at.step);
        for (const staged* l : loads)
            if (!one_by_one(l))
                c.b.assign(c.b.element(l->next, index_of(*l, at)), loaded(*l, at, l->wide ? chunk_elements : 1));
        c.b.close();
    }
    if (std::none_of(loads.begin(), loads.end(), one_by_one)) return;
    const scalar e = c.b.open_unrolled("e", chunk_elements);
    const scalar along = further(at.along, !how_.along_steps, e), step = further(at.step, how_.along_steps, e);
    c.b.open_branch(is_inside(along, step));
    set_place(along, step);
    for (const staged* l : loads) {
        if (!one_by_one(l)) continue;
        std::vector<scalar> index = index_of(*l, at);
        index.push_back(e);
        c.b.assign(c.b.element(l->next, index), in_memory(*l, 1));
    }
    c.b.close();
    c.b.close();
}

void tensor_factor::write(const scalar& buffer, const scalar& first) {
    each_chunk(first, [&](const chunk& at) { write_chunk(buffer, at); });
}

void tensor_factor::compute_each(id part, const chunk& at) {
    const std::map<int, id> floats = widen(at);
    const scalar e = c.b.open_unrolled("e", chunk_elements);
    const scalar along = further(at.along, !how_.along_steps, e), step = further(at.step, how_.along_steps, e);
    if (!whole_) c.b.open_branch(is_inside(along, step));
    set_place(along, step);
    std::vector<scalar> arguments;
    let_outside();
    for (const staged& l : loads_) {
        std::vector<scalar> index = index_of(l, at);
        if (l.varies) index.push_back(e);
        const auto widened = floats.find(l.load);
        scalar element = widened == floats.end() ? c.b.element(l.next, index) : c.b.element(widened->second, {e});
        if (widened != floats.end() && c.at(l.given).type != dtype::float32)
            element = c.b.cast(c.at(l.given).type, element);
        arguments.push_back(element);
    }
    if (function_.function == none) {
        c.b.assign(c.b.element(part, {e}), loads_.empty() ? outside(value_, at, e) : arguments[0]);
    } else {
        for (int v : function_.outside) arguments.push_back(outside(v, at, e));
        c.b.assign(c.b.element(part, {e}), c.b.call(function_.function, arguments));
    }
    c.b.close();
    if (!whole_) c.b.close();
}

/// Zeros past the ends: steps past the last one then add nothing.
id tensor_factor::compute_chunk(const chunk& at) {
    array made{c.unique(side_.name + "s_part"), space::registers, c.at(value_).type, {}};
    made.packed = chunk_elements;
    const id part = c.b.declare(made, true);
    const bool tests_chunk = whole_ && !whole_slice_;
    if (tests_chunk) c.b.open_branch(is_inside(at.along, at.step));
    if (pairs_)
        compute_pairs(part, at);
    else
        compute_each(part, at);
    if (tests_chunk) c.b.close();
    return part;
}

void tensor_factor::write_chunk(const scalar& buffer, const chunk& at) {
    if (parts_ > 1) return write_parts(buffer, at);
    const id part = compute_chunk(at);
    c.b.assign(line_of(buffer, at), c.b.element(part, {}));
}

builder::warpgroup_factor tensor_factor::operand(const scalar& buffer, const scalar& along, const scalar& step) {
    const scalar &line = how_.along_steps ? along : step, &beside = how_.along_steps ? step : along;
    const scalar panel = beside / line_elements(), first = beside % line_elements();
    return {c.b.element(tile_, {buffer, panel, line, first}), !how_.along_steps};
}

}  // namespace sinter::codegen::lower
