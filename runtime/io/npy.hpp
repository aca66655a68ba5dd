// The .npy format apart from files, for whatever holds or takes its bytes.
#pragma once

#include <runtime/io/npy_header.hpp>

#include <functional>

namespace sinter::codegen {

/// Takes the next bytes of what is written.
using byte_sink = std::function<void(const void* data, std::size_t bytes)>;

/// The heading of a .npy file of `file_bytes` bytes, of which `content` is the beginning or all. Throws, beginning with
/// `who` ("load_npy: x.npy"), when it is damaged or the elements do not fill the file.
npy_header checked_npy_header(std::string_view content, std::size_t file_bytes, const std::string& who);

/// The array that a whole .npy file holds, in fresh storage on the current device, converted to `type`. Throws,
/// beginning with `who`, whose first word is the function that the user called.
detail::storage_ref read_npy(std::string_view content, dtype type, int rank, const std::string& who);

/// Writes an array as a .npy file, piece by piece. Throws, beginning with `who`, for a dtype that the format lacks.
void write_npy(const detail::storage_ref& values, const std::string& who, const byte_sink& sink);

}  // namespace sinter::codegen
