// Limits the size of the disk cache's folder.
#pragma once

#include <cstdint>

namespace sinter::codegen {

inline constexpr const char* cache_entry_suffix = ".kernel";
inline constexpr const char* cache_temporary_prefix = ".writing-";

/// Removes the temporary files of killed writers. If the remaining entries and temporary files take more than `limit`
/// bytes, removes the least recently used entries until three quarters of the limit are left. Ignores files that are
/// not the cache's.
void reduce_cache_folder(int folder, std::uintmax_t limit);

}  // namespace sinter::codegen
