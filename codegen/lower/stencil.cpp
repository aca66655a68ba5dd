// Stencils: a thread loads the rows of its windows, then computes its results from them.
#include <codegen/lower/access.hpp>
#include <codegen/lower/strategies.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class stencil_lowering {
public:
    explicit stencil_lowering(lowering& shared)
        : c(shared),
          shape(shared.s.stencil),
          rest(outer_axes_beside(shared.k, shape.row_axis, shape.column_axis)),
          axes(rest) {
        axes.push_back(shape.column_axis);
        axes.push_back(shape.row_axis);
    }

    /// Computes the index of the thread's first result.
    void locate_thread(const element_function& f) {
        const int run = c.s.block_threads * c.s.vector_width;
        const scalar along = c.extent(shape.row_axis), down = c.extent(shape.column_axis);
        const scalar runs = c.b.let_index("runs", c.division_type(), (along + (run - 1)) / run);
        const scalar band = c.b.block() / runs;
        scalar bands;
        if (!rest.empty()) bands = c.b.let_index("bands", c.division_type(), (down + (shape.rows - 1)) / shape.rows);
        const scalar thread = c.s.vector_width > 1 ? c.b.thread() * c.s.vector_width : c.b.thread();
        const scalar column =
            c.b.let_index(fmt::format("i{}", shape.row_axis), c.index_type(), c.b.block() % runs * run + thread);
        first = c.b.let_index("first", c.index_type(), (bands ? band % bands : band) * shape.rows);
        end_down = c.b.let_index(fmt::format("end_{}", shape.column_axis), c.index_type(), down);
        const scalar end_along = c.b.let_index(fmt::format("end_{}", shape.row_axis), c.index_type(), along);
        if (bands) locate_beside(c, rest, band / bands, f);
        c.set_index(shape.row_axis, column);
        c.b.leave_if(column >= end_along);
    }

    void load_windows() {
        for (const stencil_window& window : shape.windows) {
            const dtype type = c.k.inputs[static_cast<std::size_t>(window.input)].type;
            const int rows = window.rows + shape.rows - 1,
                      accesses = (window.last - window.first) / c.s.vector_width + 1;
            array held{c.unique(input_name(window.input) + "_rows"), space::registers, type, {rows, accesses}};
            held.packed = c.s.vector_width;
            windows.push_back(c.b.declare(held));
            const scalar row = open_rows(rows, window.rows - 1);
            const id from = c.b.view("from", c.b.memory(c.input(window.input), c.terms(window.at, axes), window.first));
            for (int a = 0; a < accesses; ++a)
                c.b.assign(c.b.element(windows.back(), {row, c.b.integer(a)}),
                           c.b.memory(from, {}, a * c.s.vector_width, c.s.vector_width));
            close_rows();
        }
    }

    void compute_rows(const element_function& f) {
        access_plan plan = whole_arrays(c, axes);
        const scalar row = open_rows(shape.rows, 0);
        plan.elsewhere = [&](int v) { return element_in_window(v, row); };
        compute(c, plan, f);
        close_rows();
    }

private:
    scalar element_in_window(int v, const scalar& row) {
        for (const stencil_read& read : shape.reads) {
            if (read.load != v) continue;
            const auto w = static_cast<std::size_t>(read.window);
            const int column = read.along - shape.windows[w].first, width = c.s.vector_width;
            const scalar down = read.down == 0 ? row : row + read.down;
            if (width == 1) return c.b.element(windows[w], {down, c.b.integer(column)});
            const scalar at = column == 0 ? c.neighbour : c.neighbour + column;
            return c.b.element(windows[w], {down, at / width, at % width});
        }
        return {};
    }

    /// Opens the loop over the thread's first `count` rows, as far as there are results plus `more` rows.
    scalar open_rows(int count, int more) {
        const scalar r = c.b.open_unrolled("r", count);
        const scalar down = c.b.let_index(fmt::format("i{}", shape.column_axis), c.index_type(), first + r);
        c.set_index(shape.column_axis, down);
        c.b.open_branch(down < (more > 0 ? end_down + more : end_down));
        return r;
    }
    void close_rows() {
        c.b.close();
        c.b.close();
    }

    lowering& c;
    const stencil_shape& shape;
    std::vector<int> rest, axes;  ///< the axes along which a thread keeps one index; all axes
    std::vector<id> windows;      ///< registers, by window
    scalar first, end_down;
};

}  // namespace

void lower_stencil(lowering& c) {
    const element_function f = make_element_function(c, group_level, "element");
    load_outside(c, f);
    c.b.comment(fmt::format(
        "A thread computes {} rows of {}. Elements that several of them read are loaded once.", c.s.stencil.rows,
        c.s.vector_width > 1 ? fmt::format("{} consecutive results", c.s.vector_width) : "one result"));
    stencil_lowering stencil(c);
    stencil.locate_thread(f);
    c.b.blank();
    stencil.load_windows();
    c.b.blank();
    stencil.compute_rows(f);
}

}  // namespace sinter::codegen::lower
