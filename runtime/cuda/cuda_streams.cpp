// CUDA streams and events.
#include <runtime/cuda/cuda_streams.hpp>

#include <runtime/system/parallel.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sinter::codegen {
namespace {

/// A single core copies more slowly than the bus transfers.
void copy_by_all_cores(char* to, const char* from, std::size_t bytes) {
    constexpr std::int64_t piece_bytes = 256 << 10;
    parallel_loop(static_cast<std::int64_t>(bytes), piece_bytes, [&](std::int64_t first, std::int64_t last) {
        std::memcpy(to + first, from + first, static_cast<std::size_t>(last - first));
    });
}

}  // namespace

cuda_streams::cuda_streams(const cuda_context& c) : here_(c) {
    here_.enter();
    make(0);
}

void cuda_streams::make(int number) {
    const auto n = static_cast<std::size_t>(number);
    if (streams_[n] != nullptr) return;
    CUevent end = nullptr;
    here_.check(here_.cuda.event_create(&end, CU_EVENT_DISABLE_TIMING), "making an event");
    ends_[n] = end;
    int lowest = 0, highest = 0;  // the highest priority is the least number
    here_.check(here_.cuda.ctx_get_stream_priority_range(&lowest, &highest), "querying the priorities of streams");
    here_.check(
        here_.cuda.stream_create(&streams_[n], CU_STREAM_NON_BLOCKING, number == urgent_stream ? highest : lowest),
        "making a stream");
}

void cuda_streams::make_urgent() {
    here_.enter();
    const std::lock_guard lock(mutex_);
    make(urgent_stream);
}

int cuda_streams::acquire() {
    here_.enter();
    const std::lock_guard lock(mutex_);
    const int number = numbers_.acquire();
    make(number);
    return number;
}

void cuda_streams::release(int number) noexcept {
    const std::lock_guard lock(mutex_);
    numbers_.release(number);
}

void cuda_streams::order(int later, int earlier) {
    if (later == earlier) return;
    here_.enter();
    const std::lock_guard lock(mutex_);  // one event per stream: not re-recorded before the wait is enqueued
    const CUevent end = ends_[static_cast<std::size_t>(earlier)];
    here_.check(here_.cuda.event_record(end, (*this)[earlier]), "recording an event");
    here_.check(here_.cuda.stream_wait_event((*this)[later], end, 0), "ordering two streams");
}

void cuda_streams::order(CUstream later, CUstream earlier) const {
    const CUevent end = record(earlier);
    const CUresult r = here_.cuda.stream_wait_event(later, end, 0);
    here_.cuda.event_destroy(end);
    here_.check(r, "ordering two streams");
}

void cuda_streams::begin_recording() {
    here_.enter();
    recording_mutex_.lock();
    try {
        make(recording_stream);
        // Relaxed: planning while recording loads kernels and allocates memory, which is not recorded.
        here_.check(here_.cuda.stream_begin_capture((*this)[recording_stream], CU_STREAM_CAPTURE_MODE_RELAXED),
                    "beginning to record");
    } catch (...) {
        recording_mutex_.unlock();
        throw;
    }
}

CUgraph cuda_streams::end_recording() {
    here_.enter();
    CUgraph graph = nullptr;
    const CUresult r = here_.cuda.stream_end_capture((*this)[recording_stream], &graph);
    recording_mutex_.unlock();
    here_.check(r, "ending to record");
    return graph;
}

void cuda_streams::wait_on_host(int number) const {
    here_.enter();
    here_.check(here_.cuda.stream_synchronize((*this)[number]), "waiting for the device");
    here_.expect_whole();
}

void cuda_streams::wait_on_host() const {
    std::vector<int> made;
    {
        const std::lock_guard lock(mutex_);
        for (int number = 0; number < recording_stream; ++number)
            if ((*this)[number] != nullptr) made.push_back(number);
    }
    for (const int number : made) wait_on_host(number);
}

CUevent cuda_streams::record(CUstream stream, unsigned flags) const {
    here_.enter();
    CUevent event = nullptr;
    here_.check(here_.cuda.event_create(&event, flags), "making an event");
    if (const CUresult r = here_.cuda.event_record(event, stream); r != CUDA_SUCCESS) {
        here_.cuda.event_destroy(event);
        here_.fail(r, "recording an event");
    }
    return event;
}

void cuda_retired::add(void* p, std::size_t bytes, int stream, std::vector<CUevent> last_uses) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back({p, bytes, stream, std::move(last_uses)});
    waiting_.store(blocks_.size(), std::memory_order_relaxed);
}

bool cuda_retired::is_free(const block& b, bool wait) const {
    return std::all_of(b.last_uses.begin(), b.last_uses.end(), [&](CUevent e) {
        // Errors are reported for the work that failed; after one, the memory is no longer in use.
        return (wait ? here_.cuda.event_synchronize(e) : here_.cuda.event_query(e)) != CUDA_ERROR_NOT_READY;
    });
}

void cuda_retired::collect_some(bool wait) {
    here_.enter();
    const std::lock_guard lock(mutex_);
    std::size_t kept = 0;
    for (block& b : blocks_) {
        if (is_free(b, wait)) {
            for (CUevent e : b.last_uses) here_.cuda.event_destroy(e);
            pool_.deallocate(b.p, b.bytes, b.stream);
        } else {
            std::swap(blocks_[kept++], b);
        }
    }
    blocks_.resize(kept);
    waiting_.store(kept, std::memory_order_relaxed);
}

void cuda_staging::copy(void* to, const void* from, std::size_t bytes, int stream) {
    here_.enter();
    const std::lock_guard lock(mutex_);
    for (std::size_t at = 0; at < bytes; at += block_bytes) {
        const std::size_t n = std::min(block_bytes, bytes - at);
        block& b = blocks_[next_++ % blocks_.size()];
        if (b.p == nullptr) b.p = source_.allocate(block_bytes);
        if (b.p == nullptr) throw error(here_.name + ": there is no pinned memory left; release host_copy objects");
        if (b.read == nullptr)
            here_.check(here_.cuda.event_create(&b.read, CU_EVENT_DISABLE_TIMING), "making an event");
        else
            here_.check(here_.cuda.event_synchronize(b.read), "waiting for a copy");
        copy_by_all_cores(static_cast<char*>(b.p), static_cast<const char*>(from) + at, n);
        here_.check(here_.cuda.memcpy_htod_async(address(to) + at, b.p, n, streams_[stream]), "copying to the device");
        here_.check(here_.cuda.event_record(b.read, streams_[stream]), "recording an event");
    }
}

}  // namespace sinter::codegen
