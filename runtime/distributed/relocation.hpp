// Moves blocks of sharded arrays between members, all in one exchange.
#pragma once

#include <codegen/ir/graph.hpp>
#include <runtime/distributed/mesh_device.hpp>

#include <array>
#include <memory>
#include <vector>

namespace sinter::codegen {

/// A range along each axis.
using box = std::array<interval, ir::max_rank>;

/// How an array is distributed over the members of a mesh.
struct array_layout {
    dtype type{};
    int rank = 0;
    extents shape{};
    int axis = -1;  ///< the split axis; -1: replicated
};

/// The index ranges of a member's part of an array.
box box_of(const array_layout& array, int member, int members);
/// The whole array, restricted to `range` along `axis` if that is not negative.
box box_of(const array_layout& array, int axis, const interval& range);

/// The elements of a block of an array that holds `whole`, contiguous: the memory itself, or a copy.
detail::storage_ref packed_block(const detail::storage_ref& s, const box& whole, const box& block);
/// Copies a block between two arrays of one device that hold these boxes.
void copy_block(const detail::storage_ref& from, const box& from_whole, const detail::storage_ref& to,
                const box& to_whole, const box& block);

/// A transfer between two members is the intersection of what one has and the other wants. Blocks that are not
/// contiguous are packed and unpacked by copy kernels.
class relocation {
public:
    explicit relocation(mesh_device& mesh) : mesh_(mesh), made_(mesh.local().size()) {}

    /// Requests a box of an array for member `member`; `parts` are those of this process's members. All processes call
    /// it for the same members in the same order.
    void add(const array_layout& array, const std::vector<detail::storage_ref>& parts, int member, const box& wanted);
    void start();
    /// Whether finish() blocks the host until the transfers are done.
    bool waits_on_host() const { return pending_->waits_on_host(); }
    /// The boxes for this process's `m`-th member, in the order of add(). Its current stream waits for the data, and
    /// its other streams must be made to wait before this object is destroyed.
    std::vector<detail::storage_ref> finish(std::size_t m);

private:
    struct arrival {
        std::size_t member;
        detail::storage_ref elements;
        std::size_t made;
        box where;
        box whole;
    };

    mesh_device& mesh_;
    std::vector<transfer> transfers_;
    std::vector<detail::storage_ref> sources_;  ///< kept alive until the transfers are done
    std::vector<arrival> arrivals_;
    std::vector<std::vector<detail::storage_ref>> made_;  ///< per local member
    std::unique_ptr<pending_transfers> pending_;
};

}  // namespace sinter::codegen
