// The heading of a .npy file as text: a Python dict literal behind a magic number.
#pragma once

#include <sinter/npy.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::codegen {

struct npy_header {
    npy_info info;
    bool swapped = false;   ///< the elements have the other byte order than this machine
    std::size_t bytes = 0;  ///< from the file's begin to its first element
};

/// As many of a file's first bytes as tell how long its heading is.
inline constexpr std::size_t npy_prefix_bytes = 12;
/// How many bytes the heading takes whose prefix that is, or 0 where parse_npy_header() need see no more to refuse it.
std::size_t npy_header_bytes(std::string_view prefix);

/// Reads the heading from a file's content, or from as much of it as there is. Throws sinter::error that begins with
/// `who` ("load_npy: x.npy") when this is no .npy file, is damaged, or holds what no array does.
npy_header parse_npy_header(std::string_view file, const std::string& who);

/// The heading, of format version 1.0, that goes before row-major elements in this machine's byte order.
std::string format_npy_header(dtype type, const std::int64_t* extents, int rank);

}  // namespace sinter::codegen
