// What each pass changed.
#pragma once

#include <string>

namespace sinter::codegen {

/// The record of the passes (explanation::passes) as HTML, with lines that came and lines that went marked.
std::string marked_passes(const std::string& passes);

}  // namespace sinter::codegen
