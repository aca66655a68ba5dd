// Elements of registers, of shared and of global memory: where they lie, and whether the access is allowed.
#include <tests/interpret/engine.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::interpret {

// ---- places ----

void engine::address(const node& n, lane_mask m, addresses& to) {
    const auto first = static_cast<std::size_t>(n.of) * warp_lanes;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) to[lane] = now_->addresses[first + lane];
    if (n.position < 0) return;
    const char* const distance = value(n.position, m);
    const dtype type = at(n.position).type;
    for_lanes(m, [&](int lane) {
        to[static_cast<std::size_t>(lane)] += static_cast<std::uint64_t>(index_at(type, distance, lane)) * n.size;
    });
}

/// Of the first element that is moved. The last index may count the neighbours that one access moves.
void engine::element_index(const node& n, lane_mask m, element_indices& to) {
    const array_code& a = array_at(n.of);
    to.fill(n.position < 0 ? 0 : n.position);
    if (n.position >= 0) return;
    for (std::size_t i = 0; i < n.indices.size(); ++i) {
        const int extent = i < a.extents.size() ? a.extents[i] : a.packed;
        const char* const one = value(n.indices[i], m);
        const dtype type = at(n.indices[i]).type;
        const int beyond = i + 1 == n.indices.size() && i < a.extents.size() && a.packed == 1 ? n.count - 1 : 0;
        for_lanes(m, [&](int lane) {
            const std::int64_t index = index_at(type, one, lane);
            if (index < 0 || index + beyond >= extent)
                fail(fmt::format("index {} of {}, whose extent there is {}", index + (index < 0 ? 0 : beyond), a.name,
                                 extent),
                     lane);
            int& flat = to[static_cast<std::size_t>(lane)];
            flat = flat * extent + static_cast<int>(index);
        });
    }
    if (n.indices.size() > a.extents.size()) return;
    for_lanes(m, [&](int lane) { to[static_cast<std::size_t>(lane)] *= a.packed; });
}

// ---- registers ----

const char* engine::read_registers(const node& n, lane_mask m) {
    const array_code& a = array_at(n.of);
    element_indices i;
    element_index(n, m, i);
    const char* const all = now_->memory.data() + a.registers.bytes;
    const int first = i[static_cast<std::size_t>(first_lane(m))];
    bool is_uniform = true;
    for_lanes(m, [&](int lane) {
        const int element = i[static_cast<std::size_t>(lane)];
        is_uniform = is_uniform && element == first;
        for (int e = element; e < element + n.count; ++e)
            if ((now_->has_value[a.registers.flags + static_cast<std::size_t>(e)] >> lane & 1u) == 0)
                fail(fmt::format("reads element {} of {}, which has no value yet", e, a.name), lane);
    });
    const std::size_t whole = n.size * warp_lanes;
    if (is_uniform) return all + whole * static_cast<std::size_t>(first);
    for_lanes(m, [&](int lane) {
        for (int e = 0; e < n.count; ++e)
            std::memcpy(scratch(n) + whole * static_cast<std::size_t>(e) + n.size * static_cast<std::size_t>(lane),
                        all + whole * static_cast<std::size_t>(i[static_cast<std::size_t>(lane)] + e) +
                            n.size * static_cast<std::size_t>(lane),
                        n.size);
    });
    return scratch(n);
}

void engine::write_registers(const node& n, const char* v, lane_mask m) {
    const array_code& a = array_at(n.of);
    element_indices i;
    element_index(n, m, i);
    const std::size_t whole = n.size * warp_lanes;
    while (m != 0) {  // all lanes with one index together
        const int element = i[static_cast<std::size_t>(first_lane(m))];
        lane_mask same = 0;
        for_lanes(m, [&](int lane) {
            if (i[static_cast<std::size_t>(lane)] == element) same |= 1u << lane;
        });
        copy_lanes(now_->memory.data() + a.registers.bytes + whole * static_cast<std::size_t>(element), v, n.size, same,
                   n.count);
        for (int e = 0; e < n.count; ++e)
            now_->has_value[a.registers.flags + static_cast<std::size_t>(element + e)] |= same;
        m &= ~same;
    }
}

// ---- shared memory ----

