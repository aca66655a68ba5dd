// How large the disk cache's folder may grow.
#pragma once

#include <cstdint>

namespace sinter::codegen {

inline constexpr const char* cache_entry_suffix = ".kernel";
inline constexpr const char* cache_temporary_prefix = ".writing-";

/// Removes the temporary files of killed writers. If what then remains, entries and temporary files, takes more than
/// `limit` bytes, removes the entries that were unused for longest until three quarters of it are left. Leaves alone
/// what is no file of the cache.
void reduce_cache_folder(int folder, std::uintmax_t limit);

}  // namespace sinter::codegen
