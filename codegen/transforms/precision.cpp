// Chooses a kernel's accuracy. A kernel whose results are all rounded to float16 or float8 need not compute all 24
// bits; other kernels compute exactly unless the user requests otherwise.
#include <codegen/transforms/pass.hpp>

#include <codegen/analysis/op_traits.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

bool is_float32(dtype type) { return is_floating(real_of(type)) && real_of(type) != dtype::float64; }

/// Whether a value may tell a float32 subnormal from 0, as `x > y` and a cast to bool do.
bool tells_subnormals_apart(const loop_nest& k, const value& v) {
    const bool of_floats = std::any_of(v.in.begin(), v.in.end(), [&](int in) {
        return in >= 0 && is_float32(k.values[static_cast<std::size_t>(in)].type);
    });
    // a factor may make a subnormal operand large; halves have none
    if (v.what == value_kind::load) return v.type == dtype::float32 || v.type == dtype::bfloat16;
    if (!of_floats) return false;
    if (v.what == value_kind::cast) return v.type == dtype::bool_;
    return v.op != nullptr && traits_of(*v.op).tells_subnormals_apart;
}

}  // namespace

void choose_precision(loop_nest& k, bool fast_math) {
    const bool halves = !k.outputs.empty() && std::all_of(k.outputs.begin(), k.outputs.end(),
                                                          [](dtype d) { return d == dtype::float16 || is_float8(d); });
    const bool flushes =
        std::none_of(k.values.begin(), k.values.end(), [&](const value& v) { return tells_subnormals_apart(k, v); });
    k.precision = fast_math ? arithmetic::fast
                  : !halves ? arithmetic::exact
                  : flushes ? arithmetic::half_flushed
                            : arithmetic::half;
}

}  // namespace sinter::codegen
