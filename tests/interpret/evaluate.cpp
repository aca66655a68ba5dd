// Values of expressions. Operations without side effects are computed in all lanes; only active lanes need operands.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

namespace sinter::interpret {

using device_ir::exchange_pattern;

namespace {

/// Active lanes unchanged; the others get the value of the first active lane.
const char* filled(const char* lanes, std::size_t size, lane_mask m, char* to) {
    const char* const first = lanes + size * static_cast<std::size_t>(first_lane(m));
    for (std::size_t lane = 0; lane < warp_lanes; ++lane)
        std::memcpy(to + size * lane, (m >> lane & 1u) != 0 ? lanes + size * lane : first, size);
    return to;
}

}  // namespace

const char* engine::value(int n, lane_mask m) { return compute(at(n), m); }

const char* engine::compute(const node& n, lane_mask m) {
    switch (n.kind) {
        case node_kind::constant: return n.constant.data();
        case node_kind::variable: return variable(n, m);
        case node_kind::index: return index(n, m);
        case node_kind::quotient: {
            const char* const i = value(n.in[0], m);
            const char* const multiplier = value(n.in[1], m);
            divide_by_multiplying(n.type, scratch(n), i, multiplier, value(n.in[2], m));
            return scratch(n);
        }
        case node_kind::both: return both(n, m);
        case node_kind::select: return select(n, m);
        case node_kind::negation: {
            const char* const x = value(n.in[0], m);
            for (int lane = 0; lane < warp_lanes; ++lane) scratch(n)[lane] = x[lane] == 0 ? 1 : 0;
            return scratch(n);
        }
        case node_kind::map:
        case node_kind::fold: return map(n, m);
        case node_kind::global: return read_global(n, m);
        case node_kind::shared: return read_shared(n, m);
        case node_kind::registers: return read_registers(n, m);
        case node_kind::peer: return read_peer(n, m);
        case node_kind::call: call(n, m); return scratch(n);
        case node_kind::exchange: return exchange(n, m);
    }
    return nullptr;
}

const char* engine::variable(const node& n, lane_mask m) {
    const place& p = code_->variables[static_cast<std::size_t>(n.of)];
    if (const lane_mask without = m & ~now_->has_value[p.flags]; without != 0)
        fail(fmt::format("reads variable {}, which has no value yet",
                         code_->program->variables[static_cast<std::size_t>(n.of)].name),
             first_lane(without));
    return now_->memory.data() + p.bytes;
}

const char* engine::index(const node& n, lane_mask m) {
    const char* const a = value(n.in[0], m);
    const char* const b = value(n.in[1], m);
    if (const lane_mask undefined = n.index(scratch(n), a, b, m); undefined != 0) {
        const int lane = first_lane(undefined);
        fail(fmt::format("index arithmetic of {} and {} has no value in {}", index_at(n.index_type, a, lane),
                         index_at(n.index_type, b, lane), name(n.index_type)),
             lane);
    }
    return scratch(n);
}

// As in C++, the second condition is not evaluated where the first is false.
const char* engine::both(const node& n, lane_mask m) {
    const lane_mask first = truths(n.in[0], m);
    const lane_mask all = first == 0 ? 0 : truths(n.in[1], first);
    for (int lane = 0; lane < warp_lanes; ++lane) scratch(n)[lane] = static_cast<char>(all >> lane & 1u);
    return scratch(n);
}

const char* engine::select(const node& n, lane_mask m) {
    const lane_mask yes = truths(n.in[0], m), no = m & ~yes;
    if (no == 0) return value(n.in[1], m);
    if (yes == 0) return value(n.in[2], m);
    copy_lanes(scratch(n), value(n.in[1], yes), n.size, yes);
    copy_lanes(scratch(n), value(n.in[2], no), n.size, no);
    return scratch(n);
}

const char* engine::map(const node& n, lane_mask m) {
    const void* operands[3] = {};
    std::array<std::array<char, 8 * warp_lanes>, 3> whole;
    for (std::size_t i = 0; i < 3 && n.in[i] >= 0; ++i) {
        const char* const lanes = value(n.in[i], m);
        operands[i] = n.may_trap && m != all_lanes ? filled(lanes, at(n.in[i]).size, m, whole[i].data()) : lanes;
    }
    if (n.kind == node_kind::map) {
        n.map(scratch(n), operands, warp_lanes);
    } else {
        std::memcpy(scratch(n), operands[0], n.size * warp_lanes);
        n.fold(scratch(n), operands[1], warp_lanes, 1);
    }
    return scratch(n);
}

const char* engine::exchange(const node& n, lane_mask m) {
    if (m != all_lanes)
        fail(fmt::format("an exchange of all lanes is reached without lane {} of the warp", first_lane(~m)),
             first_lane(m));
    const char* const mine = value(n.in[0], m);
    const char* const by = value(n.in[1], m);
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto distance = static_cast<int>(index_at(at(n.in[1]).type, by, lane));
        const int first = lane & ~(n.width - 1), last = lane | (n.width - 1);
        int from = first + (distance & (n.width - 1));
        if (n.pattern == exchange_pattern::butterfly) from = lane ^ distance;
        if (n.pattern == exchange_pattern::up) from = lane - distance;
        if (from < first || from > last) from = lane;
        std::memcpy(scratch(n) + n.size * static_cast<std::size_t>(lane),
                    mine + n.size * static_cast<std::size_t>(from), n.size);
    }
    ++now_->clock;
    return scratch(n);
}

}  // namespace sinter::interpret
