// Tiled elementwise kernels: loads that lie across the results are read along their own axis into shared memory, and
// from there in the order of the results.
#include <codegen/render/access.hpp>
#include <codegen/render/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

class tile_renderer {
public:
    explicit tile_renderer(context& shared)
        : c(shared),
          tile(shared.s.tile),
          rest(outer_axes_beside(shared.k, shared.s.tile.row_axis, shared.s.tile.column_axis)) {}

    /// Which tile the block has, and where it begins and ends.
    void place_block(const element_function& f) {
        const std::string along = c.extent(tile.row_axis), down = c.extent(tile.column_axis);
        const std::string counts = c.division_type();
        c.out.line("const {} tiles_along = ({} + {}) / {};", counts, along, tile.row_length - 1, tile.row_length);
        if (!rest.empty())
            c.out.line("const {} tiles_down = ({} + {}) / {};", counts, down, tile.column_length - 1,
                       tile.column_length);
        const std::string index = c.index_type();
        c.out.line("const {} first_{} = blockIdx.x % tiles_along * {};", index, tile.row_axis, tile.row_length);
        c.out.line("const {} first_{} = blockIdx.x / tiles_along{} * {};", index, tile.column_axis,
                   rest.empty() ? "" : " % tiles_down", tile.column_length);
        c.out.line("const {} end_{} = {}, end_{} = {};", index, tile.row_axis, along, tile.column_axis, down);
        place_beside(c, rest, "blockIdx.x / tiles_along / tiles_down", f);
    }

    void declare_tiles() {
        for (int v : tile.turned) {
            const dtype d = c.at(v).type;
            names[v] = c.unique(c.name(v) + "_tile");
            c.out.line("__shared__ {}{} {}[{}][{}];", packed(d) > 1 ? "__align__(4) " : "", c.type(d), names[v],
                       tile.column_length, tile.row_length + row_padding(d, tile));
        }
    }

    /// The turned loads, under way all together.
    void load_turned() {
        for (int v : tile.turned) {
            const int count = units(v) * packed(c.at(v).type);
            const dtype d = c.at(v).type;
            c.out.line("{} {}_at[{}] = {{}};", c.s.vector > 1 ? c.vector_type(d) : c.type(d), c.name(v), count);
        }
        for (int v : tile.turned) {
            const value& load = c.at(v);
            const int beside = packed(load.type);
            open_units(v);
            if (beside > 1) {
                c.out.line("#pragma unroll");
                c.out.open("for (int p = 0; p < {}; ++p)", beside);
            }
            position(beside > 1 ? "column + p" : "column");
            const std::vector<int> axes = whole(tile.row_axis, tile.column_axis);
            const std::string into =
                fmt::format("{}_at[{}]", c.name(v), beside > 1 ? fmt::format("u * {} + p", beside) : "u");
            c.out.open("if ({})", inside());
            if (c.s.vector > 1)
                c.out.line("{} = *reinterpret_cast<const {}*>({});", into, c.vector_type(load.type),
                           c.add_offset(input_name(load.input), load.at, axes));
            else
                c.out.line("{} = {};", into, c.subscript(input_name(load.input), load.at, axes));
            c.out.close();
            if (beside > 1) c.out.close();
            c.out.close();
        }
    }

    /// From the registers to the tiles: a thread writes down the columns, the neighbours along a row as one word.
    void turn() {
        for (int v : tile.turned) {
            const dtype d = c.at(v).type;
            const int beside = packed(d);
            const std::string element = c.s.vector > 1 ? ".at[e]" : "", row = c.s.vector > 1 ? "row + e" : "row";
            open_units(v);
            if (c.s.vector > 1) {
                c.out.line("#pragma unroll");
                c.out.open("for (int e = 0; e < {}; ++e)", c.s.vector);
            }
            if (beside == 1) {
                c.out.line("{}[{}][column] = {}_at[u]{};", names[v], row, c.name(v), element);
            } else {
                const std::string word = c.vector_type(d, beside);
                c.out.line("{} word;", word);
                c.out.line("#pragma unroll");
                c.out.line("for (int p = 0; p < {}; ++p) word.at[p] = {}_at[u * {} + p]{};", beside, c.name(v), beside,
                           element);
                c.out.line("*reinterpret_cast<{}*>(&{}[{}][column]) = word;", word, names[v], row);
            }
            if (c.s.vector > 1) c.out.close();
            c.out.close();
        }
        c.out.line("__syncthreads();");
    }

    access_plan straight() const {
        access_plan plan = whole_arrays(c, whole(tile.column_axis, tile.row_axis));
        plan.elsewhere = [this](int v) -> std::string {
            const auto turned = names.find(v);
            if (turned == names.end()) return "";
            const int beside = packed(c.at(v).type);
            if (reads_words(v)) return fmt::format("{}_words[e / {}].at[e % {}]", c.name(v), beside, beside);
            return fmt::format("{}[row][column{}]", turned->second, c.s.vector > 1 ? " + e" : "");
        };
        return plan;
    }

