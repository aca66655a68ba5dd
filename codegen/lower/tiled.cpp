// Tiled elementwise kernels: loads that are contiguous along another axis than the results are read along that axis
// into shared memory, and from there in the order of the results.
#include <codegen/lower/access.hpp>
#include <codegen/lower/strategies.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class tile_lowering {
public:
    explicit tile_lowering(lowering& shared)
        : c(shared),
          tile(shared.s.tile),
          rest(outer_axes_beside(shared.k, shared.s.tile.row_axis, shared.s.tile.column_axis)) {}

    /// Computes the block's tile and its bounds.
    void locate_block(const element_function& f) {
        const scalar along = c.extent(tile.row_axis), down = c.extent(tile.column_axis);
        const auto count = [&](const char* name, const scalar& extent, int length) {
            return c.b.let_index(name, c.division_type(), (extent + (length - 1)) / length);
        };
        const scalar tiles_along = count("tiles_along", along, tile.row_length);
        scalar tiles_down;
        if (!rest.empty()) tiles_down = count("tiles_down", down, tile.column_length);
        const scalar below = c.b.block() / tiles_along;
        const auto named = [&](const char* what, int axis, const scalar& value) {
            return c.b.let_index(fmt::format("{}_{}", what, axis), c.index_type(), value);
        };
        first_along = named("first", tile.row_axis, c.b.block() % tiles_along * tile.row_length);
        first_down = named("first", tile.column_axis, (tiles_down ? below % tiles_down : below) * tile.column_length);
        end_along = named("end", tile.row_axis, along);
        end_down = named("end", tile.column_axis, down);
        if (tiles_down) locate_beside(c, rest, below / tiles_down, f);
    }

    void declare_tiles() {
        for (int v : tile.transposed) {
            const dtype d = c.at(v).type;
            array a{c.unique(c.name(v) + "_tile"),
                    space::shared,
                    d,
                    {tile.column_length, tile.row_length + row_padding(d, tile)}};
            if (packed(d) > 1) a.alignment = 4;
            tiles[v] = c.b.declare(a);
        }
    }

    /// Issues all transposed loads before any is used.
    void load_transposed() {
        for (int v : tile.transposed) {
            array held{c.name(v) + "_at", space::registers, c.at(v).type, {units(v) * packed(c.at(v).type)}};
            held.packed = tile.column_vector;
            transposed[v] = c.b.declare(held, true);
        }
        for (int v : tile.transposed) {
            const int beside = packed(c.at(v).type);
            open_units(v);
            scalar p;
            if (beside > 1) p = c.b.open_unrolled("p", beside);
            place_element(p);
            c.b.open_branch(inside());
            c.b.assign(c.b.element(transposed.at(v), {beside > 1 ? c.access * beside + p : c.access}),
                       c.b.memory(c.input(c.at(v).input), c.terms(c.at(v).at, whole(tile.row_axis, tile.column_axis)),
                                  0, tile.column_vector));
            c.b.close();
            if (beside > 1) c.b.close();
            c.b.close();
        }
    }

    /// From the registers to the tiles: a thread writes down the columns, and neighbours along a row as one word.
    void transpose_loads() {
        for (int v : tile.transposed) {
            open_units(v);
            if (tile.column_vector > 1) c.neighbour = c.b.open_unrolled("e", tile.column_vector);
            write_word(v);
            if (tile.column_vector > 1) c.b.close();
            c.b.close();
        }
        c.b.barrier(barrier_scope::block);
    }

    access_plan straight() {
        access_plan plan = whole_arrays(c, whole(tile.column_axis, tile.row_axis));
        plan.elsewhere = [this](int v) -> scalar {
            const auto found = tiles.find(v);
            if (found == tiles.end()) return {};
            const int beside = packed(c.at(v).type);
            if (reads_words(v)) return c.b.element(words.at(v), {c.neighbour / beside, c.neighbour % beside});
            return c.b.element(found->second, {row, c.s.vector_width > 1 ? column + c.neighbour : column});
        };
        return plan;
    }

    /// Opens an access in the order of the results.
    void open_straight() {
        if (c.s.unroll == 1) c.b.open_scope();
        c.open_unroll();
        const int across = tile.row_length / c.s.vector_width;
        const scalar place = locate_thread(c.s.unroll > 1);
        row = c.b.let_index("row", dtype::int32, place / across);
        column = c.b.let_index("column", dtype::int32, times(place % across, c.s.vector_width));
        place_element();
        c.b.open_branch(inside());
    }
    void close_straight() {
        c.b.close();
        c.close_unroll();
        if (c.s.unroll == 1) c.b.close();
    }

    /// Reads the words of the tiles that contain this access's elements.
    void read_words() {
        for (int v : tile.transposed) {
            if (!reads_words(v)) continue;
            const int beside = packed(c.at(v).type);
            array held{c.name(v) + "_words", space::registers, c.at(v).type, {c.s.vector_width / beside}};
            held.packed = beside;
            words[v] = c.b.declare(held);
            const scalar w = c.b.open_unrolled("w", c.s.vector_width / beside);
            c.b.assign(c.b.element(words.at(v), {w}), c.b.neighbours(tiles.at(v), {row, column + w * beside}, beside));
            c.b.close();
        }
    }

