// The .npy header: a Python dict literal after a magic number.
#pragma once

#include <sinter/npy.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::codegen {

struct npy_header {
    npy_info info;
    bool swapped = false;   ///< the elements' byte order is not this machine's
    std::size_t bytes = 0;  ///< offset of the first element in the file
};

/// The number of bytes that suffices to determine the header's length.
inline constexpr std::size_t npy_prefix_bytes = 12;
/// The header's length, given that prefix; 0 if parse_npy_header() will reject it anyway.
std::size_t npy_header_bytes(std::string_view prefix);

/// Parses the header from a file's beginning. Throws sinter::error with prefix `who` ("load_npy: x.npy") if it is not a
/// .npy file, is damaged, or describes an unsupported array.
npy_header parse_npy_header(std::string_view file, const std::string& who);

/// The header, in format version 1.0, for row-major elements in this machine's byte order. Throws, with prefix `who`,
/// for dtypes that the format lacks.
std::string format_npy_header(dtype type, const std::int64_t* extents, int rank, const std::string& who);

}  // namespace sinter::codegen
