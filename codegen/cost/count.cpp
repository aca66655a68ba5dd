// Walks a program warp by warp. Blocks and their warps run one after the other to completion: what a warp would wait
// for counts as available, and the last block draws the last ticket, as on a device.
#include <codegen/cost/count.hpp>

#include <codegen/cost/warp_values.hpp>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace sinter::codegen {
namespace device_ir {
namespace {

/// The start of an array of global memory: an element offset in the parameter that it is a part of.
struct global_origin {
    int parameter = -1;  ///< index into the program's parameters
    warp_value position;
};

class statement_walk {
public:
    statement_walk(const program& counted, std::int64_t blocks,
                   const std::function<std::int64_t(const parameter&)>& value)
        : p(counted),
          grid(blocks),
          variables(counted.variables.size()),
          origins(counted.arrays.size(), {-1, warp_value::of(0)}) {
        for (std::size_t i = 0; i < p.parameters.size(); ++i) {
            const kernel_parameter& k = p.parameters[i];
            const auto of = static_cast<std::size_t>(k.of);
            switch (k.what.what) {
                case parameter::kind::output:
                case parameter::kind::input:
                case parameter::kind::workspace: origins[of].parameter = static_cast<int>(i); break;
                case parameter::kind::scalar: break;
                default: variables[of] = warp_value::of(value(k.what));
            }
        }
    }

    statement_counts run() {
        for (block = 0; block < grid; ++block) {
            shared.clear();
            seen = {};
            for (first_thread = 0; first_thread < p.block_threads; first_thread += warp_lanes) {
                left = 0;
                const int lanes = std::min(warp_lanes, p.block_threads - first_thread);
                run(p.body, lanes == warp_lanes ? ~lane_mask{0} : (lane_mask{1} << lanes) - 1);
            }
            counts.block_barriers += seen.block;
            counts.cluster_barriers += seen.cluster;
            counts.grid_barriers += seen.grid;
        }
        return std::move(counts);
    }

private:
    void run(const std::vector<statement>& all, lane_mask m) {
        for (const statement& s : all) {
            m &= ~left;
            if (m == 0) return;
            run(s, m);
        }
    }

    void run(const statement& s, lane_mask m) {
        switch (s.kind) {
            case statement_kind::comment:
            case statement_kind::blank:
            case statement_kind::declare:
            case statement_kind::fence:
            case statement_kind::opaque: return;
            case statement_kind::let: return set(s.of, s.value == none ? warp_value() : value_of(s.value, m), m);
            case statement_kind::view: return view(s, m);
            case statement_kind::carve: return carve(s, m);
            case statement_kind::assign: return store(s.target, value_of(s.value, m), m);
            case statement_kind::call: value_of(s.value, m); return;
            case statement_kind::branch: return branch(s, m);
            case statement_kind::loop: return loop(s, m);
            case statement_kind::scope: return run(s.body, m);
            case statement_kind::barrier: return barrier(s, m);
            case statement_kind::leave: left |= s.value == none ? m : where(s.value, m); return;
            case statement_kind::ticket: return ticket(s, m);
            case statement_kind::publish:
                value_of(s.value, m);
                counts.publishes += std::popcount(m);
                return;
            case statement_kind::await: counts.awaits += s.count * std::popcount(m); return;
            case statement_kind::multiply_accumulate: ++counts.multiplies; return;
            case statement_kind::realign: return;
            case statement_kind::load_matrix: touch(p.at(s.value), false, m); return;
            case statement_kind::async_copy: {
                touch(p.at(s.target), true, m);
                if (const lane_mask there = where(s.limit, m); there != 0) touch(p.at(s.value), false, there);
                return;
            }
            case statement_kind::multiply_warpgroup: counts.multiplies += s.count; return;
            case statement_kind::fence_shared:
            case statement_kind::begin_products:
            case statement_kind::commit_products:
            case statement_kind::wait_products:
            case statement_kind::commit_copies:
            case statement_kind::wait_copies: return;
        }
    }

