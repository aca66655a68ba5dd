// What cuBLASLt's products of float32 and float64 take.
#pragma once

#include <codegen/schedule/gemm.hpp>
#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// Whether seconds_of_floats models the product: of float32 without TF32, or of float64.
bool is_product_of_floats(const gemm& g);

double seconds_of_floats(const gemm& g, const device_properties& m);

}  // namespace sinter::codegen
