// Finds values that would be decided if scalars were known.
#include <codegen/host/index_scalars.hpp>

#include <codegen/host/index_pieces.hpp>
#include <codegen/host/value_types.hpp>

#include <cstddef>

namespace sinter::codegen::blocked {

std::vector<int> find_index_scalars(const loop_nest& k) {
    if (!k.loops.empty()) return {};
    std::vector<int> integers;
    for (std::size_t s = 0; s < k.scalars.size(); ++s)
        if (k.scalars[s] >= 0 && is_index_type(k.scalar_types[s])) integers.push_back(static_cast<int>(s));
    if (integers.empty()) return {};
    const std::vector<char> now = find_decided(k);
    const std::vector<char> then =
        find_decided(with_scalars(k, integers, std::vector<std::int64_t>(integers.size(), 0)));
    std::vector<char> matters(k.values.size(), 0);
    for (std::size_t i = k.values.size(); i-- > 0;) {
        const value& v = k.values[i];
        if (then[i] && !now[i] && v.varies != 0 && v.what == value_kind::elementwise) matters[i] = 1;
        for (const int in : v.in)
            if (matters[i] && in >= 0) matters[static_cast<std::size_t>(in)] = 1;
    }
    std::erase_if(integers, [&](int s) {
        for (std::size_t i = 0; i < k.values.size(); ++i)
            if (matters[i] && k.values[i].what == value_kind::scalar && k.values[i].scalar == s) return false;
        return true;
    });
    return integers;
}

loop_nest with_scalars(loop_nest k, const std::vector<int>& which, const std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < which.size(); ++i) {
        k.numbers.push_back(values[i]);
        k.scalars[static_cast<std::size_t>(which[i])] = -static_cast<int>(k.numbers.size());
    }
    return k;
}

}  // namespace sinter::codegen::blocked