    void branch(const statement& s, lane_mask m) {
        const warp_value condition = value_of(s.value, m);
        if (!condition.is_known) counts.is_exact = false;
        const lane_mask yes = condition.is_known ? condition.truths() & m : m;
        const lane_mask no = condition.is_known ? m & ~yes : m;
        if (yes != 0) run(s.body, yes);
        if (no != 0 && !s.otherwise.empty()) run(s.otherwise, no);
    }

    void loop(const statement& s, lane_mask m) {
        const auto of = static_cast<std::size_t>(s.of);
        set(s.of, value_of(s.value, m), m);
        while ((m = where(s.limit, m & ~left)) != 0) {
            run(s.body, m);
            warp_value& counter = variables[of];
            if (s.factor != 0)
                counter.each(m, [&](std::int64_t i) { return s.factor > 0 ? i / s.factor : i * -s.factor; });
            else
                set(s.of, combined(arithmetic_kind::add, p.variable_at(s.of).type, counter, value_of(s.step, m)), m);
        }
    }

    void barrier(const statement& s, lane_mask m) {
        // all warps of a block share its barriers: only the first warp counts them
        if (first_thread != 0) return;
        switch (s.scope) {
            case barrier_scope::block: ++seen.block; break;
            case barrier_scope::cluster: ++seen.cluster; break;
            case barrier_scope::blocks:
                value_of(s.value, m);
                ++seen.grid;
                break;
        }
    }

    void view(const statement& s, lane_mask m) {
        const expression& from = p.at(s.target);
        global_origin& made = origins[static_cast<std::size_t>(s.of)];
        made = origins[static_cast<std::size_t>(from.of)];
        made.position = combined(arithmetic_kind::add, dtype::int64, made.position, position(from, m));
    }

    void carve(const statement& s, lane_mask m) {
        global_origin& made = origins[static_cast<std::size_t>(s.of)];
        const auto size = static_cast<std::int64_t>(size_of(p.array_at(s.of).type));
        made = origins[static_cast<std::size_t>(s.target)];
        const auto base_size = static_cast<std::int64_t>(size_of(p.array_at(s.target).type));
        warp_value bytes = s.value == none ? warp_value::of(0) : value_of(s.value, m);
        warp_value further = s.limit == none ? warp_value::of(0) : value_of(s.limit, m);
        made.position.each(m, [&](std::int64_t i) { return i * base_size; });
        further.each(m, [&](std::int64_t i) { return i * size; });
        for (const warp_value& more : {bytes, further})
            made.position = combined(arithmetic_kind::add, dtype::int64, made.position, more);
        made.position.each(m, [&](std::int64_t i) { return i / size; });
    }

    void ticket(const statement& s, lane_mask m) {
        const expression& counter = p.at(s.target);
        const warp_value at = absolute_position(counter, m), added = value_of(s.value, m);
        warp_value drawn = warp_value::of(0);
        for_lanes(m, [&](int lane) {
            std::int64_t& n = tickets[{origins[static_cast<std::size_t>(counter.of)].parameter, at[lane]}];
            drawn[lane] = n;
            n += added[lane];
        });
        counts.tickets += std::popcount(m);
        if (s.of != none) set(s.of, drawn, m);
    }

    void set(id variable, const warp_value& value, lane_mask m) {
        variables[static_cast<std::size_t>(variable)].assign(value, m);
    }

    /// The lanes for which a condition holds; all lanes if it depends on data.
    lane_mask where(id condition, lane_mask m) {
        if (m == 0) return 0;
        const warp_value v = value_of(condition, m);
        if (!v.is_known) counts.is_exact = false;
        return v.is_known ? v.truths() & m : m;
    }

    // ---- expressions ----

