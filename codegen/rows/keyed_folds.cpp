// The table's reductions over the members of a group of a reduction by key, for one instruction set. Compiled once per
// instruction set, which SINTER_ISA names.
//
// The order is that of a plan's loop over all elements (runtime/host/frame.hpp), in which those of other groups are the
// identity: the elements of a leaf are folded in sequence, and leaves pairwise, as the bits of their numbers tell.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    SINTER_DETAIL_BODY(name##_of_keys, __VA_ARGS__);           \
    SINTER_DETAIL_IDENTITY(name##_of_no_keys, identity);
#include <codegen/rows/reductions.def>

/// Folds `width` neighbouring elements of each member, of which there are at most `Width`.
template <class Body, class Identity, class T, std::size_t Width>
class member_fold {
public:
    explicit member_fold(std::size_t width) : width_(Width == 1 ? 1 : width) {}

    void run(T* to, const T* values, const keyed_members& m) {
        reset();
        for (std::size_t i = 0; i < m.count; ++i) {
            if (i == 0 || m.leaves[i] != now_.leaf) {
                if (i > 0) push(m.leaves[i]);
                now_.leaf = m.leaves[i];
                reset();
            }
            if (i + ahead < m.count) prefetch(row_of(values, m, i + ahead));
            const T* const from = row_of(values, m, i);
            for (std::size_t j = 0; j < width_; ++j) now_.part[j] = combine(now_.part[j], from[j]);
        }
        for (; depth_ > 0; --depth_) merge(nodes_[depth_ - 1], now_, now_);
        for (std::size_t j = 0; j < width_; ++j) to[j] = now_.part[j];
    }

private:
    /// The result of one leaf, or of several, of which `leaf` is the last.
    struct node {
        std::uint32_t leaf;
        T part[Width];
    };
    static constexpr std::size_t max_depth = 33;  // one node more than a leaf's number has bits

    static constexpr std::size_t ahead = 16;  // members whose rows are under way

    static const T* row_of(const T* values, const keyed_members& m, std::size_t i) {
        return values + static_cast<std::size_t>(m.rows[i]) * m.width;
    }
    static void prefetch([[maybe_unused]] const T* row) {
#if defined(__GNUC__)
        __builtin_prefetch(row);
#endif
    }

    static T combine(T a, T b) { return static_cast<T>(Body::template call<T, T>(a, b, T())); }

    void reset() {
        for (std::size_t j = 0; j < width_; ++j) now_.part[j] = Identity::template value<T>;
    }

    /// to = combine(earlier, later)
    void merge(const node& earlier, const node& later, node& to) const {
        for (std::size_t j = 0; j < width_; ++j) to.part[j] = combine(earlier.part[j], later.part[j]);
    }

    /// Nodes whose smallest common subtree ends before the next leaf are one. The highest bit in which two numbers
    /// differ tells that subtree; it is never the same for two neighbouring pairs of ascending numbers.
    void push(std::uint32_t next) {
        node made = now_;
        for (; depth_ > 0 && (nodes_[depth_ - 1].leaf ^ made.leaf) < (made.leaf ^ next); --depth_)
            merge(nodes_[depth_ - 1], made, made);
        nodes_[depth_++] = made;
    }

    const std::size_t width_;
    std::size_t depth_ = 0;
    node now_;
    node nodes_[max_depth];  // folded by one another later
};

template <class Body, class Identity, class T>
void fold_keyed(void* to, const void* from, const keyed_members& members) {
    constexpr std::size_t piece = 16;
    T* const out = static_cast<T*>(to);
    const T* const values = static_cast<const T*>(from);
    if (members.width == 1) return member_fold<Body, Identity, T, 1>(1).run(out, values, members);
    for (std::size_t j = 0; j < members.width; j += piece) {
        const std::size_t width = members.width - j < piece ? members.width - j : piece;
        member_fold<Body, Identity, T, piece>(width).run(out + j, values + j, members);
    }
}

template <class Body, class Identity, dtype_rule R>
keyed_fold fold_in(dtype type) {
    return detail::with_dtype(type, []<dtype D>() -> keyed_fold {
        // sums of any integers: where their range is known, they need no 64 bits
        if constexpr (computes_in(R, D) || (R == dtype_rule::sum && is_integer(D)))
            return fold_keyed<Body, Identity, detail::number_t<D>>;
        else
            return nullptr;
    });
}

}  // namespace

#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    case builtin_op::name: return fold_in<name##_of_keys, name##_of_no_keys, dtype_rule::rule>(type);

keyed_fold SINTER_FORM(keyed_fold_loop)(int builtin, dtype type) {
    switch (static_cast<builtin_op>(builtin)) {
#include <codegen/rows/reductions.def>
        default: break;
    }
    return nullptr;
}

}  // namespace sinter::codegen
