// Fork support. The child has the parent's memory, but only the thread that forked.
//
// A child evaluates on the host in that single thread, because oneTBB's threads are gone. Locks are free in it, because
// fork waits for their holders. CUDA does not survive a fork; functions that need it throw.
#pragma once

namespace sinter::codegen {

inline constinit bool forked_child = false;  // defined next to the fork handlers
/// Whether this process was forked from one that had used the library.
inline bool is_forked_child() noexcept { return forked_child; }

/// Throws in such a child: `what` does not work there.
[[noreturn]] void throw_after_fork(const char* what);
inline void refuse_after_fork(const char* what) {
    if (is_forked_child()) [[unlikely]]
        throw_after_fork(what);
}

/// A lock that fork waits for. A holder must not acquire another one.
class fork_safe_lock {
public:
    virtual bool try_lock() = 0;
    virtual void unlock() = 0;

protected:
    fork_safe_lock();
    ~fork_safe_lock();
    fork_safe_lock(const fork_safe_lock&) = delete;
    fork_safe_lock& operator=(const fork_safe_lock&) = delete;

    /// Throws in a child whose lock is held by a thread that no longer exists.
    void expect_owner() const {
        if (lost_) [[unlikely]]
            throw_after_fork("what another thread was doing at that moment");
    }

private:
    friend struct fork_registry;
    fork_safe_lock* next_ = nullptr;
    fork_safe_lock* before_ = nullptr;
    bool held_by_fork_ = false;
    bool lost_ = false;
};

/// A std::mutex or std::shared_mutex with fork support.
template <class Mutex>
class fork_safe final : public fork_safe_lock {
public:
    void lock() {
        expect_owner();
        mutex_.lock();
    }
    bool try_lock() override { return mutex_.try_lock(); }
    void unlock() override { mutex_.unlock(); }
    void lock_shared() {
        expect_owner();
        mutex_.lock_shared();
    }
    void unlock_shared() { mutex_.unlock_shared(); }

private:
    Mutex mutex_;
};

}  // namespace sinter::codegen
