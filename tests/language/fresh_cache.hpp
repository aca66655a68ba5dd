// A separate, empty disk cache for this run, for tests that must not depend on earlier runs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sinter::test {

/// Made before main, and so before anything asks for the process's cache.
inline const struct fresh_cache {
    std::string folder = testing::TempDir() + "sinter_cache_XXXXXX";
    fresh_cache() {
        if (mkdtemp(folder.data())) setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
    }
    ~fresh_cache() { std::filesystem::remove_all(folder); }
} cache;

}  // namespace sinter::test
