// A load touches a grid of runs: of neighbouring bytes, at multiples of some strides. The grids of two loads that have
// the same strides differ by so many of each stride, and so become boxes, whose union is counted. Grids of other
// strides count by themselves, up to the bytes from the first that any load touches to the last.
#include <codegen/schedule/footprint.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/gathers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace sinter::codegen {
namespace {

/// From first up to, but without, last.
struct range {
    std::int64_t first = 0, last = 0;
    bool operator==(const range&) const = default;
};

struct axis_of_runs {
    std::int64_t stride = 0, extent = 1;  ///< the stride in bytes
};

/// What a load touches.
struct grid_of_runs {
    std::int64_t start = 0, run = 0;  ///< bytes
    std::vector<axis_of_runs> axes;   ///< the largest stride first
    int chosen_by = -1;               ///< a gather: the value that chooses the grid's start
    std::int64_t choices = 1;         ///< how many starts it chooses
    std::int64_t apart = 0;           ///< chosen starts are multiples of so many bytes
    bool depends_on_data = false;     ///< whether chosen starts are apart; if not, neighbours are next to each other

    std::int64_t end() const {
        std::int64_t at = start + run;
        for (const axis_of_runs& a : axes) at += a.stride * (a.extent - 1);
        return at;
    }
};

/// Whether a value is computed from loads.
bool has_loads(const loop_nest& k, int of) {
    std::vector<char> needed(static_cast<std::size_t>(of) + 1, 0);
    needed.back() = 1;
    for (std::size_t v = needed.size(); v-- > 0;) {
        if (needed[v] == 0) continue;
        if (k.values[v].what == value_kind::load) return true;
        for (const int in : k.values[v].in)
            if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    }
    return false;
}

/// Adds an axis of a stride that is no smaller than those before it. Runs that are less than a sector apart are one:
/// all sectors between them are touched.
void add_axis(grid_of_runs& g, axis_of_runs a) {
    if (g.axes.empty() && a.stride < g.run + sector_bytes) {
        g.run += a.stride * (a.extent - 1);
        return;
    }
    axis_of_runs* last = g.axes.empty() ? nullptr : &g.axes.back();
    if (last != nullptr && a.stride % last->stride == 0 && a.stride / last->stride <= last->extent)
        last->extent += a.stride / last->stride * (a.extent - 1);
    else
        g.axes.push_back(a);
}

grid_of_runs grid_of(const loop_nest& k, const value& load) {
    const auto size = static_cast<std::int64_t>(size_of(load.type));
    grid_of_runs g;
    g.run = size;
    g.start = k.inputs[static_cast<std::size_t>(load.input)].offset * size;
    std::vector<axis_of_runs> axes;
    for (int a = 0; a < static_cast<int>(k.extents.size()); ++a) {
        const std::int64_t extent = extent_of(k, a);
        const std::optional<std::int64_t> moved = is_gather(load) ? step_along(k, load.in[0], a) : 0;
        // rows of which each has an element chosen lie apart, whichever it is
        const bool is_chosen = !moved && std::abs(stride_of(k, load.at, a)) * size < sector_bytes;
        if (is_chosen) g.choices *= extent;
        const std::int64_t stride = (stride_of(k, load.at, a) + moved.value_or(0)) * size;
        if (is_chosen || stride == 0 || extent == 1) continue;
        if (stride < 0) g.start += stride * (extent - 1);
        axes.push_back({std::abs(stride), extent});
    }
    std::sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.stride < b.stride; });
    for (const axis_of_runs& a : axes) add_axis(g, a);
    std::reverse(g.axes.begin(), g.axes.end());
    if (!is_gather(load)) return g;
    g.chosen_by = load.in[0];
    g.apart = divisor_of(k, load.in[0]) * size;
    g.depends_on_data = has_loads(k, load.in[0]);
    return g;
}

/// A grid as multiples of a class's strides, the largest first, and then bytes of a run.
using box = std::vector<range>;

/// The grids that have the same strides.
struct grid_class {
    grid_of_runs first;
    std::vector<std::int64_t> strides;
    std::vector<box> boxes;

    /// Whether a grid has these strides, or some of them.
    bool takes(const grid_of_runs& g) const {
        if (g.chosen_by != first.chosen_by || (!strides.empty() && g.run > strides.back())) return false;
        return std::all_of(g.axes.begin(), g.axes.end(), [&](const axis_of_runs& a) {
            return std::find(strides.begin(), strides.end(), a.stride) != strides.end();
        });
    }

