// Data transfer between the members of a mesh.
#pragma once

#include <runtime/devices/device.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Bytes to be sent from one member to another.
struct transfer {
    int from;
    int to;
    const void* source;  ///< null if `from` is a member of another process
    void* target;        ///< null if `to` is
    std::size_t bytes;
};

/// Each member's partial sums, to be replaced by the sums over all members.
struct partial_sums {
    std::vector<void*> local;  ///< this process's members
    std::int64_t count;
    dtype type;
};

/// Started transfers. Their memory must stay valid until wait() has returned.
class pending_transfers {
public:
    virtual ~pending_transfers() = default;
    /// Whether wait() blocks the host.
    virtual bool waits_on_host() const { return false; }
    /// Makes the current stream of this process's `m`-th member wait for what arrives there.
    virtual void wait(std::size_t m) = 0;
};

/// Memory operations go to the current stream of the member's device; the host waits only if it must.
class link {
public:
    virtual ~link() = default;
    virtual std::string describe() const = 0;  ///< "NCCL 2.27"
    /// Starts transfers. All processes call it in the same order, each with the transfers of its own members.
    virtual std::unique_ptr<pending_transfers> start(std::span<const transfer> all) = 0;
    /// Whether all_reduce supports a dtype. Otherwise members exchange their values and add them.
    virtual bool adds_up(dtype) const { return false; }
    virtual void all_reduce(std::span<const partial_sums>) {}
};

/// For members of one process: copies between devices.
std::unique_ptr<link> make_local_link(std::vector<device*> members);

class process_group;

/// For processes with one member each: through host memory. `group` must outlive the link.
std::unique_ptr<link> make_host_link(device& member, process_group& group);

/// By NCCL. `members` are this process's, numbered from `first` on among `size`; `group` are the processes, null for a
/// single one. Throws sinter::error if NCCL is missing, with where to get it.
std::unique_ptr<link> make_nccl_link(std::vector<device*> members, int first, int size, process_group* group);
/// Identifies a GPU: NCCL needs a different one per member. Empty if the device is not a GPU.
std::string gpu_identity(const device& d);

}  // namespace sinter::codegen
