// The scheduler's report of deadlocked threads: where each is, and what it waits for.
#include <tests/emulate/block_runner.hpp>

#include <fmt/format.h>

namespace sinter::emulate {

using sinter_emulate::collective;

const char* name_of(collective what) {
    switch (what) {
        case collective::sync: return "__syncwarp";
        case collective::shuffle: return "a shuffle";
        case collective::vote: return "a vote";
        case collective::reduce: return "a warp reduction";
    }
    return "a warp collective";
}

std::string block_runner::whereabouts(int index) const {
    const thread& t = threads_[static_cast<std::size_t>(index)];
    switch (t.state) {
        case status::exited: return fmt::format("thread {} has left the kernel", index);
        case status::at_barrier: return fmt::format("thread {} waits at __syncthreads in line {}", index, t.line);
        case status::asleep: return fmt::format("thread {} sleeps in line {}", index, t.line);
        case status::in_collective:
            return fmt::format("thread {} waits in {} with mask {:#010x} in line {}", index, name_of(t.what), t.mask,
                               t.line);
        default: return fmt::format("thread {} has not come there", index);
    }
}

std::string block_runner::stuck() const {
    for (int index = 0; index < request_.block; ++index) {
        const thread& t = threads_[static_cast<std::size_t>(index)];
        if (t.state != status::in_collective) continue;
        const int first = index - index % 32;
        for (int lane = 0; lane < 32; ++lane) {
            if ((t.mask >> lane & 1u) == 0 || first + lane == index) continue;
            const thread& other = threads_[static_cast<std::size_t>(first + lane)];
            if (other.state == status::in_collective && other.mask == t.mask && other.what == t.what &&
                other.line == t.line)
                continue;
            return fmt::format("thread {}, line {}: {} with mask {:#010x} waits for lane {} in vain: {}", index, t.line,
                               name_of(t.what), t.mask, lane, whereabouts(first + lane));
        }
    }
    for (int index = 0; index < request_.block; ++index) {
        const thread& t = threads_[static_cast<std::size_t>(index)];
        if (t.state != status::at_barrier) continue;
        for (int other = 0; other < request_.block; ++other)
            if (threads_[static_cast<std::size_t>(other)].state != status::at_barrier)
                return fmt::format("thread {}, line {}: __syncthreads was reached by {} of {} threads: {}", index,
                                   t.line, waiting_, request_.block, whereabouts(other));
    }
    for (int index = 0; index < request_.block; ++index)
        if (threads_[static_cast<std::size_t>(index)].state == status::asleep) return whereabouts(index);
    return "thread 0: no thread can go on";
}

}  // namespace sinter::emulate
