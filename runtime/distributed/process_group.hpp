// The processes of one program, and host data exchange between them: the interface that an engine (MPI, NCCL by itself)
// implements. A mesh whose members are in several processes has one.
#pragma once

#include <sinter/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Bytes to or from another process.
struct message {
    int peer;
    void* bytes;
    std::size_t count;
    bool sends;
};

/// Messages in flight. Their memory must stay valid until wait() has returned; the destructor does not wait.
class pending_messages {
public:
    virtual ~pending_messages() = default;
    virtual void wait() = 0;
};

/// Collective: all processes call these functions in the same order, except explain_absence and tell_failure. Each
/// throws sinter::error naming the processes if another one has ended, has reported a failure, or does not arrive
/// within SINTER_MESH_TIMEOUT seconds. The group is then unusable: every later call throws the same.
class process_group {
public:
    virtual ~process_group() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::string describe() const = 0;  ///< "Open MPI 4.1.4"

    /// Sends process 0's bytes to all.
    virtual void broadcast(void* bytes, std::size_t count) = 0;
    /// Gathers `count` bytes from each process, in rank order.
    virtual void all_gather(const void* mine, void* all, std::size_t count) = 0;
    /// Whether all_reduce supports a dtype.
    virtual bool adds_up(dtype) const { return false; }
    /// Sums over all processes, in place; all get the same bits.
    virtual void all_reduce(void* /*sums*/, std::int64_t /*count*/, dtype) {}
    /// Starts messages. Those between two processes are matched in the order in which both list them.
    virtual std::unique_ptr<pending_messages> start(std::span<const message> all) = 0;
    /// Whether the group is unusable: operations that wait for other processes must not be called.
    virtual bool is_broken() const = 0;
    /// Describes which processes do not answer. `when`: what happened, as in "within 600 seconds".
    virtual std::string explain_absence(const std::string& when) = 0;
    /// Tells the others, which may be waiting, that this process cannot continue.
    virtual void tell_failure(const std::string& why) noexcept = 0;

    /// Gathers a string from each process, in rank order.
    std::vector<std::string> gather(const std::string& mine);

    /// Throws in every process unless all arrive with the same digest. `describe()` explains it in words.
    template <class Describe>
    void agree(std::uint64_t digest, const Describe& describe) {
        if (!all_have(digest)) throw_disagreement(describe());
    }

private:
    bool all_have(std::uint64_t digest);
    [[noreturn]] void throw_disagreement(const std::string& mine);
};

/// The seconds of SINTER_MESH_TIMEOUT; 600 by default.
double mesh_timeout();

/// How a linked engine connects the launcher's processes. sinter::mpi sets it when its header is included.
using group_maker = std::unique_ptr<process_group> (*)();
void use_engine(group_maker maker);

/// The group of all processes of the launcher; null for a single process. Throws for several processes without an
/// engine to connect them.
std::unique_ptr<process_group> group_of_launcher();

}  // namespace sinter::codegen
