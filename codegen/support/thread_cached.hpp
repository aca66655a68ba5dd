// Objects that a thread keeps from call to call, so that a warm evaluation allocates nothing.
#pragma once

#include <utility>

namespace sinter::codegen {

/// A T, lent for a scope: one that this thread has kept, in the state that its last user left it in, else a new one.
/// Two scopes never share one, however calls are nested. A plain thread_local would be shared by work that a thread
/// takes up while it waits within other work, and be gone in the destructors of static objects: there, what is lent is
/// new and is not kept.
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
        if (!ended_) end_.is_awaited = true;  // its destructor runs if it has been used
        return new node;
    }

    // Without destructors, so that they can be read after all that have one are gone.
    static inline constinit thread_local node* first_ = nullptr;
    static inline constinit thread_local bool ended_ = false;
    static inline thread_local thread_end end_{};

    node* const mine_;
};

}  // namespace sinter::codegen
