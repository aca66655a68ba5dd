// Elementwise kernels. By Little's law an H200 needs bandwidth times latency, 4.27 TB/s * 1 us / 132, about 32 KB under
// way on each multiprocessor: 16 bytes for each of its 2048 threads. More costs: exp(x) of 2^28 floats takes 0.505 ms
// with one access per thread and 0.525 with two (hand-written kernels of one run). Single elements, which take several
// accesses for as many bytes, have 32.
#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/interleaved.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/realigned.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {
constexpr int bytes_under_way = 16;
constexpr int single_bytes_under_way = 32;
constexpr int max_accesses = 4;
constexpr int max_single_accesses = 8;  ///< where memory lies so that accesses move one element each
constexpr int max_stores = 2;           ///< where everything that is read repeats: exp(-square(x(all, newaxis) - y))
// Gathered elements come one by one: those of a warp's first neighbours lie as far apart as its accesses are wide, so
// that 16 of a byte each would touch four lines for 32 bytes.
constexpr int widest_beside_gathers = 8;
constexpr int scalars_per_element = 4;  ///< that a thread may have
constexpr int max_calls_of_few = 4;     ///< where the device is not full: their instructions overlap
constexpr int max_calls = 16;           ///< copies of function bodies in one kernel: they cost compile time
/// Functions of doubles bring the constants of their polynomials to registers once per thread, two instructions each.
/// Where a kernel calls two or more, they bind it, and half of the threads that a multiprocessor has room for have
/// registers for them.
constexpr int many_functions = 2, elements_beside_many = 4, max_calls_of_many = 32;

/// Whether a load moves along all axes; others repeat themselves and come from a cache.
bool comes_from_memory(const loop_nest& k, const access& a) {
    return !k.outer.empty() && std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
        return extent_of(k, axis) == 1 || stride_of(k, a, axis) != 0;
    });
}

int functions_of_doubles(const loop_nest& k) {
    int functions = 0;
    for (const value& v : k.values)
        if (v.op != nullptr && has_doubles(k, v)) functions += traits_of(*v.op).functions;
    return functions;
}

/// Whether neighbours of a gather are loaded one by one.
bool has_single_gathers(const loop_nest& k, schedule s, const std::vector<int>& alignment) {
    s.realigned = realigned_gathers_of(k, s, alignment);
    s.wide_gathers = wide_gathers_of(k, s, alignment);
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (is_gather(k.values[static_cast<std::size_t>(v)]) && !is_wide_gather(k, s, v)) return true;
    return false;
}

}  // namespace

bool goes_op_by_op(const loop_nest& k) {
    return k.loops.empty() && !computes_indices(k) && functions_of_doubles(k) >= many_functions;
}

schedule element_schedule(const loop_nest& k) {
    schedule s;
    s.form = schedule_form::elementwise;
    s.wide_index = needs_wide_index(k, 0);
    return s;
}

namespace {

/// Neighbours that a thread computes of so few elements that one per thread would not fill the device. What is computed
/// of an element mostly takes so little that one kernel may serve few elements and many; but long functions, and
/// accesses that are far apart, are spread over the device.
int width_for_few(const loop_nest& k, int widest, bool gathers_singly) {
    const std::vector<access> gathers = gathers_of(k);
    if (gathers_singly &&
        std::any_of(gathers.begin(), gathers.end(), [&](const access& a) { return is_loaded(k, a.displacement); }))
        return 1;
    const int results = 16 / static_cast<int>(std::min<std::size_t>(size_of(k.outputs[0]), 16));  // of a widest access
    return results * function_calls(k, group_level) > max_calls_of_few ? 1 : widest;
}

/// Independent accesses of a thread of an elementwise kernel whose accesses are as wide as its schedule says.
int accesses_for(const loop_nest& k, const device_properties& m, const schedule& s, int waits) {
    const std::int64_t n = outer_size(k);
    int bytes = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (is_realigned(k, s, v))
            bytes += static_cast<int>(size_of(k.values[static_cast<std::size_t>(v)].type)) * s.vector_width;
    for (const access& a : accesses_of(k))
        if (a.pointer < static_cast<int>(k.inputs.size()) && comes_from_memory(k, a))
            bytes += static_cast<int>(size_of(a.type)) * (stride_of(k, a, k.outer.back()) == 0 ? 1 : s.vector_width);
    const int calls = function_calls(k, group_level);
    const int most = bytes == 0 ? max_stores : s.vector_width == 1 ? max_single_accesses : max_accesses;
    const int wanted = waits * (s.vector_width == 1 ? single_bytes_under_way : bytes_under_way);
    int unroll = 1;
    // a scalar argument must be brought to a register once per thread: 64 of them for 4 elements cost a quarter
    const int scalars = static_cast<int>(k.scalars.size());
    const bool has_many = goes_op_by_op(k);
    const int least = has_many ? elements_beside_many : 1, max_copies = has_many ? max_calls_of_many : max_calls;
    const auto pays = [&] {
        const int elements = unroll * s.vector_width;
        return unroll * bytes < wanted || elements < least || scalars_per_element * elements < scalars;
    };
    while (unroll < most && pays() && 2 * unroll * s.vector_width * calls <= max_copies) unroll *= 2;
    // at least eight waves of blocks, so that the last one costs little
    const std::int64_t resident =
        static_cast<std::int64_t>(m.multiprocessors) * m.threads_per_multiprocessor / (has_many ? 2 : 1);
    while (unroll > 1 && n < 8 * resident * s.vector_width * unroll) unroll /= 2;
    return unroll;
}

}  // namespace

schedule schedule_elementwise(const loop_nest& k, const device_properties& m, const std::vector<int>& alignment) {
    if (k.outer.empty()) return element_schedule(k);
    schedule s;
    s.form = schedule_form::elementwise;
    s.vector_width = vector_width(k, k.outer, group_level, alignment);
    const std::vector<access> gathers = gathers_of(k);
    const bool all_aligned = std::all_of(gathers.begin(), gathers.end(), [&](const access& a) {
        return can_gather(k, a, k.outer.back(), s.vector_width, alignment);
    });
    if (outer_size(k) <= static_cast<std::int64_t>(s.block_threads) * m.multiprocessors) {
        s.vector_width = width_for_few(k, s.vector_width, !all_aligned);
    } else if (s.vector_width == 1 && gathers.empty()) {
        s.vector_width = interleaved_width(k, alignment);
        if (s.vector_width > 1) s.stencil = interleaved_windows(k, k.outer.back(), -1, s.vector_width, alignment);
    }
    if (!all_aligned && has_single_gathers(k, s, alignment))
        s.vector_width = std::min(s.vector_width, widest_beside_gathers);
    const int waits = !all_aligned || gathers.empty() ? 1 : 2;  // for an index, and then for the row that it names
    s.realigned = realigned_gathers_of(k, s, alignment);
    s.unroll = accesses_for(k, m, s, waits);
    s.wide_index = needs_wide_index(k, static_cast<std::int64_t>(s.block_threads) * s.vector_width * s.unroll);
    return s;
}

}  // namespace sinter::codegen
