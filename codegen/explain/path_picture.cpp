// Draws the path of a kernel's elements through memory, from left to right, to show why data is read once.
#include <codegen/explain/picture.hpp>
#include <codegen/explain/words.hpp>
#include <codegen/schedule/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

struct station {
    std::string where;
    std::vector<std::string> what;  ///< one line each
};

std::string plural(std::int64_t n, const std::string& thing) {
    return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

station registers_of(const loop_nest& k, const schedule& s) {
    station r{"registers of a thread", {}};
    switch (s.form) {
        case schedule_form::contraction:
            r.what = {fmt::format("{} x {} results", s.product.rows, s.product.columns)};
            return r;
        case schedule_form::tensor:
            r.what = {fmt::format("{} x {} results, shared by a warp", s.tensor.rows / s.tensor.warp_rows,
                                  s.tensor.columns / s.tensor.warp_columns)};
            return r;
        case schedule_form::stencil:
            for (const stencil_window& w : s.stencil.windows)
                r.what.push_back(fmt::format("window of {} x {}", w.rows, s.vector_width + w.last - w.first));
            r.what.push_back(fmt::format("{} x {} results", s.stencil.rows, s.vector_width));
            return r;
        case schedule_form::windows:
            for (const group_window& w : s.windows.windows)
                r.what.push_back(
                    fmt::format("window of {} x {}", w.moves_down ? s.windows.window_rows() : 1, w.elements));
            r.what.push_back(fmt::format("{} x {} results", s.windows.rows, s.windows.columns));
            return r;
        case schedule_form::channels:
            r.what = {fmt::format("{} channels of {} pixels", s.unroll, s.vector_width)};
            return r;
        case schedule_form::elementwise:
        case schedule_form::tiled: r.what = {plural(s.vector_width * s.unroll, "result")}; return r;
        default: break;
    }
    if (s.register_cached) r.what.push_back(fmt::format("{} elements kept", s.vector_width * s.unroll));
    r.what.push_back(
        fmt::format("{} access{} of {}", s.unroll, s.unroll == 1 ? "" : "es", plural(s.vector_width, "element")));
    int folds = 0;
    for (const value& v : k.values) folds += v.what == value_kind::reduce || v.what == value_kind::scan;
    const int parts = s.form == schedule_form::columns ? s.vector_width : std::min(s.unroll, max_accumulators);
    if (folds > 0) r.what.push_back(plural(folds * parts, "accumulator"));
    return r;
}

std::vector<station> stations_of(const loop_nest& k, const schedule& s, std::int64_t read, std::int64_t written) {
    std::vector<station> all{{"memory", {"reads " + megabytes(read)}}};
    if (s.form == schedule_form::contraction)
        all.push_back({"shared memory", {"slices of both operands", plural(s.product.depth, "step") + " long"}});
    if (s.form == schedule_form::tensor && !is_in_registers(s.tensor))
        all.push_back(
            {"shared memory",
             {fmt::format("{} slices of both operands", s.tensor.stages), plural(s.tensor.depth, "step") + " long"}});
    if (s.form == schedule_form::tiled)
        all.push_back({"shared memory", {plural(static_cast<int>(s.tile.transposed.size()), "load"), "transposed"}});
    all.push_back(registers_of(k, s));
    const bool folds = s.form == schedule_form::rows || s.form == schedule_form::columns;
    const int lanes = s.form == schedule_form::rows ? std::min(s.threads_per_output, 32) : 1;
    if (folds && lanes > 1) all.push_back({"lanes of a warp", {fmt::format("{} threads shuffle", lanes)}});
    if (folds && s.threads_per_output > lanes)
        all.push_back({"shared memory",
                       {lanes > 1 ? plural(s.threads_per_output / lanes, "result") + " of warps"
                                  : plural(s.threads_per_output, "result"),
                        "folded to one"}});
    if (s.cluster > 1)
        all.push_back({"shared memory of a cluster",
                       {plural(s.cluster, "result") + " of blocks", "each block reads and folds all"}});
    if (s.grid_barrier)
        all.push_back(
            {"memory, for other blocks",
             {plural(s.blocks_per_output, "part") + " per " + (s.form == schedule_form::rows ? "row" : "tile"),
              "barrier: all fold them"}});
    else if (folds && s.blocks_per_output > 1)
        all.push_back(
            {"memory, for other blocks",
             {plural(s.blocks_per_output, "part"), has_scans(k) ? "each looks back" : "the last block folds them"}});
    if (k.block_axis >= 0)
        all.push_back(
            {"memory, for the next kernel", {plural(s.folding_blocks, "block"), "a fold of its columns each"}});
    else if (s.folding_blocks > 1)
        all.push_back(
            {"memory, for other blocks", {plural(s.folding_blocks, "block"), "the last folds the results of all"}});
    all.push_back({"memory", {"writes " + megabytes(written)}});
    return all;
}

}  // namespace

std::string path_picture(const loop_nest& k, const schedule& s, std::int64_t read, std::int64_t written) {
    constexpr int gap = 34, top = 6, line = 16;
    const std::vector<station> all = stations_of(k, s, read, written);
    std::size_t lines = 1;
    for (const station& one : all) lines = std::max(lines, one.what.size());
    const int height = line * (static_cast<int>(lines) + 1) + 14;
    std::string boxes, said;
    int x = 4;
    for (const station& one : all) {
        std::size_t letters = one.where.size();
        for (const std::string& text : one.what) letters = std::max(letters, text.size());
        const int width = static_cast<int>(letters) * 8 + 16;
        if (x > 4)
            boxes += fmt::format("<path class=\"arrow\" d=\"M{} {} h{} m-6 -4 l6 4 l-6 4\"/>\n", x - gap + 4,
                                 top + height / 2, gap - 8);
        boxes += fmt::format(
            "<rect class=\"station\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/>"
            "<text class=\"where\" x=\"{}\" y=\"{}\">{}</text>",
            x, top, width, height, x + 8, top + line, escaped(one.where));
        said += (said.empty() ? "" : "; then ") + one.where + ":";
        for (std::size_t i = 0; i < one.what.size(); ++i) {
            boxes += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{}\">{}</text>", x + 8,
                                 top + line * (static_cast<int>(i) + 2) + 2, escaped(one.what[i]));
            said += (i == 0 ? " " : ", ") + one.what[i];
        }
        boxes += '\n';
        x += width + gap;
    }
    return fmt::format("<svg role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\">\n",
                       escaped(said), x - gap + 4, height + 2 * top) +
           boxes + "</svg>\n";
}

}  // namespace sinter::codegen
