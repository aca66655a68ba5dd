// Regions of arrays that views write to.
#include <codegen/ir/print.hpp>
#include <sinter/error.hpp>
#include <sinter/tie.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sinter::detail {
namespace {

/// The strides of the extents `to` over elements with other extents and strides. Matches the shortest groups of next
/// axes on both sides with equal numbers of elements; the axes of such a group in `from` must form one run of memory.
/// Empty if they do not. There must be elements.
std::vector<std::int64_t> reshape_strides(const std::vector<std::int64_t>& from,
                                          const std::vector<std::int64_t>& strides,
                                          const std::vector<std::int64_t>& to) {
    std::vector<std::int64_t> result(to.size());
    std::size_t f = 0, t = 0;
    while (f < from.size() && t < to.size()) {
        const std::size_t first = t;
        std::int64_t have = from[f], want = to[t];
        while (have != want) {
            if (want < have) {
                want *= to[++t];
            } else {
                if (strides[f] != from[f + 1] * strides[f + 1]) return {};
                have *= from[++f];
            }
        }
        std::int64_t stride = strides[f++];
        for (std::size_t a = ++t; a-- > first;) {
            result[a] = stride;
            stride *= to[a];
        }
    }
    return result;
}

}  // namespace

void reshape_region(region& r, const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank) {
    std::vector<std::int64_t> extents, strides;  // of axes with several elements: strides of others do not matter
    for (int a = 0; a < from_rank; ++a) {
        if (from[a] == 1) continue;
        extents.push_back(from[a]);
        strides.push_back(r.strides[a]);
    }
    const std::vector<std::int64_t> result = reshape_strides(extents, strides, {to, to + to_rank});
    if (result.empty() && to_rank > 0)
        throw error(
            fmt::format("reshape: elements that are not contiguous cannot be written to as shape {}; reshape the "
                        "values to {} instead: view = reshape(values, view.shape())",
                        codegen::shape_text(to, to_rank), codegen::shape_text(from, from_rank)));
    std::copy(result.begin(), result.end(), r.strides);
}

void throw_tied_twice() {
    throw error("tie: an array is named twice, or beside a view of it; assign to it after the others");
}

void throw_stale_view() {
    throw error("assignment to a view: its array has been assigned to since the view was made; write where it is made");
}

}  // namespace sinter::detail
