// What is made on first use and kept to the very end.
#pragma once

#include <atomic>
#include <memory>

namespace sinter::codegen {

/// What `place` points to, or, the first time, what make() returns a pointer to. It is never destroyed: arrays, plans
/// and devices are used until the last static object has gone. Threads that come at the same time may make several, of
/// which one stays. A static variable of a function would let them wait for one another instead, and in a child that
/// was forked meanwhile for a thread that is not there.
template <class T, class Make>
T& kept(std::atomic<T*>& place, const Make& make) {
    T* known = place.load(std::memory_order_acquire);
    if (known == nullptr) [[unlikely]] {
        std::unique_ptr<T> fresh(make());
        if (place.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) known = fresh.release();
    }
    return *known;
}

}  // namespace sinter::codegen
