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

/// Reads the heading from a file's content, or from as much of it as there is. Throws sinter::error that begins with
/// `who` ("load_npy: x.npy") when this is no .npy file, is damaged, or holds what no array does.
npy_header parse_npy_header(std::string_view file, const std::string& who);

/// The heading, of format version 1.0, that goes before row-major elements in this machine's byte order.
std::string format_npy_header(dtype type, const std::int64_t* extents, int rank);

}  // namespace sinter::codegen
