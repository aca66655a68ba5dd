// The .npy format independent of files, for any source or sink of its bytes.
#pragma once

#include <runtime/io/file.hpp>
#include <runtime/io/npy_header.hpp>

#include <functional>

namespace sinter::codegen {

/// Takes the next bytes of the output.
using byte_sink = std::function<void(const void* data, std::size_t bytes)>;

/// Reads the header of a .npy file of `file_bytes` bytes from `file`, which is then at the first element. Throws with
/// prefix `who` ("load_npy: x.npy") if it is damaged or the elements do not fill the file.
npy_header read_npy_header(const byte_source& file, std::size_t file_bytes, const std::string& who);
/// Throws unless the file's array has a dtype assignable to T and the requested rank.
void check_kind(const npy_info& info, dtype type, int rank, const std::string& who);

/// Reads a .npy file into fresh storage on the current device, converted to `type`. `file` delivers all its bytes in
/// order. They are read in place, or through a buffer of some megabytes; column-major data that is converted or goes to
/// a device needs one full host copy. Throws with prefix `who`, whose first word is the function that the user called.
detail::storage_ref read_npy(const byte_source& file, std::size_t file_bytes, dtype type, int rank,
                             const std::string& who);

/// Writes an array as a .npy file, in pieces. Throws with prefix `who` for a dtype that the format lacks.
void write_npy(const detail::storage_ref& values, const std::string& who, const byte_sink& sink);

}  // namespace sinter::codegen
