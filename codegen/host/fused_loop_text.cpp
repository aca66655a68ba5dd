// Prints fused loops. A block is traversed along the axes that all accesses share; adjacent axes are coalesced if every
// access moves along both as along one. A short fastest axis is unrolled inside a loop over the next one.
#include <codegen/host/fused_loop_text.hpp>

#include <codegen/cuda/writer.hpp>
#include <codegen/host/fused_element_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t max_literal = 16;  // strides and extents up to this are literals in the source
constexpr std::size_t max_unrolled_steps = 256;
constexpr std::int64_t most_bytes_of_pixel = 4;  // of bytes that are widened together

struct joint_axis {
    std::int64_t extent = 1;
    std::vector<std::int64_t> strides;  ///< by access, in elements
};

class loop_printer {
public:
    loop_printer(const plan& p, const loop_nest& k, const fused_steps& what, std::set<inline_op>& ops)
        : p_(p), k_(k), what_(what), element_(p, k, what, ops) {
        flat_ = what.loop < 0 || p.loops[static_cast<std::size_t>(what.loop)].columns;
    }

    fused_loop print() {
        const std::vector<int> none;
        outer_ = joined(k_.outer);
        inner_ = joined(what_.loop < 0 ? none : k_.loops[static_cast<std::size_t>(what_.loop)].axes);
        w_.indent();
        if (flat_)
            print_flat();
        else
            print_rows();
        fused_loop& loop = element_.loop();
        writer head;
        head.indent();
        for (const std::string& line : element_.declarations()) head.line("{}", line);
        for (std::size_t n = 0; n < loop.numbers.size(); ++n) head.line("const int64 n{0} = numbers[{0}];", n);
        loop.body = head.take() + w_.take();
        return std::move(loop);
    }

private:
    const std::vector<placed_access>& accesses() const { return element_.accesses(); }

    std::vector<joint_axis> joined(const std::vector<int>& axes) const {
        std::vector<joint_axis> all;
        for (const int a : axes) {
            joint_axis axis{k_.extents[static_cast<std::size_t>(a)], {}};
            if (axis.extent == 1) continue;
            for (const placed_access& one : accesses())
                axis.strides.push_back(
                    k_.layouts[static_cast<std::size_t>(one.to->at)].stride[static_cast<std::size_t>(a)]);
            bool continues = !all.empty();
            for (std::size_t i = 0; continues && i < accesses().size(); ++i)
                continues = all.back().strides[i] == axis.strides[i] * axis.extent;
            if (continues) axis.extent *= std::exchange(all.back().extent, 1);
            if (continues)
                all.back() = std::move(axis);
            else
                all.push_back(std::move(axis));
        }
        return all;
    }

    std::string number(std::int64_t n) {
        if (n >= -max_literal && n <= max_literal) return std::to_string(n);
        const auto known = std::find(element_.loop().numbers.begin(), element_.loop().numbers.end(), n);
        const auto at = known - element_.loop().numbers.begin();
        if (known == element_.loop().numbers.end()) element_.loop().numbers.push_back(n);
        return fmt::format("n{}", at);
    }

    /// `sum` plus n times an index.
    std::string plus(const std::string& sum, const std::string& index, std::int64_t n) {
        if (n == 0) return sum;
        return fmt::format("{} + {}{}", sum, index, n == 1 ? "" : " * " + number(n));
    }

    std::string extent_of(const joint_axis& axis) { return number(axis.extent); }

    /// Delinearizes a position into the indices of the axes.
    void print_indices(const std::vector<joint_axis>& axes, const char* name, const char* from) {
        if (axes.empty()) return;
        if (axes.size() > 1) w_.line("int64 rest_{} = {};", name, from);
        for (std::size_t a = axes.size(); a-- > 1;) {
            w_.line("int64 {0}{1} = rest_{0} % {2};", name, a, extent_of(axes[a]));
            w_.line("rest_{} /= {};", name, extent_of(axes[a]));
        }
        w_.line("int64 {}0 = {};", name, axes.size() > 1 ? fmt::format("rest_{}", name) : from);
    }

