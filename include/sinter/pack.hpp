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
class packed : public argument_lists<tree::pack<Trees...>> {
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
        constexpr tree::counts at = before(I);
        using part_tree = std::tuple_element_t<I, std::tuple<Trees...>>;
        expr<part_tree> e;
        for (int i = 0; i < part_tree::size.leaves; ++i)
            e.leaves_.item[i] = std::move(from.leaves_.item[at.leaves + i]);  // copies if `from` is const
        for (int i = 0; i < part_tree::size.scalars; ++i) e.scalars_.item[i] = from.scalars_.item[at.scalars + i];
        for (int i = 0; i < part_tree::size.integers; ++i) e.integers_.item[i] = from.integers_.item[at.integers + i];
        e.shape_ = boost::hana::at_c<I>(from.shapes_);
        return e;
    }
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
    using type = sinter::expr<tuple_element_t<I, tuple<Trees...>>>;
};

}  // namespace std
