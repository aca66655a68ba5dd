// SHA-256, which caches use for names and integrity.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sinter::codegen {

using sha256 = std::array<unsigned char, 32>;

/// The hash of several strings. Each is preceded by its length, so that different lists never hash the same bytes.
sha256 sha256_of(std::initializer_list<std::string_view> parts);

/// 64 hexadecimal digits.
std::string hexadecimal(const sha256& hash);

}  // namespace sinter::codegen
