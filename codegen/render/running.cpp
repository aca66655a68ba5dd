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
        const int rows = c.s.block / c.s.group;
        const std::string of_warp = carry + "_of_warp", all = carry + "_warps", total = carry + "_total";
        c.out.comment(
            "Then come the accesses of a warp, one behind another. It leaves what they come to for the others of the "
            "row, and every warp runs along what they all have left.");
        c.out.line("{} {} = {};", type, carry + "_warp", c.identity(v));
        open_accesses();
        c.out.line("const {} of_lanes = __shfl_sync(0xffffffffu, {}, 31);", type, up);
        c.out.line("const {} below = __shfl_up_sync(0xffffffffu, {}, 1);", type, up);
        c.out.line("{} = {} == 0 ? {}_warp : {};", up, lane, carry, fold(carry + "_warp", "below"));
        c.out.line("{0}_warp = {1};", carry, fold(carry + "_warp", "of_lanes"));
        close_accesses();
        c.out.line("__shared__ {} {}[{}];", type, of_warp, warps * rows);
        c.out.line("if ({} == 0) {}[threadIdx.x / 32] = {}_warp;", lane, of_warp, carry);
        c.out.line("__syncthreads();");
        const std::string first = rows > 1 ? fmt::format("threadIdx.x / {} * {} + ", c.s.group, warps) : "";
        const std::string segment = warps < warp ? fmt::format(", {}", warps) : "";
        c.out.line("{} {} = {}[{}lane % {}];", type, all, of_warp, first, warps);
        c.out.line("#pragma unroll");
        c.out.open("for (int offset = 1; offset < {}; offset *= 2)", warps);
        c.out.line("const {} below = __shfl_up_sync(0xffffffffu, {}, offset{});", type, all, segment);
        c.out.line("if (lane % {} >= offset) {} = {};", warps, all, fold("below", all));
        c.out.close();
        if (c.s.split > 1 || again)
            c.out.line("const {} {} = __shfl_sync(0xffffffffu, {}, {}{});", type, total, all, warps - 1, segment);
        if (c.s.split > 1) {
            c.out.line("__shared__ {} {}_before;", type, carry);
            write_look_back(c, v, total,
                            [this](const std::string& before) { c.out.line("{}_before = {};", carry, before); });
            c.out.line("{0} = {0}_before;", carry);
        }
        c.out.line("const {} warps_below = __shfl_sync(0xffffffffu, {}, (lane / 32 + {}) % {}{});", type, all,
                   warps - 1, warps, segment);
        c.out.line("const {} of_row = lane < 32 ? {} : {};", type, carry, fold(carry, "warps_below"));
        open_accesses();
        c.out.line("const {} before = {};", type, fold("of_row", up));
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
    column_runner(context& shared, int scan)
        : runner(shared, scan),
          across(shared.s.block / shared.s.group),
          layers(std::min(shared.s.group, shared.s.block / warp)),
          column(shared.has_neighbours() ? "[e]" : ""),
          of_layer(carry + "_of_layer") {}

    void write(bool again) {
        if (c.s.group == 1) {
            open_accesses();
            c.open_neighbours();
            alone(at + column, column);
            c.close_neighbours();
            return close_accesses();
        }
        c.out.comment(fmt::format(
            "Every thread runs down its neighbours{}. {} leaves what it comes to; then come those above.",
            across < warp ? ", and shuffles give it what it and the thread rows above it in its warp come to" : "",
            across < warp ? "Each warp" : "Each thread row"));
        down_the_thread_rows();
        if (c.s.split > 1) look_back();
        c.open_neighbours();
        if (c.s.split > 1) {
            c.out.line("{} before = {};", type, place(layer()));
        } else {
            c.out.line("{} before = {}{};", type, carry, column);
            c.out.line("#pragma unroll");
            c.out.open("for (int r = 0; r < {}; ++r)", layers);
            c.out.line("if (r == {}) before = {}{};", layer(), carry, column);
            c.out.line("{0}{1} = {2};", carry, column, fold(carry + column, place("r")));
            c.out.close();
        }
        if (across < warp) {
            c.out.line("const {} above = __shfl_up_sync(0xffffffffu, {}_up{}, {});", type, carry, column, across);
            c.out.line("if (threadIdx.x % 32 >= {}) before = {};", across, fold("before", "above"));
        }
        add_before([&](const std::string& u) { return element(u); }, c.s.unroll, "u");
        c.close_neighbours();
        if (again) c.out.line("__syncthreads();  // the next step uses the shared array again");
    }

