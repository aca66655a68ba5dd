// Runs tasks on oneTBB's threads, at most one per core even for nested calls.
#include <runtime/system/parallel_for.hpp>

#include <runtime/system/parallel.hpp>

#include <exception>
#include <vector>

namespace sinter::codegen {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task) {
    std::vector<std::exception_ptr> failures(count);
    const auto run = [&](std::size_t i) {
        try {
            task(i);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    parallel_loop(static_cast<std::int64_t>(count), 1, [&](std::int64_t first, std::int64_t last) {
        for (; first < last; ++first) run(static_cast<std::size_t>(first));
    });
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace sinter::codegen
