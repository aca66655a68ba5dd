// Choosing the form, and what all forms have in common.
#include <codegen/schedule/schedule.hpp>

#include <codegen/schedule/forms.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

// Threads that stand side by side should touch neighbouring elements: the bytes of the loops' accesses vote.
bool prefers_columns(const kernel& k) {
    if (k.outer.empty()) return false;
    std::int64_t rows = 0, columns = 0;
    for (const access& a : accesses_of(k)) {
        if (a.loop == group_level) continue;
        const inner_loop& l = k.loops[static_cast<std::size_t>(a.loop)];
        const auto bytes = static_cast<std::int64_t>(size_of(a.type));
        if (!l.axes.empty() && stride_of(k, a, l.axes.back()) == 1)
            rows += bytes;
        else if (stride_of(k, a, k.outer.back()) == 1)
            columns += bytes;
    }
    return columns > rows;
}

std::string plural(int n, const char* thing) { return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s"); }

std::string describe(const schedule& s, const std::string& blocks) {
    std::string words;
    const std::string width = s.vector > 1 ? fmt::format(", {} elements an access", s.vector) : "";
    if (s.form == schedule_form::elementwise) {
        words = fmt::format("elementwise: {} a block{}", plural(s.block, "thread"), width);
        if (s.unroll > 1) words += fmt::format(", {} accesses a thread", s.unroll);
    } else {
        const char* noun = s.form == schedule_form::rows ? "row" : "column";
        words = fmt::format("{}s: {} a {}, {} a block{}", noun, plural(s.group, "thread"), noun,
                            plural(groups_per_block(s), noun), width);
        if (s.unroll > 1) words += fmt::format(", {} accumulators a thread", s.unroll);
        if (s.resident) words += ", elements kept in registers";
        if (s.split > 1) words += fmt::format(", {} blocks a {}", blocks, s.form == schedule_form::rows ? noun : "tile");
    }
    if (s.wide_index) words += ", 64-bit positions";
    return words;
}

}  // namespace

schedule choose_schedule(const kernel& k, const machine& m, const std::vector<int>& alignment) {
    if (k.loops.empty()) return schedule_elementwise(k, m, alignment);
    return prefers_columns(k) ? schedule_columns(k, m) : schedule_rows(k, m, alignment);
}

std::int64_t grid_size(const kernel& k, const schedule& s) {
    const std::int64_t groups = outer_size(k);
    if (s.form == schedule_form::elementwise)
        return divide_up(groups, static_cast<std::int64_t>(s.block) * s.vector * s.unroll);
    return divide_up(groups, groups_per_block(s)) * s.split;
}

std::string describe(const schedule& s) { return describe(s, std::to_string(s.split)); }
std::string describe_class(const schedule& s) { return describe(s, "several"); }

}  // namespace sinter::codegen
