// In-place scatter: at(x, indices) = values, at(x, indices, axis=1) += values. The results are those of put and
// scatter_add, but the cost is proportional to the number of values.
#pragma once

#include <sinter/array.hpp>
#include <sinter/scatter.hpp>

namespace sinter {
namespace detail {

/// Whether to scatter in place with write_at, rather than with an expression that takes `steps` comparisons.
bool writes_in_place(const storage_ref& s, double steps);

/// Writes values into row-major storage, or adds them, at the int32 indices `keys` along an axis. A key equal to the
/// axis's extent writes nothing. The values have the storage's shape, except along the axis: one per key.
void write_at(const storage_ref& to, const storage_ref& keys, const storage_ref& values, int axis, bool adds);

/// A scatter target: indexed elements of an array. It can only be used as a temporary, so it cannot outlive the array.
template <class T, int Rank, class Index>
class indexed_elements {
public:
    indexed_elements(array<T, Rank>& whole, const Index& indices, int axis)
        : whole_(whole), indices_(indices), axis_(axis), extents_(whole.shape()) {}
    indexed_elements(const indexed_elements&) = delete;

    template <operand_or_scalar V>
    void operator=(const V& values) && {
        const called_as self("at");
        check_scatter<array<T, Rank>, Index, V>();
        if (writes_in_place())
            write(values, false);
        else
            whole_ = put(whole_, indices_, values, which());
    }

    template <operand_or_scalar V>
    void operator+=(const V& values) && {
        const called_as self("at");
        check_scatter<array<T, Rank>, Index, V>();
        static_assert(!std::is_same_v<T, bool>,
                      "sinter: bools cannot be added: convert them to an integer dtype by astype<T>(...)");
        if (!writes_in_place()) {
            whole_ = scatter_add(whole_, indices_, values, which());
        } else if constexpr (is_storage_only(dtype_of<T>)) {
            array<float, Rank> wide = astype<float>(whole_);
            indexed_elements<float, Rank, Index>(wide, indices_, axis_) += values;
            whole_ = wide;
        } else {
            write(values, true);
        }
    }

    /// The same for differences, as sums of negated values: unsigned ones wrap around twice.
    template <operand_or_scalar V>
    void operator-=(const V& values) && {
        const called_as self("at");
        check_scatter<array<T, Rank>, Index, V>();
        static_assert(!std::is_same_v<T, bool>,
                      "sinter: bools cannot be subtracted: convert them to an integer dtype by astype<T>(...)");
        if constexpr (!std::is_same_v<T, bool>)
            std::move(*this) += -to_dtype<computed_in(dtype_of<T>)>(values, "assignment");
    }

    void operator=(const indexed_elements&) && {
        static_assert(never<T>, "sinter: at(x, i) is only written to; its elements are read by take(x, i)");
    }
#define SINTER_DETAIL_REFUSE(symbol)                                                                          \
    template <class V>                                                                                        \
    void operator symbol##=(const V&)&& {                                                                     \
        static_assert(                                                                                        \
            never<V>,                                                                                         \
            "sinter: at(x, i) takes =, += and -=; if no index repeats, at(x, i) = take(x, i) * v is another " \
            "update");                                                                                        \
    }
    SINTER_DETAIL_REFUSE(*)
    SINTER_DETAIL_REFUSE(/)
    SINTER_DETAIL_REFUSE(%)
    SINTER_DETAIL_REFUSE(&)
    SINTER_DETAIL_REFUSE(|)
    SINTER_DETAIL_REFUSE(^)
    SINTER_DETAIL_REFUSE(<<)
    SINTER_DETAIL_REFUSE(>>)
#undef SINTER_DETAIL_REFUSE

private:
    runtime_axes<1> which() const { return {{axis_}}; }
    std::int64_t count() const { return indices_.shape().extent[0]; }

    bool writes_in_place() const {
        constexpr std::int64_t most = std::int64_t{1} << 30;
        if (count() >= most || extents_.extent[axis_] >= most || extents_.size() == 0) return false;
        return detail::writes_in_place(whole_.storage(),
                                       static_cast<double>(count()) * static_cast<double>(extents_.size()));
    }

    template <class V>
    void write(const V& values, bool adds) {
        const std::int64_t extent = extents_.extent[axis_];
        const auto place = indices_from_end(indices_, extent);
        const array<std::int32_t, 1> keys =
            astype<std::int32_t>(where(place >= std::int64_t{0} && place < extent, place, extent));
        whole_.unshared(0);
        const array<T, Rank> v = evaluated(values);
        write_at(whole_.storage(), keys.storage(), v.storage(), axis_, adds);
    }

    /// The values as an array; the operand itself if it is an array of the right shape with its own memory.
    template <class V>
    array<T, Rank> evaluated(const V& values) const {
        if constexpr (std::is_same_v<V, array<T, Rank>>) {
            shape<Rank> places = extents_;
            places.extent[axis_] = count();
            const storage_ref& s = values.storage();
            if (values.shape() == places && s && s->owned && s.get() != whole_.storage().get()) return values;
        }
        return values_at<dtype_of<T>>("at", extents_, axis_, count(), values);
    }

    array<T, Rank>& whole_;
    const Index indices_;
    const int axis_;
    const shape<Rank> extents_;
};

}  // namespace detail

/// The elements of an array at `indices` along one axis, as an assignment target: at(x, i) = v is x = put(x, i, v), and
/// at(x, i) += v is x = scatter_add(x, i, v), where repeated indices add repeatedly. The values are computed from x as
/// it was before the write.
///
/// On a GPU this runs the expression in one launch if it needs at most 2^24 comparisons. Above that, `=` takes one
/// launch for the indices, one for values that are not an array of the right shape, and two that find the last of equal
/// indices with integer atomics. On the host it is a loop over the values, in their order.
///
/// On a GPU `+=` adds integers with atomics, in one launch (of 8 and 16 bits: two). Floats and complex numbers take
/// three or four, which add fixed-point numbers with integer atomics, so results are bit-for-bit reproducible. Values
/// are rounded to a unit of each element, at most 2^-26 of the largest value that is added to the element (float64:
/// 2^-56 for up to 2^26 values, 2^-48 for 2^30); a sum that fits its dtype does not overflow on the way. Where an index
/// names 16 or more elements, and for few values along a long axis, it sorts the indices instead, by three launches per
/// 8 bits of the axis's extent, and two add equal indices' values in their order.
template <class T, int Rank, operand I>
[[nodiscard]] auto at(array<T, Rank>& x, const I& indices, detail::runtime_axes<1> which) {
    return detail::indexed_elements<T, Rank, I>(x, indices, __builtin_ctz(detail::axis_mask("at", which, Rank)));
}
template <class T, int Rank, operand I>
[[nodiscard]] auto at(array<T, Rank>& x, const I& indices) {
    static_assert(Rank == 1, "sinter: at needs an axis for an array of several axes: at(x, i, axis=0)");
    return at(x, indices, axis=0);
}

template <operand A, class... Wrong>
    requires(!(std::is_lvalue_reference_v<A> && detail::is_array<std::remove_reference_t<A>>))
auto at(A&&, const Wrong&...) {
    static_assert(
        detail::never<A>,
        "sinter: at writes to a named array that is not const: at(x, i) = v; for an expression write put(e, i, v)");
    return detail::refused();
}
template <class T, int Rank, element_type I, class... Wrong>
auto at(array<T, Rank>&, const I&, const Wrong&...) {
    static_assert(detail::never<I>,
                  "sinter: at takes an array of indices: at(x, i) = v; for a single index write x(3) = v");
    return detail::refused();
}

}  // namespace sinter
