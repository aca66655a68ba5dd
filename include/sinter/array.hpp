// Arrays: values on one device, of static rank and dynamic extents, row-major.
#pragma once

#include <sinter/device.hpp>
#include <sinter/evaluate.hpp>
#include <sinter/nested.hpp>
#include <sinter/op/composite.hpp>
#include <sinter/stream.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace sinter {

template <element_type T, int Rank>
class host_span;  // host_span.hpp

namespace detail {

template <class T, int Rank>
struct nested_list {
    using type = std::initializer_list<typename nested_list<T, Rank - 1>::type>;
};
template <class T>
struct nested_list<T, 0> {
    using type = listed_t<T>;
};

/// What braces nested as deep as the rank convert to. Rank 0 has none.
template <class T, int Rank>
using values_in_braces = std::initializer_list<typename nested_list<T, (Rank > 0 ? Rank - 1 : 0)>::type>;

template <class... To>
class tied;  // pack.hpp

[[noreturn]] void throw_outside_shape(const std::int64_t* memory, const std::int64_t* result, int rank);

/// The region of external memory that a result is written to. Checks that the result's extents fit.
inline region outside_region(const storage_ref& s, int rank, const std::int64_t* extents) {
    region whole{s.get()};
    bool fits = s->rank == rank;
    for (int a = 0; a < s->rank; ++a) {
        whole.strides[a] = s->strides[a];
        fits = fits && s->extents[a] == extents[a];
    }
    if (!fits) throw_outside_shape(s->extents, extents, rank);
    return whole;
}

/// Writes an expression's values to external memory, in place.
template <dtype D, class Tree>
void write_outside(const expr<Tree>& e, const storage_ref& s) {
    evaluate_into<D>(e, outside_region(s, Tree::rank, e.shape_.extent));
}

[[noreturn]] void throw_no_value();
[[noreturn]] void throw_compound_shape(const std::int64_t* target, const std::int64_t* result, int rank);
[[noreturn]] void throw_size_mismatch(const char* function, std::int64_t have, const std::int64_t* extents, int rank);

}  // namespace detail

/// An array of element type T with `Rank` axes. Arrays are values: copying is O(1), and writing to one copy does not
/// change the others (copy on write). A default-constructed or moved-from array has extents of 0. `x += e` updates in
/// place, as do -= *= /= %= &= |= ^= <<= >>=: e converts as in an assignment; the shape stays.
template <element_type T, int Rank>
class array : public detail::no_container<Rank> {
public:
    static_assert(Rank >= 0 && Rank <= ir::max_rank, "sinter: an array has at least 0 and at most 8 axes");
    using value_type = T;
    using leaf_expr = expr<tree::leaf<dtype_of<T>, Rank>>;
    static constexpr int rank = Rank;
    // the rank under NumPy's name: both x.ndim and x.ndim() work
    static constexpr std::integral_constant<int, Rank> ndim{};
    static constexpr sinter::dtype type = dtype_of<T>;

    array() = default;

    /// Allocates without initialising: array<float, 1> a(shape{n}), array<float, 2> b(shape{rows, cols}) or short
    /// b({rows, cols}). For one axis a({n}) does not compile because it could be a list of elements: a = {5} has the
    /// element 5, a(shape{5}) has five elements.
    explicit array(const sinter::shape<Rank>& extents)
        requires(Rank != 1)
        : s_(detail::make_storage(type, Rank, extents.extent)) {}
    explicit array(const detail::braced<(Rank > 0 ? Rank : 1)>& extents)
        requires(Rank > 1)
        : array(sinter::shape<Rank>(extents)) {}
    template <std::convertible_to<sinter::shape<Rank>> S>  // braced lists do not deduce S
        requires(Rank == 1)
    explicit array(const S& extents) : s_(detail::make_storage(type, 1, sinter::shape<Rank>(extents).extent)) {}

    /// From nested braces: array<float, 2> b = {{1, 2}, {3, 4}}. Elements convert as in assignments; integers must fit.
    array(detail::values_in_braces<T, Rank> values)
        requires(Rank > 0)
    {
        std::vector<detail::stored_t<T>> flat;
        sinter::shape<Rank> extents;
        detail::flatten<0, Rank, T>(values, extents, flat, true);
        s_ = detail::make_storage(type, Rank, extents.extent);
        detail::copy_from_host(s_, flat.data());
    }

    /// A rank-0 array from its value: array<float, 0> s = 0.5f. Converts as assignment does.
    template <detail::scalar S>
        requires(Rank == 0)
    array(S value) : s_(detail::make_storage(type, 0, sinter::shape<0>().extent)) {
        const auto element = detail::element_from<T>(detail::number_of_scalar(value));
        detail::copy_from_host(s_, &element);
    }

