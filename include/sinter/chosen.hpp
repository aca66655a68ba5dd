// x(mask), boolean indexing: the elements where a mask is true. x(mask) = v writes a number, or a vector's elements in
// order: of too few the last is repeated, and of none nothing is written. Part of masks.hpp.
#pragma once

#include <sinter/op/composite/statistics.hpp>
#include <sinter/positions.hpp>

namespace sinter {
namespace detail {

/// The elements of an operand where a mask of its shape is true, in row-major order: x(x > 0). Reductions treat it as
/// where=mask, in one pass. Conversion to an array evaluates it and waits for the element count. If the operand is a
/// named array or a view of one, it can be assigned to as a temporary: x(mask) = 0, x(0)(mask) += v.
template <class A, class M>
    requires(is_mask<M>)
struct chosen_by_mask<A, M, void> {
    using values_type = expr_of<A>;
    using mask_type = expr_of<const M&>;
    using whole_type = std::remove_reference_t<A>;
    using value_type = element_t<values_type::type>;
    static constexpr bool is_chosen = true;
    static constexpr bool is_written = std::is_lvalue_reference_v<A> ? is_array<whole_type> : is_view_of<whole_type>;
    static_assert(
        mask_type::rank == values_type::rank,
        "sinter: a mask must have the shape of the array it selects from; compress(mask, x, axis=0) selects rows");

    chosen_by_mask(whole_type& whole, const M& where_true)
        : values(as_expr(whole)), mask(as_expr(where_true)), whole_(&whole) {
        check_mask("x(mask)", mask, values.shape());
    }
    chosen_by_mask(const chosen_by_mask&) = default;

    /// The selected elements. Waits for their count.
    operator array<value_type, 1>() const { return elements_where(mask, values); }
    /// The number of selected elements. Waits for it.
    std::int64_t size() const { return item(sum(broadcast_to(mask, values.shape()))); }

    template <class Reduction, class... Options>
    auto reduced(const Reduction& r, const Options&... options) const {
        static_assert(std::is_same_v<decltype(find_axes(options...)), all_axes>,
                      "sinter: x(mask) has one axis; to reduce along another one write sum(x, axis=1, where=mask)");
        return r(values, where=mask, options...);
    }

    /// Writes a scalar, or a vector's elements in order, where the mask is true. Of a vector with fewer elements the
    /// last is repeated, and an empty one writes nothing, because only the device knows their number. Values with the
    /// array's axes are written where they stand; throws unless they broadcast to its shape. What another mask selects
    /// is a vector, whose length is waited for.
    template <operand_or_scalar V>
    void operator=(const V& v) && {
        if (!is_empty_vector(v)) write(in_order(v));
    }
    void operator=(const chosen_by_mask& other) && { std::move(*this) = array(other); }
    template <class B, class N>
    void operator=(const chosen_by_mask<B, N>& other) && {
        std::move(*this) = array(other);
    }
    template <class V>
    void operator=(const V&) & {
        refuse_kept<V>();
    }
#define SINTER_DETAIL_UPDATE(symbol)                               \
    template <operand_or_scalar V>                                 \
    void operator symbol##=(const V& v)&& {                        \
        if (!is_empty_vector(v)) write(values symbol in_order(v)); \
    }                                                              \
    template <class B, class N>                                    \
    void operator symbol##=(const chosen_by_mask<B, N>& other)&& { \
        std::move(*this) symbol## = array(other);                  \
    }                                                              \
    template <class V>                                             \
    void operator symbol##=(const V&)& {                           \
        refuse_kept<V>();                                          \
    }
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_UPDATE)
#undef SINTER_DETAIL_UPDATE

    values_type values;
    mask_type mask;

private:
    template <class V>
    static void refuse_kept() {
        static_assert(never<V>,
                      "sinter: a selection in a variable is read-only, because it has the values of the moment it was "
                      "made: write x(mask) = v");
    }

    template <class V>
    static bool is_empty_vector(const V& v) {
        if constexpr (operand<V>)
            return V::rank == 1 && v.shape().size() == 0;
        else
            return false;
    }

    /// The values in the array's shape. Of a vector each true element takes the next one.
    template <class V>
    auto in_order(const V& v) const {
        const called_as self("x(mask)");
        if constexpr (operand<V>) {
            static_assert(V::rank <= 1 || V::rank == values_type::rank,
                          "sinter: x(mask) is assigned a number or a vector");
            if constexpr (V::rank == 1) {
                const std::int64_t n = v.shape().extent[0];
                const auto so_far = cumsum(ravel(broadcast_to(mask, values.shape()))) - 1;
                return reshape(read_at(v, clip(so_far, std::int64_t{0}, n > 0 ? n - 1 : 0)), values.shape());
            } else {
                return broadcast_to(v, values.shape());
            }
        } else {
            return v;
        }
    }

    /// Writes a scalar or an operand of the array's shape.
    template <class V>
    void write(const V& v) {
        static_assert(is_written,
                      "sinter: an expression has no elements to write to: write x(mask) = v for a named array x");
        if constexpr (is_written) replace(v);
    }
    template <class V>
    void replace(const V& v) {
        constexpr dtype type = values_type::type;
        static_assert(assignable(type, info_of<V>().type),
                      "sinter: assignment does not convert to a lower kind (bool < integer < floating < complex): "
                      "write astype<T>(...)");
        auto written = where(mask, to_dtype<type>(v, "assignment"), values);
        values = {};  // what else refers to the array keeps it from being written in place
        mask = {};
        std::forward<A>(*whole_) = std::move(written);
    }

    whole_type* whole_;
};

#define SINTER_DETAIL_REFUSE(symbol)                                                                                   \
    template <class A, class M, class B>                                                                               \
    nothing operator symbol(const chosen_by_mask<A, M>&, const B&) {                                                   \
        static_assert(never<A, B>,                                                                                     \
                      "sinter: only the device knows how many elements x(mask) has: compute before you select, as in " \
                      "(x * 2)(mask), or make it an array, array(x(mask)) * 2, which waits");                          \
        return {};                                                                                                     \
    }
SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_REFUSE)
#undef SINTER_DETAIL_REFUSE

}  // namespace detail

/// Mean, variance and standard deviation of the elements that a mask selects: mean(x(x > 0)). Options: ddof=.
template <class A, class M, class... Options>
[[nodiscard]] auto mean(const detail::chosen_by_mask<A, M>& chosen, const Options&... options) {
    return mean(chosen.values, where=chosen.mask, options...);
}
template <class A, class M, class... Options>
[[nodiscard]] auto var(const detail::chosen_by_mask<A, M>& chosen, const Options&... options) {
    return var(chosen.values, where=chosen.mask, options...);
}
template <class A, class M, class... Options>
[[nodiscard]] auto stddev(const detail::chosen_by_mask<A, M>& chosen, const Options&... options) {
    return stddev(chosen.values, where=chosen.mask, options...);
}
/// The elements that a mask selects, on the host. Waits for the device.
template <class A, class M>
[[nodiscard]] auto to_host(const detail::chosen_by_mask<A, M>& chosen) {
    return to_host(array<typename detail::chosen_by_mask<A, M>::value_type, 1>(chosen));
}

template <class A, class M>
array(const detail::chosen_by_mask<A, M>&) -> array<element_t<detail::expr_of<A>::type>, 1>;

}  // namespace sinter
