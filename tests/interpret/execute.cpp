// Statements. A branch or a loop continues with the lanes whose condition is true.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

namespace sinter::interpret {

using device_ir::function_parameter;
using device_ir::statement_kind;

void engine::execute(const std::vector<step>& all, lane_mask m) {
    for (const step& s : all) {
        const lane_mask active = m & now_->alive;
        if (active == 0) return;
        now_->at = &s;
        execute(s, active);
    }
}

void engine::execute(const step& s, lane_mask m) {
    switch (s.kind) {
        case statement_kind::let: return let(s, m);
        case statement_kind::declare: return declare(s, m);
        case statement_kind::view: {
            addresses to;
            address(at(s.target), m, to);
            const auto first = static_cast<std::size_t>(s.of) * warp_lanes;
            for_lanes(m, [&](int lane) {
                now_->addresses[first + static_cast<std::size_t>(lane)] = to[static_cast<std::size_t>(lane)];
            });
            now_->roots[static_cast<std::size_t>(s.of)] = now_->roots[static_cast<std::size_t>(at(s.target).of)];
            return;
        }
        case statement_kind::carve: return carve(s, m);
        case statement_kind::assign: return store(s.target, value(s.value, m), m);
        case statement_kind::call: value(s.value, m); return;
        case statement_kind::branch: {
            const lane_mask yes = truths(s.value, m), no = m & ~yes;
            if (yes != 0) execute(s.body, yes);
            if (no != 0) execute(s.otherwise, no);
            return;
        }
        case statement_kind::loop: return loop(s, m);
        case statement_kind::scope: return execute(s.body, m);
        case statement_kind::barrier: return barrier(s, m);
        case statement_kind::fence: return memory_.fence();
        case statement_kind::leave: now_->alive &= ~truths(s.value, m); return;
        case statement_kind::ticket: return ticket(s, m);
        case statement_kind::publish: return publish(s, m);
        case statement_kind::await: return await(s, m);
        case statement_kind::multiply_accumulate: return multiply_accumulate(s, m);
        case statement_kind::realign: return realign(s, m);
        case statement_kind::widen: return widen(s, m);
        case statement_kind::load_matrix: return load_matrix(s, m);
        case statement_kind::async_copy: return async_copy(s, m);
        case statement_kind::commit_copies: return commit_copies(m);
        case statement_kind::wait_copies: return wait_copies(s, m);
        case statement_kind::fence_shared: return fence_shared(m);
        case statement_kind::init_barriers: return init_barriers(s);
        case statement_kind::arrive: return arrive(s, m);
        case statement_kind::wait_phase: return wait_phase(s, m);
        case statement_kind::tensor_map: return tensor_map(s, m);
        case statement_kind::copy_box: return copy_box(s, m);
        case statement_kind::multiply_warpgroup: return multiply_warpgroup(s, m);
        case statement_kind::set_registers:
        case statement_kind::begin_products: return require_warp(m);
        case statement_kind::commit_products: return commit_products(m);
        case statement_kind::wait_products: return wait_products(s, m);
        case statement_kind::comment:
        case statement_kind::blank:
        case statement_kind::opaque: return;
    }
}

lane_mask engine::truths(int condition, lane_mask m) {
    const char* const holds = value(condition, m);
    lane_mask all = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) all |= static_cast<lane_mask>(holds[lane] != 0) << lane;
    return all & m;
}

void engine::let(const step& s, lane_mask m) {
    const place& p = code_->variables[static_cast<std::size_t>(s.of)];
    if (s.value >= 0) {
        const char* const v = value(s.value, m);
        copy_lanes(now_->memory.data() + p.bytes, v, code_->variable_bytes[static_cast<std::size_t>(s.of)], m);
        now_->has_value[p.flags] |= m;
    } else {
        now_->has_value[p.flags] &= ~m;
    }
}

