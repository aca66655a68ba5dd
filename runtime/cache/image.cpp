// Images: a header of 32 bytes, which preserves the alignment of what follows, and the compiler's output.
#include <runtime/cache/image.hpp>

#include <runtime/nvrtc/nvrtc.hpp>

#include <cstring>

namespace sinter::codegen {

namespace {

struct image_header {
    char magic[12];
    std::int32_t registers, shared_bytes, spill_bytes;
    std::uint64_t image_bytes;
};
static_assert(sizeof(image_header) == 32);
constexpr char image_magic[12] = "sinter-cuda";

}  // namespace

std::string compile_image(const std::string& source, int arch, const compile_options& options) {
    const compiled c = compile_cuda(source, arch, options);
    image_header h{{}, c.usage.registers, c.usage.shared_bytes, c.usage.spill_bytes, c.image.size()};
    std::memcpy(h.magic, image_magic, sizeof h.magic);
    return std::string(reinterpret_cast<const char*>(&h), sizeof h) + c.image;
}

opened_image open_image(std::string_view image) {
    image_header h{};
    if (image.size() >= sizeof h) std::memcpy(&h, image.data(), sizeof h);
    if (std::memcmp(h.magic, image_magic, sizeof h.magic) != 0 || h.image_bytes != image.size() - sizeof h) return {};
    return {image.substr(sizeof h), {h.registers, h.shared_bytes, h.spill_bytes, h.image_bytes}};
}

}  // namespace sinter::codegen
