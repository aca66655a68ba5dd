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

/// A part of an array: element (i, j, ...) lies at offset + i * strides[0] + j * strides[1] + ...
struct region {
    storage* whole = nullptr;
    std::int64_t offset = 0;
    std::int64_t strides[ir::max_rank] = {};
};

/// One result of an evaluation, and where it goes: into `into`, if that is given; else over `target`, if that is given,
/// its shape, dtype and device fit and every read of it is element for element; else into fresh storage.
struct evaluation_result {
    int rank = 0;
    const std::int64_t* extents = nullptr;
    const storage_ref* target = nullptr;  ///< nobody besides the caller and the expression's own leaves shares it
    const region* into = nullptr;         ///< the same holds, or it is memory from outside
    storage_ref made{};                   ///< afterwards: `target` itself or the fresh storage
};

/// Evaluates a program; there is one of `results` for each of its roots.
void evaluate(const ir::program& program, plan_slot& slot, const arguments_view& arguments, evaluation_result* results);

/// Storage of its own for the caller: `s` itself if nobody but the caller and `shares` others holds it, else a copy.
storage_ref unshared(const storage_ref& s, int shares);

/// Uninitialised row-major storage on the current device.
storage_ref make_storage(dtype type, int rank, const std::int64_t* extents);
/// Fills storage with row-major elements from host memory, or the reverse (which waits).
void copy_from_host(const storage_ref& to, const void* from);
void copy_to_host(void* to, const storage_ref& from);
/// The storage itself where its elements lie in row-major order, else a copy of which that holds, on the same device.
storage_ref dense(const storage_ref& s);
/// Whether the caller alone holds the storage, it is row-major, and it may be written.
bool is_own(const storage_ref& s);
/// A row-major copy of the elements, on the same device, that nobody shares.
storage_ref unshared(const storage_ref& s);
/// The same elements on another device.
storage_ref copy_to_device(const storage_ref& from, codegen::device& to);

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
    evaluation_result r{Tree::rank, e.shape_.extent, target};
    evaluate(program_of<program_tree>, slot_of<program_tree>, e.arguments(), &r);
    return std::move(r.made);
}

/// Writes the elements where `into` says.
template <dtype D, class Tree>
void evaluate_into(const expr<Tree>& e, const region& into) {
    using program_tree = typename root<Tree, D>::type;
    evaluation_result r{Tree::rank, e.shape_.extent, nullptr, &into};
    evaluate(program_of<program_tree>, slot_of<program_tree>, e.arguments(), &r);
}

}  // namespace sinter::detail
