// Shows what each pass changed.
#pragma once

#include <string>

namespace sinter::codegen {

/// The record of the passes (explanation::passes) as HTML, with added and removed lines marked.
std::string marked_passes(const std::string& passes);

}  // namespace sinter::codegen