    warp_value value_of(id e, lane_mask m) {
        const expression& x = p.at(e);
        switch (x.kind) {
            case expression_kind::integer: return warp_value::of(static_cast<std::int64_t>(x.value));
            case expression_kind::literal:
            case expression_kind::identity: return {};
            case expression_kind::variable: return variables[static_cast<std::size_t>(x.of)];
            case expression_kind::thread: return warp_value::counting(first_thread);
            case expression_kind::block: return warp_value::of(block);
            case expression_kind::grid: return warp_value::of(grid);
            case expression_kind::arithmetic: return arithmetic(x, m);
            case expression_kind::quotient: return quotient(x, m);
            case expression_kind::operation: return operation(x, m);
            case expression_kind::cast: return cast(x, m);
            case expression_kind::element: return load(x, m);
            case expression_kind::peer: value_of(x.in[0], m); return value_of(x.in[1], m);
            case expression_kind::call: return call(x, m);
            case expression_kind::exchange:
                ++counts.exchanges;
                value_of(x.in[0], m);
                value_of(x.in[1], m);
                return {};
        }
        return {};
    }

    warp_value arithmetic(const expression& x, lane_mask m) {
        ++counts.index_instructions;
        const warp_value a = value_of(x.in[0], m);
        if (x.how == arithmetic_kind::negation) return negated(a);
        const warp_value b = value_of(x.in[1], m);
        if (x.how != arithmetic_kind::select) return combined(x.how, x.type, a, b);
        return chosen(a, b, value_of(x.in[2], m));
    }

    warp_value quotient(const expression& x, lane_mask m) {
        counts.index_instructions += size_of(x.type) == 8 ? 12 : 3;
        return quotients(value_of(x.in[0], m), value_of(x.in[1], m), value_of(x.in[2], m), size_of(x.type) == 8);
    }

    warp_value operation(const expression& x, lane_mask m) {
        for (id in : x.in)
            if (in != none) value_of(in, m);
        counts.operations[{x.op->name, x.computes}] += std::popcount(m);
        return {};
    }

    warp_value cast(const expression& x, lane_mask m) {
        const warp_value v = value_of(x.in[0], m);
        if (!x.is_index) counts.casts += std::popcount(m);
        return x.is_index ? converted(x.type, v) : warp_value();
    }

    warp_value call(const expression& x, lane_mask m) {
        const function& f = p.function_at(x.of);
        for (std::size_t i = 0; i < f.parameters.size(); ++i) {
            const function_parameter& to = f.parameters[i];
            if (to.how == function_parameter::passed::pointer)
                pass_pointer(to.of, p.at(x.arguments[i]), m);
            else if (to.how == function_parameter::passed::value)
                set(to.of, value_of(x.arguments[i], m), m);
        }
        run(f.body, m);
        const warp_value result = f.has_value ? value_of(f.value, m) : warp_value();
        for (std::size_t i = 0; i < f.parameters.size(); ++i)
            if (f.parameters[i].how == function_parameter::passed::reference)
                store(x.arguments[i], variables[static_cast<std::size_t>(f.parameters[i].of)], m);
        return result;
    }

    void pass_pointer(id array, const expression& element, lane_mask m) {
        global_origin& to = origins[static_cast<std::size_t>(array)];
        to = origins[static_cast<std::size_t>(element.of)];
        to.position = absolute_position(element, m);
    }

    // ---- accesses ----

    warp_value load(const expression& x, lane_mask m) {
        const warp_value position = touch(x, false, m);
        if (p.array_at(x.of).where != space::shared || !position.is_known) return {};
        warp_value found = warp_value::of(0);
        for_lanes(m, [&](int lane) {
            const auto known = shared.find({x.of, position[lane]});
            found.is_known = found.is_known && known != shared.end();
            if (found.is_known) found[lane] = known->second;
        });
        return found;
    }

    void store(id target, const warp_value& value, lane_mask m) {
        const expression& x = p.at(target);
        if (x.kind == expression_kind::variable) return set(x.of, value, m);
        const warp_value position = touch(x, true, m);
        if (p.array_at(x.of).where != space::shared || !value.is_known || !position.is_known) return;
        for_lanes(m, [&](int lane) { shared[{x.of, position[lane]}] = value[lane]; });
    }

