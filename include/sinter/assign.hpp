// Views on the left side: x(all, 0) = y * 2 writes through to x, x(range(1, end)) += 1 updates it.
#pragma once

#include <sinter/array.hpp>
#include <sinter/slice.hpp>
#include <sinter/view.hpp>

namespace sinter::detail {

/// A view by indices of an array that is there to be written to. As an operand it is the expression that it derives
/// from; it can be assigned to only where it is written, so that it cannot outlive the array.
template <class T, int Rank, class Tree>
class view_of : public expr<Tree> {
public:
    view_of(array<T, Rank>& whole, expr<Tree>&& view) : expr<Tree>(std::move(view)), whole_(&whole) {}
    view_of(const view_of&) = default;

    /// Writes the values, which broadcast to the view's shape, into the array. Conversions are those of an array's
    /// assignment. An expression that reads the array means the values it had before.
    template <operand_or_scalar E>
    void operator=(E&& e) && {
        assign(std::forward<E>(e));
    }
    void operator=(const view_of& other) && { assign(static_cast<const expr<Tree>&>(other)); }

    template <operand_or_scalar E>
    void operator+=(E&& e) && {
        assign(static_cast<const expr<Tree>&>(*this) + std::forward<E>(e));
    }
    template <operand_or_scalar E>
    void operator-=(E&& e) && {
        assign(static_cast<const expr<Tree>&>(*this) - std::forward<E>(e));
    }
    template <operand_or_scalar E>
    void operator*=(E&& e) && {
        assign(static_cast<const expr<Tree>&>(*this) * std::forward<E>(e));
    }
    template <operand_or_scalar E>
    void operator/=(E&& e) && {
        assign(static_cast<const expr<Tree>&>(*this) / std::forward<E>(e));
    }

private:
    template <class E>
    void assign(E&& e) {
        using values = std::remove_cvref_t<E>;
        if constexpr (operand<values>) {
            static_assert(values::rank <= Tree::rank,
                          "sinter: the values have more axes than the view they are assigned to");
            static_assert(assignable(Tree::type, values::type),
                          "sinter: assignment converts within a kind and upwards (bool, integer, floating), not down: "
                          "say astype<T>(...) to convert");
            if constexpr (values::rank <= Tree::rank && assignable(Tree::type, values::type))
                write(broadcast_to(std::forward<E>(e), this->shape_));
        } else {
            static_assert(assignable(Tree::type, scalar_dtype<values>),
                          "sinter: assignment converts within a kind and upwards (bool, integer, floating), not down: "
                          "convert the scalar first");
            write(broadcast_to(to_dtype<Tree::type>(e, "assignment"), this->shape_));
        }
    }

    template <class Values>
    void write(const expr<Values>& e) {
        if (this->shape_.size() == 0) return;
        this->leaves_.item[0] = {};  // its own share of the array does not count
        region to{whole_->unshared(e.shares_of(whole_->storage().get()))};
        for (int source = 0; source < Rank; ++source) {
            const std::int64_t* map = this->integers_.item + 3 * source;  // result axis, start, step
            to.offset += map[1] * to.whole->strides[source];
            if (map[0] >= 0) to.strides[map[0]] += map[2] * to.whole->strides[source];
        }
        evaluate_into<Tree::type>(e, to);
    }

    array<T, Rank>* whole_;
};

template <class T, int Rank, class Tree>
view_of(array<T, Rank>&, expr<Tree>&&) -> view_of<T, Rank, Tree>;

}  // namespace sinter::detail