void engine::loop(const step& s, lane_mask m) {
    const place& p = code_->variables[static_cast<std::size_t>(s.of)];
    const std::size_t size = code_->variable_bytes[static_cast<std::size_t>(s.of)];
    let(s, m);
    for (;;) {
        now_->at = &s;
        m = truths(s.limit, m & now_->alive);
        if (m == 0) return;
        execute(s.body, m);
        m &= now_->alive;
        if (m == 0) return;
        now_->at = &s;
        copy_lanes(now_->memory.data() + p.bytes, value(s.advance, m), size, m);
    }
}

void engine::declare(const step& s, lane_mask m) {
    const array_code& a = array_at(s.of);
    if (a.where != device_ir::space::registers) return;
    for (int i = 0; i < a.elements; ++i) {
        lane_mask& has_value = now_->has_value[a.registers.flags + static_cast<std::size_t>(i)];
        has_value &= ~m;
        if (!s.cleared) continue;
        has_value |= m;
        char* const element =
            now_->memory.data() + a.registers.bytes + a.size * warp_lanes * static_cast<std::size_t>(i);
        for_lanes(m, [&](int lane) { std::memset(element + a.size * static_cast<std::size_t>(lane), 0, a.size); });
    }
}

// Bytes from `value` on of the array `target`, and from `limit` elements further.
void engine::carve(const step& s, lane_mask m) {
    const auto from = static_cast<std::size_t>(s.target), to = static_cast<std::size_t>(s.of);
    addresses at_lane;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) at_lane[lane] = now_->addresses[from * warp_lanes + lane];
    const auto add = [&](int n, std::size_t size) {
        if (n < 0) return;
        const char* const distance = value(n, m);
        for_lanes(m, [&](int lane) {
            at_lane[static_cast<std::size_t>(lane)] +=
                static_cast<std::uint64_t>(index_at(at(n).type, distance, lane)) * size;
        });
    };
    add(s.value, 1);
    add(s.limit, array_at(s.of).size);
    for_lanes(m, [&](int lane) {
        now_->addresses[to * warp_lanes + static_cast<std::size_t>(lane)] = at_lane[static_cast<std::size_t>(lane)];
    });
    now_->roots[to] = now_->roots[from];
}

// Only the neighbours that it takes need values.
void engine::realign(const step& s, lane_mask m) {
    const node &to = at(s.target), &from = at(s.value);
    const array_code& a = array_at(from.of);
    const char* const first = value(s.limit, m);
    const dtype type = at(s.limit).type;
    element_indices vectors;
    element_index(from, m, vectors);
    std::vector<char> moved(to.size * static_cast<std::size_t>(to.count) * warp_lanes);
    for_lanes(m, [&](int lane) {
        const std::int64_t by = index_at(type, first, lane);
        if (by < 0 || by > to.count)
            fail(fmt::format("takes {} neighbours from number {} on of {}", to.count, by, a.name), lane);
        for (int e = 0; e < to.count; ++e) {
            const auto element = static_cast<std::size_t>(vectors[static_cast<std::size_t>(lane)] + by + e);
            if ((now_->has_value[a.registers.flags + element] >> lane & 1u) == 0)
                fail(fmt::format("reads element {} of {}, which has no value yet", element, a.name), lane);
            std::memcpy(moved.data() + to.size * static_cast<std::size_t>(e * warp_lanes + lane),
                        now_->memory.data() + a.registers.bytes +
                            (element * warp_lanes + static_cast<std::size_t>(lane)) * to.size,
                        to.size);
        }
    });
    store(s.target, moved.data(), m);
}

void engine::widen(const step& s, lane_mask m) {
    const node &from = at(s.value), &to = at(s.target);
    const auto all = static_cast<std::size_t>(from.count) * warp_lanes;
    std::vector<float> floats(all);
    const char* const bytes = value(s.value, m);
    for (std::size_t i = 0; i < all; ++i)
        floats[i] = from.type == dtype::int8 ? static_cast<float>(static_cast<signed char>(bytes[i]))
                                             : static_cast<float>(static_cast<unsigned char>(bytes[i]));
    if (to.type == dtype::float32) return store(s.target, reinterpret_cast<const char*>(floats.data()), m);
    std::vector<detail::float16> halves(all), factors(all, detail::float16(1.f));
    if (s.limit >= 0) std::memcpy(factors.data(), value(s.limit, m), all * sizeof(detail::float16));
    for (std::size_t i = 0; i < all; ++i) halves[i] = detail::float16(floats[i] * static_cast<float>(factors[i]));
    store(s.target, reinterpret_cast<const char*>(halves.data()), m);
}