    /// Counts an access and returns the elements' offsets in their array.
    warp_value touch(const expression& x, bool is_store, lane_mask m) {
        const array& a = p.array_at(x.of);
        const int bytes = x.count * static_cast<int>(size_of(a.type));
        if (a.where == space::registers) return {};
        const warp_value at = a.where == space::shared ? shared_position(x, m) : absolute_position(x, m);
        access_place place{a.where, is_store, {}, 0, bytes};
        if (a.where == space::global) {
            const int of = origins[static_cast<std::size_t>(x.of)].parameter;
            place.what = p.parameters[static_cast<std::size_t>(of)].what.what;
            place.index = p.parameters[static_cast<std::size_t>(of)].what.index;
        }
        access_count& n = counts.accesses[place];
        n.threads += std::popcount(m);
        ++n.warps;
        if (a.where == space::global) n.sectors += sectors(at, static_cast<std::int64_t>(size_of(a.type)), bytes, m);
        return at;
    }

    /// If the offset depends on data, each lane is assumed to touch sectors of its own.
    std::int64_t sectors(const warp_value& at, std::int64_t size, int bytes, lane_mask m) const {
        if (!at.is_known) return std::popcount(m) * std::max(1, bytes / sector_bytes);
        std::set<std::int64_t> touched;
        for_lanes(m, [&](int lane) {
            const std::int64_t begin = at[lane] * size;
            for (std::int64_t b = begin; b < begin + bytes; b += std::min(bytes, sector_bytes))
                touched.insert(b / sector_bytes);
        });
        return static_cast<std::int64_t>(touched.size());
    }

    warp_value position(const expression& x, lane_mask m) {
        warp_value sum = warp_value::of(x.shift);
        for (const term& t : x.terms) {
            warp_value one = value_of(t.index, m);
            if (t.stride != none) {
                ++counts.index_instructions;
                one = combined(arithmetic_kind::multiply, dtype::int64, one, value_of(t.stride, m));
            }
            sum = combined(arithmetic_kind::add, dtype::int64, sum, one);
        }
        return sum;
    }

    warp_value absolute_position(const expression& x, lane_mask m) {
        return combined(arithmetic_kind::add, dtype::int64, origins[static_cast<std::size_t>(x.of)].position,
                        position(x, m));
    }

    warp_value shared_position(const expression& x, lane_mask m) {
        const array& a = p.array_at(x.of);
        warp_value at = warp_value::of(0);
        for (std::size_t i = 0; i < x.indices.size(); ++i) {
            const int extent = i < a.extents.size() ? a.extents[i] : a.packed;
            at.each(m, [&](std::int64_t n) { return n * extent; });
            at = combined(arithmetic_kind::add, dtype::int64, at, value_of(x.indices[i], m));
        }
        return at;
    }

    struct barriers {
        std::int64_t block = 0, cluster = 0, grid = 0;
    };

    const program& p;
    const std::int64_t grid;
    statement_counts counts;
    std::vector<warp_value> variables;
    std::vector<global_origin> origins;                            ///< per array of global memory
    std::map<std::pair<id, std::int64_t>, std::int64_t> shared;    ///< of index arithmetic: flags and numbers
    std::map<std::pair<int, std::int64_t>, std::int64_t> tickets;  ///< by parameter and offset
    std::int64_t block = 0;
    int first_thread = 0;
    lane_mask left = 0;  ///< lanes of the warp that have left
    barriers seen;       ///< of the block's first warp
};

}  // namespace
}  // namespace device_ir

std::int64_t statement_counts::bytes(device_ir::space where, bool is_store) const {
    std::int64_t sum = 0;
    for (const auto& [place, n] : accesses)
        if (place.where == where && place.is_store == is_store) sum += n.threads * place.bytes;
    return sum;
}

statement_counts count_statements(const device_ir::program& p, std::int64_t blocks,
                                  const std::function<std::int64_t(const parameter&)>& value) {
    return device_ir::statement_walk(p, blocks, value).run();
}

}  // namespace sinter::codegen
