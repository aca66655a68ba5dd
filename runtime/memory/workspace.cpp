// Makes workspaces, one a stream.
#include <runtime/memory/workspace.hpp>

#include <runtime/order/capture.hpp>

namespace sinter::codegen {

workspace::workspace(device& where, std::size_t bytes) : where_(where), bytes_(bytes) {
    if (where.recording() == nullptr) make();
}

workspace::~workspace() {
    for (int stream = 0; stream < most_streams; ++stream)
        if (void* const p = places_[static_cast<std::size_t>(stream)].load(); p != nullptr)
            where_.deallocate(p, bytes_, stream_uses::only(stream));
}

void* workspace::make() const {
    // A graph may run beside any stream's work, and be given its memory while other work of the plan is under way.
    if (capture* const c = where_.recording()) return c->zeroed(bytes_);
    const auto stream = static_cast<std::size_t>(where_.stream_now());
    void* const fresh = where_.allocate(bytes_);
    try {
        where_.fill_zero(fresh, bytes_);
    } catch (...) {
        where_.deallocate(fresh, bytes_);
        throw;
    }
    void* known = nullptr;
    if (places_[stream].compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return fresh;
    where_.deallocate(fresh, bytes_);  // another thread was faster
    return known;
}

}  // namespace sinter::codegen
