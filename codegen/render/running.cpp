// Running values across the threads of a row or a column.
#include <codegen/render/running.hpp>

#include <codegen/render/look_back.hpp>

#include <algorithm>
#include <functional>

namespace sinter::codegen {

namespace {

constexpr int warp = 32;

// The text about one scan.
class runner {
public:
    runner(context& shared, int scan)
        : c(shared),
          v(scan),
          type(shared.type(shared.at(scan).type)),
          carry(shared.name(scan)),
          at(carry + "_at" + (shared.s.unroll > 1 ? "[u]" : "")),
          exclusive(shared.at(scan).exclusive) {}

    std::string fold(const std::string& a, const std::string& b) const { return c.combine(v, a, b); }

    void open_accesses() {
        if (c.s.unroll == 1) return;
        c.out.line("#pragma unroll");
        c.out.open("for (int u = 0; u < {}; ++u)", c.s.unroll);
    }
    void close_accesses() {
        if (c.s.unroll > 1) c.out.close();
    }

    // One thread has them all: it folds them one after the other. `column` is "[e]" where neighbours are columns.
    void alone(const std::string& element, const std::string& column) {
        if (exclusive) {
            c.out.line("const {} next = {};", type, fold(carry + column, element));
            c.out.line("{} = {};", element, carry + column);
            c.out.line("{} = next;", carry + column);
        } else {
            c.out.line("{0} = {1} = {2};", element, carry + column, fold(carry + column, element));
        }
    }

    // Folds `before` into `count` elements that have been run along: element(i) is "...[i]".
    void add_before(const std::function<std::string(const std::string&)>& element, int count, const char* i) {
        if (!exclusive) {
            const std::string each = element(i);
            if (count > 1) {
                c.out.line("#pragma unroll");
                c.out.line("for (int {0} = 0; {0} < {1}; ++{0})", i, count);
                c.out.line("    {} = {};", each, fold("before", each));
            } else {
                c.out.line("{} = {};", each, fold("before", each));
            }
            return;
        }
        if (count > 1) {
            c.out.line("#pragma unroll");
            c.out.line("for (int {0} = {1}; {0} > 0; --{0})", i, count - 1);
            c.out.line("    {} = {};", element(i), fold("before", element(fmt::format("{} - 1", i))));
        }
        c.out.line("{} = before;", element("0"));
    }

    context& c;
    int v;
    std::string type, carry, at;
    bool exclusive;
};

// "name[4]", or "name" for one.
std::string several(const std::string& name, int count) {
    return count > 1 ? fmt::format("{}[{}]", name, count) : name;
}

class row_runner : runner {
public:
    row_runner(context& shared, int scan)
        : runner(shared, scan),
          vector(shared.s.vector),
          lanes(std::min(shared.s.group, warp)),
          warps(std::max(1, shared.s.group / warp)),
          up(carry + "_up" + (shared.s.unroll > 1 ? "[u]" : "")),
          lane(warps > 1 ? "lane % 32" : "lane"),
          width(lanes < warp ? fmt::format(", {}", lanes) : "") {}

    void write(bool again) {
        if (lanes == 1) return along_a_thread();
        c.out.comment(
            "Every thread runs along its neighbours. Then shuffles give each lane what it and the lanes before it come "
            "to.");
        along_the_lanes();
        if (warps == 1)
            behind_the_lanes();
        else
            behind_the_warps(again);
    }

private:
    std::string element(const std::string& e) const { return vector > 1 ? fmt::format("{}[{}]", at, e) : at; }

    void along_a_thread() {
        open_accesses();
        if (vector > 1) {
            c.out.line("#pragma unroll");
            c.out.open("for (int e = 0; e < {}; ++e)", vector);
        }
        alone(element("e"), "");
        if (vector > 1) c.out.close();
        close_accesses();
    }

    void along_the_lanes() {
        c.out.line("{} {};", type, several(carry + "_up", c.s.unroll));
        open_accesses();
        if (vector > 1) {
            c.out.line("#pragma unroll");
            c.out.line("for (int e = 1; e < {}; ++e)", vector);
            c.out.line("    {} = {};", element("e"), fold(element("e - 1"), element("e")));
        }
        c.out.line("{} = {};", up, element(std::to_string(vector - 1)));
        close_accesses();
        c.out.line("#pragma unroll");
        c.out.open("for (int offset = 1; offset < {}; offset *= 2)", lanes);
        open_accesses();
        c.out.line("const {} below = __shfl_up_sync(0xffffffffu, {}, offset{});", type, up, width);
        c.out.line("if ({} >= offset) {} = {};", lane, up, fold("below", up));
        close_accesses();
        c.out.close();
    }

    void behind_the_lanes() {
        open_accesses();
        c.out.line("const {} below = __shfl_up_sync(0xffffffffu, {}, 1{});", type, up, width);
        c.out.line("const {} before = {} == 0 ? {} : {};", type, lane, carry, fold(carry, "below"));
        add_before([&](const std::string& e) { return element(e); }, vector, "e");
        c.out.line("{} = {};", carry,
                   fold(carry, fmt::format("__shfl_sync(0xffffffffu, {}, {}{})", up, lanes - 1, width)));
        close_accesses();
    }

