// Phase barriers, barriers of some threads of a block, and copies of boxes. A box is read when its copy begins; it
// comes to shared memory when a thread waits for its bytes, and until then nothing may be accessed there.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sinter::interpret {

using device_ir::swizzled_elements_of;

namespace {

constexpr std::size_t line_bytes = 128, map_bytes = 128;

void merge(warp_clocks& to, const warp_clocks& from) {
    to.resize(std::max(to.size(), from.size()), 0);
    for (std::size_t w = 0; w < from.size(); ++w) to[w] = std::max(to[w], from[w]);
}

}  // namespace

void engine::start_phases(block_state& b) {
    b.phases.clear();
    b.first_threads = {};
    for (const auto& w : b.warps) {
        w->epoch = 1;
        w->seen.assign(b.warps.size(), 0);
        w->latest_arrival = none_arrived;
    }
}

/// What the warp has done until now, and what it knows of others.
void engine::tell(warp_clocks& to) {
    now_->seen[static_cast<std::size_t>(now_->number)] = ++now_->epoch;
    merge(to, now_->seen);
}

void engine::learn(const warp_clocks& from) { merge(now_->seen, from); }

void engine::barrier_of_threads(const step& s) {
    threads_barrier& b = now_->block->first_threads;
    if ((now_->number + 1) * warp_lanes > s.count)
        fail(fmt::format("warp {} is not one of the first {} threads", now_->number, s.count));
    now_->at = &s;
    if (b.arrived == 0) b.at = &s;
    if (b.at != &s) fail(fmt::format("some warps are at \"{}\"", code_->words(*b.at->from)));
    tell(b.told);
    ++progress_;
    const std::uint32_t before = b.passed;
    if (++b.arrived == s.count / warp_lanes) {
        b.arrived = 0;
        ++b.passed;
        b.known = b.told;
    }
    while (b.passed == before) suspend(warp_state::waiting);
    ++progress_;
    ++now_->clock;
    learn(b.known);
}

std::size_t engine::barrier_unit(const step&, int node, lane_mask m) {
    element_indices first;
    element_index(at(node), m, first);
    int one = -1;
    for_lanes(m, [&](int lane) {
        const int own = first[static_cast<std::size_t>(lane)];
        if (one >= 0 && own != one) fail("lanes name different phase barriers", lane);
        one = own;
    });
    return array_at(at(node).of).shared_units + static_cast<std::size_t>(one);
}

phase_barrier& engine::barrier_at(std::size_t unit) {
    const auto found = now_->block->phases.find(unit);
    if (found == now_->block->phases.end()) fail("a phase barrier that is not initialised");
    return found->second;
}

void engine::init_barriers(const step& s) {
    if (now_->number != 0) return;
    const array_code& a = array_at(at(s.target).of);
    for (int i = 0; i < a.elements; ++i) {
        phase_barrier& b = now_->block->phases[a.shared_units + static_cast<std::size_t>(i)];
        b = {};
        b.arrivals = s.count;
    }
}

/// Ends the current phase if all threads have arrived and all bytes are there.
void engine::end_phase(phase_barrier& b) {
    std::int64_t bytes = 0;
    for (const pending_box& box : b.boxes) bytes += static_cast<std::int64_t>(box.bytes.size());
    if (b.arrived < b.arrivals || bytes != b.expected) return;
    for (const pending_box& box : b.boxes) {
        block_state& to = *now_->block;
        std::fill_n(to.copying.begin() + static_cast<std::ptrdiff_t>(box.unit), box.units, 0);
        std::memcpy(to.shared.data() + box.byte, box.bytes.data(), box.bytes.size());
    }
    b.boxes.clear();
    b.arrived = 0;
    b.expected = 0;
    ++b.ended;
    b.known = b.told;
    ++progress_;
}

void engine::arrive(const step& s, lane_mask m) {
    const std::size_t unit = barrier_unit(s, s.target, m);
    phase_barrier& b = barrier_at(unit);
    tell(b.told);
    ++progress_;
    for_lanes(m, [&](int lane) {
        if (b.arrived == b.arrivals) end_phase(b);
        if (++b.arrived > b.arrivals) fail(fmt::format("more threads than {} arrive", b.arrivals), lane);
        b.expected += s.count;
    });
    now_->latest_arrival = unit;
}

void engine::wait_phase(const step& s, lane_mask m) {
    const std::size_t unit = barrier_unit(s, s.target, m);
    const auto parity = static_cast<std::uint32_t>(index_at(at(s.value).type, value(s.value, m), first_lane(m)));
    if (parity > 1) fail(fmt::format("no phase has parity {}", parity));
    for (;;) {
        phase_barrier& b = barrier_at(unit);
        end_phase(b);
        if (b.ended % 2 != parity) break;
        suspend(warp_state::waiting);
    }
    ++progress_;
    learn(barrier_at(unit).known);
}

