// The .npy format apart from files, for whatever holds or takes its bytes.
#pragma once

#include <runtime/io/file.hpp>
#include <runtime/io/npy_header.hpp>

#include <functional>

namespace sinter::codegen {

/// Takes the next bytes of what is written.
using byte_sink = std::function<void(const void* data, std::size_t bytes)>;

/// The heading of a .npy file of `file_bytes` bytes, from which `file` gives the first ones; the next are the elements.
/// Throws, beginning with `who` ("load_npy: x.npy"), when it is damaged or the elements do not fill the file.
npy_header read_npy_header(const byte_source& file, std::size_t file_bytes, const std::string& who);
/// Throws unless the file's array is one of type T and the asked rank.
void check_kind(const npy_info& info, dtype type, int rank, const std::string& who);

/// The array of a .npy file, in fresh storage on the current device, converted to `type`. `file` gives all its bytes in
/// their order. They go where they are to be, or through a buffer of some megabytes; what is column-major and has to be
/// converted, or goes to a device, is on the host once, too. Throws, beginning with `who`, whose first word is the
/// function that the user called.
detail::storage_ref read_npy(const byte_source& file, std::size_t file_bytes, dtype type, int rank,
                             const std::string& who);

/// Writes an array as a .npy file, piece by piece. Throws, beginning with `who`, for a dtype that the format lacks.
void write_npy(const detail::storage_ref& values, const std::string& who, const byte_sink& sink);

}  // namespace sinter::codegen
