// The interface between the templates and the compiled library.
#pragma once

#include <sinter/expr.hpp>

#include <atomic>

namespace sinter::detail {

/// The plan cache of one expression type: its plans by shapes. Opaque here.
struct plan_slot {
    std::atomic<void*> plans{nullptr};
};

template <class Tree>
inline constinit plan_slot slot_of{};

/// A strided part of storage: element (i, j, ...) is at offset + i * strides[0] + j * strides[1] + ...
struct region {
    storage* whole = nullptr;
    std::int64_t offset = 0;
    std::int64_t strides[ir::max_rank] = {};
};

/// One result of an evaluation and its destination: `into` if given; else `target`, if given and its shape, dtype and
/// device match and writing in place is safe (every read of it is elementwise); else fresh storage.
struct evaluation_result {
    int rank = 0;
    const std::int64_t* extents = nullptr;
    const storage_ref* target = nullptr;  ///< referenced only by the caller and the expression's leaves
    const region* into = nullptr;         ///< the same, or external memory
    storage_ref made{};                   ///< output: `target` itself or fresh storage
};

/// Evaluates a program; `results` has one entry per root.
void evaluate(const ir::program& program, plan_slot& slot, const arguments_view& arguments, evaluation_result* results);

/// Storage unique to the caller: `s` itself if only the caller and `shares` others reference it, else a copy.
storage_ref unshared(const storage_ref& s, int shares);

/// Uninitialised row-major storage on the current device.
storage_ref make_storage(dtype type, int rank, const std::int64_t* extents);
/// Copies row-major elements from host memory to storage, or the reverse (which waits).
void copy_from_host(const storage_ref& to, const void* from);
void copy_to_host(void* to, const storage_ref& from);
/// The storage itself if it is row-major, else a row-major copy on the same device.
storage_ref dense(const storage_ref& s);
/// Whether only the caller references the storage, it is row-major, and it is writable.
bool is_own(const storage_ref& s);
/// A row-major copy on the same device with no other references.
storage_ref unshared(const storage_ref& s);
/// The first elements of a vector that only the caller references: in its memory if they fill at least a third of it,
/// otherwise a copy.
storage_ref first_elements(storage_ref vector, std::int64_t count);
/// A copy on another device.
storage_ref copy_to_device(const storage_ref& from, codegen::device& to);

/// The tree, with a cast to D on top if needed.
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

/// Evaluates an expression into a region.
template <dtype D, class Tree>
void evaluate_into(const expr<Tree>& e, const region& into) {
    using program_tree = typename root<Tree, D>::type;
    evaluation_result r{Tree::rank, e.shape_.extent, nullptr, &into};
    evaluate(program_of<program_tree>, slot_of<program_tree>, e.arguments(), &r);
}

}  // namespace sinter::detail