void engine::tensor_map(const step& s, lane_mask m) {
    require_warp(m);
    addresses first;
    address(at(s.value), m, first);
    const std::uint64_t map = now_->addresses[static_cast<std::size_t>(s.of) * warp_lanes];
    if (map % map_bytes != 0) fail("a tensor map that does not begin at a multiple of 128 bytes");
    box_map made{at(s.value).of,          at(s.value).size,         first[0],
                 numbers(s.places, m, 0), numbers(s.strides, m, 0), s.count};
    for (const std::int64_t stride : made.strides)
        if (first[0] % 16 != 0 || stride <= 0 || stride * static_cast<std::int64_t>(made.size) % 16 != 0)
            fail(fmt::format("boxes begin at multiples of 16 bytes, not of an array whose lines are {} elements apart",
                             stride));
    touch_bytes(s.of, map, map_bytes, access_kind::write, 0);
    maps_[map] = made;
}

std::vector<std::int64_t> engine::numbers(const std::vector<int>& nodes, lane_mask m, int lane) {
    std::vector<std::int64_t> all;
    for (const int n : nodes) all.push_back(index_at(at(n).type, value(n, m), lane));
    return all;
}

std::vector<char> engine::bytes_of_box(const box_map& map, const std::vector<std::int64_t>& box, int lane) {
    std::vector<char> bytes(line_bytes * static_cast<std::size_t>(map.lines));
    const std::int64_t neighbour = box[0], of_line = static_cast<std::int64_t>(line_bytes / map.size);
    const std::int64_t end = std::min(neighbour + of_line, map.extents[0]);
    std::int64_t layer = 0;
    bool is_inside = neighbour >= 0 && end > neighbour;
    for (std::size_t axis = 2; axis < box.size(); ++axis) {
        is_inside = is_inside && box[axis] >= 0 && box[axis] < map.extents[axis];
        layer += box[axis] * map.strides[axis - 1];
    }
    for (std::int64_t l = 0; l < map.lines; ++l) {
        const std::int64_t line = box[1] + l;
        if (!is_inside || line < 0 || line >= map.extents[1]) continue;
        const std::size_t size = map.size * static_cast<std::size_t>(end - neighbour);
        const std::uint64_t from =
            map.first + map.size * static_cast<std::uint64_t>(layer + line * map.strides[0] + neighbour);
        touch_bytes(map.of, from, size, access_kind::read, lane);
        std::memcpy(bytes.data() + line_bytes * static_cast<std::size_t>(l), reinterpret_cast<const char*>(from), size);
    }
    return bytes;
}

/// A copy writes where the arrival before it lets it: as what came before that.
void engine::begin_box(const step& s, std::size_t unit, std::size_t count, int lane) {
    block_state& b = *now_->block;
    const array_code& a = array_at(at(s.target).of);
    for (std::size_t u = unit; u < unit + count; ++u) {
        if (b.copying[u] != 0 || b.multiplying[u] != 0)
            fail(fmt::format("copies to element {} of {} in shared memory, which a copy or product in flight uses",
                             u - a.shared_units, a.name),
                 lane);
        b.copying[u] = 1;
    }
    b.races.initialise(unit, count, true, false);
    const int other = b.races.access(unit, count, true, now_->number * warp_lanes + lane,
                                     {b.clock, now_->clock, now_->epoch - 1}, now_->seen.data());
    if (other >= 0)
        fail(fmt::format("copies to {} in shared memory, which thread {} uses too with no barrier between them", a.name,
                         other),
             lane);
}

void engine::copy_box(const step& s, lane_mask m) {
    const std::size_t barrier = barrier_unit(s, s.limit, m);
    if (now_->latest_arrival != barrier) fail("its thread has not arrived at the barrier that expects the bytes");
    element_indices first;
    element_index(at(s.target), m, first);
    const array_code& a = array_at(at(s.target).of);
    for_lanes(m, [&](int lane) {
        const auto n = static_cast<std::size_t>(lane);
        const auto found = maps_.find(now_->addresses[static_cast<std::size_t>(s.of) * warp_lanes + n]);
        if (found == maps_.end()) fail("there is no tensor map", lane);
        const auto unit = a.shared_units + static_cast<std::size_t>(first[n]);
        const int lines = a.extents[a.extents.size() - 2];
        if (lines != found->second.lines || a.size != found->second.size ||
            first[n] % (lines * swizzled_elements_of(at(s.target).type)) != 0)
            fail(fmt::format("a box of {} lines is no panel of {}", found->second.lines, a.name), lane);
        const std::vector<std::int64_t> from = numbers(s.places, m, lane);
        if (from.size() != found->second.extents.size()) fail("a box with more or fewer axes than its map", lane);
        pending_box box{unit, 0, a.shared_bytes + a.size * static_cast<std::size_t>(first[n]),
                        bytes_of_box(found->second, from, lane)};
        box.units = box.bytes.size() / a.size;
        begin_box(s, unit, box.units, lane);
        barrier_at(barrier).boxes.push_back(std::move(box));
    });
    ++progress_;
}

}  // namespace sinter::interpret
