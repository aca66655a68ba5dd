// What the costs of products on tensor cores share, whether kernels or libraries compute them.
#pragma once

#include <codegen/schedule/architecture.hpp>

namespace sinter::codegen {

inline constexpr double launch_of_tensors = 2.4e-6;
/// What is reached of the tensor cores' rate, by cuBLASLt also of wgmma's.
inline constexpr double of_tensor_cores = 0.8;

inline double seconds_of_bytes(double bytes, const device_properties& m) {
    return bytes / (m.bytes_per_second * (fits_cache(bytes, m) ? 2 : 1));
}

}  // namespace sinter::codegen
