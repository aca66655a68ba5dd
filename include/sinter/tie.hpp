// Assignment targets for packs: tie(m, x(0), s) = pack(...), with arrays, views and C++ numbers.
#pragma once

#include <sinter/assign.hpp>
#include <sinter/pack.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_tied_twice();

/// What tie accepts as T&&: a named array or number, or a temporary view.
template <class T>
inline constexpr bool is_target =
    std::is_lvalue_reference_v<T>
        ? is_array<std::remove_reference_t<T>> ||
              (element_type<std::remove_reference_t<T>> && !std::is_const_v<std::remove_reference_t<T>>)
        : is_view_of<T>;

/// The target's dtype and rank, and whether values of lower rank broadcast to it.
template <class To>
struct target_traits {
    static constexpr dtype type = To::type;
    template <class Tree>
    static constexpr bool takes_rank = is_view_of<To> ? Tree::rank <= To::rank : Tree::rank == To::rank;
};
template <element_type To>
struct target_traits<To> {
    static constexpr dtype type = dtype_of<To>;
    template <class Tree>
    static constexpr bool takes_rank = Tree::rank == 0;
};

/// The targets of a pack's results.
template <class... To>
class tied {
public:
    explicit tied(To&... to) : to_(&to...) {}

    template <class... Trees>
    void operator=(const packed<Trees...>& all) && {
        if constexpr (fits<Trees...>()) assign(all, false);
    }
    template <class... Trees>
    void operator=(packed<Trees...>&& all) && {
        if constexpr (fits<Trees...>()) assign(std::move(all), true);
    }
    template <class E>
    void operator=(const E&) && {
        refuse<E>();
    }
    void operator=(const tied&) && { refuse<To...>(); }

private:
    static constexpr std::size_t count = sizeof...(To);
    static constexpr bool any_view = (is_view_of<To> || ...);

    template <class... E>
    static void refuse() {
        static_assert(never<E...>, "sinter: tie takes the results of a pack: tie(a, b) = pack(sum(x), max(x))");
    }

    template <class... Trees>
    static constexpr bool fits() {
        static_assert(sizeof...(Trees) == count, "sinter: tie takes one array per packed expression");
        if constexpr (sizeof...(Trees) == count) {
            constexpr bool ranks = (target_traits<To>::template takes_rank<Trees> && ...);
            constexpr bool kinds = (assignable(target_traits<To>::type, Trees::type) && ...);
            static_assert(ranks, "sinter: the rank of a packed expression differs from that of its target in tie");
            static_assert(
                kinds,
                "sinter: a packed expression does not convert to the dtype of its target in tie: write astype<T>(...)");
            return ranks && kinds;
        } else {
            return false;
        }
    }

