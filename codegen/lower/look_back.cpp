// Tiles, their tickets and their results.
#include <codegen/lower/look_back.hpp>

#include <fmt/format.h>

#include <map>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

constexpr int ticket_line = 128;    ///< bytes before the results: one cache line
constexpr int columns_window = 16;  ///< tiles per window, and windows per window of the next level

bool is_columns(const schedule& s) { return s.form == schedule_form::columns; }

/// Window lengths by level: tiles per window, then windows per window of the next level.
std::vector<int> windows_of(const schedule& s) {
    return is_columns(s) ? std::vector<int>{columns_window, columns_window} : std::vector<int>{s.threads_per_output};
}

int pieces_of(dtype type) { return static_cast<int>(size_of(type) + 3) / 4; }

/// Words per tile of a scan's results: the tiles', the windows' of each size but the last, and the inclusive prefixes.
int words_of_tile(const schedule& s, const value& scan) {
    return results_of_tile(s) * pieces_of(scan.type) * static_cast<int>(windows_of(s).size() + 1);
}

/// The look-back of one scan.
class look_back_writer {
public:
    look_back_writer(lowering& shared, int scan, const scalar& of_tile, const acquired_tile& acquired,
                     const result_threads& who)
        : c(shared),
          v(scan),
          results(results_of_tile(shared.s)),
          across(is_columns(shared.s) ? shared.s.block_threads / shared.s.threads_per_output : 1),
          pieces(pieces_of(shared.at(scan).type)),
          windows(windows_of(shared.s)),
          total(of_tile),
          tile(acquired),
          threads(who),
          type(shared.at(scan).type) {}

    void write(const std::function<void(const scalar&)>& hand_on) {
        c.b.open_scope();
        c.b.comment(
            "Publish this tile's aggregate. Then fold the aggregates of the tiles before it in its window, and the "
            "result of all earlier windows.");
        declare();
        const scalar leads = results > 1 ? c.b.thread() < results : c.b.thread() == 0;
        c.b.open_branch(leads);
        publish("tiles", tile.part, total);
        c.b.close();
        of_window = c.b.declare(window_array());
        const scalar before = c.b.variable_of("before", type, c.identity(v));
        int tiles = 1;
        for (std::size_t level = 0; level < windows.size(); ++level) {
            if (level > 0) c.b.barrier(barrier_scope::block, "the shared array is reused");
            look_back_in(level == 0 ? "tiles" : "windows", tiles, windows[level]);
            tiles *= windows[level];
            c.b.barrier(barrier_scope::block);
            c.b.open_branch(leads);
            fold_layers(before);
            if (level + 1 == windows.size()) break;
            publish_if_last("windows", tiles, fold(before, total));
            c.b.close();
        }
        const scalar so_far = c.b.variable_of("so_far", type, c.identity(v));
        c.b.open_branch(tile.part >= tiles);
        c.b.await(place("so_far", tile.part / tiles - 1, c.b.thread()), c.b.integer(0), tile.epoch, 1, so_far);
        c.b.close();
        publish_if_last("so_far", tiles, fold(so_far, fold(before, total)));
        hand_on(fold(so_far, before));
        c.b.close();
        c.b.close();
        c.b.barrier(barrier_scope::block);
    }

private:
    scalar fold(const scalar& a, const scalar& b) const { return c.combine(v, a, b); }
    int layers() const { return c.s.block_threads / warp; }

    array window_array() const {
        array a{c.name(v) + "_of_window", space::shared, type, {layers()}};
        if (is_columns(c.s)) a.extents.push_back(results);
        return a;
    }

