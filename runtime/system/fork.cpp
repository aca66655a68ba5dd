// The fork() handlers, and the list of locks that they acquire.
#include <runtime/system/fork.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace sinter::codegen {

namespace {

/// These locks are held at most as long as a table lookup. The wait times out only if a signal handler forks in a
/// thread that itself holds one.
constexpr std::chrono::seconds patience{1};

}  // namespace

struct fork_registry {
    std::mutex mutex;
    fork_safe_lock* first = nullptr;

    std::atomic<bool> handles_forks{false};

    static fork_registry& all();

    void add(fork_safe_lock& l) {
        if (!handles_forks.exchange(true)) pthread_atfork(before, in_parent, in_child);
        const std::lock_guard lock(mutex);
        l.next_ = first;
        if (first != nullptr) first->before_ = &l;
        first = &l;
    }

    void remove(fork_safe_lock& l) {
        const std::lock_guard lock(mutex);
        (l.before_ != nullptr ? l.before_->next_ : first) = l.next_;
        if (l.next_ != nullptr) l.next_->before_ = l.before_;
    }

    static void before() {
        all().mutex.lock();
        const auto deadline = std::chrono::steady_clock::now() + patience;
        for (fork_safe_lock* l = all().first; l != nullptr; l = l->next_)
            while (!(l->held_by_fork_ = l->try_lock()) && std::chrono::steady_clock::now() < deadline)
                std::this_thread::yield();
    }

    static void in_parent() { after(false); }
    static void in_child() { after(true); }
    static void after(bool is_child) {
        for (fork_safe_lock* l = all().first; l != nullptr; l = l->next_) {
            if (l->held_by_fork_)
                l->unlock();
            else
                l->lost_ = l->lost_ || is_child;
            l->held_by_fork_ = false;
        }
        forked_child = forked_child || is_child;
        all().mutex.unlock();
    }
};

namespace {
constinit fork_registry registry{};
}  // namespace

fork_registry& fork_registry::all() { return registry; }

void throw_after_fork(const char* what) {
    throw error(
        fmt::format("this process was forked from one that used Sinter, and cannot go on with {}: fork before the "
                    "first evaluation, or exec a program in the child",
                    what));
}

fork_safe_lock::fork_safe_lock() { fork_registry::all().add(*this); }
fork_safe_lock::~fork_safe_lock() { fork_registry::all().remove(*this); }

}  // namespace sinter::codegen
