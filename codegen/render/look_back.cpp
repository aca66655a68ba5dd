// Tiles, their tickets and their marks.
#include <codegen/render/look_back.hpp>

#include <codegen/render/forms.hpp>

namespace sinter::codegen {

namespace {

constexpr int ticket_line = 128;  ///< bytes in front of the results: a line of the cache
constexpr int warp = 32;
constexpr int columns_window = 64;

int count_scans(const kernel& k) {
    int count = 0;
    for (const value& v : k.values) count += v.what == value_kind::scan;
    return count;
}

// The text about one scan's look-back.
class look_back {
public:
    look_back(context& shared, int scan)
        : c(shared),
          v(scan),
          slots(shared.s.form == schedule_form::columns ? groups_per_block(shared.s) : 1),
          columns(shared.s.form == schedule_form::columns),
          threads(shared.s.group),
          window(columns ? columns_window : threads),
          type(shared.type(shared.at(scan).type)),
          name(shared.name(scan)) {}

    void write() {
        c.out.open("{}", "");
        const std::string slot = columns ? fmt::format(" * {} + thread_column", slots) : "";
        const std::string row = columns ? "thread_row" : "lane";
        const std::string column = columns ? "[thread_column]" : "";
        declare();
        c.out.comment(
            "The tile leaves what it comes to. Then its threads look back at the others of its window, and the first "
            "one at the windows before.");
        leave("tile", slot, name + "_total");
        c.out.line("const int before = part % {};  // tiles in the window", window);
        c.out.line("{} folded = {};", type, c.identity(v));
        if (window > threads)
            c.out.open("for (int r = {0}; r < before; r += {1})", row, threads);
        else
            c.out.open("if ({} < before)", row);
        const std::string other = fmt::format("(drawn - before + {})", window > threads ? "r" : row);
        c.out.line("wait_for_tile({}_tile_known + {}, turn);", name, other);
        c.out.line("folded = {};", fold("folded", fmt::format("{}_of_tile[{}{}]", name, other, slot)));
        c.out.close();
        // thread rows of columns, or warps of a row, leave one result each
        const int results = columns ? threads : threads / warp;
        if (columns) {
            c.out.line("__shared__ {} {}_before[{}][{}];", type, name, results + 1, slots);
            c.out.line("{}_before[thread_row]{} = folded;", name, column);
        } else {
            c.out.line("#pragma unroll");
            c.out.line("for (int offset = 16; offset > 0; offset /= 2)");
            c.out.line("    folded = {};", fold("folded", "__shfl_xor_sync(0xffffffffu, folded, offset)"));
            c.out.line("__shared__ {} {}_before[{}];", type, name, results + 1);
            c.out.line("if (lane % 32 == 0) {}_before[lane / 32] = folded;", name);
        }
        c.out.open("if ({} == 0)", row);
        c.out.line("{} windows = {};", type, c.identity(v));
        c.out.open("if (part > before)");
        c.out.line("wait_for_tile({}_window_known + (drawn - before - 1), turn);", name);
        c.out.line("windows = {}_of_windows[(drawn - before - 1){}];", name, slot);
        c.out.close();
        c.out.line("{}_before[{}]{} = windows;", name, results, column);
        c.out.close();
        c.out.line("__syncthreads();");
        c.out.line("{} = {}_before[{}]{};", name, name, results, column);
        c.out.line("#pragma unroll");
        c.out.line("for (int r = 0; r < {}; ++r)", results);
        c.out.line("    {} = {};", name, fold(name, fmt::format("{}_before[r]{}", name, column)));
        c.out.open("if (before == {})", window - 1);
        leave("window", slot, fold(name, name + "_total"));
        c.out.close();
        c.out.close();
    }

private:
    std::string fold(const std::string& a, const std::string& b) const { return c.combine(v, a, b); }