    // Arrays in the workspace; the results of this scan follow those of earlier scans.
    void declare() {
        int before = 0;
        for (int other = 0; other < v; ++other)
            if (c.at(other).what == value_kind::scan) before += words_of_tile(c.s, c.at(other));
        const auto wide = [&](int n) { return c.b.index_cast(dtype::uint64, c.b.integer(n)); };
        const auto carve = [&](const char* of) {
            scalar past;
            if (before > 0) past = wide(before) * c.b.grid();
            if (!c.k.outer.empty()) {
                const scalar own = wide(results * pieces) * tile.first;
                past = past ? past + own : own;
            }
            array words{c.name(v) + "_" + of, space::global, dtype::uint64, {}};
            words.is_result = true;
            places[of] = c.b.carve(words, c.workspace(), c.b.integer(ticket_line), past);
            before += results * pieces;
        };
        carve("tiles");
        if (windows.size() > 1) carve("windows");
        carve("so_far");
    }

    // Address of a result: that of the tile or window `number`, in column `slot`.
    scalar place(const char* of, const scalar& number, const scalar& slot) {
        const auto times = [](const scalar& n, int words) { return words > 1 ? n * words : n; };
        const scalar wide = c.s.wide_index ? c.b.index_cast(dtype::uint64, number) : number;
        std::vector<term> all{{-1, times(wide, results * pieces).at, none}};
        if (is_columns(c.s)) all.push_back({-1, times(slot, pieces).at, none});
        return c.b.memory(places.at(of), std::move(all));
    }

    void publish(const char* of, const scalar& number, const scalar& result) {
        c.b.publish(place(of, number, c.b.thread()), tile.epoch, result);
    }
    void publish_if_last(const char* of, int tiles, const scalar& result) {
        c.b.open_branch(tile.part % tiles == tiles - 1);
        publish(of, tile.part / tiles, result);
        c.b.close();
    }

    void fold_layers(const scalar& before) {
        const scalar r = c.b.open_unrolled("r", layers());
        std::vector<scalar> indices{r};
        if (is_columns(c.s)) indices.push_back(c.b.thread());
        c.b.assign(before, fold(before, c.b.element(of_window, indices)));
        c.b.close();
    }

    // For each of the thread's columns.
    template <class Statement>
    void each(Statement statement) {
        c.open_neighbours();
        statement();
        c.close_neighbours();
    }

    scalar own(id array) { return c.has_neighbours() ? c.b.element(array, {c.neighbour}) : c.b.element(array, {}); }

    id declare_own(const char* name) {
        array a{name, space::registers, type, {}};
        if (c.has_neighbours()) a.extents.push_back(c.s.vector_width);
        return c.b.declare(a);
    }

    // Writes, per warp, the fold of the results that precede this one in its window of length `window`; each result
    // covers `tiles` tiles.
    void look_back_in(const char* of, int tiles, int window) {
        const scalar number = tiles > 1 ? tile.part / tiles : tile.part;
        c.b.open_scope();
        const scalar earlier = c.b.let_index("earlier", dtype::int32, number % window, "in the window");
        const id folded = declare_own("folded");
        each([&] { c.b.assign(own(folded), c.identity(v)); });
        const auto wait = [&](const scalar& r, id into) {
            c.b.await(place(of, number - earlier + r, threads.column), c.b.integer(across * pieces), tile.epoch,
                      c.has_neighbours() ? c.s.vector_width : 1, c.b.element(into, {}));
        };
        if (window <= c.s.threads_per_output) {
            c.b.open_branch(threads.row < earlier);
            wait(threads.row, folded);
            c.b.close();
        } else {
            const scalar r =
                c.b.open_loop("r", dtype::int32, threads.row, earlier, c.b.integer(c.s.threads_per_output), 1);
            const id other = declare_own("other");
            wait(r, other);
            each([&] { c.b.assign(own(folded), fold(own(folded), own(other))); });
            c.b.close();
        }
        if (across < warp) fold_thread_rows(folded);
        if (across < warp) c.b.open_branch(c.b.thread() % warp < across);
        each([&] {
            std::vector<scalar> indices{c.b.thread() / warp};
            if (is_columns(c.s)) indices.push_back(column_slot(c, threads.column));
            c.b.assign(c.b.element(of_window, indices), own(folded));
        });
        if (across < warp) c.b.close();
        c.b.close();
    }