    /// Opens an access in the order of the results.
    void open_straight() {
        if (c.s.unroll == 1) c.out.open("{}", "");  // a scope for the names
        open_unroll(c);
        const int across = tile.row_length / c.s.vector;
        place(c.s.unroll > 1,
              fmt::format("const int row = place / {}, column = place % {}{};", across, across, times_vector()));
        position("column");
        c.out.open("if ({})", inside());
    }
    void close_straight() {
        c.out.close();
        close_unroll(c);
        if (c.s.unroll == 1) c.out.close();
    }

    /// The words of the tiles that hold this access's elements.
    void read_words() {
        for (int v : tile.turned) {
            if (!reads_words(v)) continue;
            const int beside = packed(c.at(v).type);
            const std::string word = c.vector_type(c.at(v).type, beside);
            c.out.line("{} {}_words[{}];", word, c.name(v), c.s.vector / beside);
            c.out.line("#pragma unroll");
            c.out.line("for (int w = 0; w < {}; ++w)", c.s.vector / beside);
            c.out.line("    {}_words[w] = *reinterpret_cast<const {}*>(&{}[row][column + w * {}]);", c.name(v), word,
                       names[v], beside);
        }
    }

private:
    /// The outer axes with these two as the last.
    std::vector<int> whole(int slow, int fast) const {
        std::vector<int> axes = rest;
        axes.push_back(slow);
        axes.push_back(fast);
        return axes;
    }

    /// Accesses of a thread to a turned load: each is `vector` elements down and one word along.
    int units(int v) const {
        return tile.row_length * tile.column_length / (c.s.block * c.s.vector * packed(c.at(v).type));
    }

    bool reads_words(int v) const {
        const int beside = packed(c.at(v).type);
        return beside > 1 && c.s.vector % beside == 0;
    }

    std::string times_vector() const { return c.s.vector > 1 ? fmt::format(" * {}", c.s.vector) : ""; }

    void place(bool several, const std::string& coordinates) {
        c.out.line("const unsigned place = threadIdx.x{};", several ? fmt::format(" + u * {}", c.s.block) : "");
        c.out.line("{}", coordinates);
    }

    void open_units(int v) {
        const int down = tile.column_length / c.s.vector, beside = packed(c.at(v).type);
        c.out.line("#pragma unroll");
        c.out.open("for (int u = 0; u < {}; ++u)", units(v));
        place(true, fmt::format("const int row = place % {}{}, column = place / {}{};", down, times_vector(), down,
                                beside > 1 ? fmt::format(" * {}", beside) : ""));
    }

    /// Names the indices of the element at (row, column) of the tile.
    void position(const std::string& column) {
        const std::string down = fmt::format("i{}", tile.column_axis), along = fmt::format("i{}", tile.row_axis);
        c.out.line("const {} {} = first_{} + row, {} = first_{} + {};", c.index_type(), down, tile.column_axis, along,
                   tile.row_axis, column);
        c.decompose({tile.column_axis}, down, {});
        c.decompose({tile.row_axis}, along, {});
    }

    std::string inside() const {
        return fmt::format("i{0} < end_{0} && i{1} < end_{1}", tile.column_axis, tile.row_axis);
    }

    context& c;
    const tile_shape& tile;
    std::vector<int> rest;             ///< the outer axes that a tile does not have
    std::map<int, std::string> names;  ///< of the turned loads' tiles
};

}  // namespace

std::vector<element_function> render_tiled(context& c) {
    std::vector<element_function> functions{make_element_function(c, group_level, "element")};
    const element_function& f = functions[0];
    load_outside(c, f);
    c.out.comment(fmt::format(
        "A block computes a tile of {} rows of {} neighbouring results. What lies in memory along the columns is read "
        "down them and turned in shared memory, whose rows are padded so that the threads of a warp spread over its "
        "banks.",
        c.s.tile.column_length, c.s.tile.row_length));
    tile_renderer tile(c);
    tile.place_block(f);
    tile.declare_tiles();
    c.out.blank();
    c.out.comment("All loads are on their way before the first one is used.");
    tile.load_turned();
    std::vector<int> others;
    for (int v : f.loads)
        if (std::find(c.s.tile.turned.begin(), c.s.tile.turned.end(), v) == c.s.tile.turned.end()) others.push_back(v);
    const access_plan plan = tile.straight();
    declare_registers(c, plan, others, true);
    if (!others.empty()) {
        tile.open_straight();
        load_lines(c, plan, others);
        tile.close_straight();
    }
    tile.turn();
    c.out.blank();
    tile.open_straight();
    tile.read_words();
    compute_lines(c, plan, f, nullptr);
    tile.close_straight();
    return functions;
}

}  // namespace sinter::codegen
