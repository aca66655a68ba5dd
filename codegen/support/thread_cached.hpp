// Objects that a thread keeps between calls, so that a warm evaluation allocates nothing.
#pragma once

#include <utility>

namespace sinter::codegen {

/// A T, borrowed for a scope: one that this thread has kept, in the state its last user left it in, else a new one. Two
/// scopes never share one, even if calls nest. A plain thread_local would be shared with other work that a thread runs
/// while it waits within a task, and be destroyed before static objects are. After the end of the thread, a T is new
/// and is deleted after use.
template <class T>
class thread_cached {
public:
    thread_cached() : mine_(first_ != nullptr ? std::exchange(first_, first_->next) : make()) {}
    ~thread_cached() {
        if (ended_)
            delete mine_;
        else
            mine_->next = std::exchange(first_, mine_);
    }
    thread_cached(const thread_cached&) = delete;
    thread_cached& operator=(const thread_cached&) = delete;

    T& operator*() const { return mine_->value; }
    T* operator->() const { return &mine_->value; }

private:
    struct node {
        T value{};
        node* next = nullptr;
    };
    struct thread_end {
        bool is_awaited = false;
        ~thread_end() {
            ended_ = true;
            while (first_ != nullptr) delete std::exchange(first_, first_->next);
        }
    };
    static node* make() {
        if (!ended_) end_.is_awaited = true;  // odr-use: registers its destructor
        return new node;
    }

    // Trivially destructible, so that they can be read after all objects with destructors are gone.
    static inline constinit thread_local node* first_ = nullptr;
    static inline constinit thread_local bool ended_ = false;
    static inline thread_local thread_end end_{};

    node* const mine_;
};

}  // namespace sinter::codegen
