// What a fork leaves to the child: the memory, but of the threads only the one that forked.
//
// A child evaluates on the host, on that one thread: oneTBB's are gone. Locks are free in it, since a fork waits for
// those who hold them. CUDA does not survive a fork; what needs it throws.
#pragma once

namespace sinter::codegen {

inline constinit bool forked_child = false;  // set where the handlers of forks are
/// Whether this process was forked from one that had used the library.
inline bool is_forked_child() noexcept { return forked_child; }

/// Throws in such a child: `what`, in words, does not work there.
[[noreturn]] void throw_after_fork(const char* what);
inline void refuse_after_fork(const char* what) {
    if (is_forked_child()) [[unlikely]]
        throw_after_fork(what);
}

/// A lock that forks wait for. Those who hold it acquire no other of these.
class fork_safe_lock {
public:
    virtual bool try_lock() = 0;
    virtual void unlock() = 0;

protected:
    fork_safe_lock();
    ~fork_safe_lock();
    fork_safe_lock(const fork_safe_lock&) = delete;
    fork_safe_lock& operator=(const fork_safe_lock&) = delete;

    /// Throws in a child whose lock is held by a thread that is gone: nothing frees it any more.
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

/// A std::mutex or std::shared_mutex that is also such a lock.
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
