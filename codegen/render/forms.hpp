// The forms of a kernel's body. Each writes the body into context::out and gives the element functions that the
// body calls.
#pragma once

#include <codegen/render/element.hpp>

#include <vector>

namespace sinter::codegen {

std::vector<element_function> render_rows(context& c);
std::vector<element_function> render_columns(context& c);
std::vector<element_function> render_product(context& c);

/// A split kernel keeps one ticket a group in front of its workspace, at most this many.
inline constexpr int max_tickets = 1024;
inline constexpr int ticket_bytes = 4 * max_tickets;
/// A partial result takes this much workspace, whatever its dtype: the widest of the kernel's, and no less than 8.
int partial_bytes(const kernel& k);

}  // namespace sinter::codegen
