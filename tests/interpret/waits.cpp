// Waits between warps: barriers, and values that blocks publish in memory for other blocks.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::interpret {

using device_ir::barrier_scope;

void engine::barrier(const step& s, lane_mask m) {
    if (m != now_->lanes)
        fail(fmt::format("a barrier is reached without lane {} of the warp", first_lane(now_->lanes & ~m)),
             first_lane(m));
    switch (s.scope) {
        case barrier_scope::block: return barrier_of_block(s, m);
        case barrier_scope::threads: return barrier_of_threads(s);
        case barrier_scope::cluster: return barrier_of_cluster();
        case barrier_scope::blocks: return barrier_of_blocks(s);
    }
}

void engine::barrier_of_block(const step& s, lane_mask m) {
    block_state& b = *now_->block;
    now_->at = &s;
    now_->state = warp_state::at_barrier;
    if (++b.arrived < static_cast<int>(b.warps.size())) return suspend(warp_state::at_barrier);
    for (const auto& w : b.warps)
        if (w->at != &s)
            fail(fmt::format("this barrier is reached by some warps and \"{}\" by warp {}", code_->words(*w->at->from),
                             w->number),
                 first_lane(m));
    b.arrived = 0;
    b.clock = ++clock_;
    ++progress_;
    now_->state = warp_state::ready;
    for (const auto& w : b.warps) {
        if (w.get() == now_) continue;
        w->state = warp_state::ready;
        ready_.push_back(w.get());
    }
}

void engine::barrier_of_cluster() {
    if (cluster_size_ == 1) return;
    ++progress_;
    cluster_.arrive(now_->time);
    memory_.arrive_at_cluster();
    while (!cluster_.is_complete(now_->time)) suspend(warp_state::waiting);
    ++progress_;
    if (cluster_.pass(rank(*now_->block), now_->time)) now_->block->clock = ++clock_;
    memory_.pass_cluster();
}

// As the kernel's own function does it: between two barriers of the block, thread 0 arrives and waits.
void engine::barrier_of_blocks(const step& s) {
    barrier_of_block(s, now_->lanes);
    if (now_->number == 0) {
        addresses at_lane;
        address(at(s.target), 1, at_lane);
        const std::uint64_t counter = at_lane[0];
        const auto part = index_at(dtype::int32, value(s.value, 1), 0);
        const auto parts = static_cast<std::uint32_t>(index_at(dtype::int32, value(s.limit, 1), 0));
        memory_.fence();
        touch_bytes(at(s.target).of, counter, 4, access_kind::atomic, 0);
        auto* const word = reinterpret_cast<std::uint32_t*>(counter);
        const std::uint32_t before = *word;
        *word = before + (part == 0 ? 0x80000001u - parts : 1u);
        ++progress_;
        while (((*word ^ before) & 0x80000000u) == 0) suspend(warp_state::waiting);
        touch_bytes(at(s.target).of, counter, 4, access_kind::volatile_read, 0);
        ++progress_;
        memory_.fence();
    }
    barrier_of_block(s, now_->lanes);
}

void engine::ticket(const step& s, lane_mask m) {
    const node& counter = at(s.target);
    const char* const added = value(s.value, m);
    addresses p;
    address(counter, m, p);
    for_lanes(m, [&](int lane) {
        const std::uint64_t at_lane = p[static_cast<std::size_t>(lane)];
        touch_bytes(counter.of, at_lane, counter.size, access_kind::atomic, lane);
        std::uint64_t before = 0, more = 0;
        std::memcpy(&before, reinterpret_cast<const char*>(at_lane), counter.size);
        std::memcpy(&more, added + counter.size * static_cast<std::size_t>(lane), counter.size);
        const std::uint64_t after = before + more;
        std::memcpy(reinterpret_cast<char*>(at_lane), &after, counter.size);
        if (s.of < 0) return;
        const place& to = code_->variables[static_cast<std::size_t>(s.of)];
        const std::size_t size = code_->variable_bytes[static_cast<std::size_t>(s.of)];
        std::memcpy(now_->memory.data() + to.bytes + size * static_cast<std::size_t>(lane), &before, size);
        now_->has_value[to.flags] |= 1u << lane;
    });
    ++progress_;
}

// Half of each word is a part of the result, the other half the launch number.
void engine::publish(const step& s, lane_mask m) {
    const char* const launch = value(s.limit, m);
    const node& result = at(s.value);
    const char* const v = value(s.value, m);
    addresses p;
    address(at(s.target), m, p);
    const std::size_t pieces = (result.size + 3) / 4;
    for_lanes(m, [&](int lane) {
        const auto number = static_cast<std::uint64_t>(index_at(dtype::uint32, launch, lane));
        for (std::size_t i = 0; i < pieces; ++i) {
            const std::uint64_t to = p[static_cast<std::size_t>(lane)] + 8 * i;
            std::uint32_t piece = 0;
            std::memcpy(&piece, v + result.size * static_cast<std::size_t>(lane) + 4 * i,
                        std::min<std::size_t>(4, result.size - 4 * i));
            touch_bytes(at(s.target).of, to, 8, access_kind::volatile_write, lane);
            *reinterpret_cast<std::uint64_t*>(to) = number << 32 | piece;
        }
    });
    ++progress_;
}

void engine::await(const step& s, lane_mask m) {
    const node& to = at(s.value);
    std::vector<char> results(to.size * warp_lanes * static_cast<std::size_t>(s.count));
    while (!has_come(s, m, results)) suspend(warp_state::waiting);
    ++progress_;
    node all = to;  // an array without an index stands for its elements
    all.count = s.count;
    if (to.kind == node_kind::registers && to.indices.empty()) all.position = 0;
    if (all.kind == node_kind::registers) return write_registers(all, results.data(), m);
    store(s.value, results.data(), m);
}

bool engine::has_come(const step& s, lane_mask m, std::vector<char>& results) {
    const node& to = at(s.value);
    const node& from = at(s.target);
    const char* const launch = value(s.limit, m);
    const char* const distance = value(s.advance, m);
    addresses p;
    address(from, m, p);
    const std::size_t pieces = (to.size + 3) / 4;
    bool known = true;
    for_lanes(m, [&](int lane) {
        const std::int64_t apart = index_at(at(s.advance).type, distance, lane);
        for (std::size_t i = 0; i < pieces * static_cast<std::size_t>(s.count); ++i) {
            const std::uint64_t word_at =
                p[static_cast<std::size_t>(lane)] + 8 * (static_cast<std::uint64_t>(apart) * (i / pieces) + i % pieces);
            touch_bytes(from.of, word_at, 8, access_kind::volatile_read, lane);
            const std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(word_at);
            const auto piece = static_cast<std::uint32_t>(word);
            known = known && word >> 32 == static_cast<std::uint32_t>(index_at(dtype::uint32, launch, lane));
            const std::size_t into = to.size * (i / pieces * warp_lanes + static_cast<std::size_t>(lane));
            std::memcpy(results.data() + into + 4 * (i % pieces), &piece,
                        std::min<std::size_t>(4, to.size - 4 * (i % pieces)));
        }
    });
    return known;
}

}  // namespace sinter::interpret
