// Copies of elements between layouts, by a kernel like any other.
#pragma once

#include <sinter/evaluate.hpp>

namespace sinter::codegen {

/// Copies an array's elements to `to`, which has the array's extents.
void copy_elements(const detail::storage_ref& from, detail::evaluation_result& to);

/// Copies bytes between any two devices, ordered after the work on the current streams of both.
void copy_between(device& to, void* target, device& from, const void* source, std::size_t bytes);

/// Whether the elements are in row-major order without gaps. Owned storage always is.
bool is_dense(const detail::storage& s);
/// Throws if they are not; the message begins with `who`.
void require_dense(const detail::storage& s, const char* who);

}  // namespace sinter::codegen
