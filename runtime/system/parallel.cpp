// The part of a parallel loop that does not depend on its types: division into parts, on oneTBB's threads.
#include <runtime/system/parallel.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/system/fork.hpp>
#include <runtime/system/race_detector.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

enum progress : unsigned char { waiting, begun, done };

/// A loop whose parts oneTBB's threads compute.
struct shared_loop {
    unsigned char* progress;
    std::int64_t size, count;
    const void* loop;
    loop_function run;
    fork_join order = {};  ///< last: it begins when the others are set

    __attribute__((noinline)) void run_parts(std::int64_t part, std::int64_t end) {
        const fork_join::part ordered(order);
        loop_parts some(progress, part, end, size, count);
        run(loop, some, false);
    }
};

}  // namespace

bool loop_parts::next(std::int64_t& first, std::int64_t& last) {
    if (begun_) progress_[part_++] = done;
    while (part_ < end_ && progress_[part_] != waiting) ++part_;
    begun_ = part_ < end_;
    if (!begun_) return false;
    progress_[part_] = begun;
    first = part_ * size_;
    last = std::min(count_, first + size_);
    return true;
}

void run_loop(std::int64_t count, std::int64_t grain, const void* loop, loop_function run) {
    constexpr std::int64_t max_parts = 1024;
    if (count <= 0) return;
    const bool alone = is_forked_child();
    const std::int64_t size = alone ? count : std::max<std::int64_t>({1, grain, divide_up(count, max_parts)});
    const std::int64_t parts = divide_up(count, size);
    unsigned char state[max_parts];
    std::fill_n(state, parts, static_cast<unsigned char>(waiting));
    if (parts > 1) {
        try {
            shared_loop shared{state, size, count, loop, run};
            tbb::this_task_arena::isolate([&] {
                tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, parts, 1), task_body<shared_loop>{&shared});
            });
        } catch (...) {  // oneTBB's, unless a part has begun and has not ended: then the body threw
            if (std::find(state, state + parts, begun) != state + parts) throw;
        }
    }
    loop_parts left(state, 0, parts, size, count);
    run(loop, left, true);
}

}  // namespace sinter::codegen
