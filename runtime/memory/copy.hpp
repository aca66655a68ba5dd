// Copies of elements between layouts, made by a kernel like any other.
#pragma once

#include <sinter/evaluate.hpp>

namespace sinter::codegen {

/// Copies an array's elements to where `to` says, whose extents are the array's.
void copy_elements(const detail::storage_ref& from, detail::evaluation_result& to);

/// Copies bytes between any two devices, in the order of the present streams of both.
void copy_between(device& to, void* target, device& from, const void* source, std::size_t bytes);

/// Whether the elements lie in row-major order without gaps, as those of all owned storage do.
bool is_dense(const detail::storage& s);
/// Throws, beginning with `who`, where they do not.
void require_dense(const detail::storage& s, const char* who);

}  // namespace sinter::codegen
