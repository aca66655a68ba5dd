// Chooses a kernel's accuracy. A kernel whose results are all rounded to float16 or float8 need not compute all 24
// bits; other kernels compute exactly unless the user requests otherwise.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {

void choose_precision(loop_nest& k, bool fast_math) {
    const bool halves = !k.outputs.empty() && std::all_of(k.outputs.begin(), k.outputs.end(),
                                                          [](dtype d) { return d == dtype::float16 || is_float8(d); });
    k.precision = fast_math ? arithmetic::fast : halves ? arithmetic::half : arithmetic::exact;
}

}  // namespace sinter::codegen