    // a({5}) is ambiguous: the integers could be extents or elements. The empty pack excludes this overload from the
    // list initialisations a = {5} and a{5}.
    template <std::integral I, class... None>
        requires(Rank == 1 && sizeof...(None) == 0 && !std::is_same_v<I, bool>)
    explicit array(std::initializer_list<I>, None...) {
        static_assert(detail::never<I>,
                      "sinter: a({5}) is ambiguous for an array of one axis, the element 5 or the extent 5: write "
                      "elements as a = {5}, extents as a(shape{5}) or empty<T>({5})");
    }
    template <element_type... S>
        requires(sizeof...(S) > 1 || (sizeof...(S) == 1 && (Rank > 1 || (Rank == 1 && !(std::integral<S> && ...)))))
    array(S...) {
        static_assert(detail::never<S...>,
                      "sinter: extents are written a({rows, cols}), elements in as many nested braces as there are "
                      "axes: a = {{1, 2}, {3, 4}}");
    }

    template <class C>
        requires(!operand<C> && !std::convertible_to<C, sinter::shape<Rank>> && detail::host_range<C>)
    explicit array(const C&) {
        static_assert(detail::never<C>,
                      "sinter: a container does not convert to an array: write from_host(v); a shape has one extent "
                      "per axis of array<T, rank>");
    }

    /// Evaluates the expression in one kernel and one launch.
    template <class Tree>
    array(const expr<Tree>& e) : s_(evaluated(e, nullptr)) {}
    /// Converts another array's elements, as assignment does: within a kind, or to a higher kind.
    template <class U, int OtherRank>
        requires(!std::is_same_v<T, U> || Rank != OtherRank)
    array(const array<U, OtherRank>& other) : array(other.as_expr()) {}

    template <class Tree>
    array& operator=(const expr<Tree>& e) {
        return assign(e, 0);
    }
    template <class Tree>
    array& operator=(expr<Tree>&& e) {
        return assign(e, s_ ? e.shares_of(s_.get()) : 0);
    }

    template <detail::scalar S>
    array& operator=(const S& value) {
        static_assert(Rank == 0 || detail::never<S>,
                      "sinter: a number has no shape: fill x by x(all) = value, or x = full(x.shape(), value)");
        if constexpr (Rank == 0)
            *this = detail::to_dtype<type>(detail::element_from<T>(detail::number_of_scalar(value)));
        return *this;
    }

    template <detail::host_range C>
        requires(!operand<C>)
    array& operator=(const C&) {
        static_assert(detail::never<C>, "sinter: a container does not convert to an array: write x = from_host(v)");
        return *this;
    }

    // updates in place: += -= *= /= %= &= |= ^= <<= >>=, by nested braces, too
#define SINTER_DETAIL_UPDATE(symbol)                                    \
    template <operand_or_scalar E>                                      \
    array& operator symbol##=(E&& e) {                                  \
        return update(*this symbol std::forward<E>(e));                 \
    }                                                                   \
    array& operator symbol##=(detail::values_in_braces<T, Rank> values) \
        requires(Rank > 0)                                              \
    {                                                                   \
        return update(*this symbol array(values));                      \
    }
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_UPDATE)
#undef SINTER_DETAIL_UPDATE

    sinter::shape<Rank> shape() const {
        sinter::shape<Rank> extents;
        for (int a = 0; s_ && a < Rank; ++a) extents.extent[a] = s_->extents[a];
        return extents;
    }
    std::int64_t size() const { return s_ || Rank > 0 ? shape().size() : 0; }
    static constexpr sinter::dtype dtype() { return type; }

    /// A view selected by indices: x(all, range(1, -1), newaxis, 3).
    using detail::no_container<Rank>::operator();
    template <class... I>
    auto operator()(const I&... indices) const& {
        return detail::index_view(*this, indices...);
    }
    template <class... I>
    auto operator()(const I&... indices) && {
        return detail::index_view(std::move(*this), indices...);
    }
    /// A view that can be read or assigned to: x(all, 0) = y * 2 writes column 0 of x.
    template <class... I>
    auto operator()(const I&... indices) & {
        return detail::index_view(*this, indices...);
    }

    /// The array as an assignment target on a stream: y.on(q) = e. See stream.
    detail::on_stream<array> on(const stream& q) { return {*this, q}; }

    /// The same elements on another device.
    array to(const device& target) const {
        array moved;
        if (s_) moved.s_ = detail::copy_to_device(s_, target.get());
        return moved;
    }

    /// Strides in elements, per axis. Row-major, except for external memory.
    sinter::shape<Rank> strides() const {
        sinter::shape<Rank> steps;
        for (int a = 0; s_ && a < Rank; ++a) steps.extent[a] = s_->strides[a];
        return steps;
    }
    /// The elements on the host, accessed by index or iterator: auto v = a.host_view(); v(i, j). Waits for the device.
    host_span<T, Rank> host_view() const;

    /// The array as the leaf of an expression.
    leaf_expr as_expr() const& { return array(*this).as_expr(); }
    leaf_expr as_expr() && {
        if (Rank == 0 && !s_) detail::throw_no_value();
        leaf_expr e;
        e.shape_ = shape();
        e.leaves_.item[0] = s_ ? std::move(s_) : array(sinter::shape<Rank>()).s_;
        return e;
    }
    /// The storage; for internal use.
    const detail::storage_ref& storage() const { return s_; }
    explicit array(detail::storage_ref s) : s_(std::move(s)) {}

    /// Makes the storage unique to this array, not counting `shares` references held by an expression; used by views.
    detail::storage* unshared(int shares) {
        if (s_ && s_->owned) s_ = detail::unshared(s_, shares);
        return s_.get();
    }

