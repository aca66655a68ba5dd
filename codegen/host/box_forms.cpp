// Applies the rules of index_rules.hpp within a box.
#include <codegen/host/box_forms.hpp>

#include <codegen/host/index_pieces.hpp>
#include <codegen/host/index_rules.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen::blocked {
namespace {

using wide = sinter::detail::any_integer;  // holds sums and products of int64

struct box_formula {
    wide base = 0;
    std::array<wide, max_axes> step{};

    friend box_formula operator+(box_formula a, const box_formula& b) {
        a.base += b.base;
        for (std::size_t i = 0; i < max_axes; ++i) a.step[i] += b.step[i];
        return a;
    }
    friend box_formula operator-(const box_formula& a, const box_formula& b) { return a + scaled(b, -1); }
    friend box_formula scaled(box_formula a, wide factor) {
        a.base *= factor;
        for (wide& s : a.step) s *= factor;
        return a;
    }
    bool is_constant() const {
        return std::all_of(step.begin(), step.end(), [](wide s) { return s == 0; });
    }
};

class box_reader {
public:
    using formula = box_formula;

    explicit box_reader(const std::vector<std::int64_t>& extents) : extents_(extents) {}

    /// Whether ranges decided all comparisons.
    bool decided() const { return decided_; }

    struct range {
        wide least, most;
    };
    range range_of(const formula& f) const {
        range r{f.base, f.base};
        for (std::size_t a = 0; a < extents_.size(); ++a) {
            const wide distance = f.step[a] * (extents_[a] - 1);
            (distance < 0 ? r.least : r.most) += distance;
        }
        return r;
    }

    bool is_negative(const formula& f) {
        const range r = range_of(f);
        decided_ = decided_ && (r.most < 0 || r.least >= 0);
        return r.most < 0;
    }
    bool is_zero(const formula& f) {
        const range r = range_of(f);
        const bool is_one = r.least == r.most;
        decided_ = decided_ && (is_one || r.most < 0 || r.least > 0);
        return is_one && r.least == 0;
    }
    bool is_less(const formula& a, const formula& b) { return is_negative(a - b); }
    formula smaller(const formula& a, const formula& b) { return one_of(a, b, a, b); }
    formula larger(const formula& a, const formula& b) { return one_of(a, b, b, a); }

    static std::optional<formula> product(const formula& a, const formula& b) {
        if (a.is_constant()) return scaled(b, a.base);
        return b.is_constant() ? std::optional(scaled(a, b.base)) : std::nullopt;
    }
    // those that are affine are found by index_form.hpp
    static std::optional<formula> quotient(const formula&, const formula&) { return std::nullopt; }
    static std::optional<formula> remainder(const formula&, const formula&) { return std::nullopt; }

    bool fits(const formula& f, dtype type) const {
        const range r = range_of(f);
        if (type == dtype::bool_) return r.least == r.most && (r.least == 0 || r.least == 1);
        const wide most = type == dtype::int32 ? std::numeric_limits<std::int32_t>::max() : sinter::detail::max_int64;
        return r.least >= -most - 1 && r.most <= most;
    }

private:
    /// `first` if a is nowhere greater than b, `second` if it is nowhere less.
    formula one_of(const formula& a, const formula& b, const formula& first, const formula& second) {
        const range r = range_of(a - b);
        decided_ = decided_ && (r.most <= 0 || r.least >= 0);
        return r.most <= 0 ? first : second;
    }

    const std::vector<std::int64_t>& extents_;
    bool decided_ = true;
};

}  // namespace

std::optional<index_form> form_in_box(const op_row& op, dtype type, dtype result,
                                      const std::array<const index_form*, ir::max_operands>& in,
                                      const std::vector<std::int64_t>& extents) {
    if (type != dtype::int32 && type != dtype::int64) return std::nullopt;
    box_reader reader(extents);
    std::array<box_formula, ir::max_operands> operands;
    for (std::size_t i = 0; i < static_cast<std::size_t>(op.arity); ++i) {
        operands[i].base = in[i]->start;
        for (std::size_t a = 0; a < extents.size(); ++a) operands[i].step[a] = in[i]->steps.stride[a];
        if (!reader.fits(operands[i], type)) return std::nullopt;
    }
    const std::optional<box_formula> found = by_rule(reader, op, operands[0], operands[1], operands[2]);
    if (!found || !reader.decided() || !reader.fits(*found, result)) return std::nullopt;
    index_form form{static_cast<std::int64_t>(found->base), {}};
    for (std::size_t a = 0; a < extents.size(); ++a)
        form.steps.stride[a] = extents[a] == 1 ? 0 : static_cast<std::int64_t>(found->step[a]);
    return form;
}

}  // namespace sinter::codegen::blocked
