// The single header's replacements for compiling and caching kernels: it has no device to launch them on.
#include <runtime/cache/disk.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/cache/trusted.hpp>
#include <sinter/error.hpp>

namespace sinter::codegen {
namespace {

constexpr const char* no_kernels = "the single header only shows kernels: link the library to run them";

}  // namespace

const ready_kernel& get_kernel(kernel_device&, const kernel_request&) { throw error(no_kernels); }
void make_kernels_ready(kernel_device&, const std::vector<kernel_request>&) { throw error(no_kernels); }
std::optional<std::string> disk_cache::read(const std::string&) const noexcept { return std::nullopt; }
void disk_cache::write(const std::string&, const std::string&) const noexcept {}
const disk_cache& default_disk_cache() {
    static const disk_cache off("");
    return off;
}
/// It does not start compilers either.
opened open_trusted_file(const std::string&) { return {}; }
const kernel_record& wanted_record() {
    static const kernel_record none;
    return none;
}
void record_kernel(int, const std::string&, const std::string&, const compile_options&) { throw error(no_kernels); }
void require_tensor_maps(bool, const std::string&) {}

}  // namespace sinter::codegen
