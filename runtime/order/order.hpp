// The order of work of several streams on one storage. Storage remembers which streams have used it since it was last
// written; work on another stream waits for them by events. On one stream this is one comparison.
#pragma once

#include <runtime/devices/device.hpp>
#include <sinter/storage.hpp>

namespace sinter::codegen {

void order_read_after_others(detail::storage& s, int now);
void order_write_after_others(detail::storage& s, int now);

/// Counts the uses by `from` as uses by `to`, which is to be made to wait for `from` before the storage is used by
/// others. Two streams may then write different elements at the same time.
void pass_uses(detail::storage& s, int from, int to);

/// To be called before work on the present stream that reads the storage.
inline void order_read(detail::storage& s) {
    const int now = s.where->stream_now();
    if (!stream_uses::of_bits(s.uses.load(std::memory_order_acquire)).by(now)) order_read_after_others(s, now);
}

/// To be called before work on the present stream that writes the storage, which no other thread may use meanwhile.
inline void order_write(detail::storage& s) {
    const int now = s.where->stream_now();
    if (stream_uses::of_bits(s.uses.load(std::memory_order_acquire)) != stream_uses::only(now))
        order_write_after_others(s, now);
}

}  // namespace sinter::codegen
