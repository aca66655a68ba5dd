// Aborts NCCL exchanges that hang because another process has ended or hangs.
#pragma once

#include <runtime/cuda/cuda_context.hpp>
#include <runtime/distributed/cuda_nccl_library.hpp>
#include <runtime/distributed/process_group.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace sinter::codegen {

/// Watches the exchanges of one communicator whose members are in several processes. If an exchange has started on the
/// device and not ended within SINTER_MESH_TIMEOUT seconds, or NCCL reports an error, the communicator is aborted: its
/// kernels end, and waiting for the device throws with the reason.
class nccl_watch {
public:
    nccl_watch(const nccl::library& l, nccl::communicator c, const cuda_context& where, process_group& group);
    ~nccl_watch();
    nccl_watch(const nccl_watch&) = delete;
    nccl_watch& operator=(const nccl_watch&) = delete;

    /// Takes ownership of the events before and after an exchange.
    void follow(CUevent begin, CUevent end);
    /// Whether the communicator was aborted: then it must not be destroyed again.
    bool gave_up() const { return gave_up_.load(std::memory_order_acquire); }

private:
    struct exchange {
        CUevent begin, end;
        double running_since = 0;  ///< 0: not seen running yet
    };

    void run();
    /// A description of what is wrong; empty if nothing is.
    std::string look();
    void drop_first();

    const nccl::library& nccl_;
    const nccl::communicator communicator_;
    const cuda_context& where_;
    process_group& group_;
    const double timeout_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<exchange> running_;
    bool ends_ = false;
    std::atomic<bool> gave_up_{false};
    std::thread thread_;  // last member: it uses all others
};

}  // namespace sinter::codegen
