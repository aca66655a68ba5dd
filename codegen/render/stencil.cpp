// Stencils: a thread loads the rows of its windows, then computes its results from them.
#include <codegen/render/access.hpp>
#include <codegen/render/forms.hpp>

namespace sinter::codegen {

namespace {

class stencil_renderer {
public:
    explicit stencil_renderer(context& shared)
        : c(shared),
          shape(shared.s.stencil),
          rest(outer_axes_beside(shared.k, shape.row_axis, shape.column_axis)),
          axes(rest) {
        axes.push_back(shape.column_axis);
        axes.push_back(shape.row_axis);
        for (const stencil_window& w : shape.windows) names.push_back(c.unique(input_name(w.input) + "_rows"));
    }

    /// Where the thread's results begin.
    void place_thread(const element_function& f) {
        const std::string along = c.extent(shape.row_axis), down = c.extent(shape.column_axis);
        const std::string index = c.index_type(), counts = c.division_type();
        const int run = c.s.block * c.s.vector;
        c.out.line("const {} runs = ({} + {}) / {};", counts, along, run - 1, run);
        if (!rest.empty()) c.out.line("const {} bands = ({} + {}) / {};", counts, down, shape.rows - 1, shape.rows);
        c.out.line("const {} i{} = blockIdx.x % runs * {} + threadIdx.x{};", index, shape.row_axis, run,
                   times_vector());
        c.out.line("const {} first = blockIdx.x / runs{} * {};", index, rest.empty() ? "" : " % bands", shape.rows);
        c.out.line("const {0} end_{1} = {2}, end_{3} = {4};", index, shape.column_axis, down, shape.row_axis, along);
        place_beside(c, rest, "blockIdx.x / runs / bands", f);
        c.decompose({shape.row_axis}, fmt::format("i{}", shape.row_axis), {});
        c.out.line("if (i{0} >= end_{0}) return;", shape.row_axis);
    }

    void load_windows() {
        for (std::size_t w = 0; w < shape.windows.size(); ++w) {
            const stencil_window& window = shape.windows[w];
            const dtype type = c.k.inputs[static_cast<std::size_t>(window.input)].type;
            const int rows = window.rows + shape.rows - 1, accesses = (window.last - window.first) / c.s.vector + 1;
            const std::string element = c.s.vector > 1 ? c.vector_type(type) : c.type(type);
            c.out.line("{} {}[{}][{}];", element, names[w], rows, accesses);
            open_rows(rows, window.rows - 1);
            std::string from = c.add_offset(input_name(window.input), window.at, axes);
            if (window.first != 0) from += fmt::format(" - {}", -window.first);
            c.out.line("const {}* from = {};", c.type(type), from);
            for (int a = 0; a < accesses; ++a) {
                const std::string place = a == 0 ? "from" : fmt::format("from + {}", a * c.s.vector);
                if (c.s.vector > 1)
                    c.out.line("{}[r][{}] = *reinterpret_cast<const {}*>({});", names[w], a, element, place);
                else
                    c.out.line("{}[r][{}] = from[{}];", names[w], a, a);
            }
            close_rows();
        }
    }

    void compute(const element_function& f) {
        access_plan plan = whole_arrays(c, axes);
        plan.elsewhere = [this](int v) {
            for (const stencil_read& read : shape.reads) {
                if (read.load != v) continue;
                const int column = read.along - shape.windows[static_cast<std::size_t>(read.window)].first;
                const std::string row = fmt::format("{}[r{}]", names[static_cast<std::size_t>(read.window)],
                                                    read.down == 0 ? "" : fmt::format(" + {}", read.down));
                if (c.s.vector == 1) return fmt::format("{}[{}]", row, column);
                const std::string at = column == 0 ? "e" : fmt::format("(e + {})", column);
                return fmt::format("{}[{} / {}].at[{} % {}]", row, at, c.s.vector, at, c.s.vector);
            }
            return std::string();
        };
        open_rows(shape.rows, 0);
        compute_lines(c, plan, f, nullptr);
        close_rows();
    }

private:
    std::string times_vector() const { return c.s.vector > 1 ? fmt::format(" * {}", c.s.vector) : ""; }

    /// The rows from the thread's first, as far as there are results, and `more`.
    void open_rows(int count, int more) {
        const std::string down = fmt::format("i{}", shape.column_axis);
        c.out.line("#pragma unroll");
        c.out.open("for (int r = 0; r < {}; ++r)", count);
        c.out.line("const {} {} = first + r;", c.index_type(), down);
        c.decompose({shape.column_axis}, down, {});
        c.out.open("if ({} < end_{}{})", down, shape.column_axis, more > 0 ? fmt::format(" + {}", more) : "");
    }
    void close_rows() {
        c.out.close();
        c.out.close();
    }

    context& c;
    const stencil_shape& shape;
    std::vector<int> rest, axes;     ///< the axes that a thread stands still on; all of them
    std::vector<std::string> names;  ///< of the windows
};

}  // namespace

std::vector<element_function> render_stencil(context& c) {
    std::vector<element_function> functions{make_element_function(c, group_level, "element")};
    const element_function& f = functions[0];
    load_outside(c, f);
    c.out.comment(fmt::format("A thread computes {} rows of {}. What several of them read is loaded once.",
                              c.s.stencil.rows,
                              c.s.vector > 1 ? fmt::format("{} neighbouring results", c.s.vector) : "one result"));
    stencil_renderer stencil(c);
    stencil.place_thread(f);
    c.out.blank();
    stencil.load_windows();
    c.out.blank();
    stencil.compute(f);
    return functions;
}

}  // namespace sinter::codegen
