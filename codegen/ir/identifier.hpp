// Characters of identifiers in C++ source.
#pragma once

#include <cctype>

namespace sinter::codegen {

/// Whether a character may occur in an identifier.
inline bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace sinter::codegen
