// A compiled kernel as stored on disk and in programs: what the driver loads, and what the compiler reported.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>
#include <string_view>

namespace sinter::codegen {

/// The image of a source for compute capability arch / 10 . arch % 10. Throws as compile_cuda does.
std::string compile_image(const std::string& source, int arch, const compile_options& options);

/// The part of an image that the driver loads, a view of `image`, and its resources. Empty if the image is invalid.
struct opened_image {
    std::string_view binary;
    resources usage;
};
opened_image open_image(std::string_view image);

}  // namespace sinter::codegen
