// A compiled kernel as it is kept on disk and in programs: what the driver loads, and what the compiler said of it.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>
#include <string_view>

namespace sinter::codegen {

/// The image of a text for compute capability arch / 10 . arch % 10. Errors as compile_cuda's.
std::string compile_image(const std::string& source, int arch, const compile_options& options);

/// What the driver loads of an image, and the resources. The view is into `image`; it is empty for what is no image.
struct opened_image {
    std::string_view binary;
    resources usage;
};
opened_image open_image(std::string_view image);

}  // namespace sinter::codegen
