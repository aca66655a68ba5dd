// Tiles, their tickets and their results.
#include <codegen/render/look_back.hpp>

#include <codegen/render/forms.hpp>

#include <vector>

namespace sinter::codegen {

namespace {

constexpr int ticket_line = 128;  ///< bytes in front of the results: a line of the cache
constexpr int warp = 32;
constexpr int columns_window = 16;  ///< tiles of a window, and windows of a larger one

bool is_columns(const schedule& s) { return s.form == schedule_form::columns; }

/// How many tiles form a window, how many of these a larger one.
std::vector<int> windows_of(const schedule& s) {
    return is_columns(s) ? std::vector<int>{columns_window, columns_window} : std::vector<int>{s.group};
}

int pieces_of(dtype type) { return static_cast<int>(size_of(type) + 3) / 4; }

/// Words that a scan's results of a tile take: as tiles, as windows of each size, and as all that stands before.
int words_of_tile(const schedule& s, const value& scan) {
    return results_of_tile(s) * pieces_of(scan.type) * static_cast<int>(windows_of(s).size() + 1);
}

// The text about one scan's look-back.
class look_back {
public:
    look_back(context& shared, int scan, const std::string& of_tile)
        : c(shared),
          v(scan),
          results(results_of_tile(shared.s)),
          across(is_columns(shared.s) ? shared.s.block / shared.s.group : 1),
          pieces(pieces_of(shared.at(scan).type)),
          windows(windows_of(shared.s)),
          total(of_tile),
          type(shared.type(shared.at(scan).type)),
          name(shared.name(scan)),
          mine(shared.has_neighbours() ? "[e]" : "") {}

    void write(const std::function<void(const std::string&)>& hand_on) {
        c.out.open("{}", "");
        c.out.comment(
            "The block leaves what its tile comes to. Then it folds what the tiles before it in its window have left, "
            "and what stands before the window.");
        declare();
        const std::string leader = results > 1 ? fmt::format("threadIdx.x < {}", results) : "threadIdx.x == 0";
        c.out.line("if ({}) {}", leader, leave("tiles", "part", total));
        c.out.line("__shared__ {} {}_of_window[{}]{};", type, name, layers(),
                   is_columns(c.s) ? fmt::format("[{}]", results) : "");
        c.out.line("{} before = {};", type, c.identity(v));
        int tiles = 1;
        for (std::size_t level = 0; level < windows.size(); ++level) {
            if (level > 0) c.out.line("__syncthreads();  // the shared array is used again");
            look_back_in(level == 0 ? "tiles" : "windows", tiles, windows[level]);
            tiles *= windows[level];
            c.out.line("__syncthreads();");
            c.out.open("if ({})", leader);
            c.out.line("#pragma unroll");
            c.out.line("for (int r = 0; r < {}; ++r)", layers());
            c.out.line("    before = {};",
                       fold("before", fmt::format("{}_of_window[r]{}", name, is_columns(c.s) ? "[threadIdx.x]" : "")));
            if (level + 1 < windows.size()) {
                leave_if_last("windows", tiles, fold("before", total));
                c.out.close();
            }
        }
        c.out.line("{} so_far = {};", type, c.identity(v));
        c.out.line("if (part >= {}) wait_for_results<1>({}, 0, turn, &so_far);", tiles,
                   place("so_far", fmt::format("(part / {} - 1)", tiles), "threadIdx.x"));
        leave_if_last("so_far", tiles, fold("so_far", fold("before", total)));
        hand_on(fold("so_far", "before"));
        c.out.close();
        c.out.close();
        c.out.line("__syncthreads();");
    }

private:
    std::string fold(const std::string& a, const std::string& b) const { return c.combine(v, a, b); }
    int layers() const { return c.s.block / warp; }

