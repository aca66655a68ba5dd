// A recording of work for a graph, while it is made in one thread.
#pragma once

#include <runtime/devices/device.hpp>
#include <sinter/storage.hpp>

#include <functional>
#include <unordered_map>
#include <vector>

namespace sinter::codegen {

/// What a graph is: work, and the memory it uses, which stays as long as the graph.
struct recording {
    struct use {
        detail::storage* memory;
        bool writes;
    };

    explicit recording(device& d) : where(d) {}
    ~recording();
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;

    device& where;
    std::vector<use> uses;
    std::unique_ptr<recorded_work> native;        ///< where the device records by itself; else
    std::vector<std::function<void()>> replayed;  ///< the work, in order
};

/// From its making to its end this thread's work on the device is recorded instead of being done.
class capture {
public:
    explicit capture(device& where);
    ~capture();
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;

    std::unique_ptr<recording> finish();

    /// Keeps memory that the recorded work uses.
    void keep(detail::storage& s, bool writes);
    device& where() const { return result_->where; }

    // For devices that do not record by themselves.
    void record(std::function<void()> work) { result_->replayed.push_back(std::move(work)); }

    bool blocks_meet = false;  ///< of some kernel in it

private:
    void leave() noexcept;

    std::unique_ptr<recording> result_;
    std::unordered_map<detail::storage*, std::size_t> known_;  ///< position in result_->uses
    const stream_choice before_;
    bool open_ = true;
};

[[noreturn]] void throw_refused_in_capture(const char* what);
/// Throws if this thread is recording: `what`, in words, cannot be recorded.
inline void refuse_in_capture(const char* what) {
    if (chosen_stream.recording != nullptr) throw_refused_in_capture(what);
}

}  // namespace sinter::codegen
