// What a file holds, as messages may show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::codegen {

/// Text of unknown origin on one line, at most about `most` characters of it: control characters, what redirects the
/// reader (bidirectional marks) and bytes that are no UTF-8 are escaped as \x1b, so that no file moves the cursor of
/// the reader's terminal.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace sinter::codegen
