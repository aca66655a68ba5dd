// The bytes of the accesses that a schedule makes.
#include <codegen/schedule/features.hpp>

namespace sinter::codegen {
namespace {

std::int64_t bytes(const loop_nest& k, const std::vector<access_feature>& all, bool stored) {
    std::int64_t sum = 0;
    for (const access_feature& a : all) {
        if (a.is_store != stored) continue;
        const auto of = static_cast<std::size_t>(a.array);
        const dtype type = stored ? k.outputs[of] : k.inputs[of].type;
        sum += a.count * a.elements * static_cast<std::int64_t>(size_of(type));
    }
    return sum;
}

}  // namespace

std::int64_t schedule_features::bytes_loaded(const loop_nest& k) const { return bytes(k, accesses, false); }
std::int64_t schedule_features::bytes_stored(const loop_nest& k) const { return bytes(k, accesses, true); }

}  // namespace sinter::codegen
