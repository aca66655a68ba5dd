// The table of sources, and the current compilation.
#include <runtime/host/compiled_loops.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/cache/disk.hpp>
#include <runtime/system/fork.hpp>
#include <runtime/system/warning.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace sinter::codegen {
namespace {

class loops_table {
public:
    loops_answer find(const std::string& source, loops_effort effort) {
        std::unique_lock guard(lock_, std::defer_lock);
        if (effort == loops_effort::wait)
            guard.lock();
        else if (!guard.try_lock())
            return {loops_state::compiling, nullptr};  // another thread has the lock: evaluations do not wait
        entry& e = entries_[source];
        if (e.state == loops_state::unknown && !e.looked_up) look_up(source, e);
        if (effort == loops_effort::look_up || host_loop_compiler().path.empty()) return answer(e);
        const bool wait = effort == loops_effort::wait;
        finish(wait);
        if (e.state == loops_state::unknown && !running_ && !is_forked_child()) {
            running_.emplace(source);
            running_source_ = source;
            e.state = loops_state::compiling;
            if (!ends_) ends_ = std::atexit(end_compilation) == 0;
            if (wait) finish(true);
        }
        return answer(e);
    }

    /// Ends a compilation that nothing will ask for, with its files.
    void end() {
        if (!lock_.try_lock()) return;
        running_.reset();
        lock_.unlock();
    }

private:
    struct entry {
        loops_state state = loops_state::unknown;
        bool looked_up = false;
        std::unique_ptr<loaded_loops> loops;
    };

    static void end_compilation();
    static loops_answer answer(const entry& e) { return {e.state, e.loops.get()}; }
    static std::string key_of(const std::string& source) {
        return fmt::format("host loops, 1\n{}\n{}", host_loop_compiler().identity, source);
    }

    void look_up(const std::string& source, entry& e) {
        e.looked_up = true;
        if (host_loop_compiler().path.empty()) return;
        if (const std::optional<std::string> image = default_disk_cache().read(key_of(source))) load(*image, e);
    }

    void finish(bool wait) {
        if (!running_ || !running_->is_over(wait)) return;
        entry& e = entries_[running_source_];
        const std::string image = running_->image();
        if (image.empty())
            fail(running_->failure(), e);
        else if (load(image, e))
            default_disk_cache().write(key_of(running_source_), image);
        running_.reset();
    }

    bool load(const std::string& image, entry& e) {
        try {
            e.loops = std::make_unique<loaded_loops>(image);
            e.state = loops_state::ready;
            return true;
        } catch (const error& why) {
            fail(why.what(), e);
            return false;
        }
    }

    void fail(const std::string& why, entry& e) {
        e.state = loops_state::failed;
        if (!said_)
            warn(
                fmt::format("host loops are not compiled at run time, which costs time but changes no result: {}; set "
                            "SINTER_HOST_COMPILER to another C++ compiler, or to off",
                            why));
        said_ = true;
    }

    fork_safe<std::mutex> lock_;
    std::unordered_map<std::string, entry> entries_;
    std::optional<compilation> running_;
    std::string running_source_;
    bool said_ = false;
    bool ends_ = false;  ///< the end of the process is awaited
};

loops_table& table() {
    static constinit std::atomic<loops_table*> place{nullptr};
    return created_once(place, [] { return new loops_table; });
}

void loops_table::end_compilation() { table().end(); }

}  // namespace

loops_answer find_loops(const std::string& source, loops_effort effort) { return table().find(source, effort); }

}  // namespace sinter::codegen
