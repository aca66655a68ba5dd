// Tiles, for elementwise kernels with loads that lie across the results: x + transpose(y). Read in the order of the
// results, neighbouring threads would touch a different line of memory each, and of every 32 bytes that memory moves
// one element would be used. So a block takes a tile of two axes: loads that lie across are read along their own axis
// and transposed in shared memory.
//
// A column of the transposed load is 128 bytes, a line of the cache, and a row of the results as much or more; every
// thread has about 32 bytes of each array under way. With 8 blocks of 256 threads on a multiprocessor that is 64 KB for
// each array, where Little's law asks for 32 (see elementwise.cpp).
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace sinter::codegen {

namespace {

constexpr int bytes_under_way = 32;      ///< a thread and an array
constexpr int max_register_bytes = 128;  ///< a thread: elements of all arrays
constexpr int max_calls = 16;            ///< copies of function bodies in one kernel: they cost compile time
constexpr int shortest_part = 64;        ///< bytes of a tile's row: two sectors
constexpr double worth_shorter = 0.85;   ///< of the area of tiles with longer rows
constexpr double most_of_whole = 1.5;    ///< elements of a tile as long as all results, for one of those of another
/// Along fewer results, the threads of a warp read pieces of at least 32 / 4 elements as they are: whole sectors.
constexpr int shortest_row = 8;

/// Of what lies across short rows, a block of elements in the order of the results uses whole sectors: the first-level
/// cache keeps them. Beside gathers, which wait for their indices, a tile takes longer than that: 717 transposed planes
/// of 48 x 512 bfloat16 beside gathered ones 0.0450 ms on an H200 instead of 0.0409.
constexpr int elements_of_block = 2048;

/// The axis along which an access has its nearest neighbours, or -1 if it does not move.
int nearest_axis(const loop_nest& k, const access& a) {
    int nearest = -1;
    for (int axis : k.outer) {
        const std::int64_t stride = std::abs(stride_of(k, a, axis));
        if (stride != 0 && (nearest < 0 || stride <= std::abs(stride_of(k, a, nearest)))) nearest = axis;
    }
    return nearest;
}

access access_of(const value& v) { return {v.at, v.input, v.type, v.loop}; }

/// The axes of the tile: that of the stores, and the one along which most bytes lie across it.
bool find_axes(const loop_nest& k, tile_shape& tile) {
    for (const access& a : accesses_of(k)) {
        if (a.pointer < static_cast<int>(k.inputs.size())) continue;
        const int axis = nearest_axis(k, a);
        if (axis < 0 || (tile.row_axis >= 0 && axis != tile.row_axis)) return false;
        tile.row_axis = axis;
    }
    std::map<int, std::size_t> votes;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || is_gather(v)) continue;
        const access a = access_of(v);
        const int axis = nearest_axis(k, a);
        if (axis >= 0 && axis != tile.row_axis && stride_of(k, a, tile.row_axis) != 0) votes[axis] += size_of(a.type);
    }
    for (const auto& [axis, bytes] : votes)
        if (tile.column_axis < 0 || bytes >= votes[tile.column_axis]) tile.column_axis = axis;
    return tile.column_axis >= 0;
}

bool lies_across(const loop_nest& k, const value& v, const tile_shape& tile) {
    return v.what == value_kind::load && !is_gather(v) && nearest_axis(k, access_of(v)) == tile.column_axis &&
           stride_of(k, access_of(v), tile.row_axis) != 0;
}

bool is_transposed(const tile_shape& tile, int v) {
    return std::find(tile.transposed.begin(), tile.transposed.end(), v) != tile.transposed.end();
}

/// What the extents of a tile are made from.
struct tile_contents {
    std::size_t widest = 1, narrowest = 16;  ///< elements' bytes, of all accesses
    std::size_t narrowest_transposed = 16;
    int bytes = 0;          ///< an element's, of all loads
    int packed = 1;         ///< the most neighbours of a transposed load in one word
    int vector = 1;         ///< neighbours of an access along the rows
    int column_vector = 1;  ///< of a transposed load along the columns

    /// Elements of the tile that a thread has at least, for one access of each array.
    int fewest() const { return vector * packed; }
};

tile_contents contents_of(const loop_nest& k, const tile_shape& tile, const std::vector<int>& alignment) {
    tile_contents all;
    std::vector<access> along, across;  ///< that go along the rows of the tile, and along its columns
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (self.what != value_kind::load || is_gather(self)) continue;  // a gather's elements are loaded one by one
        all.bytes += static_cast<int>(size_of(self.type));
        if (is_transposed(tile, v)) {
            all.packed = std::max(all.packed, packed(self.type));
            all.narrowest_transposed = std::min(all.narrowest_transposed, size_of(self.type));
            across.push_back(access_of(self));
        } else if (stride_of(k, access_of(self), tile.row_axis) != 0) {
            along.push_back(access_of(self));
        }
    }
    for (const access& a : accesses_of(k))
        if (a.pointer >= static_cast<int>(k.inputs.size())) along.push_back(a);
    for (const std::vector<access>* side : {&along, &across})
        for (const access& a : *side) {
            all.widest = std::max(all.widest, size_of(a.type));
            all.narrowest = std::min(all.narrowest, size_of(a.type));
        }
    // 785 rows of 2048 results move 4 at a time, though the columns of 785 elements begin anywhere. Columns are never
    // wider than rows: tiles of single results have lengths that wide columns would not divide.
    const auto widest = [&](const std::vector<access>& side, int axis) {
        int vector = widest_vector(all.widest, all.narrowest);
        const auto fits = [&](const access& a) { return can_move(k, a, axis, vector, alignment); };
        while (vector > 1 && (extent_of(k, axis) % vector != 0 || !std::all_of(side.begin(), side.end(), fits)))
            vector /= 2;
        return vector;
    };
    all.vector = widest(along, tile.row_axis);
    const int narrower = std::min(all.vector, widest(across, tile.column_axis));
    all.column_vector = narrower;
    if (narrower == all.vector) return all;
    // a kernel for each pair of widths would be many: columns have half the width of 8 halves, or single accesses
    constexpr int fewest_beside_single = 4;
    if (all.vector < 2 * fewest_beside_single || narrower < fewest_beside_single) all.column_vector = 1;
    if (all.vector < fewest_beside_single) all.vector = 1;
    return all;
}

