// oneTBB's threads, of which there are no more than cores however calls are nested.
#include <runtime/system/at_once.hpp>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <exception>
#include <vector>

namespace sinter::codegen {

void at_once(std::size_t count, const std::function<void(std::size_t)>& task) {
    std::vector<std::exception_ptr> failures(count);
    const auto run = [&](std::size_t i) {
        try {
            task(i);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    // Isolated: whoever waits here may hold a lock that other work, taken up meanwhile, would wait for.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, run); });
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace sinter::codegen