    void fold_thread_rows(id folded) {
        const scalar offset = c.b.open_halving_to("offset", warp / 2, across, 0);
        each([&] {
            c.b.assign(own(folded), fold(own(folded), c.b.exchange(exchange_pattern::butterfly, own(folded), offset)));
        });
        c.b.close();
    }

    lowering& c;
    int v, results, across, pieces;
    std::vector<int> windows;
    scalar total;
    acquired_tile tile;
    result_threads threads;
    dtype type;
    id of_window = none;
    std::map<std::string, id> places;
};

}  // namespace

acquired_tile acquire_tile(lowering& c, const tile_walk& walk) {
    c.b.comment(
        fmt::format("Each {} is divided into tiles. Blocks acquire tiles in order, so the tiles that a block waits for "
                    "have been started. The ticket's high half counts launches (epochs); the block that acquires the "
                    "last tile resets the ticket for the next launch.",
                    walk.noun));
    const auto shared_counter = [&](const char* name) {
        array a{name, space::shared, dtype::uint32, {}};
        a.is_index = true;
        return c.b.element(c.b.declare(a), {});
    };
    const scalar drawn = shared_counter("tile_number"), launch = shared_counter("launch_epoch");
    constexpr std::int64_t launch_bit = std::int64_t{1} << 32;
    c.b.open_branch(c.b.thread() == 0);
    array counter{"tickets", space::global, dtype::uint64, {}};
    counter.is_index = true;
    const scalar tickets = c.b.memory(c.b.carve(counter, c.workspace(), {}), {});
    const scalar ticket = c.b.ticket("ticket", tickets, c.b.integer(1, dtype::uint64));
    const auto low_half = [&] { return c.b.index_cast(dtype::uint32, ticket); };
    c.b.assign(drawn, low_half());
    c.b.assign(launch, c.b.index_cast(dtype::uint32, c.b.shift_right(ticket, 32)) + 1);
    c.b.open_branch(low_half() == c.b.grid() - 1);
    c.b.add_atomically(tickets, c.b.integer(launch_bit, dtype::uint64) - c.b.grid());
    c.b.close();
    c.b.close();
    c.b.barrier(barrier_scope::block);
    acquired_tile tile;
    tile.epoch = c.b.let_index("epoch", dtype::uint32, launch);
    if (!walk.groups) {
        tile.part = c.b.let_index("part", dtype::int32, drawn);
    } else {
        const scalar groups = c.s.wide_index ? c.b.index_cast(dtype::uint32, walk.groups) : walk.groups;
        tile.group = c.b.let_index(walk.noun, dtype::int32, drawn % groups);
        tile.part = c.b.let_index("part", dtype::int32, drawn / groups);
        tile.first = c.b.let_index("first", dtype::int32, tile.group * (c.b.grid() / groups),
                                   "index of the group's first result");
    }
    const scalar part = c.s.wide_index ? c.b.index_cast(c.index_type(), tile.part) : tile.part;
    tile.begin = c.b.let_index("begin", c.index_type(), part * walk.step);
    return tile;
}

void look_back(lowering& c, int scan, const scalar& total, const acquired_tile& tile, const result_threads& threads,
               const std::function<void(const scalar& before)>& hand_on) {
    look_back_writer(c, scan, total, tile, threads).write(hand_on);
}

int results_of_tile(const schedule& s) { return is_columns(s) ? groups_per_block(s) : 1; }

scalar column_slot(lowering& c, const scalar& thread_column) {
    return c.has_neighbours() ? c.neighbour * (c.s.block_threads / c.s.threads_per_output) + thread_column
                              : thread_column;
}

std::size_t look_back_bytes(const loop_nest& k, const schedule& s) {
    std::size_t words = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::scan) words += static_cast<std::size_t>(words_of_tile(s, v));
    return ticket_line + 8 * words * static_cast<std::size_t>(grid_size(k, s));
}

}  // namespace sinter::codegen::lower