    /// Advances axis `a` by `by`, with carry into the slower axes.
    void print_carry(const std::vector<joint_axis>& axes, std::size_t a, const char* name, const std::string& by) {
        w_.line("{}{} += {};", name, a, by);
        std::size_t opened = 0;
        for (; a > 0; --a, ++opened) {
            w_.open("if ({}{} == {})", name, a, extent_of(axes[a]));
            w_.line("{}{} = 0;", name, a);
            w_.line("++{}{};", name, a - 1);
        }
        for (; opened > 0; --opened) w_.close();
    }

    /// The offset of each access at the current indices of some axes: const int64 o0 = ...
    void print_starts(const std::string& prefix, const std::string& from, const std::vector<joint_axis>& axes,
                      const char* name) {
        for (std::size_t i = 0; i < accesses().size(); ++i) {
            std::string sum = from.empty() ? number(accesses()[i].start) : fmt::format("{}{}", from, i);
            for (std::size_t a = 0; a < axes.size(); ++a)
                sum = plus(sum, fmt::format("{}{}", name, a), axes[a].strides[i]);
            w_.line("const int64 {}{} = {};", prefix, i, sum);
        }
    }

    std::int64_t stride_along(const joint_axis* axis, std::size_t access) const {
        return axis == nullptr ? 0 : axis->strides[access];
    }

