// The watchdog thread for NCCL exchanges.
#include <runtime/distributed/cuda_nccl_watch.hpp>

#include <fmt/format.h>

#include <chrono>

namespace sinter::codegen {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

nccl_watch::nccl_watch(const nccl::library& l, nccl::communicator c, const cuda_context& where, process_group& group)
    : nccl_(l), communicator_(c), where_(where), group_(group), timeout_(mesh_timeout()), thread_([this] { run(); }) {}

nccl_watch::~nccl_watch() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    wake_.notify_all();
    thread_.join();
    while (!running_.empty()) drop_first();
}

void nccl_watch::follow(CUevent begin, CUevent end) {
    const std::lock_guard lock(mutex_);
    running_.push_back({begin, end});
}

void nccl_watch::drop_first() {
    where_.cuda.event_destroy(running_.front().begin);
    where_.cuda.event_destroy(running_.front().end);
    running_.pop_front();
}

void nccl_watch::run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        wake_.wait_for(lock, std::chrono::milliseconds(100));
        const std::string wrong = ends_ ? "" : look();
        if (wrong.empty()) continue;
        lock.unlock();
        const std::string why = group_.explain_absence(wrong);
        where_.lose(why);
        gave_up_.store(true, std::memory_order_release);
        nccl_.abort(communicator_);
        return;
    }
}

std::string nccl_watch::look() {
    where_.enter();
    while (!running_.empty() && where_.cuda.event_query(running_.front().end) == CUDA_SUCCESS) drop_first();
    nccl::status state = 0;
    if (nccl_.async_error(communicator_, &state) == 0 && state != 0 && state != nccl::in_progress)
        return fmt::format("NCCL says: {}", nccl_.error_text(state));
    if (running_.empty()) return {};
    exchange& first = running_.front();
    if (first.running_since == 0 && where_.cuda.event_query(first.begin) == CUDA_SUCCESS)
        first.running_since = seconds_now();
    if (first.running_since == 0 || seconds_now() - first.running_since < timeout_) return {};
    return fmt::format("within {:g} seconds", timeout_);
}

}  // namespace sinter::codegen