void engine::touch_shared(const node& n, const element_indices& i, lane_mask m, bool writes) {
    const array_code& a = array_at(n.of);
    block_state& b = *now_->block;
    const auto count = static_cast<std::size_t>(n.count);
    for_lanes(m, [&](int lane) {
        const int element = i[static_cast<std::size_t>(lane)];
        if (n.count > 1) require_alignment(n, a.size * static_cast<std::size_t>(element), lane);
        const std::size_t unit = a.shared_units + static_cast<std::size_t>(element);
        const auto copied = b.copying.begin() + static_cast<std::ptrdiff_t>(unit);
        if (std::find(copied, copied + n.count, 1) != copied + n.count)
            fail(fmt::format("{} element {} of {} in shared memory while a copy to it is under way",
                             writes ? "writes" : "reads", element, a.name),
                 lane);
        const auto read = b.multiplying.begin() + static_cast<std::ptrdiff_t>(unit);
        if (writes && std::find_if(read, read + n.count, [](int warps) { return warps > 0; }) != read + n.count)
            fail(fmt::format("writes element {} of {} in shared memory while products that read it are in flight",
                             element, a.name),
                 lane);
        for (std::size_t u = unit; writes && a.swizzled && u < unit + count; ++u) {
            b.unfenced[u] = now_->number + 1;
            now_->unfenced.push_back(u);
        }
        if (!b.races.initialise(unit, count, writes, !writes))
            fail(fmt::format("reads element {} of {} in shared memory, which has no value yet", element, a.name), lane);
        const int other = b.races.access(unit, count, writes, now_->number * warp_lanes + lane,
                                         {b.clock, now_->clock, now_->epoch}, now_->seen.data());
        if (other >= 0)
            fail(fmt::format("{} element {} of {} in shared memory, which thread {} uses too with no barrier between "
                             "them",
                             writes ? "writes" : "reads", element, a.name, other),
                 lane);
        if (writes && cluster_size_ > 1 && !cluster_.write(rank(b), unit, count, now_->time))
            fail(fmt::format("writes element {} of {} in shared memory, which another block reads with no barrier of "
                             "the cluster between them",
                             element, a.name),
                 lane);
    });
}

const char* engine::read_shared(const node& n, lane_mask m) {
    const array_code& a = array_at(n.of);
    element_indices i;
    element_index(n, m, i);
    touch_shared(n, i, m, false);
    const char* const all = now_->block->shared.data() + a.shared_bytes;
    for_lanes(m, [&](int lane) {
        for (int e = 0; e < n.count; ++e)
            std::memcpy(scratch(n) + n.size * static_cast<std::size_t>(e * warp_lanes + lane),
                        all + n.size * static_cast<std::size_t>(i[static_cast<std::size_t>(lane)] + e), n.size);
    });
    return scratch(n);
}

void engine::write_shared(const node& n, const char* v, lane_mask m) {
    const array_code& a = array_at(n.of);
    element_indices i;
    element_index(n, m, i);
    touch_shared(n, i, m, true);
    char* const all = now_->block->shared.data() + a.shared_bytes;
    for_lanes(m, [&](int lane) {
        for (int e = 0; e < n.count; ++e)
            std::memcpy(all + n.size * static_cast<std::size_t>(i[static_cast<std::size_t>(lane)] + e),
                        v + n.size * static_cast<std::size_t>(e * warp_lanes + lane), n.size);
    });
}

const char* engine::read_peer(const node& n, lane_mask m) {
    const node& element = at(n.in[1]);
    const array_code& a = array_at(element.of);
    const char* const blocks = value(n.in[0], m);
    element_indices i;
    element_index(element, m, i);
    for_lanes(m, [&](int lane) {
        const std::int64_t number = index_at(at(n.in[0]).type, blocks, lane);
        const int index = i[static_cast<std::size_t>(lane)];
        if (number < 0 || number >= cluster_size_)
            fail(fmt::format("reads shared memory of block {} in a cluster of {}", number, cluster_size_), lane);
        block_state* const theirs = members_[static_cast<std::size_t>(number)];
        if (theirs == nullptr || !theirs->is_here)
            fail(
                fmt::format("reads shared memory of block {} of the cluster, which has not begun or has ended", number),
                lane);
        const std::size_t unit = a.shared_units + static_cast<std::size_t>(index);
        if (theirs == now_->block) {
            element_indices own{};
            own[static_cast<std::size_t>(lane)] = index;
            touch_shared(element, own, 1u << lane, false);
        } else if (!theirs->races.initialise(unit, 1, false, true)) {
            fail(fmt::format("reads element {} of {} of block {} of the cluster, which has no value yet", index, a.name,
                             number),
                 lane);
        } else if (!cluster_.read({static_cast<int>(number), unit}, 1, now_->time)) {
            fail(fmt::format("reads element {} of {} of block {} of the cluster, which that one writes with no barrier "
                             "of the cluster between them",
                             index, a.name, number),
                 lane);
        }
        std::memcpy(scratch(n) + n.size * static_cast<std::size_t>(lane),
                    theirs->shared.data() + a.shared_bytes + n.size * static_cast<std::size_t>(index), n.size);
    });
    return scratch(n);
}

// ---- global memory ----

void engine::require_alignment(const node& n, std::uint64_t p, int lane) {
    const std::uint64_t bytes = std::min<std::uint64_t>(n.size * static_cast<std::size_t>(n.count), 16);
    if (p % bytes != 0)
        fail(fmt::format("moves {} elements of {} by one access, which is not aligned to {} bytes", n.count,
                         array_at(n.of).name, bytes),
             lane);
}

