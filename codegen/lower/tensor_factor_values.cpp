// What a computed factor takes beside its loads from slice to slice: values that a thread computes once, what is copied
// to shared memory several slices ahead, and bytes that become floats 8 at once.
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

std::vector<int> values_of(const std::map<int, int>& by_load) {
    std::vector<int> all;
    for (const auto& [load, value] : by_load) all.push_back(value);
    return all;
}

}  // namespace

/// Loads of neighbouring bytes that are used as float32 or half numbers alone, which hold all of them.
std::map<int, int> tensor_factor::widened_loads(int factor) const {
    std::map<int, int> all;
    const std::vector<int> values = values_of_factor(c.k, factor, how_.loop);
    const std::vector<char> wide = wide_values(c.k, c.s.tensor);
    const auto only_user = [&](int v) {
        int found = -1, users = 0;
        for (const int user : values)
            for (const int in : c.at(user).in)
                if (in == v) found = user, ++users;
        return users == 1 ? found : -1;
    };
    const auto is_cast = [&](int v) { return v >= 0 && c.at(v).what == value_kind::cast; };
    for (const int load : values) {
        const value& self = c.at(load);
        const bool is_byte = self.type == dtype::int8 || self.type == dtype::uint8;
        if (self.what != value_kind::load || !is_byte || wide[static_cast<std::size_t>(load)] == 0) continue;
        if ((self.varies >> fast_axis() & 1) == 0) continue;
        const int to = only_user(load);
        if (!is_cast(to) || (c.at(to).type != dtype::float32 && !is_half(c.at(to).type))) continue;
        const int then = c.at(to).type == dtype::float32 ? -1 : only_user(to);
        all[load] = is_cast(then) && c.at(then).type == dtype::float32 ? then : to;
    }
    return all;
}

std::optional<scaled_bytes> tensor_factor::find_pairs() const {
    const std::optional<scaled_bytes> found = scaled_bytes_of(c.k, value_, wide_values(c.k, c.s.tensor));
    if (!found || widened_.count(found->load) == 0) return std::nullopt;
    const bool keeps = found->scale < 0 || (has_shared_values() && side_.varies(c.at(found->scale)));
    return keeps ? found : std::nullopt;
}

element_function tensor_factor::function_of_factor() {
    if (!pairs_)
        return make_value_function(c, value_, how_.loop, "factor_of_" + side_.name + "s",
                                   fmt::format("The factor of a {} at one step.", side_.name), {}, values_of(widened_));
    element_function f;
    f.loads = values_of(widened_);
    if (pairs_->scale >= 0) f.outside.push_back(pairs_->scale);
    return f;
}

/// What a thread's elements of all slices have in common is loaded, or computed, once.
bool tensor_factor::has_shared_values() const {
    return !copied_ && how_.side_stays && is_regular() && steps().size() == 1;
}

void tensor_factor::declare_kept() {
    if (!has_shared_values()) return;
    for (const int v : function_.outside) {
        if (!side_.varies(c.at(v))) continue;
        array at{c.unique(c.name(v) + "_of_" + side_.name), space::registers, c.at(v).type, {}};
        if (how_.along_steps) at.extents = {how_.in_registers ? positions() : chunks_of_thread()};
        if (pairs_)
            at.packed = chunk_elements;
        else if (!how_.along_steps)
            at.extents = {chunk_elements};
        kept_.push_back({v, c.b.declare(at, true)});
    }
}

bool tensor_factor::is_kept(int v) const {
    return std::any_of(kept_.begin(), kept_.end(), [v](const kept_value& one) { return one.value == v; });
}

void tensor_factor::keep(const scalar& along, const std::vector<scalar>& index) {
    c.b.open_branch(along < side_.extent);
    set_place(along, c.b.integer(0));
    std::vector<int> values;
    for (const kept_value& one : kept_) values.push_back(one.value);
    let_group_values(c, group_values_needed(c, values), axes_around());
    for (const kept_value& one : kept_) c.b.assign(c.b.element(one.at, index), c.operand(one.value));
    c.b.close();
}