    void add(const grid_of_runs& g) {
        box b;
        std::int64_t away = g.start - first.start;
        for (const std::int64_t stride : strides) {
            const std::int64_t shift = std::llround(static_cast<double>(away) / static_cast<double>(stride));
            const auto found =
                std::find_if(g.axes.begin(), g.axes.end(), [&](const axis_of_runs& a) { return a.stride == stride; });
            away -= shift * stride;
            b.push_back({shift, shift + (found == g.axes.end() ? 1 : found->extent)});
        }
        b.push_back({away, away + g.run});
        if (std::find(boxes.begin(), boxes.end(), b) == boxes.end()) boxes.push_back(std::move(b));
    }

    double bytes() const;

private:
    double bytes_of_runs(std::vector<range> runs) const;
    double bytes_of(const std::vector<const box*>& all, std::size_t axis) const;
};

/// What sectors hold of a run, on average over the positions in a sector at which runs of the class start.
double bytes_of_run(const range& run, std::int64_t apart) {
    double sectors = 0;
    for (std::int64_t moved = 0; moved < sector_bytes; moved += apart) {
        const std::int64_t first = (run.first + moved) & (sector_bytes - 1);
        sectors += static_cast<double>((first + run.last - run.first + sector_bytes - 1) / sector_bytes);
    }
    return sectors * static_cast<double>(apart);
}

/// Of runs that start at multiples of the class's strides.
double grid_class::bytes_of_runs(std::vector<range> runs) const {
    std::sort(runs.begin(), runs.end(), [](const range& a, const range& b) { return a.first < b.first; });
    std::int64_t apart = sector_bytes;
    for (const std::int64_t stride : strides) apart = std::gcd(apart, stride);
    apart = std::gcd(apart, first.apart);
    double all = 0;
    for (std::size_t i = 0; i < runs.size();) {
        range whole = runs[i];
        for (; i < runs.size() && runs[i].first < whole.last + sector_bytes; ++i)
            whole.last = std::max(whole.last, runs[i].last);
        whole.first += first.start;
        whole.last += first.start;
        const bool touches_neighbours = first.choices > 1 && !first.depends_on_data;
        all += touches_neighbours ? static_cast<double>(whole.last - whole.first) : bytes_of_run(whole, apart);
    }
    return strides.empty() ? all : std::min(all, static_cast<double>(strides.back()));
}

/// The union from an axis on: the boxes that have each part of it, by how long that part is.
double grid_class::bytes_of(const std::vector<const box*>& all, std::size_t axis) const {
    if (all.empty()) return 0;
    if (all.size() == 1 && axis < strides.size()) {
        const range& whole = (*all[0])[axis];
        return static_cast<double>(whole.last - whole.first) * bytes_of(all, axis + 1);
    }
    if (axis == strides.size()) {
        std::vector<range> runs;
        for (const box* b : all) runs.push_back((*b)[axis]);
        return bytes_of_runs(std::move(runs));
    }
    std::vector<std::int64_t> borders;
    for (const box* b : all) borders.insert(borders.end(), {(*b)[axis].first, (*b)[axis].last});
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    double sum = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        std::vector<const box*> here;
        for (const box* b : all)
            if ((*b)[axis].first <= borders[i] && borders[i] < (*b)[axis].last) here.push_back(b);
        sum += static_cast<double>(borders[i + 1] - borders[i]) * bytes_of(here, axis + 1);
    }
    return sum;
}

double grid_class::bytes() const {
    constexpr std::size_t most_boxes = 64;  // of more of them the box that has them all
    std::vector<const box*> all;
    for (const box& b : boxes) all.push_back(&b);
    box bounding;
    if (boxes.size() > most_boxes) {
        bounding = boxes[0];
        for (const box& b : boxes)
            for (std::size_t a = 0; a < b.size(); ++a) {
                bounding[a].first = std::min(bounding[a].first, b[a].first);
                bounding[a].last = std::max(bounding[a].last, b[a].last);
            }
        all = {&bounding};
    }
    return static_cast<double>(first.choices) * bytes_of(all, 0);
}

