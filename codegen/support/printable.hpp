// Text of unknown origin, made safe for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::codegen {

/// The text on one line, at most about `most` characters of it. Control characters, marks that mislead the reader
/// (bidirectional, invisible) and bytes that are not UTF-8 are escaped as in \x1b, so that no file can move the cursor
/// of the reader's terminal.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace sinter::codegen