    // Pointers into the workspace: the results of this scan behind those of the scans before it.
    void declare() {
        int before = 0;
        for (int other = 0; other < v; ++other)
            if (c.at(other).what == value_kind::scan) before += words_of_tile(c.s, c.at(other));
        const auto pointer = [&](const std::string& of) {
            std::string past = before > 0 ? fmt::format(" + size_t({}) * gridDim.x", before) : "";
            if (!c.k.outer.empty()) past += fmt::format(" + size_t({}) * first", results * pieces);
            c.out.line("result_word* {}_{} = reinterpret_cast<result_word*>({} + {}){};", name, of, c.workspace(),
                       ticket_line, past);
            before += results * pieces;
        };
        pointer("tiles");
        if (windows.size() > 1) pointer("windows");
        pointer("so_far");
    }

    // Where a result is: that of the tile, or of the window, with this number; of the column `slot`.
    std::string place(const std::string& of, const std::string& number, const std::string& slot) const {
        const auto times = [](const std::string& n, int words) {
            return words > 1 ? fmt::format("{} * {}", n, words) : n;
        };
        const std::string wide = c.s.wide_index ? "size_t(" + number + ")" : number;
        const std::string start = fmt::format("{}_{} + {}", name, of, times(wide, results * pieces));
        return is_columns(c.s) ? start + " + " + times(slot, pieces) : start;
    }

    std::string leave(const std::string& of, const std::string& number, const std::string& result) const {
        return fmt::format("leave_result({}, turn, {});", place(of, number, "threadIdx.x"), result);
    }
    void leave_if_last(const std::string& of, int tiles, const std::string& result) {
        c.out.line("if (part % {} == {}) {}", tiles, tiles - 1, leave(of, fmt::format("part / {}", tiles), result));
    }

    // Leaves, for each warp, what its threads have found of the results before this one in a window of so many; each
    // result is that of so many tiles.
    void look_back_in(const std::string& of, int tiles, int window) {
        const std::string row = is_columns(c.s) ? "thread_row" : "lane";
        const std::string number = tiles > 1 ? fmt::format("part / {}", tiles) : "part";
        const auto wait = [&](const std::string& r, const std::string& into) {
            return fmt::format("wait_for_results<{}>({}, {}, turn, {}{});", c.has_neighbours() ? c.s.vector : 1,
                               place(of, fmt::format("({} - earlier + {})", number, r), "thread_column"),
                               across * pieces, c.has_neighbours() ? "" : "&", into);
        };
        c.out.open("{}", "");
        c.out.line("const int earlier = {} % {};  // in the window", number, window);
        c.out.line("{} folded{};", type, c.neighbours());
        each("folded" + mine + " = " + c.identity(v));
        if (window <= c.s.group) {
            c.out.line("if ({} < earlier) {}", row, wait(row, "folded"));
        } else {
            c.out.line("#pragma unroll 1");
            c.out.open("for (int r = {}; r < earlier; r += {})", row, c.s.group);
            c.out.line("{} other{};", type, c.neighbours());
            c.out.line("{}", wait("r", "other"));
            each(fmt::format("folded{} = {}", mine, fold("folded" + mine, "other" + mine)));
            c.out.close();
        }
        if (across < warp) {
            c.out.line("#pragma unroll");
            c.out.open("for (int offset = 16; offset >= {}; offset /= 2)", across);
            const std::string other = fmt::format("__shfl_xor_sync(0xffffffffu, folded{}, offset)", mine);
            each(fmt::format("folded{} = {}", mine, fold("folded" + mine, other)));
            c.out.close();
            c.out.open("if (threadIdx.x % 32 < {})", across);
        }
        each(fmt::format("{}_of_window[threadIdx.x / 32]{} = folded{}", name, column_slot(c), mine));
        if (across < warp) c.out.close();
        c.out.close();
    }

    void each(const std::string& statement) {
        c.open_neighbours();
        c.out.line("{};", statement);
        c.close_neighbours();
    }