    // Pointers into the workspace: the results of this scan behind those of the scans before it, then the marks.
    void declare() {
        int before = 0;
        for (int other = 0; other < v; ++other) before += c.at(other).what == value_kind::scan;
        const int results = 2 * partial_bytes(c.k) * slots, scans = count_scans(c.k);
        const std::string base = c.workspace(), size = c.s.wide_index ? "size_t(gridDim.x)" : "gridDim.x";
        const auto pointer = [&](const std::string& to, const std::string& what, int bytes_a_tile) {
            const std::string past = bytes_a_tile > 0 ? fmt::format(" + {} * {}", bytes_a_tile, size) : "";
            c.out.line("{0}* {1}_{2} = reinterpret_cast<{0}*>({3} + {4}{5});", to, name, what, base, ticket_line, past);
        };
        pointer(type, "of_tile", before * results);
        pointer(type, "of_windows", before * results + results / 2);
        pointer("unsigned int", "tile_known", scans * results + before * 8);
        pointer("unsigned int", "window_known", scans * results + before * 8 + 4);
    }

    // Stores a result of the block and, when all can see it, marks it.
    void leave(const std::string& what, const std::string& slot, const std::string& result) {
        const std::string of = what == "tile" ? "of_tile" : "of_windows";
        if (columns) {
            c.out.line("if (thread_row == 0)");
            c.out.line("    {}_{}[drawn{}] = {};", name, of, slot, result);
            c.out.line("__syncthreads();");
            c.out.open("if (threadIdx.x == 0)");
        } else {
            c.out.open("if (lane == 0)");
            c.out.line("{}_{}[drawn] = {};", name, of, result);
        }
        c.out.line("__threadfence();  // it is visible before the mark is");
        c.out.line("volatile unsigned int* mark = {}_{}_known + drawn;", name, what);
        c.out.line("*mark = turn;");
        c.out.close();
    }

    context& c;
    int v, slots;
    bool columns;
    int threads, window;
    std::string type, name;
};

}  // namespace

void draw_tile(context& c, const tile_walk& walk) {
    const std::string index = c.index_type();
    c.out.comment(fmt::format(
        "Every {} is cut into tiles. Blocks draw theirs in order: the tiles that a block waits for have been begun. "
        "The ticket counts on from launch to launch, and tells which one this is.",
        walk.noun));
    c.out.line("__shared__ int drawn_tile;");
    c.out.line("__shared__ unsigned int launch;");
    c.out.open("if (threadIdx.x == 0)");
    c.out.line("const unsigned long long ticket = atomicAdd(reinterpret_cast<unsigned long long*>({}), 1ull);",
               c.workspace());
    c.out.line("drawn_tile = int(ticket % gridDim.x);");
    c.out.line("launch = unsigned(ticket / gridDim.x) + 1;");
    c.out.close();
    c.out.line("__syncthreads();");
    c.out.line("const int drawn = drawn_tile;");
    c.out.line("const unsigned int turn = launch;");
    if (walk.groups.empty()) {
        c.out.line("const int part = drawn;");
    } else {
        c.out.line("const int parts = gridDim.x / {};",
                   c.s.wide_index ? fmt::format("int({})", walk.groups) : walk.groups);
        c.out.line("const int {} = drawn / parts;", walk.noun);
        c.out.line("const int part = drawn % parts;");
    }
    c.out.line("const {0} begin = {1} * {2};", index, c.s.wide_index ? index + "(part)" : "part", walk.step);
}

void write_look_back(context& c, int scan) { look_back(c, scan).write(); }

void write_wait_for_tile(writer& w) {
    w.comment("Waits until another block has marked its result; then it is visible.");
    w.open(
        "static __device__ __forceinline__ void wait_for_tile(const volatile unsigned int* mark, const unsigned int "
        "turn)");
    w.line("while (*mark != turn) __nanosleep(20);");
    w.line("__threadfence();");
    w.close();
}

std::size_t look_back_bytes(const kernel& k, const schedule& s, std::size_t slots) {
    const auto scans = static_cast<std::size_t>(count_scans(k)), tiles = static_cast<std::size_t>(grid_size(k, s));
    return ticket_line + scans * (2 * slots * static_cast<std::size_t>(partial_bytes(k)) + 8 * tiles);
}

}  // namespace sinter::codegen