    void behind_the_warps(bool again) {
        const int results = warps * c.s.unroll, rows = c.s.block / c.s.group;
        const std::string of_warp = carry + "_of_warp";
        const std::string first = rows > 1 ? fmt::format("threadIdx.x / {} * {} + ", c.s.group, results) : "";
        const std::string mine = (c.s.unroll > 1 ? fmt::format("u * {} + ", warps) : "") + "lane / 32";
        const std::string segment = results < warp ? fmt::format(", {}", results) : "";
        c.out.comment(
            "The last lane of each warp leaves that for the others of the row, and every warp runs along what they "
            "all have left.");
        c.out.line("__shared__ {} {}[{}];", type, of_warp, results * rows);
        c.out.open("if (lane % 32 == 31)");
        open_accesses();
        c.out.line("{}[{}{}] = {};", of_warp, first, mine, up);
        close_accesses();
        c.out.close();
        c.out.line("__syncthreads();");
        const std::string all = carry + "_warps";
        const std::string place = results < warp ? fmt::format("threadIdx.x % {}", results) : "threadIdx.x % 32";
        c.out.line("{} {} = {}[{}{}];", type, all, of_warp, first, place);
        c.out.line("#pragma unroll");
        c.out.open("for (int offset = 1; offset < {}; offset *= 2)", results);
        c.out.line("const {} below = __shfl_up_sync(0xffffffffu, {}, offset{});", type, all, segment);
        c.out.line("if (int({}) >= offset) {} = {};", place, all, fold("below", all));
        c.out.close();
        const std::string total = fmt::format("__shfl_sync(0xffffffffu, {}, {}{})", all, results - 1, segment);
        if (c.s.split > 1) {
            c.out.line("const {} {}_total = {};", type, carry, total);
            write_look_back(c, v);
        }
        open_accesses();
        c.out.line("const int warps_before = {};", mine);
        c.out.line("const {} below = __shfl_sync(0xffffffffu, {}, (warps_before + {}) % {}{});", type, all, results - 1,
                   results, segment);
        c.out.line("const {} of_lanes = __shfl_up_sync(0xffffffffu, {}, 1);", type, up);
        c.out.line("const {} of_warps = warps_before == 0 ? {} : {};", type, carry, fold(carry, "below"));
        c.out.line("const {} before = {} == 0 ? of_warps : {};", type, lane, fold("of_warps", "of_lanes"));
        add_before([&](const std::string& e) { return element(e); }, vector, "e");
        close_accesses();
        if (!again) return;
        c.out.line("{} = {};", carry, fold(carry, total));
        c.out.line("__syncthreads();  // the next step uses the shared array again");
    }

    int vector, lanes, warps;
    std::string up, lane, width;
};

class column_runner : runner {
public:
    column_runner(context& shared, int scan) : runner(shared, scan), column(shared.has_neighbours() ? "[e]" : "") {}

    void write(bool again) {
        if (c.s.group == 1) {
            open_accesses();
            c.open_neighbours();
            alone(at + column, column);
            c.close_neighbours();
            return close_accesses();
        }
        const int rows = c.s.group, unroll = c.s.unroll;
        const std::string of_thread = carry + "_of_thread";
        const auto place = [&](const char* row) {
            return fmt::format("{}[{}]{}[thread_column]", of_thread, row, column);
        };
        c.out.comment(
            "Every thread runs down its neighbours and leaves what they come to; then each folds what the thread rows "
            "above it have left.");
        c.out.line("__shared__ {} {}[{}]{}[{}];", type, of_thread, rows, c.neighbours(), c.s.block / rows);
        if (unroll > 1) {
            c.out.line("#pragma unroll");
            c.out.open("for (int u = 1; u < {}; ++u)", unroll);
            c.open_neighbours();
            c.out.line("{} = {};", element("u"), fold(element("u - 1"), element("u")));
            c.close_neighbours();
            c.out.close();
        }
        c.open_neighbours();
        c.out.line("{} = {};", place("thread_row"), element(std::to_string(unroll - 1)));
        c.close_neighbours();
        c.out.line("__syncthreads();");
        if (c.s.split > 1) {
            c.out.line("{} {}_total = {};", type, carry, place("0"));
            c.out.line("#pragma unroll");
            c.out.line("for (int r = 1; r < {}; ++r)", rows);
            c.out.line("    {}_total = {};", carry, fold(carry + "_total", place("r")));
            write_look_back(c, v);
        }
        c.open_neighbours();
        c.out.line("{} before = {}{};", type, carry, column);
        c.out.line("#pragma unroll");
        c.out.open("for (int r = 0; r < {}; ++r)", rows);
        c.out.line("if (r == thread_row) before = {}{};", carry, column);
        c.out.line("{0}{1} = {2};", carry, column, fold(carry + column, place("r")));
        c.out.close();
        add_before([&](const std::string& u) { return element(u); }, unroll, "u");
        c.close_neighbours();
        if (again) c.out.line("__syncthreads();  // the next step uses the shared array again");
    }

private:
    std::string element(const std::string& u) const {
        return carry + "_at" + (c.s.unroll > 1 ? fmt::format("[{}]", u) : "") + column;
    }

    std::string column;
};

}  // namespace

void run_along_row(context& c, int scan, bool again) { row_runner(c, scan).write(again); }
void run_along_columns(context& c, int scan, bool again) { column_runner(c, scan).write(again); }

}  // namespace sinter::codegen
