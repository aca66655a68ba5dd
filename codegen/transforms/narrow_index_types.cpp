// Narrows int64 values to int32 where value ranges prove that they fit. Indices are int64 in a program, since an axis
// may have any extent, but GPUs compute with 32 bits. The extents of a kernel are known, so values computed from
// indices, shapes and small integers have bounds. For example, argmin over rows compares and selects such indices for
// every element. A sum's bounds are those of an element times the number of elements, so bytes are summed and true
// elements counted in 32 bits wherever the extents allow it.
//
// The values of scalars and of arrays of wider integers are unknown; values computed from them are not narrowed. A roll
// is the exception: its shift and its extent are scalars, but within the array that is read at the indices it computes.
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace sinter::codegen {
namespace {

/// Inclusive bounds of a value.
struct bounds {
    std::int64_t low = 0, high = 0;
};
using known = std::optional<bounds>;

/// Keeps only bounds within int32, so that adding and multiplying them cannot overflow int64. Excludes the extreme
/// int32 values, which are the identities of max and min.
known if_narrow(std::int64_t low, std::int64_t high) {
    using limits = std::numeric_limits<std::int32_t>;
    if (low <= limits::min() || high >= limits::max()) return std::nullopt;
    return bounds{low, high};
}

known product(const bounds& a, const bounds& b) {
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return if_narrow(low, high);
}

/// Whether a reduction returns one of its elements, as those do that have no result for no elements.
bool chooses(const op_row& op) { return op.builtin >= 0 && !op.has_identity && op.rule == dtype_rule::same; }

/// The dtypes to narrow: numbers in int32 range are equal in int32 and both of these.
bool is_wide(dtype type) { return type == dtype::int64 || type == dtype::uint64; }

/// Whether a reduction is a sum, according to its row's source.
bool adds(const op_row& op) { return op.rule == dtype_rule::sum && std::string_view(op.body) == "x + y"; }

/// Bounds of the sum of n numbers, and of all its partial sums.
known sum_of(const known& one, std::int64_t n) {
    if (!one || n > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return if_narrow(std::min<std::int64_t>(0, one->low * n), std::max<std::int64_t>(0, one->high * n));
}

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
    narrower(loop_nest& k, const std::vector<std::int64_t>& spans)
        : k_(k),
          spans_(spans),
          given_(k.values.size()),
          bounds_(k.values.size()),
          narrow_(k.values.size(), 0),
          packed_(k.values.size(), 0) {
        for (const value& v : k.values)
            if (v.what == value_kind::load && v.in[0] >= 0)
                bound_rolls(v.in[0], k.inputs[static_cast<std::size_t>(v.input)].elements, span_of(v));
    }

    bool run() {
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            bounds_[i] = find_bounds(k_.values[i]);
            narrow_[i] = bounds_[i] && is_wide(k_.values[i].type);
        }
        find_packed();
        keep_wide_if_unused();
        if (std::find(narrow_.begin(), narrow_.end(), 1) == narrow_.end()) return false;
        rewrite();
        return true;
    }

private:
    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }
    const known& of(int i) const { return bounds_[static_cast<std::size_t>(i)]; }

    /// The span of the memory that a load reads, in elements; 0: unknown.
    std::int64_t span_of(const value& load) const {
        const auto input = static_cast<std::size_t>(load.input);
        return input < spans_.size() ? spans_[input] : 0;
    }

    /// Bounds the rolls among the terms of a gather's index: each goes along an axis of the array that has `elements`,
    /// and, times a stride, along memory of `span` elements.
    void bound_rolls(int index, std::int64_t elements, std::int64_t span) {
        const value& v = at(index);
        if (v.what == value_kind::cast) return bound_rolls(v.in[0], elements, span);
        if (v.what != value_kind::elementwise || elements <= 0) return;
        const bool is_rolled = v.op == &sinter::detail::index_rolled_row::row;
        if (is_rolled) {
            given(index) = if_narrow(0, elements - 1);
            for (const int in : {v.in[1], v.in[2]})
                if (at(in).what == value_kind::scalar) given(in) = if_narrow(0, elements);
        }
        if (v.op == &index_scaled && is_roll(v.in[0]) && span > 0) given(index) = if_narrow(-span, span);
        if (is_rolled || v.op == &index_scaled) bound_rolls(v.in[0], elements, span);
        if (v.op != &index_plus) return;
        bound_rolls(v.in[0], elements, span);
        bound_rolls(v.in[1], elements, span);
    }
    bool is_roll(int index) const {
        const value& v = at(index);
        return v.what == value_kind::cast ? is_roll(v.in[0]) : v.op == &sinter::detail::index_rolled_row::row;
    }
    known& given(int i) { return given_[static_cast<std::size_t>(i)]; }
    const known& given_of(const value& v) const { return given_[static_cast<std::size_t>(&v - k_.values.data())]; }

    /// Bounds of an integer. If they exceed its dtype, it may have wrapped around, and the dtype's bounds apply.
    known find_bounds(const value& v) const {
        if (!is_integer(v.type) && v.type != dtype::bool_) return std::nullopt;
        const known any = bounds_of_type(v.type), found = bounds_of_operands(v);
        if (!found) return any;
        const bool is_unsigned = v.type == dtype::uint32 || v.type == dtype::uint64;
        if (any ? found->low < any->low || found->high > any->high : is_unsigned && found->low < 0) return any;
        return found;
    }

    known bounds_of_operands(const value& v) const {
        switch (v.what) {
            case value_kind::cast: return of(v.in[0]);
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
                if (from >= 0) return given_of(v);
                const std::int64_t n = k_.numbers[static_cast<std::size_t>(-1 - from)];
                return if_narrow(n, n);
            }
            case value_kind::elementwise: return find_bounds_of_op(v);
            case value_kind::reduce:
                if (adds(*v.op)) return sum_of(of(v.in[0]), elements_of(v));
                return chooses(*v.op) ? of(v.in[0]) : std::nullopt;
            case value_kind::scan: return chooses(*v.op) ? of(v.in[0]) : std::nullopt;
            default: return std::nullopt;
        }
    }

    /// The number of elements that a reduction folds.
    std::int64_t elements_of(const value& reduction) const {
        if (reduction.over < 0) return outer_size(k_);
        return trip_count(k_, k_.loops[static_cast<std::size_t>(reduction.over)]);
    }

    known find_bounds_of_op(const value& v) const {
        if (v.op == &sinter::detail::index_rolled_row::row)
            return of(v.in[0]) && of(v.in[1]) && of(v.in[2]) ? given_of(v) : std::nullopt;
        if (v.op == &index_scaled && given_of(v)) return of(v.in[0]) && of(v.in[1]) ? given_of(v) : std::nullopt;
        if (v.op->range == op_range::below_last) {
            const bool all = std::all_of(v.in.begin(), v.in.begin() + v.op->arity, [&](int in) { return of(in); });
            const int last = v.in[static_cast<std::size_t>(v.op->arity - 1)];
            return all && of(last)->low > 0 ? if_narrow(0, of(last)->high - 1) : std::nullopt;
        }
        const bool selects = v.op->rule == dtype_rule::select;
        const int first = v.in[selects ? 1 : 0], second = v.in[selects ? 2 : 1];
        if (second < 0 || !of(first) || !of(second)) return std::nullopt;
        const bounds &a = *of(first), &b = *of(second);
        const std::int64_t divisor = std::max<std::int64_t>(b.low, 1);
        if (v.op == &index_quotient) return bounds{0, a.high / divisor};
        if (v.op == &index_remainder) return bounds{0, std::max<std::int64_t>(std::min(a.high, b.high - 1), 0)};
        if (selects) return bounds{std::min(a.low, b.low), std::max(a.high, b.high)};
        if (v.op->range == op_range::sum) return if_narrow(a.low + b.low, a.high + b.high);
        if (v.op->symbol == nullptr) return std::nullopt;  // the table's own ops and those of indices have a symbol
        switch (*v.op->symbol) {
            case '+': return if_narrow(a.low + b.low, a.high + b.high);
            case '-': return if_narrow(a.low - b.high, a.high - b.low);
            case '*': return product(a, b);
            default: return std::nullopt;
        }
    }

    // Packs sort keys of at most 32 bits and int32 indices into one uint64, from the elements to the resulting index,
    // unless a keyed index is stored or loaded in between.
    void find_packed() {
        const auto flag = [&](int v) -> char& { return packed_[static_cast<std::size_t>(v)]; };
        const auto follow = [&](std::size_t i) {
            const value& v = k_.values[i];
            if (is_largest_key(v) || is_index_of_key(v)) packed_[i] = flag(v.in[0]);
        };
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            const value& v = k_.values[i];
            packed_[i] = is_keyed(v) && size_of(at(v.in[0]).type) <= 4 && of(v.in[1]) && of(v.in[1])->low >= 0;
            follow(i);
        }
        for (const kernel_store& s : k_.stores)
            if (at(s.value).type == dtype::keyed_index) flag(s.value) = 0;
        for (std::size_t i = k_.values.size(); i-- > 0;) {
            const value& v = k_.values[i];
            for (int in : v.in)
                if (in >= 0 && at(in).type == dtype::keyed_index && !packed_[i]) flag(in) = 0;
        }
        for (std::size_t i = 0; i < k_.values.size(); ++i) follow(i);
    }
    static bool is_keyed(const value& v) {
        return v.what == value_kind::elementwise && v.op->rule == dtype_rule::keyed;
    }
    static bool is_largest_key(const value& v) { return v.what == value_kind::reduce && v.type == dtype::keyed_index; }
    bool is_index_of_key(const value& v) const {
        return v.what == value_kind::elementwise && v.op->rule == dtype_rule::index_of_key &&
               at(v.in[0]).type == dtype::keyed_index;
    }

    void pack(value& v) const {
        if (is_keyed(v))
            v.op = v.op->builtin == static_cast<int>(builtin_op::keyed) ? &packed_key : &packed_key_reversed;
        if (is_largest_key(v)) v.op = &op::max::row;
        if (v.type == dtype::keyed_index) v.type = dtype::uint64;
    }

    /// Whether a value accepts narrowed operands; its 64-bit operands must then all be narrowed.
    bool takes_narrow(const value& v) const {
        if (packed_[static_cast<std::size_t>(&v - k_.values.data())]) return true;
        if (v.what == value_kind::cast && !is_wide(v.type)) return true;
        if (v.what == value_kind::load) return span_of(v) > 0 && span_of(v) < std::numeric_limits<std::int32_t>::max();
        if (v.what == value_kind::elementwise && v.type == dtype::bool_ && v.op->builtin >= 0)
            return std::all_of(v.in.begin(), v.in.end(), [&](int in) {
                return in < 0 || !is_wide(at(in).type) || narrow_[static_cast<std::size_t>(in)];
            });
        return narrow_[static_cast<std::size_t>(&v - k_.values.data())];
    }

    /// An index, a number or a cast stays 64 bits wide if no user accepts it narrowed.
    void keep_wide_if_unused() {
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
            if (packed_[i]) pack(v);
            const dtype type = narrow_[i] ? dtype::int32 : v.type;
            if (v.what == value_kind::cast && kept_[static_cast<std::size_t>(v.in[0])].type == type) {
                now_[i] = v.in[0];
                continue;
            }
            if (narrow_[i]) {
                v.type = dtype::int32;
                if (v.what == value_kind::reduce && adds(*v.op)) v.op = &narrow_sum(*v.op);
                if (v.what == value_kind::scalar) k_.scalar_types[static_cast<std::size_t>(v.scalar)] = dtype::int32;
            }
            kept_.push_back(v);
            now_[i] = static_cast<int>(kept_.size()) - 1;
        }
        // a block stores its folds of columns as they are, and the store converts them
        for (kernel_store& s : k_.stores)
            s.value = s.loop == block_level ? now_[static_cast<std::size_t>(s.value)] : wide(s.value);
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
        k_.values = std::move(kept_);
    }

    /// The value in its original width.
    int wide(int i) {
        const auto p = static_cast<std::size_t>(i);
        if (!narrow_[p]) return now_[p];
        if (wide_[p] >= 0) return wide_[p];
        value cast = kept_[static_cast<std::size_t>(now_[p])];
        cast.what = value_kind::cast;
        cast.type = at(i).type;
        cast.op = nullptr;
        cast.in = {now_[p], -1, -1};
        cast.over = cast.at = cast.scalar = -1;
        cast.bits = 0;
        cast.exclusive = false;
        kept_.push_back(cast);
        return wide_[p] = static_cast<int>(kept_.size()) - 1;
    }

    loop_nest& k_;
    const std::vector<std::int64_t>& spans_;
    std::vector<known> given_;  ///< bounds that follow from what is read
    std::vector<known> bounds_;
    std::vector<char> narrow_;
    std::vector<char> packed_;     ///< per value: whether it is packed, or derived from a packed one
    std::vector<int> now_, wide_;  ///< per value: its new index, and that of its cast to 64 bits
    std::vector<value> kept_;
};

}  // namespace

bool narrow_index_types(loop_nest& k) { return narrow_index_types(k, {}); }

bool narrow_index_types(loop_nest& k, const std::vector<std::int64_t>& spans) { return narrower(k, spans).run(); }

}  // namespace sinter::codegen