private:
    template <class... To>
    friend class detail::tied;

    /// Whether an expression of this type can be assigned. A failed assertion explains why not.
    template <class Tree>
    static constexpr bool takes() {
        static_assert(Tree::rank == Rank,
                      "sinter: the expression's rank differs from the array's: declare array<T, rank> with the "
                      "expression's rank");
        static_assert(is_complex(type) || !is_complex(Tree::type),
                      "sinter: a complex expression does not convert to a real array: write real(e), imag(e) or "
                      "abs(e), or astype<T>(e) for its real part");
        static_assert(assignable(type, Tree::type) || is_complex(Tree::type),
                      "sinter: assignment does not convert to a lower kind (bool < integer < floating < complex): "
                      "write astype<T>(...)");
        return Tree::rank == Rank && assignable(type, Tree::type);
    }

    template <class Tree>
    static detail::storage_ref evaluated(const expr<Tree>& e, const detail::storage_ref* target) {
        if constexpr (takes<Tree>())
            return detail::evaluate_as<type>(e, target);
        else
            return {};
    }

    template <class Tree>
    array& assign(const expr<Tree>& e, int shares) {
        if constexpr (takes<Tree>()) {
            if (s_ && !s_->owned)
                detail::write_outside<type>(e, s_);
            else
                s_ = evaluated(e, writable(shares));
        }
        return *this;
    }

    /// The storage if it can be written in place: referenced only by this array and `shares` leaves of the expression.
    const detail::storage_ref* writable(int shares) const {
        return s_ && s_->references.load(std::memory_order_acquire) == 1 + shares ? &s_ : nullptr;
    }

    template <class Tree>
    array& update(expr<Tree>&& e) {
        static_assert(Tree::rank == Rank,
                      "sinter: an update in place cannot raise the array's rank: assign the result to an array of the "
                      "higher rank");
        if constexpr (Tree::rank == Rank) {
            if (!(e.shape() == shape())) detail::throw_compound_shape(shape().extent, e.shape().extent, Rank);
            return *this = std::move(e);
        } else {
            return *this;
        }
    }

    detail::storage_ref s_;
};

/// A copy in newly allocated row-major storage on the same device, for example of an array over external memory.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> copy(const array<T, Rank>& a) {
    return a.storage() ? array<T, Rank>(detail::unshared(a.storage())) : a;
}

template <class Tree>
array(const expr<Tree>&) -> array<element_t<Tree::type>, Tree::rank>;
/// Of values: array{1, 2} is an array<int, 1>, array{{1.5, 2.5}} an array<double, 2>.
template <element_type T>
array(std::initializer_list<T>) -> array<T, 1>;
template <element_type T>
array(std::initializer_list<std::initializer_list<T>>) -> array<T, 2>;

namespace detail {

/// Evaluates the operand into an array.
template <operand A>
auto evaluated(A&& a) {
    using e = expr_of<A>;
    return array<element_t<e::type>, e::rank>(std::forward<A>(a));
}

}  // namespace detail

/// The elements in row-major order, on the host. Waits for the device.
template <operand A>
[[nodiscard]] auto to_host(A&& a) {
    const auto values = detail::evaluated(std::forward<A>(a));
    using T = typename decltype(values)::value_type;
    std::vector<detail::stored_t<T>> out(static_cast<std::size_t>(values.size()));
    if (!out.empty()) detail::copy_to_host(out.data(), values.storage());
    if constexpr (std::is_same_v<T, bool>)
        return std::vector<bool>(out.begin(), out.end());
    else
        return out;
}

/// The value of an expression of rank 0, on the host. Waits for the device. Use it for C functions: passing an
/// expression to printf does not compile, but for std::printf g++ only warns (-Wformat).
template <operand A>
[[nodiscard]] auto item(A&& a) {
    static_assert(std::remove_cvref_t<A>::rank == 0,
                  "sinter: item() takes an expression of rank 0: reduce it first, as in item(sum(x))");
    const auto values = detail::evaluated(std::forward<A>(a));
    typename decltype(values)::value_type out{};
    if (!values.storage()) detail::throw_no_value();
    detail::copy_to_host(&out, values.storage());
    return out;
}

}  // namespace sinter
