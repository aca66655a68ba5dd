// Linear algebra on the host, by LAPACK: the functions that codegen/functions/linalg.hpp describes.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

void solve_on_host(const call_site& call, const void* const* operands, void* const* results);
void invert_on_host(const call_site& call, const void* const* operands, void* const* results);
void cholesky_on_host(const call_site& call, const void* const* operands, void* const* results);
void lu_on_host(const call_site& call, const void* const* operands, void* const* results);
void det_on_host(const call_site& call, const void* const* operands, void* const* results);
void qr_on_host(const call_site& call, const void* const* operands, void* const* results);
void eigh_on_host(const call_site& call, const void* const* operands, void* const* results);
void svd_on_host(const call_site& call, const void* const* operands, void* const* results);
void eig_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
