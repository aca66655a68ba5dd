// Replaces imagined arrays by arrays on the device, and times batches of evaluations between two events.
#include <codegen/transforms/pass.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/memory/storage.hpp>
#include <sinter/device.hpp>
#include <sinter/evaluate.hpp>
#include <sinter/stream.hpp>
#include <tools/explain/time.hpp>

#include <algorithm>
#include <map>

namespace sinter::spoken {

double median_seconds(const lowered& expression) {
    codegen::device& where = current_device().get();
    lowered real = expression;
    std::map<const void*, detail::storage_ref> made;
    for (detail::storage_ref& leaf : real.leaves) {
        detail::storage_ref& array = made[leaf->data];
        if (!array) {
            array = codegen::make_storage_on(where, leaf->type, leaf->rank, leaf->extents);
            if (array->bytes > 0) where.fill_zero(array->data, array->bytes);
        }
        leaf = array;
    }
    const ir::program program = real.program();
    const codegen::graph shapes = codegen::bind(program, real.arguments());
    detail::plan_slot slot;
    const auto evaluate = [&] {
        std::vector<detail::evaluation_result> results;
        for (const codegen::graph_root& r : shapes.roots) {
            const codegen::graph_node& n = shapes.nodes[static_cast<std::size_t>(r.node)];
            results.push_back({n.rank, n.shape.data()});
        }
        detail::evaluate(program, slot, real.arguments(), results.data());
    };
    const auto batch = [&](int count) {
        const event begin;
        for (int i = 0; i < count; ++i) evaluate();
        const event done;
        return done.seconds_since(begin) / count;
    };
    batch(1);  // compiles the kernels
    const int count = static_cast<int>(std::clamp(2e-3 / std::max(batch(2), 1e-9), 1.0, 200.0));
    std::vector<double> seconds;
    for (int i = 0; i < 11; ++i) seconds.push_back(batch(count));
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

}  // namespace sinter::spoken
