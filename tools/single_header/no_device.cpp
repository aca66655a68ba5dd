// What the single header has in place of what compiles, keeps and times kernels: it has no device to launch them on.
#include <codegen/cache/embedded.hpp>
#include <codegen/cache/kernels.hpp>
#include <codegen/launch/tune.hpp>
#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

constexpr const char* no_kernels = "the single header only shows kernels: link the library to run them";

}  // namespace

const ready_kernel& get_kernel(kernel_device&, const std::string&, const std::function<rendered()>&,
                               const compile_options&) {
    throw error(no_kernels);
}
schedule tuned_schedule(const kernel&, const evaluation&, kernel_device&, const std::vector<int>&) {
    throw error(no_kernels);
}
const kernel_record& wanted_record() {
    static const kernel_record none;
    return none;
}
void record_kernel(int, const std::string&, const std::string&, const compile_options&) { throw error(no_kernels); }

}  // namespace sinter::codegen
