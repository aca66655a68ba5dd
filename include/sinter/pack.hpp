// Several results of one evaluation: tie(m, v) = pack(mean(x, axis=1), var(x, axis=1)).
#pragma once

#include <sinter/array.hpp>

#include <boost/hana/basic_tuple.hpp>

namespace sinter {
namespace detail {

/// Expressions that are evaluated together. As a value: the arguments of all, one after the other.
template <class... Trees>
class packed : public argument_lists<tree::pack<Trees...>> {
public:
    using tree_type = tree::pack<Trees...>;

    template <class... E>
    explicit packed(int, E&&... e) : shapes_(e.shape_...) {
        tree::counts at{};
        (this->append(at, std::forward<E>(e)), ...);
    }

    boost::hana::basic_tuple<shape<Trees::rank>...> shapes_;
};

/// The arrays that the results go to.
template <class... To>
class tied {
public:
    explicit tied(To&... to) : to_(&to...) {}

    template <class... Trees>
    void operator=(const packed<Trees...>& all) && {
        assign(all, false);
    }
    template <class... Trees>
    void operator=(packed<Trees...>&& all) && {
        assign(all, true);
    }

private:
    template <class... Trees>
    void assign(const packed<Trees...>& all, bool temporary) {
        static_assert(sizeof...(Trees) == sizeof...(To), "sinter: tie names one array for each packed expression");
        if constexpr (sizeof...(Trees) == sizeof...(To)) {
            constexpr bool ranks = ((Trees::rank == To::rank) && ...);
            constexpr bool kinds = (assignable(To::type, Trees::type) && ...);
            static_assert(ranks, "sinter: a packed expression has another rank than the array it is tied to");
            static_assert(kinds,
                          "sinter: a packed expression does not convert to the dtype of the array it is tied "
                          "to: say astype<T>(...)");
            if constexpr (ranks && kinds) run<Trees...>(all, temporary);
        }
    }

    template <class... Trees, class Packed>
    void run(const Packed& all, bool temporary) {
        using program_tree = tree::pack<typename root<Trees, To::type>::type...>;
        boost::hana::unpack(to_, [&](auto*... to) {
            boost::hana::unpack(all.shapes_, [&](const auto&... shapes) {
                const auto target = [&](const auto& array) {
                    return array.s_ ? array.writable(temporary ? all.shares_of(array.s_.get()) : 0) : nullptr;
                };
                evaluation_result results[] = {{shapes.rank(), shapes.extent, target(*to), nullptr, {}}...};
                evaluate(program_of<program_tree>, slot_of<program_tree>, all.arguments(), results);
                int next = 0;  // all of them exist now: nothing below throws
                ((to->s_ = std::move(results[next++].made)), ...);
            });
        });
    }

    boost::hana::basic_tuple<To*...> to_;
};

}  // namespace detail

/// Expressions to be evaluated together. Those that run over the same outer axes are made by one kernel, which reads
/// what they share once: their reductions keep axes of the same extents, and an elementwise result has the shape of
/// their operand or of their results. Others have a kernel each; what several need of an earlier kernel is made once.
template <operand... E>
    requires(sizeof...(E) >= 1 && sizeof...(E) <= ir::max_roots)
[[nodiscard]] auto pack(E&&... e) {
    return detail::packed<typename detail::expr_of<E>::tree_type...>(0, detail::as_expr(std::forward<E>(e))...);
}

/// The arrays that the results of pack() are assigned to, in its order: tie(m, v) = pack(mean(x), var(x)). An array is
/// written in place where its own assignment would be and no kernel follows the one that makes it; if the evaluation
/// throws, none of them has changed.
template <class... T, int... Rank>
[[nodiscard]] auto tie(array<T, Rank>&... to) {
    return detail::tied<array<T, Rank>...>(to...);
}

}  // namespace sinter
