// The forms of a kernel's body. Each writes the body into context::out and gives the element functions that the
// body calls.
#pragma once

#include <codegen/render/element.hpp>

#include <vector>

namespace sinter::codegen {

std::vector<element_function> render_product(context& c);

}  // namespace sinter::codegen
