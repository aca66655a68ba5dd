// Chooses the axes of the loop and moves values into it or before it.
#include <codegen/host/hoist.hpp>

#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t shortest_row = 16;            // shorter rows cost more per row than hoisting saves
constexpr std::int64_t shortest_gathered_row = 4;    // a gather of elements has an index of 8 bytes for each
constexpr std::int64_t fewest_shared_columns = 256;  // blocks run along columns: too few make blocks short

bool is_computed(const value& v) {
    return v.what == value_kind::elementwise || v.what == value_kind::cast ||
           (v.what == value_kind::load && v.in[0] >= 0);
}

}  // namespace

void hoist(region& r) {
    loop_nest& k = r.body;
    if (!k.loops.empty() || k.outer.size() < 2 || outer_size(k) == 0) return;
    const int row = k.outer.back();
    const std::uint32_t along = 1u << row;
    const std::int64_t columns = k.extents[static_cast<std::size_t>(row)];
    const auto counts = [&k](auto which) {
        return std::count_if(k.values.begin(), k.values.end(),
                             [&](const value& v) { return is_computed(v) && v.varies != 0 && which(v.varies); });
    };
    const auto of_rows = counts([along](std::uint32_t varies) { return (varies & along) == 0; });
    const auto of_columns =
        columns < fewest_shared_columns ? 0 : counts([along](std::uint32_t varies) { return varies == along; });
    const bool gathers_rows = std::any_of(k.values.begin(), k.values.end(), [&](const value& v) {
        return v.what == value_kind::load && v.in[0] >= 0 &&
               (k.values[static_cast<std::size_t>(v.in[0])].varies & along) == 0 &&
               k.layouts[static_cast<std::size_t>(v.at)].stride[static_cast<std::size_t>(row)] != 0;
    });
    const std::int64_t shortest = gathers_rows ? shortest_gathered_row : shortest_row;
    if ((of_rows == 0 || columns < shortest) && of_columns == 0) return;
    std::vector<int> inner = {row}, outer(k.outer.begin(), k.outer.end() - 1);
    if (of_rows < of_columns) std::swap(inner, outer);
    std::uint32_t inside = 0;
    for (const int a : inner) inside |= 1u << a;
    k.outer = outer;
    k.loops.push_back({inner, {}, false});
    for (value& v : k.values)
        if ((v.varies & inside) != 0) v.loop = 0;
    for (kernel_store& s : k.stores) s.loop = 0;
    renumber_axes(k);
}

}  // namespace sinter::codegen::blocked
