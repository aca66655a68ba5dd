// Applies the rules of index_rules.hpp along one axis: a section ends where a comparison within an op changes. An op of
// constants needs no rule.
#include <codegen/host/affine_sections.hpp>

#include <codegen/host/index_pieces.hpp>
#include <codegen/host/index_rules.hpp>
#include <codegen/host/value_types.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sinter::codegen::blocked {
namespace {

using wide = sinter::detail::any_integer;  // holds sums and products of int64

/// base + step * n at the section's n-th index.
struct section_formula {
    wide base = 0, step = 0;

    friend section_formula operator+(const section_formula& a, const section_formula& b) {
        return {a.base + b.base, a.step + b.step};
    }
    friend section_formula operator-(const section_formula& a, const section_formula& b) {
        return {a.base - b.base, a.step - b.step};
    }
};

struct divided_formula {
    section_formula quotient, remainder;
};

class section_reader {
public:
    using formula = section_formula;

    section_reader(const loop_nest& k, int axis, std::int64_t begin, const axis_indices& at, instruction_set isa)
        : k_(k),
          axis_(static_cast<std::size_t>(axis)),
          begin_(begin),
          length_(k.extents[axis_] - begin),
          other_(at),
          isa_(isa),
          of_(k.values.size()) {}

    std::optional<affine_section> read(const std::vector<int>& needed) {
        for (const int v : needed) {
            const value& self = at(v);
            const std::optional<formula> found = formula_of(self);
            if (!found || !fits(*found, type_of(k_, self))) return std::nullopt;
            of_[static_cast<std::size_t>(v)] = *found;
        }
        const formula& f = of_[static_cast<std::size_t>(needed.back())];
        return affine_section{begin_ + static_cast<std::int64_t>(length_), static_cast<std::int64_t>(f.base),
                              static_cast<std::int64_t>(f.step)};
    }

    // Each ends the section before its answer changes.
    bool is_negative(const formula& f) {
        if (f.base < 0 && f.step > 0) end_after((-f.base + f.step - 1) / f.step);
        if (f.base >= 0 && f.step < 0) end_after(f.base / -f.step + 1);
        return f.base < 0;
    }
    bool is_zero(const formula& f) {
        if (f.step == 0) return f.base == 0;
        if (f.base % f.step == 0 && -f.base / f.step >= 0) end_after(f.base == 0 ? 1 : -f.base / f.step);
        return f.base == 0;
    }
    bool is_less(const formula& a, const formula& b) { return is_negative(a - b); }
    formula smaller(const formula& a, const formula& b) { return is_less(b, a) ? b : a; }
    formula larger(const formula& a, const formula& b) { return is_less(a, b) ? b : a; }

    static std::optional<formula> product(const formula& a, const formula& b) {
        if (a.step != 0 && b.step != 0) return std::nullopt;
        const formula &varying = a.step != 0 ? a : b, &factor = a.step != 0 ? b : a;
        return formula{varying.base * factor.base, varying.step * factor.base};
    }

    /// By a positive constant, rounding down.
    std::optional<divided_formula> divided(const formula& x, const formula& y) {
        if (y.step != 0 || y.base <= 0) return std::nullopt;
        const wide rest = (x.base % y.base + y.base) % y.base, quotient = (x.base - rest) / y.base;
        if (x.step % y.base == 0) return divided_formula{{quotient, x.step / y.base}, {rest, 0}};
        end_after(x.step > 0 ? (y.base - rest + x.step - 1) / x.step : rest / -x.step + 1);
        return divided_formula{{quotient, 0}, {rest, x.step}};
    }
    std::optional<formula> quotient(const formula& x, const formula& y) {
        const std::optional<divided_formula> d = divided(x, y);
        return d ? std::optional(d->quotient) : std::nullopt;
    }
    std::optional<formula> remainder(const formula& x, const formula& y) {
        const std::optional<divided_formula> d = divided(x, y);
        return d ? std::optional(d->remainder) : std::nullopt;
    }

private:
    const value& at(int v) const { return k_.values[static_cast<std::size_t>(v)]; }

    bool fits(const formula& f, dtype type) const {
        const wide last = f.base + f.step * (length_ - 1);
        if (type == dtype::bool_) return f.step == 0 && (f.base == 0 || f.base == 1);
        const wide most = type == dtype::int32 ? std::numeric_limits<std::int32_t>::max() : sinter::detail::max_int64;
        return std::min(f.base, last) >= -most - 1 && std::max(f.base, last) <= most;
    }

    void end_after(wide length) { length_ = std::min(length_, length); }

    std::optional<formula> formula_of(const value& v) {
        switch (v.what) {
            case value_kind::index: {
                const layout& l = k_.layouts[static_cast<std::size_t>(v.at)];
                const std::int64_t step = l.stride[axis_];
                return formula{wide(begin_) * step + offset_of(l, axis_, other_), step};
            }
            case value_kind::constant:
            case value_kind::scalar: return formula{fixed_value(k_, v), 0};
            case value_kind::cast: return converted(v.in[0], v.type);
            case value_kind::elementwise: return computed(v);
            default: return std::nullopt;
        }
    }

    std::optional<formula> converted(int v, dtype to) {
        const formula& f = of_[static_cast<std::size_t>(v)];
        const dtype from = type_of(k_, at(v));
        if (!is_index_type(to)) return std::nullopt;
        if (to == dtype::bool_ && from != to) return formula{!is_zero(f)};
        return fits(f, to) ? std::optional(f) : std::nullopt;
    }

    std::optional<formula> computed(const value& v) {
        if (std::all_of(v.in.begin(), v.in.end(),
                        [this](int in) { return in < 0 || of_[static_cast<std::size_t>(in)].step == 0; }))
            return of_constants(v);
        const dtype type = computed_type(k_, v);
        if (!is_index_type(type)) return std::nullopt;
        std::array<formula, ir::max_operands> in;
        for (int i = 0; i < v.op->arity; ++i) {
            const std::optional<formula> operand =
                converted(v.in[static_cast<std::size_t>(i)], sinter::detail::operand_of(v.op->rule, type, i));
            if (!operand) return std::nullopt;
            in[static_cast<std::size_t>(i)] = *operand;
        }
        if (v.op->rule == dtype_rule::select) return in[in[0].base != 0 ? 1 : 2];
        if (type == dtype::bool_) return std::nullopt;
        return by_rule(*this, *v.op, in[0], in[1], in[2]);
    }

    /// By the op's own loop.
    formula of_constants(const value& v) const {
        std::array<std::uint64_t, ir::max_operands> bits{};
        const void* in[ir::max_operands] = {};
        for (std::size_t i = 0; i < static_cast<std::size_t>(v.op->arity); ++i) {
            bits[i] = to_bits(type_of(k_, at(v.in[i])),
                              static_cast<std::int64_t>(of_[static_cast<std::size_t>(v.in[i])].base));
            in[i] = &bits[i];
        }
        std::uint64_t result = 0;
        apply(k_, v, in, &result, 1, isa_);
        return {to_integer(v.type, &result), 0};
    }

    const loop_nest& k_;
    const std::size_t axis_;
    const std::int64_t begin_;
    wide length_;
    const axis_indices& other_;
    const instruction_set isa_;
    std::vector<formula> of_;  ///< by value
};

}  // namespace

std::optional<affine_section> affine_section_from(const loop_nest& k, const std::vector<int>& needed, int axis,
                                                  std::int64_t begin, const axis_indices& at, instruction_set isa) {
    return section_reader(k, axis, begin, at, isa).read(needed);
}

}  // namespace sinter::codegen::blocked
