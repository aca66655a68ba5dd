// Objects that are created on first use and never destroyed.
#pragma once

#include <atomic>
#include <memory>

namespace sinter::codegen {

/// Returns *place; if place is null, first stores the pointer that make() returns. The object is never destroyed, since
/// arrays, plans and devices are used until the last static object is gone. Concurrent first calls may each call
/// make(); one result stays. A function-local static would instead block the others, and in a child forked meanwhile
/// wait for a thread that does not exist there.
template <class T, class Make>
T& created_once(std::atomic<T*>& place, const Make& make) {
    T* known = place.load(std::memory_order_acquire);
    if (known == nullptr) [[unlikely]] {
        std::unique_ptr<T> fresh(make());
        if (place.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) known = fresh.release();
    }
    return *known;
}

}  // namespace sinter::codegen