/// The bytes of an array that some loads can touch at most.
struct array_reach {
    std::int64_t start = std::numeric_limits<std::int64_t>::max(), end = 0;  ///< of loads that are no gathers
    std::int64_t elements = 0;                                               ///< of the array, in bytes
    bool gathers = false, is_known = true;                                   ///< whether its elements are

    void add(const grid_of_runs& g, const kernel_input& in) {
        elements = std::max(elements, in.elements * static_cast<std::int64_t>(size_of(in.type)));
        is_known = is_known && in.elements > 0;
        gathers = gathers || g.chosen_by >= 0;
        if (g.chosen_by >= 0) return;
        start = std::min(start, g.start);
        end = std::max(end, g.end());
    }

    std::int64_t bytes() const {
        if (gathers && !is_known) return std::numeric_limits<std::int64_t>::max();
        const std::int64_t own = std::max<std::int64_t>(0, end - start);
        const std::int64_t sectors = own == 0 ? 0 : round_up(end, sector_bytes) - start / sector_bytes * sector_bytes;
        // what the array has beside its sectors' elements, which a view of every other element has not
        return gathers ? std::max(own, elements) : is_known ? std::max(own, std::min(sectors, elements)) : sectors;
    }
};

struct touched_bytes {
    std::int64_t once = 0, chosen = 0;  ///< array_footprint::bytes and bytes_chosen
};

/// Of all loads of an array that `counts` says.
template <class F>
touched_bytes bytes_touched(const loop_nest& k, int leaf, F counts) {
    std::vector<grid_of_runs> grids;
    array_reach reach;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || !counts(v)) continue;
        const kernel_input& in = k.inputs[static_cast<std::size_t>(v.input)];
        if (in.leaf != leaf || elements_touched(k, v.at, is_gather(v) ? v.varies : 0) == 0) continue;
        grids.push_back(grid_of(k, v));
        reach.add(grids.back(), in);
    }
    // those of the most axes first, in whose classes those of fewer have a place
    std::stable_sort(grids.begin(), grids.end(),
                     [](const auto& a, const auto& b) { return a.axes.size() > b.axes.size(); });
    std::vector<grid_class> classes;
    for (const grid_of_runs& g : grids) {
        auto found = std::find_if(classes.begin(), classes.end(), [&](const grid_class& c) { return c.takes(g); });
        if (found == classes.end()) {
            found = classes.insert(found, {g, {}, {}});
            for (const axis_of_runs& a : g.axes) found->strides.push_back(a.stride);
        }
        found->add(g);
    }
    double sum = 0, chosen = 0;
    for (const grid_class& c : classes) {
        const double bytes = c.bytes();
        sum += bytes;
        chosen += c.first.depends_on_data && c.first.choices > 1 ? bytes : 0;
    }
    const std::int64_t once = std::min(static_cast<std::int64_t>(std::llround(sum)), reach.bytes());
    return {once, std::max(once, static_cast<std::int64_t>(std::llround(chosen)))};
}

}  // namespace

std::vector<array_footprint> footprints_of(const loop_nest& k) {
    std::vector<array_footprint> all;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int leaf = k.inputs[static_cast<std::size_t>(v.input)].leaf;
        if (std::any_of(all.begin(), all.end(), [&](const array_footprint& f) { return f.leaf == leaf; })) continue;
        std::vector<int> loops;
        for (const value& other : k.values)
            if (other.what == value_kind::load && k.inputs[static_cast<std::size_t>(other.input)].leaf == leaf &&
                std::find(loops.begin(), loops.end(), other.loop) == loops.end())
                loops.push_back(other.loop);
        const touched_bytes all_loads = bytes_touched(k, leaf, [](const value&) { return true; });
        array_footprint f{leaf, all_loads.once, 0, all_loads.chosen};
        for (const int l : loops)
            f.bytes_by_loops += loops.size() == 1
                                    ? f.bytes
                                    : bytes_touched(k, leaf, [l](const value& load) { return load.loop == l; }).once;
        all.push_back(f);
    }
    return all;
}

std::int64_t bytes_written(const loop_nest& k, std::size_t output) {
    std::int64_t elements = 0;
    for (const kernel_store& s : k.stores)
        if (static_cast<std::size_t>(s.output) == output) elements += elements_touched(k, s.at, 0);
    return elements * static_cast<std::int64_t>(size_of(k.outputs[output]));
}

}  // namespace sinter::codegen
