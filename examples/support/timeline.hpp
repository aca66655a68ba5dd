// Timelines of work on streams, one lane per kind of work, as text and as a picture.
#pragma once

#include <sinter/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace timeline {

inline constexpr std::array lanes{"copy in", "compute", "copy out"};

/// One operation.
struct piece {
    std::size_t lane;
    int chunk;
    double begin, end;  ///< seconds
};

/// The operations of one run.
struct record {
    std::string title;
    std::vector<piece> pieces;

    double seconds() const {
        double last = 0;
        for (const piece& p : pieces) last = std::max(last, p.end);
        return last;
    }
};

inline void print(const record& r) {
    constexpr int width = 80;
    const double total = r.seconds();
    const auto place = [&](double at) {
        return total > 0 ? static_cast<std::size_t>(std::lround(at / total * width)) : 0;
    };
    for (const piece& p : r.pieces) {
        const std::size_t from = place(p.begin), to = std::max(place(p.end), from + 1);
        std::string line(std::max<std::size_t>(width, to), ' ');
        std::fill(line.begin() + static_cast<std::ptrdiff_t>(from), line.begin() + static_cast<std::ptrdiff_t>(to),
                  '#');
        if (p.lane == 0) std::printf("chunk %d\n", p.chunk);
        std::printf("  %-9s|%s|\n", lanes[p.lane], line.c_str());
    }
    std::printf("           0 %*.3f ms\n", width - 1, total * 1e3);
}

/// Draws several runs below each other, on one time scale, into an SVG file.
class picture {
public:
    explicit picture(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
        if (file_ == nullptr) throw sinter::error("--svg " + path + ": cannot write it: " + std::strerror(errno));
    }
    ~picture() {
        if (file_ != nullptr) std::fclose(file_);
    }
    picture(const picture&) = delete;
    picture& operator=(const picture&) = delete;

    void draw(const std::string& where, const std::vector<record>& runs) {
        double total = 0;
        for (const record& r : runs) total = std::max(total, r.seconds());
        scale_ = (right - left) / total;
        const int height = top + panel * static_cast<int>(runs.size()) + 44;
        std::fprintf(
            file_,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<title>%s</title>\n<style>%s</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
            right + 30, height, right + 30, height, where.c_str(), style);
        text(20, 26, "start", where + ": work on numbered chunks, by their events");
        axis(total, top - 4, top + panel * static_cast<int>(runs.size()) - 6);
        for (std::size_t i = 0; i < runs.size(); ++i) draw(runs[i], top + panel * static_cast<int>(i));
        std::fprintf(file_, "</svg>\n");
        const bool good = std::ferror(file_) == 0;
        if (std::fclose(std::exchange(file_, nullptr)) != 0 || !good)
            throw sinter::error("--svg " + path_ + ": cannot write it: " + std::strerror(errno));
    }

private:
    /// The reader's choice of light or dark.
    static constexpr const char* style =
        "text{fill:#222}.on{fill:#fff}.ground{fill:#fff}line{stroke:#ddd}"
        "@media (prefers-color-scheme:dark){text{fill:#e5e9f0}.on{fill:#fff}.ground{fill:#1e2129}line{stroke:#39404d}}";
    static constexpr int left = 100, right = 940, top = 56, lane = 28, panel = 3 * lane + 52;

    double x(double seconds) const { return left + seconds * scale_; }

    void text(double at, int y, const char* anchor, const std::string& words, const char* attributes = "") {
        std::fprintf(file_, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\"%s>%s</text>\n", at, y, anchor, attributes,
                     words.c_str());
    }

    /// Draws about ten grid lines at round times.
    void axis(double total, int from, int to) {
        double step = std::pow(10, std::floor(std::log10(total / 5)));
        for (const double larger : {2.0, 2.5, 2.0})
            if (total / step > 10) step *= larger;
        for (int i = 0; i * step <= total; ++i) {
            std::fprintf(file_, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x(i * step), x(i * step), from,
                         to);
            char label[32];
            std::snprintf(label, sizeof label, "%g ms", i * step * 1e3);
            text(x(i * step), to + 18, "middle", label, " font-size=\"11\"");
        }
    }

    void draw(const record& r, int y) {
        constexpr std::array colours{"#2471a3", "#c0392b", "#1e8449"};
        text(left, y + 16, "start", r.title, " font-weight=\"bold\"");
        for (std::size_t l = 0; l < lanes.size(); ++l)
            text(left - 10, y + 24 + lane * static_cast<int>(l) + 16, "end", lanes[l]);
        for (const piece& p : r.pieces) {
            const int above = y + 24 + lane * static_cast<int>(p.lane);
            const double width = std::max(2.0, x(p.end) - x(p.begin));
            std::fprintf(file_,
                         "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"%d\" fill=\"%s\"%s>"
                         "<title>chunk %d, %s: %.3f to %.3f ms</title></rect>\n",
                         x(p.begin), above, width, lane - 6, width > 6 ? 3 : 0, colours[p.lane],
                         width > 6 ? " stroke=\"white\"" : "", p.chunk, lanes[p.lane], p.begin * 1e3, p.end * 1e3);
            if (width > 14)
                text(x((p.begin + p.end) / 2), above + 16, "middle", std::to_string(p.chunk), " class=\"on\"");
        }
    }

    const std::string path_;
    std::FILE* file_;
    double scale_ = 1;
};

}  // namespace timeline
