// Draws the mapping of threads to elements, and the roofline.
#include <codegen/explain/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinter::codegen {
namespace {

constexpr std::array colours = {"#cfe3f7", "#f9e2c4", "#d5efd0", "#f3d3dc", "#e0d9f2", "#f4f0c0", "#cdeceb", "#e6e0d8"};
constexpr int cell = 26, left = 96, top = 30;

struct grid {
    int rows = 1, columns = 32;
    std::string row_name, column_name;
    int (*thread)(const schedule& s, int row, int column) = nullptr;
};

/// The threads of the first block at the elements of their first accesses.
grid grid_of(const schedule& s) {
    if (s.form == schedule_form::rows)
        return {std::min(4, groups_per_block(s)), 32, "row", "element along the row",
                [](const schedule& of, int r, int e) {
                    return r * of.threads_per_output + e / of.vector_width % of.threads_per_output;
                }};
    if (s.form == schedule_form::columns)
        return {std::min(4, s.threads_per_output), 32, "step", "column", [](const schedule& of, int r, int e) {
                    const int across = of.block_threads / of.threads_per_output;
                    return r % of.threads_per_output * across + e / of.vector_width % across;
                }};
    if (s.form == schedule_form::stencil)
        return {s.stencil.rows, 32, "row", "column",
                [](const schedule& of, int, int e) { return e / of.vector_width; }};
    if (s.form == schedule_form::channels)
        return {s.unroll, 32, "channel", "pixel", [](const schedule& of, int, int e) { return e / of.vector_width; }};
    if (s.form == schedule_form::windows)
        return {std::max(s.windows.rows, std::min(4, s.block_threads / s.windows.threads_across)), 32, "row", "column",
                [](const schedule& of, int r, int e) {
                    const int across = of.windows.threads_across;
                    return r / of.windows.rows * across + e / of.windows.columns % across;
                }};
    return {1, 32, "", "element",
            [](const schedule& of, int, int e) { return e / of.vector_width % of.block_threads; }};
}

std::string grid_picture(const schedule& s) {
    const grid g = grid_of(s);
    const int width = left + g.columns * cell + 8, height = top + g.rows * cell + 8;
    std::string svg = fmt::format(
        "<svg role=\"img\" aria-label=\"The thread that computes each of the first elements of block 0\" width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<text class=\"axis\" x=\"{2}\" y=\"20\">{3}, 0 to {4}, and the thread that computes each</text>\n",
        width, height, left, g.column_name, g.columns - 1);
    for (int r = 0; r < g.rows; ++r) {
        if (!g.row_name.empty())
            svg +=
                fmt::format("<text class=\"axis\" x=\"4\" y=\"{}\">{} {}</text>\n", top + r * cell + 17, g.row_name, r);
        for (int c = 0; c < g.columns; ++c) {
            const int thread = g.thread(s, r, c);
            svg += fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\"/>"
                "<text class=\"cell\" x=\"{}\" y=\"{}\">{}</text>\n",
                left + c * cell, top + r * cell, cell, cell, colours[static_cast<std::size_t>(thread) % colours.size()],
                left + c * cell + cell / 2, top + r * cell + 17, thread);
        }
    }
    return svg + "</svg>\n";
}

/// Adjacent tiles, labelled with a tile's extents.
std::string tiles_picture(const std::string& of_rows, const std::string& of_columns, const std::string& inside) {
    std::string svg = fmt::format(
        "<svg role=\"img\" aria-label=\"{0}\" width=\"560\" height=\"210\" viewBox=\"0 0 560 "
        "210\">\n<title>{0}</title>\n",
        escaped("Tiles of " + of_rows + " by " + of_columns + ": " + inside));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c)
            svg += fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"110\" height=\"54\" fill=\"{}\" stroke=\"#888\"/>"
                "<text class=\"cell\" x=\"{}\" y=\"{}\">block {}</text>\n",
                100 + 112 * c, 30 + 56 * r, colours[static_cast<std::size_t>(4 * r + c) % colours.size()],
                155 + 112 * c, 61 + 56 * r, 4 * r + c);
    return svg + fmt::format(
                     "<text class=\"axis\" x=\"100\" y=\"20\">each {} wide</text>"
                     "<text class=\"axis\" x=\"4\" y=\"60\">each {}</text>"
                     "<text class=\"axis\" x=\"4\" y=\"78\">high</text>\n</svg>\n",
                     of_columns, of_rows);
}

/// A power of ten: "100", "10 G", "1 T".
std::string power_of_ten(double v) {
    if (v >= 1e12) return fmt::format("{:g} T", v / 1e12);
    if (v >= 1e9) return fmt::format("{:g} G", v / 1e9);
    return v >= 1e6 ? fmt::format("{:g} M", v / 1e6) : fmt::format("{:g}", v);
}

/// The number of a point, or of several that lie on one another.
struct point_label {
    double x, y;
    bool fused;
    std::string numbers;
};

