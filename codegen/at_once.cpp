// Threads that take the next task until there is none.
#include <codegen/at_once.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace sinter::codegen {

namespace {

std::atomic<std::size_t> taken{0};  // threads beside those that call

/// Takes at most `wanted` of the cores that are left for other threads, and gives them back.
class core_share {
public:
    explicit core_share(std::size_t wanted) {
        const std::size_t all = std::max(1u, std::thread::hardware_concurrency()) - 1;
        std::size_t before = taken;
        do count_ = std::min(wanted, all - std::min(all, before));
        while (!taken.compare_exchange_weak(before, before + count_));
    }
    ~core_share() { taken -= count_; }
    core_share(const core_share&) = delete;
    core_share& operator=(const core_share&) = delete;

    std::size_t count() const { return count_; }

private:
    std::size_t count_;
};

}  // namespace

void at_once(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (count == 0) return;
    std::vector<std::exception_ptr> failures(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next++) < count;) {
            try {
                task(i);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    {
        const core_share share(count - 1);
        std::vector<std::jthread> others;
        try {
            while (others.size() < share.count()) others.emplace_back(work);
        } catch (const std::system_error&) {  // the system has no more threads: fewer do the same
        }
        work();
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace sinter::codegen