private:
    void write_word(int v) {
        const int beside = packed(c.at(v).type);
        const scalar down = tile.column_vector > 1 ? row + c.neighbour : row;
        const auto held = [&](const scalar& unit) {
            std::vector<scalar> indices{unit};
            if (tile.column_vector > 1) indices.push_back(c.neighbour);
            return c.b.element(transposed.at(v), indices);
        };
        if (beside == 1) return c.b.assign(c.b.element(tiles.at(v), {down, column}), held(c.access));
        array word{"word", space::registers, c.at(v).type, {}};
        word.packed = beside;
        const id of = c.b.declare(word);
        const scalar p = c.b.open_unrolled("p", beside);
        c.b.assign(c.b.element(of, {p}), held(c.access * beside + p));
        c.b.close();
        c.b.assign(c.b.neighbours(tiles.at(v), {down, column}, beside), c.b.element(of, {}));
    }

    /// The outer axes, with these two last.
    std::vector<int> whole(int slow, int fast) const {
        std::vector<int> axes = rest;
        axes.push_back(slow);
        axes.push_back(fast);
        return axes;
    }

    /// Accesses per thread of a transposed load; each covers `column_vector` elements down and one word along.
    int units(int v) const {
        return tile.row_length * tile.column_length / (c.s.block_threads * tile.column_vector * packed(c.at(v).type));
    }

    bool reads_words(int v) const {
        const int beside = packed(c.at(v).type);
        return beside > 1 && c.s.vector_width % beside == 0;
    }

    static scalar times(const scalar& n, int vector) { return vector > 1 ? n * vector : n; }

    scalar locate_thread(bool several) {
        const scalar own = several ? c.b.thread() + c.access * c.s.block_threads : c.b.thread();
        return c.b.let_index("position", dtype::uint32, own);
    }

    void open_units(int v) {
        const int down = tile.column_length / tile.column_vector, beside = packed(c.at(v).type);
        c.access = c.b.open_unrolled("u", units(v));
        const scalar place = locate_thread(true);
        row = c.b.let_index("row", dtype::int32, times(place % down, tile.column_vector));
        column = c.b.let_index("column", dtype::int32, beside > 1 ? place / down * beside : place / down);
    }

    /// Sets the indices of the element at (row, column) of the tile, or `further` along the row.
    void place_element(const scalar& further = {}) {
        const auto named = [&](int axis, const scalar& value) {
            c.set_index(axis, c.b.let_index(fmt::format("i{}", axis), c.index_type(), value));
        };
        named(tile.column_axis, first_down + row);
        named(tile.row_axis, further ? first_along + column + further : first_along + column);
    }

    scalar inside() { return c.index(tile.column_axis) < end_down && c.index(tile.row_axis) < end_along; }

    lowering& c;
    const tile_shape& tile;
    std::vector<int> rest;         ///< outer axes other than the tile's
    std::map<int, id> tiles;       ///< by transposed load: shared memory
    std::map<int, id> transposed;  ///< by transposed load: registers of the threads that load it
    std::map<int, id> words;       ///< by transposed load: registers of the threads that use it
    scalar first_along, first_down, end_along, end_down;
    scalar row, column;  ///< of the current access
};

}  // namespace

void lower_tiled(lowering& c) {
    const element_function f = make_element_function(c, group_level, "element");
    load_outside(c, f);
    c.b.comment(
        fmt::format("A block computes a tile of {} rows of {} consecutive results. Operands that are contiguous along "
                    "the columns are "
                    "read along them and transposed in shared memory, whose rows are padded to avoid bank conflicts.",
                    c.s.tile.column_length, c.s.tile.row_length));
    tile_lowering tile(c);
    tile.locate_block(f);
    tile.declare_tiles();
    c.b.blank();
    c.b.comment("All loads are issued before the first one is used.");
    tile.load_transposed();
    std::vector<int> others;
    for (int v : plain_loads_of(c, f))
        if (std::find(c.s.tile.transposed.begin(), c.s.tile.transposed.end(), v) == c.s.tile.transposed.end())
            others.push_back(v);
    access_plan plan = tile.straight();
    declare_registers(c, plan, others, true);
    if (!others.empty()) {
        tile.open_straight();
        load_registers(c, plan, others);
        tile.close_straight();
    }
    const std::vector<int> gathers = gather_loads_of(c, f);
    declare_registers(c, plan, gathers, true);
    if (!gathers.empty()) {
        tile.open_straight();
        gather_registers(c, plan, f);
        tile.close_straight();
    }
    tile.transpose_loads();
    c.b.blank();
    tile.open_straight();
    tile.read_words();
    compute(c, plan, f);
    tile.close_straight();
}

}  // namespace sinter::codegen::lower
