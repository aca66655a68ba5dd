// The bytes of a file.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace sinter::test {

inline std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace sinter::test
