// Vector clocks of streams.
#include <tests/emulate/stream_order.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

std::string stream_order::begin_use(memory_uses& memory, bool writes) {
    const auto now = static_cast<std::size_t>(now_);
    const stream_times& seen = seen_[now];
    memory.unordered = false;
    for (std::size_t other = 0; other < seen.size(); ++other) {
        memory.unordered = memory.unordered || memory.written[other] > seen[other];
        if (writes && memory.read[other] > seen[other])
            return fmt::format("stream {} writes memory that stream {} reads, and nothing orders the two", now_, other);
    }
    (writes ? memory.written : memory.read)[now] = seen[now];
    return {};
}

std::string stream_order::use(memory_uses& memory, unsigned char* writers, std::size_t bytes, bool writes, bool first) {
    std::string complaint = first ? begin_use(memory, writes) : std::string();
    const stream_times& seen = seen_[static_cast<std::size_t>(now_)];
    for (std::size_t i = 0; memory.unordered && complaint.empty() && i < bytes; ++i) {
        if (writers[i] == 0) continue;
        const std::size_t other = writers[i] - 1u;
        if (memory.written[other] > seen[other])
            complaint = fmt::format("stream {} {} memory that stream {} writes, and nothing orders the two", now_,
                                    writes ? "writes" : "reads", other);
    }
    if (writes) std::memset(writers, now_ + 1, bytes);
    return complaint;
}

std::string stream_order::give_back(const memory_uses& memory, codegen::stream_uses uses) const {
    const stream_times& seen = seen_by(uses.writer());
    const auto in_use = [&](int stream, std::uint32_t time) {
        return time > seen[static_cast<std::size_t>(stream)] && time > host_[static_cast<std::size_t>(stream)] &&
               !uses.by(stream);
    };
    for (int stream = 0; stream < codegen::max_streams; ++stream)
        if (in_use(stream, memory.read[static_cast<std::size_t>(stream)]) ||
            in_use(stream, memory.written[static_cast<std::size_t>(stream)]))
            return fmt::format("emulated: memory was given back to stream {} while stream {} uses it", uses.writer(),
                               stream);
    return {};
}

}  // namespace sinter::emulate
