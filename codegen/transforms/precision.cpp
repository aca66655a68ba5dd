// How exactly a kernel computes. One whose every result is rounded to float16 need not know 24 digits of
// what it rounds; other kernels compute exactly unless the user asks otherwise.
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {

void choose_precision(kernel& k, bool fast_math) {
    const bool halves = !k.outputs.empty() &&
                        std::all_of(k.outputs.begin(), k.outputs.end(), [](dtype d) { return d == dtype::float16; });
    k.precision = fast_math ? arithmetic::fast : halves ? arithmetic::half : arithmetic::exact;
}

}  // namespace sinter::codegen