    context& c;
    int v, results, across, pieces;
    std::vector<int> windows;
    std::string total, type, name, mine;
};

}  // namespace

void draw_tile(context& c, const tile_walk& walk) {
    const std::string index = c.index_type();
    c.out.comment(fmt::format(
        "Every {} is cut into tiles. Blocks draw theirs in order: the tiles that a block waits for have been begun. "
        "The ticket's high half counts the launches: whoever draws the last tile makes it ready for the next one.",
        walk.noun));
    c.out.line("__shared__ unsigned int drawn_tile, launch;");
    c.out.open("if (threadIdx.x == 0)");
    c.out.line("unsigned long long* tickets = reinterpret_cast<unsigned long long*>({});", c.workspace());
    c.out.line("const unsigned long long ticket = atomicAdd(tickets, 1ull);");
    c.out.line("drawn_tile = unsigned(ticket);");
    c.out.line("launch = unsigned(ticket >> 32) + 1;");
    c.out.line("if (unsigned(ticket) == gridDim.x - 1) atomicAdd(tickets, (1ull << 32) - gridDim.x);");
    c.out.close();
    c.out.line("__syncthreads();");
    c.out.line("const unsigned int turn = launch;");
    if (walk.groups.empty()) {
        c.out.line("const int part = drawn_tile;");
    } else {
        const std::string groups = c.s.wide_index ? fmt::format("unsigned({})", walk.groups) : walk.groups;
        c.out.line("const int {} = drawn_tile % {};", walk.noun, groups);
        c.out.line("const int part = drawn_tile / {};", groups);
        c.out.line("const int first = {} * (gridDim.x / {});  // of its results", walk.noun, groups);
    }
    c.out.line("const {0} begin = {1} * {2};", index, c.s.wide_index ? index + "(part)" : "part", walk.step);
}

void write_look_back(context& c, int scan, const std::string& total,
                     const std::function<void(const std::string& before)>& hand_on) {
    look_back(c, scan, total).write(hand_on);
}

int results_of_tile(const schedule& s) { return is_columns(s) ? groups_per_block(s) : 1; }

std::string column_slot(const context& c) {
    if (!is_columns(c.s)) return "";
    return c.has_neighbours() ? fmt::format("[e * {} + thread_column]", c.s.block / c.s.group) : "[thread_column]";
}

void write_result_functions(writer& w) {
    w.comment(
        "A result that blocks leave for others, piece by piece: half of each word is a piece, half is the number of "
        "the launch. Whoever sees the number has the piece.");
    w.line("using result_word = volatile unsigned long long;");
    w.blank();
    w.line("template <class T>");
    w.line("static __device__ __forceinline__ void leave_result(result_word* words, const unsigned int turn,");
    w.open("                                                    const T result)");
    w.line("constexpr int pieces = (sizeof(T) + 3) / 4;");
    w.line("unsigned int piece[pieces] = {{}};");
    w.line("memcpy(piece, &result, sizeof(T));");
    w.line("#pragma unroll");
    w.line("for (int p = 0; p < pieces; ++p) words[p] = (unsigned long long)(turn) << 32 | piece[p];");
    w.close();
    w.blank();
    w.comment("Waits until this launch has left so many results, each `distance` words behind the one before.");
    w.line("template <int count, class T>");
    w.line("static __device__ __forceinline__ void wait_for_results(const result_word* words, const int distance,");
    w.open("                                                        const unsigned int turn, T* results)");
    w.line("constexpr int pieces = (sizeof(T) + 3) / 4;");
    w.line("unsigned int piece[count][pieces];");
    w.open("for (bool known = false; !known;)");
    w.line("known = true;");
    w.line("#pragma unroll");
    w.open("for (int i = 0; i < count * pieces; ++i)");
    w.line("const unsigned long long word = words[i / pieces * distance + i % pieces];");
    w.line("known = known && (word >> 32) == turn;");
    w.line("piece[i / pieces][i % pieces] = (unsigned int)(word);");
    w.close();
    w.line("if (!known) __nanosleep(20);");
    w.close();
    w.line("#pragma unroll");
    w.line("for (int i = 0; i < count; ++i) memcpy(results + i, piece[i], sizeof(T));");
    w.close();
}

std::size_t look_back_bytes(const kernel& k, const schedule& s) {
    std::size_t words = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::scan) words += static_cast<std::size_t>(words_of_tile(s, v));
    return ticket_line + 8 * words * static_cast<std::size_t>(grid_size(k, s));
}

}  // namespace sinter::codegen
