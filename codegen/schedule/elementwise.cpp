// Elementwise kernels. By Little's law an H200 needs bandwidth times latency, 4.27 TB/s * 1 us / 132, about 32 KB under
// way on each multiprocessor: 16 bytes for each of its 2048 threads. A thread takes 32, since registers and the tail of
// a wave keep some threads away.
#include <codegen/schedule/forms.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int bytes_under_way = 32;
constexpr int most_accesses = 4;
constexpr int most_single_accesses = 8;  ///< where memory lies so that accesses move one element each
constexpr int most_calls = 16;           ///< copies of function bodies in one kernel: they cost compile time
}  // namespace

schedule schedule_elementwise(const kernel& k, const machine& m, const std::vector<int>& alignment) {
    schedule s;
    s.form = schedule_form::elementwise;
    const std::int64_t n = outer_size(k);
    // few elements: one a thread, so that they spread over the device
    if (n > static_cast<std::int64_t>(s.block) * m.multiprocessors) {
        s.vector = vector_width(k, k.outer, group_level, alignment);
        int bytes = 0;
        for (const access& a : accesses_of(k))
            if (a.pointer < static_cast<int>(k.inputs.size()) && !k.outer.empty())
                bytes += static_cast<int>(size_of(a.type)) * (stride_of(k, a, k.outer.back()) == 0 ? 1 : s.vector);
        const int calls = function_calls(k, group_level);
        const int most = s.vector == 1 ? most_single_accesses : most_accesses;
        while (s.unroll < most && s.unroll * bytes < bytes_under_way && 2 * s.unroll * s.vector * calls <= most_calls)
            s.unroll *= 2;
        // at least eight waves of blocks, so that the last one costs little
        const std::int64_t resident = static_cast<std::int64_t>(m.multiprocessors) * m.threads_per_multiprocessor;
        while (s.unroll > 1 && n < 8 * resident * s.vector * s.unroll) s.unroll /= 2;
    }
    s.wide_index = needs_wide_index(k, static_cast<std::int64_t>(s.block) * s.vector * s.unroll);
    return s;
}

}  // namespace sinter::codegen
