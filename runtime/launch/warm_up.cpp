// Makes plans ahead of time, several concurrently.
#include <runtime/launch/plan_table.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/parallel_for.hpp>
#include <sinter/device.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/fusion.hpp>
#include <sinter/scoped.hpp>
#include <sinter/tune.hpp>
#include <sinter/warm_up.hpp>

namespace sinter::detail {

void prepare(const preparation* all, std::size_t count) {
    codegen::refuse_in_capture("warm_up()");
    const codegen::stream_choice stream = codegen::chosen_stream;
    const sinter::device where = current_device();
    const fusion mode = current_fusion();
    const bool fast = current_fast_math(), tune = current_tuning();
    codegen::parallel_for(count, [&](std::size_t i) {
        // current settings are per thread
        const device_scope on(where);
        const fusion_scope fused(mode);
        const fast_math_scope fast_math(fast);
        const tuning_scope tuning(tune);
        const scoped on_stream(codegen::chosen_stream, stream);
        const preparation& p = all[i];
        evaluation_result result{p.rank, p.extents};
        static_cast<void>(codegen::find_plan(*p.slot, codegen::make_evaluation(*p.program, p.arguments, &result)));
    });
}

}  // namespace sinter::detail