void engine::touch_bytes(int array, std::uint64_t p, std::size_t bytes, access_kind kind, int lane) {
    const auto* const from = reinterpret_cast<const char*>(p);
    const bool reads = kind != access_kind::write && kind != access_kind::volatile_write;
    const bool writes = kind != access_kind::read && kind != access_kind::volatile_read;
    const char* const does = !writes ? "reads" : reads ? "updates" : "writes";
    const root& r = roots_[static_cast<std::size_t>(now_->roots[static_cast<std::size_t>(array)])];
    const bool inside = r.begin == nullptr || (from >= r.begin && from + bytes <= r.end);
    if (!inside || !memory_.holds(from, bytes))
        fail(fmt::format("{} {} bytes of {} {}", does, bytes, array_at(array).name, memory_.describe(from)), lane);
    if (const std::string wrong = memory_.access(from, bytes, kind); !wrong.empty())
        fail(fmt::format("{} {} bytes of {} {}", does, bytes, array_at(array).name, wrong), lane);
}

// Lanes side by side, as most are, are one access.
void engine::touch_global(const node& n, const addresses& p, lane_mask m, std::size_t bytes, access_kind kind) {
    while (m != 0) {
        const int first = first_lane(m);
        const std::uint64_t begin = p[static_cast<std::size_t>(first)];
        std::uint64_t end = begin + bytes;
        m &= m - 1;
        if (kind == access_kind::read || kind == access_kind::write) {
            while (m != 0) {
                const std::uint64_t next = p[static_cast<std::size_t>(first_lane(m))];
                if (next != end && !(kind == access_kind::read && next == end - bytes)) break;
                end = next + bytes;
                m &= m - 1;
            }
        }
        const auto whole = static_cast<std::size_t>(end - begin);
        const auto* const from = reinterpret_cast<const char*>(begin);
        if (whole > bytes && !memory_.holds(from, whole)) {  // which of them is it?
            for (std::uint64_t one = begin; one < end; one += bytes)
                touch_bytes(n.of, one, bytes, kind, first + static_cast<int>((one - begin) / bytes));
            continue;
        }
        touch_bytes(n.of, begin, whole, kind, first);
    }
}

const char* engine::read_global(const node& n, lane_mask m) {
    addresses p;
    address(n, m, p);
    const std::size_t bytes = n.size * static_cast<std::size_t>(n.count);
    if (n.count > 1) for_lanes(m, [&](int lane) { require_alignment(n, p[static_cast<std::size_t>(lane)], lane); });
    touch_global(n, p, m, bytes, access_kind::read);
    for_lanes(m, [&](int lane) {
        const char* const from = reinterpret_cast<const char*>(p[static_cast<std::size_t>(lane)]);
        for (int e = 0; e < n.count; ++e)
            std::memcpy(scratch(n) + n.size * static_cast<std::size_t>(e * warp_lanes + lane),
                        from + n.size * static_cast<std::size_t>(e), n.size);
    });
    return scratch(n);
}

void engine::write_global(const node& n, const char* v, lane_mask m) {
    if (array_at(n.of).read_only)
        fail(fmt::format("writes {}, which is only read", array_at(n.of).name), first_lane(m));
    addresses p;
    address(n, m, p);
    const std::size_t bytes = n.size * static_cast<std::size_t>(n.count);
    if (n.count > 1) for_lanes(m, [&](int lane) { require_alignment(n, p[static_cast<std::size_t>(lane)], lane); });
    touch_global(n, p, m, bytes, access_kind::write);
    for_lanes(m, [&](int lane) {
        const std::uint64_t to = p[static_cast<std::size_t>(lane)];
        store_once(n.of, to, bytes, n.size, lane);
        for (int e = 0; e < n.count; ++e)
            std::memcpy(reinterpret_cast<char*>(to) + n.size * static_cast<std::size_t>(e),
                        v + n.size * static_cast<std::size_t>(e * warp_lanes + lane), n.size);
    });
}

void engine::store_once(int array, std::uint64_t p, std::size_t bytes, std::size_t size, int lane) {
    root& r = roots_[static_cast<std::size_t>(now_->roots[static_cast<std::size_t>(array)])];
    if (!r.is_output || r.begin == nullptr) return;
    if (r.stored == nullptr)  // zeros, of which the host keeps only what is used
        r.stored.reset(static_cast<unsigned char*>(std::calloc(static_cast<std::size_t>(r.end - r.begin), 1)));
    if (r.stored == nullptr) fail("the host has no memory left to count stores in; use smaller arrays", lane);
    const auto first = static_cast<std::size_t>(reinterpret_cast<const char*>(p) - r.begin);
    for (std::size_t at = first; at < first + bytes; at += size)
        if (std::exchange(r.stored.get()[at], 1) != 0)
            fail(fmt::format("stores to {} what this launch has stored already, at byte {} of its memory",
                             array_at(array).name, at),
                 lane);
}

}  // namespace sinter::interpret
