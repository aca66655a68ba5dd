// The streams of a CUDA device, and what has to wait for what: streams for each other, memory for its last users.
#pragma once

#include <runtime/cuda/cuda_context.hpp>
#include <runtime/devices/device.hpp>

#include <array>
#include <mutex>
#include <vector>

namespace sinter::codegen {

/// Streams by number. Number 0 is the device's own; others are made when they are asked for and never destroyed, so
/// that a number means the same order of work for ever.
class cuda_streams {
public:
    explicit cuda_streams(const cuda_context& c);

    CUstream operator[](int number) const { return streams_[static_cast<std::size_t>(number)]; }

    int acquire();
    void release(int number) noexcept;

    /// What is submitted to `later` from now on runs after what has been submitted to `earlier`.
    void order(int later, int earlier);
    void order(CUstream later, CUstream earlier) const;
    /// What is submitted to recording_stream between the two becomes the graph, which the caller owns. One thread at a
    /// time: others wait at the beginning.
    void begin_recording();
    CUgraph end_recording();

    void wait_on_host(int number) const;
    void wait_on_host() const;  ///< for all of them

    /// Records an event at the present end of a stream. The caller owns it.
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
    std::array<CUstream, most_streams> streams_{};
    std::array<CUevent, most_streams> ends_{};  ///< of the streams, to order others after them
};

/// Memory that was given back while other streams than its own used it: it goes to the pool when they are done.
class cuda_retired {
public:
    cuda_retired(const cuda_context& c, pool& to) : here_(c), pool_(to) {}

    /// Takes the events.
    void add(void* p, std::size_t bytes, int stream, std::vector<CUevent> last_uses);
    /// Gives the pool what is no longer in use. One comparison when there is nothing.
    void collect() {
        if (waiting_.load(std::memory_order_relaxed) > 0) collect_some(false);
    }
    /// Waits for all of it.
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

/// A way for ordinary host memory to the device that does not keep the caller until it has arrived: through a few
/// pinned blocks, which the host fills while the device still reads those before.
class cuda_staging {
public:
    cuda_staging(const cuda_context& c, const cuda_streams& streams) : here_(c), streams_(streams), source_(c) {}

    /// Returns when `from` has been read.
    void copy(void* to, const void* from, std::size_t bytes, int stream);

private:
    static constexpr std::size_t block_bytes = std::size_t{4} << 20;
    struct block {
        void* p = nullptr;
        CUevent read = nullptr;  ///< by the device; null before the first use
    };

    const cuda_context& here_;
    const cuda_streams& streams_;
    pinned_memory source_;
    std::mutex mutex_;
    std::array<block, 8> blocks_;
    std::size_t next_ = 0;
};

}  // namespace sinter::codegen