    template <class Packed>
    void assign(Packed&& all, bool temporary) {
        boost::hana::unpack(to_, [&](auto*... to) {
            const void* const arrays[] = {array_of(*to)...};
            const bool views[] = {is_view_of<To>...};
            bool one_by_one = false;
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    if (arrays[i] != arrays[j]) continue;
                    if (!views[i] || !views[j]) throw_tied_twice();
                    one_by_one = true;
                }
            if constexpr (any_view) {
                auto fitted = [&]<std::size_t... I>(std::index_sequence<I...>) {
                    return pack(values_for(*to, std::forward<Packed>(all).template get<I>())...);
                }(std::index_sequence_for<To...>());
                (release(*to), ...);
                if (one_by_one)
                    write_one_by_one(std::move(fitted));
                else
                    write(fitted, temporary);
            } else {
                write(all, temporary);
            }
        });
    }

    /// Evaluates all results together into their targets.
    template <class... Trees>
    void write(const packed<Trees...>& all, bool temporary) {
        using program_tree = tree::pack<typename root<Trees, target_traits<To>::type>::type...>;
        boost::hana::unpack(to_, [&](auto*... to) {
            boost::hana::unpack(all.shapes_, [&](const auto&... shapes) {
                region regions[count];
                int at = 0;
                const auto result = [&](auto& target, const auto& extents) {
                    return result_for(target, extents, all, temporary, regions[at++]);
                };
                evaluation_result results[] = {result(*to, shapes)...};
                evaluate(program_of<program_tree>, slot_of<program_tree>, all.arguments(), results);
                at = 0;
                (finish(*to, results[at++]), ...);
            });
        });
    }

    /// For views that may overlap: evaluates all values first, then assigns them one by one, as Python does.
    template <class... Trees>
    void write_one_by_one(packed<Trees...>&& all) {
        boost::hana::basic_tuple<array<element_t<Trees::type>, Trees::rank>...> values;
        boost::hana::unpack(values, [&](auto&... value) {
            tied<std::remove_reference_t<decltype(value)>...>(value...) = std::move(all);
            boost::hana::unpack(to_, [&](auto*... to) { (store(*to, value), ...); });
        });
    }

    /// The array that a target writes to, which identifies it.
    template <class Target>
    static const void* array_of(const Target& to) {
        if constexpr (is_view_of<Target>)
            return &to.whole();
        else
            return &to;
    }

    template <class Target, class Tree>
    static auto values_for(const Target& to, expr<Tree>&& e) {
        if constexpr (is_view_of<Target>)
            return broadcast_to(std::move(e), to.shape_);
        else
            return std::move(e);
    }

    template <class Target>
    static void release(Target& to) {
        if constexpr (is_view_of<Target>) to.release();
    }

    template <class Target, int Rank, class Packed>
    static evaluation_result result_for(Target& to, const shape<Rank>& extents, const Packed& all, bool temporary,
                                        region& where) {
        evaluation_result r{Rank, extents.extent};
        if constexpr (is_view_of<Target>) {
            if (extents.size() == 0) return r;
            where = to.writable_region(all.shares_of(to.whole().storage().get()));
            r.into = &where;
        } else if constexpr (is_array<Target>) {
            if (to.s_ && !to.s_->owned) {
                where = outside_region(to.s_, Rank, extents.extent);
                r.into = &where;
            } else if (to.s_) {
                r.target = to.writable(temporary ? all.shares_of(to.s_.get()) : 0);
            }
        }
        return r;
    }

    /// Called when all results exist. Does not throw for arrays.
    template <class Target>
    static void finish(Target& to, evaluation_result& r) {
        if constexpr (is_array<Target>) {
            if (!r.into) to.s_ = std::move(r.made);
        } else if constexpr (element_type<Target>) {
            copy_to_host(&to, r.made);
        }
    }

    template <class Target, class Value>
    static void store(Target& to, const Value& value) {
        if constexpr (is_view_of<Target>)
            to.store(value.as_expr());
        else if constexpr (is_array<Target>)
            to = value;
        else
            to = static_cast<Target>(item(value));
    }

    boost::hana::basic_tuple<To*...> to_;
};

/// Evaluates the packed expressions into arrays.
template <class... Trees>
auto evaluated(packed<Trees...> all) {
    boost::hana::basic_tuple<array<element_t<Trees::type>, Trees::rank>...> values;
    boost::hana::unpack(
        values, [&](auto&... value) { tied<std::remove_reference_t<decltype(value)>...>(value...) = std::move(all); });
    return values;
}

}  // namespace detail

/// The targets of pack()'s results, in order: tie(m, v) = pack(mean(x), var(x)). Targets are arrays; temporary views,
/// tie(x(0), x(1)) = pack(x(1), x(0)); and C++ numbers for results of rank 0, which waits for the device. An array is
/// written in place if its own assignment would be and its kernel is the last; if the evaluation throws, no target has
/// changed. Throws if an array is named twice, or together with a view of it.
template <class... T, int... Rank>
[[nodiscard]] auto tie(array<T, Rank>&... to) {
    return detail::tied<array<T, Rank>...>(to...);
}
template <class... To>
    requires(sizeof...(To) > 0)
[[nodiscard]] auto tie(To&&... to) {
    constexpr bool known = (detail::is_target<To> && ...);
    static_assert(known,
                  "sinter: tie takes arrays, views that are not kept in variables, and variables of C++ numbers: "
                  "tie(a, x(0), s) = pack(...)");
    if constexpr (known)
        return detail::tied<std::remove_reference_t<To>...>(to...);
    else
        return detail::refused();
}
}  // namespace sinter
