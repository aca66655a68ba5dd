// The table of architectures.
#include <codegen/schedule/architecture.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::codegen {

const architecture& architecture_of(int arch) {
    static constexpr architecture known[] = {
        // arch, threads, blocks, shared, reserved, lanes, float64, tensor cores
        {75, 1024, 16, 64, 0, 64, 32, 512},    {80, 2048, 32, 164, 1, 64, 2, 1024},
        {86, 1536, 16, 100, 1, 128, 64, 512},  {87, 1536, 16, 164, 1, 128, 64, 512},
        {89, 1536, 24, 100, 1, 128, 64, 512},  {90, 2048, 32, 228, 1, 128, 2, 2048},
        {100, 2048, 32, 228, 1, 128, 2, 4096}, {120, 1536, 24, 100, 1, 128, 64, 512},
    };
    const auto* after = std::upper_bound(std::begin(known), std::end(known), arch,
                                         [](int wanted, const architecture& a) { return wanted < a.arch; });
    return after == std::begin(known) ? *after : *(after - 1);
}

}  // namespace sinter::codegen
