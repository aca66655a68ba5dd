// How many neighbouring columns a thread can have, and how many accesses under way.
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/columns.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

constexpr int max_under_way = 8;            ///< accesses of a thread
constexpr int max_accumulated_bytes = 256;  ///< of a thread's results: a quarter of the registers it can have
constexpr int max_values = 16;              ///< results a thread accumulates, of all its columns

// Whether gathers are in loops: neighbouring columns of a thread share their indices.
bool gathers_in_loops(const loop_nest& k) {
    return std::all_of(k.values.begin(), k.values.end(), [](const value& v) { return !is_gather(v) || v.loop >= 0; });
}

}  // namespace

int column_demand::max_in(int vector, int room) const {
    int most = max_under_way;
    while (most > 1 && (most * bytes * vector > room || most * vector * calls > max_column_calls ||
                        most * accumulated > max_accumulated_bytes))
        most /= 2;
    return most;
}

column_demand demand_of(const loop_nest& k) {
    column_demand d;
    d.columns = std::max<std::int64_t>(outer_size(k), 1);
    d.length = std::max<std::int64_t>(longest_loop(k), 1);
    for (const value& v : k.values)
        if (v.what == value_kind::reduce || v.what == value_kind::scan)
            d.accumulated += static_cast<int>(size_of(v.type));
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        d.bytes = std::max(d.bytes, bytes_per_iteration(k, l));
        d.calls += function_calls(k, l);
    }
    return d;
}

schedule with_index_width(const loop_nest& k, schedule s, int parts) {
    s.wide_index =
        needs_wide_index(k, static_cast<std::int64_t>(s.block_threads) * s.vector_width * s.unroll * (parts + 1));
    return s;
}

int columns_vector(const loop_nest& k, const std::vector<int>& alignment, int calls) {
    if (k.outer.empty() || !gathers_in_loops(k)) return 1;
    const int last = k.outer.back();
    const std::vector<access> gathers = gathers_of(k);
    std::vector<access> moving, of_elements = gathers;
    for (const access& a : accesses_of(k)) {
        if (stride_of(k, a, last) == 0) continue;
        moving.push_back(a);
        if (a.loop >= 0) of_elements.push_back(a);
    }
    // what is read or stored once a column may be wider than one access: the sums of bytes are int64
    std::size_t widest = 1, narrowest = 16;
    for (const access& a : of_elements.empty() ? moving : of_elements) {
        widest = std::max(widest, size_of(a.type));
        narrowest = std::min(narrowest, size_of(a.type));
    }
    int reductions = 0;
    for (const value& v : k.values) reductions += v.what == value_kind::reduce || v.what == value_kind::scan;
    for (int vector = widest_vector(widest, narrowest); vector > 1; vector /= 2) {
        bool fits =
            extent_of(k, last) % vector == 0 && vector * reductions <= max_values && vector * calls <= max_column_calls;
        for (const access& a : moving) fits = fits && can_move(k, a, last, vector, alignment);
        for (const access& a : gathers) fits = fits && can_gather(k, a, last, vector, alignment);
        if (fits) return vector;
    }
    return 1;
}

}  // namespace sinter::codegen
