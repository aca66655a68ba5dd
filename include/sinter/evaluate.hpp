// The door from the templates to the compiled library.
#pragma once

#include <sinter/expr.hpp>

#include <atomic>

namespace sinter::detail {

/// What one expression type remembers of its evaluations: the plans made for the shapes it met. Opaque here.
struct plan_slot {
    std::atomic<void*> plans{nullptr};
};

template <class Tree>
inline constinit plan_slot slot_of{};

/// Evaluates a program. `target`, if given, is storage that nobody besides the caller and this expression's own leaves
/// shares: it is written in place when its shape, dtype and device fit and every read of it is element for element.
/// Gives `target` itself then, otherwise fresh storage.
storage_ref evaluate(const ir::program& program, plan_slot& slot, const arguments_view& arguments, int rank,
                     const std::int64_t* extents, const storage_ref* target);

/// Uninitialised row-major storage on the current device.
storage_ref make_storage(dtype type, int rank, const std::int64_t* extents);
/// Fills storage with row-major elements from host memory, or the reverse (which waits).
void copy_from_host(const storage_ref& to, const void* from);
void copy_to_host(void* to, const storage_ref& from);
/// The same elements on another device.
storage_ref copy_to_device(const storage_ref& from, codegen::device& to);

/// How many leaves of an expression are the given storage.
template <class Tree>
int shares_of(const expr<Tree>& e, const storage* s) {
    int shares = 0;
    for (int i = 0; i < Tree::size.leaves; ++i) shares += e.leaves_.item[i].get() == s;
    return shares;
}

/// The tree with a conversion to D on top where it needs one.
template <class Tree, dtype D>
struct root {
    using type = tree::cast<D, Tree>;
};
template <class Tree, dtype D>
    requires(Tree::type == D)
struct root<Tree, D> {
    using type = Tree;
};

template <dtype D, class Tree>
storage_ref evaluate_as(const expr<Tree>& e, const storage_ref* target) {
    using program_tree = typename root<Tree, D>::type;
    return evaluate(program_of<program_tree>, slot_of<program_tree>, e.arguments(), Tree::rank, e.shape_.extent,
                    target);
}

}  // namespace sinter::detail