    /// The offset of an access from element 0 of some axes to their element `c`.
    static std::int64_t distance(const std::vector<const joint_axis*>& axes, std::int64_t c, std::size_t access) {
        std::int64_t sum = 0;
        for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
            sum += c % (*a)->extent * (*a)->strides[access];
            c /= (*a)->extent;
        }
        return sum;
    }

    /// Loads what does not vary along `axis`, for each copy; the copies are the elements of the axes `copied`.
    std::vector<element_position> print_hoisted(const joint_axis* axis, const std::vector<const joint_axis*>& copied,
                                                std::int64_t copies) {
        std::vector<element_position> all(static_cast<std::size_t>(copies));
        for (std::int64_t c = 0; c < copies; ++c)
            for (std::size_t i = 0; i < accesses().size(); ++i) {
                element_position& at = all[static_cast<std::size_t>(c)];
                std::string offset = fmt::format("o{}", i);
                if (const std::int64_t further = distance(copied, c, i); further != 0)
                    offset += " + " + number(further);
                at.hoisted.emplace_back();
                if (stride_along(axis, i) == 0 && element_.may_hoist(i)) {
                    at.hoisted.back() = fmt::format("h{}_{}", i, c);
                    w_.line("const {} {} = {};", value_type(accesses()[i].type), at.hoisted.back(),
                            element_.load(i, offset));
                }
                at.offsets.push_back(plus(offset, "t", stride_along(axis, i)));
                at.steps.push_back(stride_along(axis, i));
                at.further.push_back(distance(copied, c, i));
            }
        return all;
    }

    /// for t: the copies of the body one after another, and the folds of the short rows at `group`, or of columns.
    void print_loop(const std::string& count, std::vector<element_position> copies, const std::string& group = {}) {
        const bool widens = what_.folds.empty() && print_widening_loop(count, copies);
        w_.line("SINTER_INDEPENDENT");
        w_.open("for (int64 t = {}; t < {}; ++t)", widens ? "strip" : "0", count);
        if (flat_)
            for (element_position& at : copies) at.accumulators = element_.fold_results(at.group);
        else
            element_.print_fold_starts(w_);
        print_copies(copies);
        if (!flat_) element_.print_fold_ends(w_, group);
        w_.close();
    }

    void print_copies(const std::vector<element_position>& copies) {
        for (const element_position& at : copies) {
            if (copies.size() > 1) w_.open("");
            element_.print(w_, at);
            if (copies.size() > 1) w_.close();
        }
    }

    /// Lets copies read bytes from arrays that hold them widened: runs, and channels of pixels. Returns how many bytes
    /// the widest pixel has; 0 if there are no such bytes.
    std::int64_t widen(std::vector<element_position>& copies) const {
        std::int64_t widest = 0;
        for (std::size_t i = 0; i < accesses().size(); ++i) {
            const std::int64_t pitch = copies[0].steps[i];
            const bool inside = std::all_of(copies.begin(), copies.end(), [&](const element_position& at) {
                return at.further[i] >= 0 && at.further[i] < pitch;
            });
            const bool widens = inside &&
                                pitch <= (copies.size() > 1 ? most_bytes_of_pixel : 1) &&  // of one channel: no gain
                                !element_.widened_type(i).empty();
            if (widens) widest = std::max(widest, pitch);
            for (element_position& at : copies)
                at.widened.push_back(widens ? fmt::format("w{}[j * {} + {}]", i, pitch, at.further[i]) : "");
        }
        return widest;
    }

    /// Most of a loop that widens bytes, in strips: compilers widen an array better than mixed widths in one loop.
    /// Returns whether there are such bytes; the elements from `strip` on are left, at least one if there are channels,
    /// since whole pixels are read.
    bool print_widening_loop(const std::string& count, std::vector<element_position> copies) {
        constexpr int length = 32;  // bytes of a vector
        const std::int64_t widest = widen(copies);
        if (widest == 0) return false;
        w_.line("int64 strip = 0;");
        w_.line("#if SINTER_WIDENS");
        w_.open("for (; strip + {0} {1} {2}; strip += {0})", length, widest > 1 ? "<" : "<=", count);
        for (std::size_t i = 0; i < accesses().size(); ++i)
            if (const std::int64_t pitch = copies[0].steps[i]; !copies[0].widened[i].empty()) {
                w_.line("{} w{}[{}];", element_.widened_type(i), i, length * pitch);
                w_.line("widen_strip(w{}, {} + {});", i, accesses()[i].pointer,
                        plus(fmt::format("o{}", i), "strip", pitch));
            }
        w_.line("SINTER_INDEPENDENT");
        w_.open("for (int64 j = 0; j < {}; ++j)", length);
        w_.line("const int64 t = strip + j;");
        print_copies(copies);
        w_.close();
        w_.close();
        w_.line("#endif");
        return true;
    }

    bool unrolls(const joint_axis& fastest) const {
        return fastest.extent <= longest_unrolled &&
               what_.steps.size() * static_cast<std::size_t>(fastest.extent) <= max_unrolled_steps;
    }

    /// A block of groups with one element each, or of inner elements of each group, one after another.
    void print_flat() {
        const bool of_loop = what_.loop >= 0;
        if (of_loop) w_.open("for (const int64 past = trip + trips; trip < past; ++trip)");
        print_flat_groups();
        if (of_loop) w_.close();
    }

    void print_flat_groups() {
        print_indices(outer_, "i", "group");
        print_indices(inner_, "j", "trip");
        if (!inner_.empty()) print_starts("c", "", inner_, "j");
        const std::string from = inner_.empty() ? "" : "c";
        w_.line("int64 e = 0;");
        w_.open("while (e < groups)");
        print_starts("o", from, outer_, "i");
        const std::size_t last = outer_.size() - 1;
        const bool short_rows = outer_.size() > 1 && unrolls(outer_[last]);
        if (short_rows) {
            const joint_axis &rows = outer_[last - 1], &columns = outer_[last];
            w_.open("if (i{} == 0 && groups - e >= {})", last, columns.extent);
            w_.line("const int64 whole = (groups - e) / {};", columns.extent);
            print_count("rows", last - 1, "whole");
            std::vector<element_position> copies = print_hoisted(&rows, {&columns}, columns.extent);
            for (std::size_t c = 0; c < copies.size(); ++c)
                copies[c].element = copies[c].group = fmt::format("e + t * {} + {}", columns.extent, c);
            print_loop("rows", copies);
            w_.line("e += rows * {};", columns.extent);
            print_carry(outer_, last - 1, "i", "rows");
            w_.line("continue;");
            w_.close();
        }
        if (outer_.empty())
            w_.line("const int64 run = groups - e;");
        else
            print_count("run", last, "groups - e");
        std::vector<element_position> one = print_hoisted(outer_.empty() ? nullptr : &outer_[last], {}, 1);
        one[0].element = one[0].group = "e + t";
        print_loop("run", one);
        w_.line("e += run;");
        if (!outer_.empty()) print_carry(outer_, last, "i", "run");
        w_.close();
    }

    /// The number of indices left along axis `a`, at most `most`.
    void print_count(const char* name, std::size_t a, const std::string& most) {
        if (a == 0) return w_.line("const int64 {} = {};", name, most);
        w_.line("const int64 left_{} = {} - i{};", name, extent_of(outer_[a]), a);
        w_.line("const int64 {0} = left_{0} < {1} ? left_{0} : {1};", name, most);
    }

    /// A block of rows: the inner elements of each group.
    void print_rows() {
        const loop_plan& l = p_.loops[static_cast<std::size_t>(what_.loop)];
        if (has_short_rows(l, what_.steps.size())) return print_short_rows(l.trips);
        print_indices(outer_, "i", "group");
        print_indices(inner_, "j", "trip");
        w_.line("int64 e = 0;");
        w_.open("for (int64 r = 0; r < groups; ++r)");
        element_.print_group_values(w_, "r");
        print_starts("b", "", outer_, "i");
        if (inner_.size() > 1)
            for (std::size_t a = 0; a < inner_.size(); ++a) w_.line("int64 k{0} = j{0};", a);
        const char* const index = inner_.size() > 1 ? "k" : "j";
        w_.line("const int64 end = e + trips;");
        if (inner_.size() > 1) w_.open("while (e < end)");
        print_starts("o", "b", inner_, index);
        const std::size_t last = inner_.size() - 1;
        w_.line("int64 run = end - e;");
        if (inner_.size() > 1) w_.line("if ({0} - k{1} < run) run = {0} - k{1};", extent_of(inner_[last]), last);
        std::vector<element_position> one = print_hoisted(inner_.empty() ? nullptr : &inner_[last], {}, 1);
        one[0].element = "e + t";
        if (what_.folds.empty())
            print_loop("run", one);
        else
            element_.print_long_folds(w_, one[0], "run", "r");
        w_.line("e += run;");
        if (inner_.size() > 1) {
            print_carry(inner_, last, index, "run");
            w_.close();
        }
        if (!outer_.empty()) print_carry(outer_, outer_.size() - 1, "i", "1");
        w_.close();
    }

    /// Whole rows of few elements: the loop runs over rows, and the elements are unrolled.
    void print_short_rows(std::int64_t columns) {
        std::vector<const joint_axis*> copied;
        for (const joint_axis& a : inner_) copied.push_back(&a);
        print_indices(outer_, "i", "group");
        w_.line("int64 r = 0;");
        w_.open("while (r < groups)");
        print_starts("o", "", outer_, "i");
        const std::size_t last = outer_.size() - 1;
        if (outer_.empty())
            w_.line("const int64 run = groups - r;");
        else
            print_count("run", last, "groups - r");
        std::vector<element_position> copies = print_hoisted(outer_.empty() ? nullptr : &outer_[last], copied, columns);
        for (std::size_t c = 0; c < copies.size(); ++c) {
            copies[c].element = columns == 1 ? "r + t" : fmt::format("(r + t) * {} + {}", columns, c);
            copies[c].group = "r + t";
        }
        print_loop("run", copies, "r + t");
        w_.line("r += run;");
        if (!outer_.empty()) print_carry(outer_, last, "i", "run");
        w_.close();
    }

    const plan& p_;
    const loop_nest& k_;
    const fused_steps& what_;
    element_text element_;
    bool flat_ = false;
    writer w_;
    std::vector<joint_axis> outer_, inner_;
};

}  // namespace

bool has_short_rows(const loop_plan& l, std::size_t steps) {
    return !l.columns && l.block_trips == l.trips && l.trips <= longest_unrolled && l.trips > 0 &&
           steps * static_cast<std::size_t>(l.trips) <= max_unrolled_steps;
}

bool may_fold(const loop_nest& k, const loop_plan& l, int loop, std::size_t steps) {
    const std::vector<int>& axes = k.loops[static_cast<std::size_t>(loop)].axes;
    return has_short_rows(l, steps) || l.columns || std::count_if(axes.begin(), axes.end(), [&k](int a) {
                                                        return k.extents[static_cast<std::size_t>(a)] > 1;
                                                    }) <= 1;
}

fused_loop print_fused_loop(const plan& p, const loop_nest& k, const fused_steps& what, std::set<inline_op>& ops) {
    return loop_printer(p, k, what, ops).print();
}

}  // namespace sinter::codegen::blocked
