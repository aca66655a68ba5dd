// How the members of a mesh reach each other's memory.
#pragma once

#include <runtime/devices/device.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Bytes on their way from one member to another.
struct transfer {
    int from;
    int to;
    const void* source;  ///< null where `from` is a member of another process
    void* target;        ///< null where `to` is
    std::size_t bytes;
};

/// What every member has of an array of sums, for the sums over all members to stand there.
struct partial_sums {
    std::vector<void*> local;  ///< of this process's members
    std::int64_t count;
    dtype type;
};

/// Work on memory goes to the present stream of the member's device, and nothing here waits for it unless it must.
class link {
public:
    virtual ~link() = default;
    virtual std::string describe() const = 0;  ///< "NCCL 2.27"
    /// Does transfers. All processes call it with those that concern their members, in one order that they share.
    virtual void exchange(std::span<const transfer> all) = 0;
    /// Whether all_reduce takes a dtype. Where it does not, members send each other what they have, and add it up.
    virtual bool adds_up(dtype) const { return false; }
    virtual void all_reduce(std::span<const partial_sums>) {}
};

/// Between members of one process: copies from device to device.
std::unique_ptr<link> make_local_link(std::vector<device*> members);

class rendezvous;

/// Between processes of one machine that have a member each: through sockets and the host's memory. `with` must live as
/// long.
std::unique_ptr<link> make_socket_link(device& member, const rendezvous& with);

/// By NCCL. `members` are this process's, and have the numbers from `first` on among `size`; `with` are the other
/// processes, null where there are none. Throws sinter::error where NCCL is missing, saying where it is from.
std::unique_ptr<link> make_nccl_link(std::vector<device*> members, int first, int size, rendezvous* with);
/// Tells one GPU from another, on this machine: NCCL wants a different one for each member. Empty for what is none.
std::string gpu_identity(const device& d);

}  // namespace sinter::codegen
