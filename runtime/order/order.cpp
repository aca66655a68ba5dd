// Waiting for the other streams that use a storage.
#include <runtime/order/order.hpp>

#include <runtime/order/capture.hpp>

namespace sinter::codegen {

void order_read_after_others(detail::storage& s, int now) {
    if (capture* const c = s.where->recording()) return c->keep(s, false);
    const auto uses = stream_uses::of_bits(s.uses.load(std::memory_order_acquire));
    // First the wait, then the note: who finds the note on the same stream submits behind the wait.
    s.where->wait_for_stream(uses.writer());
    s.uses.fetch_or(std::uint64_t{1} << now, std::memory_order_acq_rel);
}

void order_write_after_others(detail::storage& s, int now) {
    if (capture* const c = s.where->recording()) return c->keep(s, true);
    const auto uses = stream_uses::of_bits(s.uses.load(std::memory_order_acquire));
    for (int other = 0; other < max_streams; ++other)
        if (uses.by(other) && other != now) s.where->wait_for_stream(other);
    s.uses.store(stream_uses::only(now).bits(), std::memory_order_release);
}

void pass_uses(detail::storage& s, int from, int to) {
    std::uint64_t bits = s.uses.load(std::memory_order_acquire), passed = 0;
    do {
        const auto uses = stream_uses::of_bits(bits);
        if (!uses.by(from)) return;
        passed = stream_uses::only(uses.writer() == from ? to : uses.writer()).bits();
        for (int other = 0; other < max_streams; ++other)
            if (other == to || (uses.by(other) && other != from)) passed |= std::uint64_t{1} << other;
    } while (!s.uses.compare_exchange_weak(bits, passed, std::memory_order_acq_rel));
}

}  // namespace sinter::codegen