/// Elements of the tile for each of a block's threads; 0 where the axes are too short for a tile: then the first-level
/// cache keeps the lines until all of them is used.
int elements_per_thread(const loop_nest& k, tile_contents& all, int block, const tile_shape& tile) {
    const std::int64_t size = extent_of(k, tile.row_axis) * extent_of(k, tile.column_axis);
    while (all.packed > 1 && all.fewest() > all.packed && all.fewest() * block > 2 * size)
        for (int* each : {&all.vector, &all.column_vector}) *each = std::max(1, *each / 2);
    const int calls = function_calls(k, group_level);
    const int fewest = all.fewest();
    int elements = std::max(fewest, std::min(16, bytes_under_way / static_cast<int>(all.widest)));
    while (elements > fewest &&
           (elements * all.bytes > max_register_bytes || elements * calls > max_calls || elements * block > size))
        elements /= 2;
    return elements * block > 2 * size ? 0 : elements;
}

void choose_extents(const loop_nest& k, const tile_contents& all, int block, int elements, tile_shape& tile) {
    const std::int64_t rows = extent_of(k, tile.row_axis), columns = extent_of(k, tile.column_axis);
    const int longest = all.column_vector > 1 ? 128 : 64;
    const int line = std::clamp(line_bytes / static_cast<int>(all.narrowest_transposed), 32, longest);
    tile.column_length = line;
    // an axis shorter than that leaves its part to the other
    tile.column_length = std::min(tile.column_length, power_of_two(columns, longest));
    tile.row_length = power_of_two(rows, elements / tile.column_length);
    tile.column_length = elements / tile.row_length;
    // 65 results are two tiles of 64 and five of 16: shorter rows where much less lies beyond their end
    const int shortest = std::max(shortest_part / static_cast<int>(all.narrowest), all.fewest());
    const auto area_of = [&](int row, int column) {  // what the tiles go over, beyond the ends included
        return static_cast<double>(round_up(rows, row)) * static_cast<double>(round_up(columns, column));
    };
    const double area = area_of(tile.row_length, tile.column_length);
    for (int length = tile.row_length / 2; length >= shortest; length /= 2)
        if (area_of(length, elements / length) < worth_shorter * area) {
            tile.row_length = length;
            tile.column_length = elements / length;
            break;
        }
    // or one tile as long as all results: its rows are accesses of whole blocks
    const int column = line, unit = std::max(1, block * all.fewest() / column);
    const std::int64_t whole = round_up(rows, unit);
    const auto size = static_cast<double>(whole * column);
    const bool takes_several = rows > tile.row_length && size <= most_of_whole * elements;
    if (takes_several &&
        area_of(static_cast<int>(whole), column) < worth_shorter * area_of(tile.row_length, tile.column_length)) {
        tile.row_length = static_cast<int>(whole);
        tile.column_length = column;
    }
}

/// Bytes of shared memory that the tile of a transposed load takes, padding included.
std::size_t shared_bytes(dtype type, const tile_shape& tile) {
    return static_cast<std::size_t>(tile.column_length) * size_of(type) *
           static_cast<std::size_t>(tile.row_length + row_padding(type, tile));
}

}  // namespace

std::optional<schedule> schedule_tiled(const loop_nest& k, const device_properties& m,
                                       const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::tiled;
    if (outer_size(k) == 0 || !find_axes(k, s.tile) || extent_of(k, s.tile.row_axis) < shortest_row) return {};
    tile_contents all;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (lies_across(k, k.values[static_cast<std::size_t>(v)], s.tile)) s.tile.transposed.push_back(v);
    for (;; s.tile.transposed.pop_back()) {  // as many as there is room for; the others are read as they lie
        if (s.tile.transposed.empty()) return {};
        all = contents_of(k, s.tile, alignment);
        const int elements = elements_per_thread(k, all, s.block_threads, s.tile);
        if (elements == 0) return {};
        choose_extents(k, all, s.block_threads, s.block_threads * elements, s.tile);
        std::size_t shared = 0;
        for (int v : s.tile.transposed) shared += shared_bytes(k.values[static_cast<std::size_t>(v)].type, s.tile);
        if (shared <= m.shared_per_block) break;
    }
    const std::int64_t used_by = sector_bytes / static_cast<int>(all.narrowest_transposed);  // rows of results
    if (computes_indices(k) && extent_of(k, s.tile.row_axis) * used_by <= elements_of_block) return {};
    s.vector_width = all.vector;
    s.tile.column_vector = all.column_vector;
    const int tile_size = s.tile.row_length * s.tile.column_length;
    s.unroll = tile_size / (s.block_threads * s.vector_width);
    // fewer tiles than multiprocessors: what fits the cache is better spread over the device
    if (outer_size(k) < static_cast<std::int64_t>(m.multiprocessors) * tile_size) return {};
    s.wide_index = needs_wide_index(k, tile_size);
    return s;
}

}  // namespace sinter::codegen
