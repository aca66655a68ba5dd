// Several expressions evaluated together: tie(m, v) = pack(mean(x, axis=1), var(x, axis=1)).
#pragma once

#include <sinter/expr.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>

#include <tuple>

namespace sinter {
namespace detail {

/// Expressions evaluated together. Its value is the concatenation of their arguments.
template <class... Trees>
class packed : public arguments_of<tree::pack<Trees...>> {
public:
    using tree_type = tree::pack<Trees...>;

    template <class... E>
    explicit packed(int, E&&... e) : shapes_(e.shape_...) {
        tree::counts at{};
        (this->append(at, std::forward<E>(e)), ...);
    }

    /// One of the expressions. From a temporary, the array references are moved.
    template <std::size_t I>
    auto get() const& {
        return part<I>(*this);
    }
    template <std::size_t I>
    auto get() && {
        return part<I>(*this);
    }

    boost::hana::basic_tuple<shape<Trees::rank>...> shapes_;

private:
    static constexpr tree::counts before(std::size_t part) {
        const tree::counts sizes[] = {Trees::size...};
        tree::counts sum{};
        for (std::size_t i = 0; i < part; ++i) sum = sum + sizes[i];
        return sum;
    }

    template <std::size_t I, class From>
    static auto part(From& from) {
        using own = tree::unshared<std::tuple_element_t<I, std::tuple<Trees...>>>;
        constexpr tree::counts borrowed = own::borrowed, first = before(I);
        constexpr tree::counts size = own::type::size;
        expr<typename own::type> e;
        const auto from_position = [](int i, int lent, int own_ones) { return i < lent ? i : own_ones + i - lent; };
        for (int i = 0; i < size.leaves; ++i) {
            auto& leaf = from.leaves_.item[from_position(i, borrowed.leaves, first.leaves)];
            if constexpr (shares)
                e.leaves_.item[i] = leaf;
            else
                e.leaves_.item[i] = std::move(leaf);  // copies if `from` is const
        }
        for (int i = 0; i < size.scalars; ++i)
            e.scalars_.item[i] = from.scalars_.item[from_position(i, borrowed.scalars, first.scalars)];
        for (int i = 0; i < size.integers; ++i)
            e.integers_.item[i] = from.integers_.item[from_position(i, borrowed.integers, first.integers)];
        e.shape_ = boost::hana::at_c<I>(from.shapes_);
        return e;
    }

    /// Whether results read arguments of the first one.
    static constexpr bool shares = (!std::is_same_v<typename tree::unshared<Trees>::type, Trees> || ...);
};

}  // namespace detail

/// Expressions to evaluate together. Those with the same outer axes share one kernel, which reads common inputs once:
/// their reductions keep axes of the same extents, and elementwise results have the shape of the reductions' operand or
/// results. Others have one kernel each; results of an earlier kernel that several need are computed once.
///
/// auto [m, v] = pack(mean(x), var(x)) names unevaluated expressions: each use computes its own again. To use results
/// separately, assign them to arrays with tie.
template <operand... E>
    requires(sizeof...(E) >= 1 && sizeof...(E) <= ir::max_roots)
[[nodiscard]] auto pack(E&&... e) {
    return detail::packed<typename detail::expr_of<E>::tree_type...>(0, detail::as_expr(std::forward<E>(e))...);
}

}  // namespace sinter

namespace std {

template <class... Trees>
struct tuple_size<sinter::detail::packed<Trees...>> : integral_constant<size_t, sizeof...(Trees)> {};
template <size_t I, class... Trees>
struct tuple_element<I, sinter::detail::packed<Trees...>> {
    using type = sinter::expr<typename sinter::tree::unshared<tuple_element_t<I, tuple<Trees...>>>::type>;
};

}  // namespace std
