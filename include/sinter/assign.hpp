// Views as assignment targets: x(all, 0) = y * 2 and transpose(x) = y write to x, diagonal(x) += 1 updates it.
#pragma once

#include <sinter/array.hpp>
#include <sinter/slice.hpp>
#include <sinter/view.hpp>

namespace sinter::detail {

/// Reshapes a region from the extents `from` to extents with the same number of elements, without moving elements.
/// Throws if no strides can express the result, as for ravel of a transpose.
void reshape_region(region& r, const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank);

/// Maps a view's indices to the array's storage: `locate` turns the array's region and extents into the view's.
/// `integers` are the arguments of the view's tree: each mapping's own follow those of its operand.
template <class Tree>
struct region_in_array;
template <dtype D, int Rank>
struct region_in_array<tree::leaf<D, Rank>> {
    static void locate(region&, std::int64_t*, const std::int64_t*) {}
};
template <int Rank, class In>
struct region_in_array<tree::view<Rank, In>> {
    static void locate(region& r, std::int64_t* extents, const std::int64_t* integers) {
        region_in_array<In>::locate(r, extents, integers);
        const region in = r;
        const std::int64_t* own = integers + In::size.integers;
        for (int a = 0; a < Rank; ++a) r.strides[a] = 0;
        for (int source = 0; source < In::rank; ++source) {
            const std::int64_t* map = own + 3 * source;  // result axis, start, step
            r.offset += map[1] * in.strides[source];
            if (map[0] >= 0) r.strides[map[0]] += map[2] * in.strides[source];
        }
        for (int a = 0; a < Rank; ++a) extents[a] = own[3 * In::rank + a];
    }
};
template <int Rank, class In>
struct region_in_array<tree::reshape<Rank, In>> {
    static void locate(region& r, std::int64_t* extents, const std::int64_t* integers) {
        region_in_array<In>::locate(r, extents, integers);
        reshape_region(r, extents, In::rank, integers + In::size.integers, Rank);
        for (int a = 0; a < Rank; ++a) extents[a] = integers[In::size.integers + a];
    }
};

[[noreturn]] void throw_stale_view();

/// A writable view of an array. As an operand it is the expression it derives from. It can only be assigned to as a
/// temporary; stored in a variable, it holds the values the array had and may outlive the array.
template <class T, int Rank, class Tree>
class view_of : public expr<Tree> {
public:
    view_of(array<T, Rank>& whole, expr<Tree>&& view) : expr<Tree>(std::move(view)), whole_(&whole) {}
    view_of(const view_of&) = default;

    /// A view of the view: x(0)(1) = 9.
    using no_container<Tree::rank>::operator();
    template <class... I>
    auto operator()(const I&... indices) && {
        return index_view(std::move(*this), indices...);
    }
    template <class... I>
    auto operator()(const I&... indices) const& {
        return index_view(static_cast<const expr<Tree>&>(*this), indices...);
    }

    /// Writes values, broadcast to the view's shape, into the array. They convert as in array assignment. If the
    /// expression reads the array, it reads the values from before the write.
    template <operand_or_scalar E>
    void operator=(E&& e) && {
        assign(std::forward<E>(e));
    }
    /// Writes values in nested braces, as many deep as the view has axes: x(0) = {1, 2}.
    void operator=(values_in_braces<T, Tree::rank> values) &&
            requires(Tree::rank > 0)
    {
        assign(array<T, Tree::rank>(values));
    }
    template <class... None>
    void operator=(const braces&) && {
        refuse_values<None...>();
    }
    template <host_range C>
        requires(!operand<C>)
    void operator=(const C&) && {
        refuse_values<C>();
    }
    void operator=(const view_of& other) && { assign(static_cast<const expr<Tree>&>(other)); }
    template <class V>
    void operator=(const V&) & {
        refuse_kept<V>();
    }
    template <class... None>
    void operator=(const braces&) & {
        refuse_kept<None...>();
    }

#define SINTER_DETAIL_UPDATE(symbol)                                             \
    template <operand_or_scalar E>                                               \
    void operator symbol##=(E&& e)&& {                                           \
        assign(static_cast<const expr<Tree>&>(*this) symbol std::forward<E>(e)); \
    }                                                                            \
    void operator symbol##=(values_in_braces<T, Tree::rank> values) &&           \
            requires(Tree::rank > 0)                                             \
    {                                                                            \
        std::move(*this) symbol## = array<T, Tree::rank>(values);                \
    }                                                                            \
    template <class... None>                                                     \
    void operator symbol##=(const braces&)&& {                                   \
        refuse_values<None...>();                                                \
    }                                                                            \
    template <class V>                                                           \
    void operator symbol##=(const V&)& {                                         \
        refuse_kept<V>();                                                        \
    }                                                                            \
    template <class... None>                                                     \
    void operator symbol##=(const braces&)& {                                    \
        refuse_kept<None...>();                                                  \
    }
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_UPDATE)
#undef SINTER_DETAIL_UPDATE

    /// Writes values of the view's shape. release() must have been called.
    template <class Values>
    void store(const expr<Values>& e) const {
        if (this->shape_.size() == 0) return;
        evaluate_into<Tree::type>(e, writable_region(e.shares_of(whole_->storage().get())));
    }

    /// The array that is written to; for internal use.
    array<T, Rank>& whole() const { return *whole_; }

    /// Drops the view's own reference to the array, so that the array can be written in place.
    void release() {
        if (this->shape_.size() > 0 && this->leaves_.item[0].get() != whole_->storage().get()) throw_stale_view();
        this->leaves_.item[0] = {};
    }

    /// The view's region, in storage that only `shares` leaves of the assigned expression may share. Afterwards the
    /// view has no elements to read.
    region writable_region(int shares) const {
        region to{whole_->unshared(shares)};
        std::int64_t extents[ir::max_rank] = {};
        for (int a = 0; a < Rank; ++a) {
            extents[a] = to.whole->extents[a];
            to.strides[a] = to.whole->strides[a];
        }
        region_in_array<Tree>::locate(to, extents, this->integers_.item);
        return to;
    }

private:
    template <class... V>
    static void refuse_values() {
        static_assert(never<V...>,
                      "sinter: braces are nested as deep as the view has axes: m(0) = {1, 2}, m(0, 0) = 5; "
                      "from_host(v) makes an array from a container");
    }
    template <class... V>
    static void refuse_kept() {
        static_assert(never<V...>,
                      "sinter: a view in a variable is read-only, because it has the values of the moment it was made: "
                      "write x(0) = y, not row = y");
    }

    template <class E>
    void assign(E&& e) {
        using values = std::remove_cvref_t<E>;
        if constexpr (operand<values>) {
            static_assert(values::rank <= Tree::rank,
                          "sinter: the values have more axes than the view that they are assigned to: index or reduce "
                          "them first");
            static_assert(assignable(Tree::type, values::type),
                          "sinter: assignment does not convert to a lower kind (bool < integer < floating < complex): "
                          "write astype<T>(...)");
            if constexpr (values::rank <= Tree::rank && assignable(Tree::type, values::type))
                write(broadcast_to(std::forward<E>(e), this->shape_));
        } else {
            static_assert(assignable(Tree::type, scalar_dtype<values>),
                          "sinter: assignment does not convert to a lower kind (bool < integer < floating < complex): "
                          "convert the scalar first");
            write(broadcast_to(to_dtype<Tree::type>(e, "assignment"), this->shape_));
        }
    }

    template <class Values>
    void write(const expr<Values>& e) {
        release();
        store(e);
    }

    array<T, Rank>* whole_;
};

}  // namespace sinter::detail
