// Makes workspaces, one per stream.
#include <runtime/memory/workspace.hpp>

#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>

#include <utility>

namespace sinter::codegen {
namespace {

/// Fresh memory for recorded work only. It is zeroed now, not at each launch.
void* zeroed_for(capture& c, std::size_t bytes) {
    device& where = c.where();
    const auto extent = static_cast<std::int64_t>(bytes);
    const detail::storage_ref s = make_storage_on(where, dtype::uint8, 1, &extent);
    const stream_choice now = std::exchange(chosen_stream, stream_choice{});
    where.fill_zero(s->data, bytes);
    where.synchronize_stream(0);
    chosen_stream = now;
    return s->data;
}

}  // namespace

workspace::workspace(device& where, std::size_t bytes) : where_(where), bytes_(bytes) {
    if (where.recording() == nullptr) make();
}

workspace::~workspace() {
    for (int stream = 0; stream < max_streams; ++stream)
        if (void* const p = places_[static_cast<std::size_t>(stream)].load(); p != nullptr)
            where_.deallocate(p, bytes_, stream_uses::only(stream));
}

void* workspace::make() const {
    // A graph may run concurrently with any stream's work, so it gets a workspace of its own.
    if (capture* const c = where_.recording()) return zeroed_for(*c, bytes_);
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
