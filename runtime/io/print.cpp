// Formats arrays: selects elements, arranges their words in lines, and adds brackets. The layout is NumPy's:
// https://github.com/numpy/numpy/blob/v2.4.0/numpy/_core/arrayprint.py (_formatArray).
#include <codegen/ir/print.hpp>
#include <runtime/io/element_text.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace sinter {
namespace codegen {
namespace {

constexpr std::int64_t threshold = 1000;  ///< larger arrays are summarised
constexpr std::int64_t edge = 3;          ///< elements shown at each end of an axis
constexpr std::size_t line_width = 75;

/// The shown elements, on the host, row-major.
struct excerpt {
    dtype type{};
    int rank = 0;
    std::int64_t extents[ir::max_rank] = {};
    bool cut[ir::max_rank] = {};  ///< the middle of the axis is omitted
    std::vector<unsigned char> elements;

    std::int64_t count() const {
        std::int64_t n = 1;
        for (int a = 0; a < rank; ++a) n *= extents[a];
        return n;
    }
};

/// Copies the shown elements from axis `axis` on, starting at element `from` of the storage, to `to`.
void gather(const detail::storage& s, const excerpt& shown, int axis, std::int64_t from, unsigned char*& to) {
    const std::size_t size = size_of(s.type);
    const auto copy = [&](std::int64_t at, std::int64_t count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * size;
        s.where->copy_to_host(to, static_cast<const unsigned char*>(s.data) + static_cast<std::size_t>(at) * size,
                              bytes);
        to += bytes;
    };
    const bool whole = std::none_of(shown.cut + axis, shown.cut + shown.rank, [](bool cut) { return cut; });
    if (whole) {
        std::int64_t count = 1;
        for (int a = axis; a < s.rank; ++a) count *= s.extents[a];
        return copy(from, count);
    }
    if (axis == s.rank - 1) {
        copy(from, edge);
        return copy(from + s.extents[axis] - edge, edge);
    }
    for (std::int64_t i = 0; i < shown.extents[axis]; ++i) {
        const std::int64_t index = shown.cut[axis] && i >= edge ? s.extents[axis] - shown.extents[axis] + i : i;
        gather(s, shown, axis + 1, from + index * s.strides[axis], to);
    }
}

excerpt excerpt_of(const detail::storage& s) {
    excerpt shown;
    shown.type = s.type;
    shown.rank = s.rank;
    std::int64_t size = 1;
    for (int a = 0; a < s.rank; ++a) size *= s.extents[a];
    for (int a = 0; a < s.rank; ++a) {
        shown.cut[a] = size > threshold && s.extents[a] > 2 * edge;
        shown.extents[a] = shown.cut[a] ? 2 * edge : s.extents[a];
    }
    shown.elements.resize(static_cast<std::size_t>(shown.count()) * size_of(s.type));
    unsigned char* to = shown.elements.data();
    if (size > 0) gather(s, shown, 0, 0, to);
    return shown;
}

/// Arranges the words of an excerpt in lines and brackets.
class layouter {
public:
    explicit layouter(const excerpt& shown)
        : shown_(shown),
          words_(aligned_words(shown.type, shown.elements.data(), static_cast<std::size_t>(shown.count()))) {}

    std::string text() {
        axis(0);
        return std::move(text_);
    }

private:
    void axis(int a) {
        text_ += '[';
        if (a == shown_.rank - 1) {
            last_axis();
        } else {
            for (std::int64_t i = 0; i < shown_.extents[a]; ++i) {
                if (i > 0) separate(a);
                if (shown_.cut[a] && i == edge) {
                    text_ += "...";
                    separate(a);
                }
                axis(a + 1);
            }
        }
        text_ += ']';
    }

    /// Line breaks, one more per outer axis, and indentation under the open brackets.
    void separate(int a) {
        text_.append(static_cast<std::size_t>(shown_.rank - 1 - a), '\n');
        text_.append(static_cast<std::size_t>(a + 1), ' ');
    }

    void last_axis() {
        const auto indent = static_cast<std::size_t>(shown_.rank);
        const std::size_t width = line_width - indent;  // leaves room for the closing brackets
        std::size_t line = indent;
        const auto put = [&](const std::string& word) {
            if (line > indent && line + word.size() > width) {
                text_.erase(text_.find_last_not_of(' ') + 1);
                text_ += '\n';
                text_.append(indent, ' ');
                line = indent;
            }
            text_ += word;
            line += word.size();
        };
        const std::int64_t n = shown_.extents[shown_.rank - 1];
        for (std::int64_t i = 0; i < n; ++i) {
            if (shown_.cut[shown_.rank - 1] && i == edge) {
                put("...");
                text_ += ' ';
                ++line;
            }
            put(words_[next_++]);
            if (i + 1 == n) break;
            text_ += ' ';
            ++line;
        }
    }

    const excerpt& shown_;
    const std::vector<std::string> words_;
    std::size_t next_ = 0;
    std::string text_;
};

}  // namespace
}  // namespace codegen

namespace detail {

std::string array_text(const storage_ref& values) {
    codegen::refuse_in_capture("printing");
    const storage_ref rows = dense(values);
    codegen::order_read(*rows.get());
    const codegen::excerpt shown = codegen::excerpt_of(*rows.get());
    if (shown.count() == 0) return "[]";
    if (shown.rank == 0) return codegen::scalar_word(shown.type, shown.elements.data());
    return codegen::layouter(shown).text();
}

std::ostream& write_text(std::ostream& out, const std::string& text) { return out << text; }

std::string scalar_text(dtype type, const void* element) { return codegen::scalar_word(type, element); }

std::string range_text(const range_t& r) {
    const auto bound = [](const range_bound& b) {
        if (!b.from_end) return fmt::format("{}", b.at);
        return b.at == 0 ? std::string("end") : fmt::format("end - {}", -b.at);
    };
    const std::string start = bound(r.start), stop = r.to_end ? "end" : bound(r.stop);
    return r.step == 1 ? fmt::format("range({}, {})", start, stop)
                       : fmt::format("range({}, {}, {})", start, stop, r.step);
}

}  // namespace detail
}  // namespace sinter