/// Values of the side's elements that the loop does not compute, such as a scale for each column: one for each chunk of
/// a thread, or for each neighbour, of which all its chunks have the same.
void tensor_factor::keep_outside() {
    if (kept_.empty()) return;
    if (!how_.along_steps) {
        const scalar e = c.b.open_unrolled("e", chunk_elements);
        const scalar first =
            how_.in_registers ? along_of_lane(c.b.integer(0)) : side_.first + c.b.thread() % run() * chunk_elements;
        keep(first + e, {e});
        return c.b.close();
    }
    const scalar u = c.b.open_unrolled("u", how_.in_registers ? positions() : chunks_of_thread());
    const scalar along =
        how_.in_registers ? along_of_lane(u) : side_.first + (c.b.thread() + u * c.s.block_threads) / run();
    if (!pairs_) {
        keep(along, {u});
        return c.b.close();
    }
    const scalar e = c.b.open_unrolled("e", chunk_elements);
    keep(along, {u, e});
    c.b.close();
    c.b.close();
}

/// What is kept is one for each chunk of a thread, or for each place of the side in registers.
std::vector<scalar> tensor_factor::kept_index(const chunk& at) const {
    return how_.in_registers ? std::vector<scalar>{at.number[0]} : at.number;
}

void tensor_factor::let_outside() {
    std::vector<int> others;
    for (const int v : function_.outside)
        if (!is_kept(v)) others.push_back(v);
    let_group_values(c, group_values_needed(c, others), axes_around());
}

scalar tensor_factor::outside(int v, const chunk& at, const scalar& e) {
    for (const kept_value& one : kept_)
        if (one.value == v) return c.b.element(one.at, how_.along_steps ? kept_index(at) : std::vector<scalar>{e});
    return c.operand(v);
}

void tensor_factor::stage(const scalar& buffer, const scalar& first) {
    each_chunk(first, [&](const chunk& q) {
        chunk at = q;
        at.number = {};
        for (staged& l : loads_) l.next = c.b.declare(array_for(l), true);
        load_chunk(loads_that(true, true), at);
        write_chunk(buffer, at);
    });
}

void tensor_factor::fetch(const scalar& from, const scalar& first) {
    tell_whole_slices(first, [&] {
        each_chunk(first, [&](const chunk& at) {
            set_place(at.along, at.step);
            for (const staged& l : loads_)
                if (l.by_slice)
                    c.b.async_copy(c.b.neighbours(l.fetched, {from, at.position, c.b.integer(0)}, chunk_elements),
                                   in_memory(l, chunk_elements), is_inside(at.along, at.step));
        });
    });
}

/// A thread computes of what it has fetched itself, so that it need not wait for others.
void tensor_factor::write_fetched(const scalar& buffer, const scalar& from, const scalar& first) {
    const auto write_one = [&](const chunk& at) {
        for (staged& l : loads_) {
            if (!l.by_slice) continue;
            l.next = c.b.declare(array_for(l));
            c.b.assign(c.b.element(l.next, {}),
                       c.b.neighbours(l.fetched, {from, at.position, c.b.integer(0)}, chunk_elements));
        }
        write_chunk(buffer, at);
    };
    tell_whole_slices(first, [&] { each_chunk(first, write_one, false); });
}

void tensor_factor::compute_pairs(id part, const chunk& at) {
    const staged& l = loads_[0];
    const scalar scale =
        kept_.empty() ? scalar{} : c.b.element(kept_[0].at, how_.along_steps ? kept_index(at) : std::vector<scalar>{});
    c.b.widen(c.b.element(part, {}), c.b.element(l.next, index_of(l, at)), scale);
}

/// Of loads of bytes, the floats that they are.
std::map<int, id> tensor_factor::widen(const chunk& at) {
    std::map<int, id> floats;
    for (const staged& l : loads_) {
        if (l.given == l.load) continue;
        array made{c.unique(c.name(l.load) + "_float"), space::registers, dtype::float32, {}};
        made.packed = chunk_elements;
        floats[l.load] = c.b.declare(made);
        c.b.widen(c.b.element(floats[l.load], {}), c.b.element(l.next, index_of(l, at)));
    }
    return floats;
}

}  // namespace sinter::codegen::lower