void engine::store(int target, const char* v, lane_mask m) {
    const node& n = at(target);
    switch (n.kind) {
        case node_kind::variable: {
            const place& p = code_->variables[static_cast<std::size_t>(n.of)];
            copy_lanes(now_->memory.data() + p.bytes, v, n.size, m);
            now_->has_value[p.flags] |= m;
            return;
        }
        case node_kind::registers: return write_registers(n, v, m);
        case node_kind::shared: return write_shared(n, v, m);
        case node_kind::global: return write_global(n, v, m);
        default: fail("stores to what is no variable and no element", first_lane(m));
    }
}

// Arguments are all evaluated before the first one is bound: one of them may be a call of the same function.
void engine::call(const node& n, lane_mask m) {
    const function_code& f = code_->functions[static_cast<std::size_t>(n.of)];
    std::vector<const char*> values(n.arguments.size());
    for (std::size_t i = 0; i < n.arguments.size(); ++i)
        if (f.parameters[i].how == function_parameter::passed::value) values[i] = value(n.arguments[i], m);
    for (std::size_t i = 0; i < n.arguments.size(); ++i) bind(f.parameters[i], n.arguments[i], values[i], m);
    const step* const caller = now_->at;
    execute(f.body, m);
    if (f.value >= 0) copy_lanes(scratch(n), value(f.value, m), n.size, m);
    now_->at = caller;
    for (std::size_t i = 0; i < n.arguments.size(); ++i) copy_back(f.parameters[i], n.arguments[i], m);
}

void engine::bind(const function_parameter& p, int argument, const char* v, lane_mask m) {
    if (p.how == function_parameter::passed::pointer) {
        addresses to;
        address(at(argument), m, to);
        const auto first = static_cast<std::size_t>(p.of) * warp_lanes;
        for_lanes(m, [&](int lane) {
            now_->addresses[first + static_cast<std::size_t>(lane)] = to[static_cast<std::size_t>(lane)];
        });
        now_->roots[static_cast<std::size_t>(p.of)] = now_->roots[static_cast<std::size_t>(at(argument).of)];
        return;
    }
    const place& to = code_->variables[static_cast<std::size_t>(p.of)];
    const std::size_t size = code_->variable_bytes[static_cast<std::size_t>(p.of)];
    lane_mask has_value = m;
    if (p.how == function_parameter::passed::reference) {
        // a result in memory is stored and never read; a thread's own variable may have no value yet
        const node& n = at(argument);
        has_value = 0;
        if (n.kind == node_kind::variable)
            has_value = m & now_->has_value[code_->variables[static_cast<std::size_t>(n.of)].flags];
        if (n.kind == node_kind::registers) {
            element_indices element;
            element_index(n, m, element);
            const array_code& a = array_at(n.of);
            for_lanes(m, [&](int lane) {
                const int i = element[static_cast<std::size_t>(lane)];
                has_value |= now_->has_value[a.registers.flags + static_cast<std::size_t>(i)] & 1u << lane;
            });
        }
        if (has_value != 0) v = value(argument, has_value);
    }
    if (has_value != 0) copy_lanes(now_->memory.data() + to.bytes, v, size, has_value);
    now_->has_value[to.flags] = (now_->has_value[to.flags] & ~m) | has_value;
}

void engine::copy_back(const function_parameter& p, int argument, lane_mask m) {
    if (p.how != function_parameter::passed::reference) return;
    const place& from = code_->variables[static_cast<std::size_t>(p.of)];
    const lane_mask stored = m & now_->has_value[from.flags];
    if (stored != 0) store(argument, now_->memory.data() + from.bytes, stored);
}

}  // namespace sinter::interpret
