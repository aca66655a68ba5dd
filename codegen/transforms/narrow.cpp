// Integers of 32 bits where they suffice. Indices are int64 in a program, since an axis may have any extent, but a GPU
// computes with 32 bits, and the extents of a kernel are known: what is worked out of its places, of what the shapes
// decide and of small integers has bounds, and where these fit an int32 it becomes one. argmin of rows compares and
// chooses such indices for every element.
//
// What a program's scalars and arrays hold is not known, so what is computed of them stays as it is.
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace sinter::codegen {
namespace {

/// What a value is at least and at most.
struct bounds {
    std::int64_t low = 0, high = 0;
};
using known = std::optional<bounds>;

/// Only such bounds are kept, so that to add and to multiply them cannot overflow. The extreme int32s are left out:
/// they are the identities of max and min.
known if_narrow(std::int64_t low, std::int64_t high) {
    using limits = std::numeric_limits<std::int32_t>;
    if (low <= limits::min() || high >= limits::max()) return std::nullopt;
    return bounds{low, high};
}

known product(const bounds& a, const bounds& b) {
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return if_narrow(low, high);
}

/// Whether a reduction gives one of its elements, as those do that no elements at all have no result of.
bool chooses(const op_row& op) { return op.builtin >= 0 && !op.has_identity && op.rule == dtype_rule::same; }

known bounds_of_type(dtype type) {
    switch (type) {
        case dtype::bool_: return bounds{0, 1};
        case dtype::int8: return bounds{-128, 127};
        case dtype::uint8: return bounds{0, 255};
        case dtype::int16: return bounds{-32768, 32767};
        case dtype::uint16: return bounds{0, 65535};
        default: return std::nullopt;
    }
}

class narrower {
public:
    explicit narrower(kernel& k) : k_(k), bounds_(k.values.size()), narrow_(k.values.size(), 0) {}

    bool run() {
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            bounds_[i] = find_bounds(k_.values[i]);
            narrow_[i] = bounds_[i] && k_.values[i].type == dtype::int64;
        }
        keep_what_nobody_takes();
        if (std::find(narrow_.begin(), narrow_.end(), 1) == narrow_.end()) return false;
        rewrite();
        return true;
    }

private:
    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }
    const known& of(int i) const { return bounds_[static_cast<std::size_t>(i)]; }

    known find_bounds(const value& v) const {
        if (v.type != dtype::int64) return std::nullopt;
        switch (v.what) {
            case value_kind::cast:
                return at(v.in[0]).type == dtype::int64 ? of(v.in[0]) : bounds_of_type(at(v.in[0]).type);
            case value_kind::index: {
                const layout_reach r = reach_of(k_, v.at);
                return if_narrow(-r.below, r.above);
            }
            case value_kind::constant: {
                const auto n = static_cast<std::int64_t>(v.bits);
                return if_narrow(n, n);
            }
            case value_kind::scalar: {
                const int from = k_.scalars[static_cast<std::size_t>(v.scalar)];
                if (from >= 0) return std::nullopt;
                const std::int64_t n = k_.numbers[static_cast<std::size_t>(-1 - from)];
                return if_narrow(n, n);
            }
            case value_kind::elementwise: return find_bounds_of_op(v);
            case value_kind::reduce:
            case value_kind::scan: return chooses(*v.op) ? of(v.in[0]) : std::nullopt;
            default: return std::nullopt;
        }
    }

    known find_bounds_of_op(const value& v) const {
        if (v.op->range == op_range::below_last) {
            const bool all = std::all_of(v.in.begin(), v.in.begin() + v.op->arity, [&](int in) { return of(in); });
            const int last = v.in[static_cast<std::size_t>(v.op->arity - 1)];
            return all && of(last)->low > 0 ? if_narrow(0, of(last)->high - 1) : std::nullopt;
        }
        const bool selects = v.op->rule == dtype_rule::select;
        const int first = v.in[selects ? 1 : 0], second = v.in[selects ? 2 : 1];
        if (second < 0 || !of(first) || !of(second)) return std::nullopt;
        const bounds &a = *of(first), &b = *of(second);
        if (v.op == &index_quotient) return bounds{0, a.high};
        if (v.op == &index_remainder) return bounds{0, b.high};
        if (selects) return bounds{std::min(a.low, b.low), std::max(a.high, b.high)};
        if (v.op->range == op_range::sum) return if_narrow(a.low + b.low, a.high + b.high);
        if (v.op->symbol == nullptr) return std::nullopt;  // the table's own, and those of indices, have one
        switch (*v.op->symbol) {
            case '+': return if_narrow(a.low + b.low, a.high + b.high);
            case '-': return if_narrow(a.low - b.high, a.high - b.low);
            case '*': return product(a, b);
            default: return std::nullopt;
        }
    }

    /// Whether a value takes its narrow operands as they are: those of 64 bits become as narrow together.
    bool takes_narrow(const value& v) const {
        if (v.what == value_kind::cast) return true;
        if (v.what == value_kind::load) return false;
        if (v.what == value_kind::elementwise && v.type == dtype::bool_ && v.op->builtin >= 0)
            return std::all_of(v.in.begin(), v.in.end(), [&](int in) {
                return in < 0 || at(in).type != dtype::int64 || narrow_[static_cast<std::size_t>(in)];
            });
        return narrow_[static_cast<std::size_t>(&v - k_.values.data())];
    }

    /// An index, a number or a cast that is wanted with 64 bits only has them to begin with.
    void keep_what_nobody_takes() {
        std::vector<char> taken(k_.values.size(), 0);
        for (std::size_t i = k_.values.size(); i-- > 0;) {
            const value& v = k_.values[i];
            const bool computed =
                v.what == value_kind::elementwise || v.what == value_kind::reduce || v.what == value_kind::scan;
            narrow_[i] = narrow_[i] && (computed || taken[i]);
            if (!takes_narrow(v)) continue;
            for (int in : v.in)
                if (in >= 0) taken[static_cast<std::size_t>(in)] = 1;
        }
    }

    void rewrite() {
        now_.resize(k_.values.size());
        wide_.assign(k_.values.size(), -1);
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            value v = k_.values[i];
            const bool as_they_are = takes_narrow(k_.values[i]);
            for (int& in : v.in)
                if (in >= 0) in = as_they_are ? now_[static_cast<std::size_t>(in)] : wide(in);
            if (narrow_[i]) {
                v.type = dtype::int32;
                if (v.what == value_kind::scalar) k_.scalar_types[static_cast<std::size_t>(v.scalar)] = dtype::int32;
            }
            kept_.push_back(v);
            now_[i] = static_cast<int>(kept_.size()) - 1;
        }
        for (kernel_store& s : k_.stores) s.value = wide(s.value);
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
        k_.values = std::move(kept_);
    }

    /// The value with as many bits as it had.
    int wide(int i) {
        const auto p = static_cast<std::size_t>(i);
        if (!narrow_[p]) return now_[p];
        if (wide_[p] >= 0) return wide_[p];
        value cast = kept_[static_cast<std::size_t>(now_[p])];
        cast.what = value_kind::cast;
        cast.type = dtype::int64;
        cast.op = nullptr;
        cast.in = {now_[p], -1, -1};
        cast.over = cast.at = cast.scalar = -1;
        cast.bits = 0;
        cast.exclusive = false;
        kept_.push_back(cast);
        return wide_[p] = static_cast<int>(kept_.size()) - 1;
    }

    kernel& k_;
    std::vector<known> bounds_;
    std::vector<char> narrow_;
    std::vector<int> now_, wide_;  ///< of each value: where it is, and where the cast of it to 64 bits is
    std::vector<value> kept_;
};

}  // namespace

bool narrow(kernel& k) { return narrower(k).run(); }

}  // namespace sinter::codegen