private:
    std::string element(const std::string& u) const {
        return carry + "_at" + (c.s.unroll > 1 ? fmt::format("[{}]", u) : "") + column;
    }
    std::string layer() const { return across < warp ? "layer" : "thread_row"; }
    std::string place(const std::string& row) const { return fmt::format("{}[{}]{}", of_layer, row, column_slot(c)); }

    // Until each layer, a thread row or the thread rows of a warp, has left what it comes to.
    void down_the_thread_rows() {
        const int unroll = c.s.unroll;
        c.out.line("__shared__ {} {}[{}][{}];", type, of_layer, layers, groups_per_block(c.s));
        if (unroll > 1) {
            c.out.line("#pragma unroll");
            c.out.open("for (int u = 1; u < {}; ++u)", unroll);
            c.open_neighbours();
            c.out.line("{} = {};", element("u"), fold(element("u - 1"), element("u")));
            c.close_neighbours();
            c.out.close();
        }
        const std::string all = element(std::to_string(unroll - 1));
        if (across < warp) {
            c.out.line("const int layer = threadIdx.x / 32;");
            c.out.line("{} {}_up{};", type, carry, c.neighbours());
            c.open_neighbours();
            c.out.line("{}_up{} = {};", carry, column, all);
            c.out.line("#pragma unroll");
            c.out.open("for (int offset = {}; offset < 32; offset *= 2)", across);
            c.out.line("const {} above = __shfl_up_sync(0xffffffffu, {}_up{}, offset);", type, carry, column);
            c.out.line("if (int(threadIdx.x % 32) >= offset) {0} = {1};", carry + "_up" + column,
                       fold("above", carry + "_up" + column));
            c.out.close();
            c.out.line("if (threadIdx.x % 32 >= {}) {} = {}_up{};", warp - across, place(layer()), carry, column);
            c.close_neighbours();
        } else {
            c.open_neighbours();
            c.out.line("{} = {};", place(layer()), all);
            c.close_neighbours();
        }
        c.out.line("__syncthreads();");
    }

    // A thread for each column turns what the layers come to into what stands before each.
    void look_back() {
        const std::string total = carry + "_total", mine = of_layer + "[r][threadIdx.x]";
        const auto each_layer = [&] {
            c.out.line("#pragma unroll");
            c.out.open("for (int r = 0; r < {}; ++r)", layers);
        };
        c.out.line("{} {} = {};", type, total, c.identity(v));
        c.out.open("if (threadIdx.x < {})", groups_per_block(c.s));
        each_layer();
        c.out.line("const {} of_this = {};", type, mine);
        c.out.line("{} = {};", mine, total);
        c.out.line("{} = {};", total, fold(total, "of_this"));
        c.out.close();
        c.out.close();
        write_look_back(c, v, total, [&](const std::string& before) {
            c.out.line("const {} above = {};", type, before);
            each_layer();
            c.out.line("{} = {};", mine, fold("above", mine));
            c.out.close();
        });
    }

    int across, layers;
    std::string column, of_layer;
};

}  // namespace

void run_along_row(context& c, int scan, bool again) { row_runner(c, scan).write(again); }
void run_along_columns(context& c, int scan, bool again) { column_runner(c, scan).write(again); }

}  // namespace sinter::codegen
