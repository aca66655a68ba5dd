// A CUDA device's streams and their dependences: streams wait for each other, memory for its last users.
#pragma once

#include <runtime/cuda/cuda_context.hpp>
#include <runtime/devices/device.hpp>

#include <array>
#include <mutex>
#include <vector>

namespace sinter::codegen {

/// Streams by number. Number 0 is the device's own; others are created on demand and never destroyed, so a number
/// always means the same stream.
class cuda_streams {
public:
    explicit cuda_streams(const cuda_context& c);

    CUstream operator[](int number) const { return streams_[static_cast<std::size_t>(number)]; }

    int acquire();
    void release(int number) noexcept;
    /// Makes the stream of the highest priority, urgent_stream.
    void make_urgent();

    /// Orders all future work on `later` after the work submitted to `earlier` so far.
    void order(int later, int earlier);
    void order(CUstream later, CUstream earlier) const;
    /// Work submitted to recording_stream between the two becomes the graph, which the caller owns. One thread records
    /// at a time: others block in begin_recording.
    void begin_recording();
    CUgraph end_recording();

    void wait_on_host(int number) const;
    void wait_on_host() const;  ///< for all streams

    /// Records an event at the current end of a stream. The caller owns it.
    CUevent record(int number, unsigned flags = CU_EVENT_DISABLE_TIMING) const {
        return record((*this)[number], flags);
    }
    CUevent record(CUstream stream, unsigned flags = CU_EVENT_DISABLE_TIMING) const;

private:
    void make(int number);

    const cuda_context& here_;
    mutable std::mutex mutex_;
    std::mutex recording_mutex_;
    stream_numbers numbers_;
    std::array<CUstream, max_streams> streams_{};
    std::array<CUevent, max_streams> ends_{};  ///< one per stream, used to order other streams after it
};

/// Freed memory that other streams may still use: returned to the pool when they are done.
class cuda_retired {
public:
    cuda_retired(const cuda_context& c, pool& to) : here_(c), pool_(to) {}

    /// Takes ownership of the events.
    void add(void* p, std::size_t bytes, int stream, std::vector<CUevent> last_uses);
    /// Returns unused memory to the pool. Costs one comparison if nothing is waiting.
    void collect() {
        if (waiting_.load(std::memory_order_relaxed) > 0) collect_some(false);
    }
    /// Waits for and returns all of it.
    void collect_all() { collect_some(true); }

private:
    struct block {
        void* p;
        std::size_t bytes;
        int stream;
        std::vector<CUevent> last_uses;
    };
    void collect_some(bool wait);
    bool is_free(const block& b, bool wait) const;

    const cuda_context& here_;
    pool& pool_;
    std::mutex mutex_;
    std::vector<block> blocks_;
    std::atomic<std::size_t> waiting_{0};
};

/// Asynchronous copies from pageable host memory to the device: through a few pinned blocks, which the host fills while
/// the device reads earlier ones.
class cuda_staging {
public:
    cuda_staging(const cuda_context& c, const cuda_streams& streams) : here_(c), streams_(streams), source_(c) {}

    /// Returns once `from` has been read.
    void copy(void* to, const void* from, std::size_t bytes, int stream);

private:
    static constexpr std::size_t block_bytes = std::size_t{4} << 20;
    struct block {
        void* p = nullptr;
        CUevent read = nullptr;  ///< when the device has read it; null before the first use
    };

    const cuda_context& here_;
    const cuda_streams& streams_;
    pinned_memory source_;
    std::mutex mutex_;
    std::array<block, 8> blocks_;
    std::size_t next_ = 0;
};

}  // namespace sinter::codegen
