// Plans made ahead, on as many threads as there are cores.
#include <codegen/launch/capture.hpp>
#include <codegen/launch/plan_table.hpp>
#include <sinter/device.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/fusion.hpp>
#include <sinter/tune.hpp>
#include <sinter/warm_up.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sinter::detail {

void prepare(const preparation* all, std::size_t count) {
    codegen::refuse_in_capture("warm_up()");
    const codegen::stream_choice stream = codegen::chosen_stream;
    const sinter::device where = current_device();
    const fusion mode = current_fusion();
    const bool fast = current_fast_math(), tune = current_tuning();
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        // what is current belongs to the thread
        const device_scope on(where);
        const fusion_scope fused(mode);
        const fast_math_scope fast_math(fast);
        const tuning_scope tuning(tune);
        const codegen::stream_choice before = std::exchange(codegen::chosen_stream, stream);
        for (std::size_t i; (i = next++) < count;) {
            try {
                const preparation& p = all[i];
                evaluation_result result{p.rank, p.extents};
                static_cast<void>(
                    codegen::find_plan(*p.slot, codegen::make_evaluation(*p.program, p.arguments, &result)));
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
            }
        }
        codegen::chosen_stream = before;
    };
    // This thread is one of them. Compiling is all they do, so that the cores are the measure.
    std::vector<std::jthread> others(std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency())));
    if (!others.empty()) others.pop_back();
    for (std::jthread& other : others) other = std::jthread(work);
    work();
    others.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sinter::detail