std::string labels_of(const std::vector<point_label>& points) {
    constexpr double near = 14;
    std::vector<point_label> labels;
    for (const point_label& p : points) {
        const auto same = std::find_if(labels.begin(), labels.end(), [&](const point_label& l) {
            return l.fused == p.fused && std::abs(l.x - p.x) < near && std::abs(l.y - p.y) < near;
        });
        if (same == labels.end())
            labels.push_back(p);
        else
            same->numbers += ", " + p.numbers;
    }
    std::string svg;
    for (const point_label& l : labels)
        svg += fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                           l.fused ? "strong" : "axis", l.fused ? "start" : "end", l.fused ? l.x + 12 : l.x - 12,
                           l.y + 4, l.numbers);
    return svg;
}

}  // namespace

std::string threads_picture(const schedule& s) {
    if (s.form == schedule_form::tiled)
        return tiles_picture(std::to_string(s.tile.column_length), std::to_string(s.tile.row_length),
                             fmt::format("{} threads transpose loads in shared memory", s.block_threads));
    if (s.form == schedule_form::contraction) {
        const contraction_tile& t = s.product;
        return tiles_picture(std::to_string(t.rows * t.thread_rows), std::to_string(t.columns * t.thread_columns),
                             fmt::format("a thread keeps {} by {} results in registers", t.rows, t.columns));
    }
    if (s.form == schedule_form::tensor) {
        const tensor_tile& t = s.tensor;
        return tiles_picture(std::to_string(t.rows), std::to_string(t.columns),
                             fmt::format("a warp keeps {} by {} results in registers", t.rows / t.warp_rows,
                                         t.columns / t.warp_columns));
    }
    return grid_picture(s);
}

std::string roofline_picture(const std::vector<roofline_point>& points, double bytes_per_second,
                             double operations_per_second) {
    constexpr double x0 = 80, x1 = 700, y0 = 320, y1 = 24;
    double low = 0.01, high = std::max(100.0, 4 * operations_per_second / bytes_per_second), least = 1e9;
    for (const roofline_point& p : points) {
        if (p.operations_per_byte <= 0) continue;
        low = std::min(low, p.operations_per_byte / 2);
        high = std::max(high, p.operations_per_byte * 2);
        least = std::min(least, p.operations_per_second / 2);
    }
    least = std::min(least, low * bytes_per_second);
    const double most = 2 * operations_per_second;
    const auto x = [&](double v) { return x0 + (x1 - x0) * std::log(v / low) / std::log(high / low); };
    const auto y = [&](double v) { return y0 + (y1 - y0) * std::log(v / least) / std::log(most / least); };
    const double ridge = operations_per_second / bytes_per_second;
    std::string svg =
        "<svg role=\"img\" aria-label=\"Roofline: operations per second against operations per byte\" width=\"760\" "
        "height=\"370\" viewBox=\"0 0 760 370\">\n<title>Roofline: operations per second against operations per "
        "byte</title>\n";
    for (double t = std::pow(10, std::ceil(std::log10(low))); t <= high; t *= 10)
        svg += fmt::format(
            "<line class=\"tick\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
            "<text class=\"axis\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n",
            x(t), y0, y1, y0 + 18, power_of_ten(t));
    for (double t = std::pow(10, std::ceil(std::log10(least))); t <= most; t *= 10)
        svg += fmt::format(
            "<line class=\"tick\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>"
            "<text class=\"axis\" text-anchor=\"end\" x=\"{3}\" y=\"{4:.1f}\">{5}</text>\n",
            x0, y(t), x1, x0 - 6, y(t) + 4, power_of_ten(t));
    svg +=
        fmt::format("<polyline class=\"roof\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", x(low),
                    y(low * bytes_per_second), x(ridge), y(operations_per_second), x(high), y(operations_per_second));
    svg += fmt::format(
        "<text class=\"axis\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{:.3g} T operations/s</text>\n"
        "<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{:.3g} TB/s</text>\n",
        x1, y(operations_per_second) - 8, operations_per_second / 1e12, x(2 * low) + 8,
        y(2 * low * bytes_per_second) + 14, bytes_per_second / 1e12);
    std::vector<point_label> labels;
    int fused = 0, unfused = 0;
    for (const roofline_point& p : points) {
        const int number = p.fused ? ++fused : ++unfused;
        if (p.operations_per_byte <= 0) continue;
        labels.push_back({x(p.operations_per_byte), y(p.operations_per_second), p.fused, std::to_string(number)});
        svg += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" class=\"{}\"><title>{}: {:.3g} operations per byte, "
            "{:.3g} per second</title></circle>\n",
            x(p.operations_per_byte), y(p.operations_per_second), p.fused ? "fused" : "unfused", escaped(p.name),
            p.operations_per_byte, p.operations_per_second);
    }
    svg += labels_of(labels);
    return svg + fmt::format(
                     "<text class=\"axis\" x=\"{}\" y=\"358\">operations per byte (filled: fused; hollow: unfused)"
                     "</text><text class=\"axis\" x=\"4\" y=\"14\">operations per second</text>\n</svg>\n",
                     x0);
}

}  // namespace sinter::codegen
