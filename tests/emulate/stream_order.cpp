// Vector clocks of streams.
#include <tests/emulate/stream_order.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::emulate {

void stream_order::merge(stream_times& into, const stream_times& from) {
    for (std::size_t s = 0; s < into.size(); ++s) into[s] = std::max(into[s], from[s]);
}

void stream_order::begin(int stream) {
    now_ = stream;
    ++begun_;
    stream_times& seen = seen_[static_cast<std::size_t>(stream)];
    merge(seen, host_);
    ++seen[static_cast<std::size_t>(stream)];
}

void stream_order::wait(int later, const stream_times& earlier) {
    merge(seen_[static_cast<std::size_t>(later)], earlier);
}

std::string stream_order::use(memory_uses& memory, bool writes) {
    const auto now = static_cast<std::size_t>(now_);
    const stream_times& seen = seen_[now];
    const char* const does = writes ? "writes" : "reads";
    if (memory.written > seen[static_cast<std::size_t>(memory.writer)])
        return fmt::format("stream {} {} memory that stream {} writes, and nothing orders the two", now_, does,
                           memory.writer);
    if (!writes) {
        memory.read[now] = seen[now];
        return {};
    }
    for (std::size_t other = 0; other < memory.read.size(); ++other)
        if (memory.read[other] > seen[other])
            return fmt::format("stream {} writes memory that stream {} reads, and nothing orders the two", now_, other);
    memory.writer = now_;
    memory.written = seen[now];
    return {};
}

std::string stream_order::give_back(const memory_uses& memory, codegen::stream_uses uses) const {
    const stream_times& seen = seen_by(uses.writer());
    const auto in_use = [&](int stream, std::uint32_t time) {
        return time > seen[static_cast<std::size_t>(stream)] && time > host_[static_cast<std::size_t>(stream)] &&
               !uses.by(stream);
    };
    for (int stream = 0; stream < codegen::max_streams; ++stream)
        if (in_use(stream, memory.read[static_cast<std::size_t>(stream)]) ||
            (stream == memory.writer && in_use(stream, memory.written)))
            return fmt::format("emulated: memory was given back to stream {} while stream {} uses it", uses.writer(),
                               stream);
    return {};
}

}  // namespace sinter::emulate
