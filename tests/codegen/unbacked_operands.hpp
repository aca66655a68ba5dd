// Operands of expressions that are compiled and never run.
#pragma once

#include <tests/codegen/unbacked.hpp>

#include <complex>
#include <cstdint>

namespace sinter::codegen::testing {

/// Arrays of the dtypes and layouts that kernels differ in.
struct operands {
    array<float, 2> x = unbacked<float>(shape<2>(3000, 4001)), y = unbacked<float>(shape<2>(3000, 4001));
    array<float, 2> even = unbacked<float>(shape<2>(4096, 2048)), square_matrix = unbacked<float>(shape<2>(2048, 2048));
    array<float, 2> huge = unbacked<float>(shape<2>(1 << 17, 1 << 16));
    array<float, 1> row = unbacked<float>(shape<1>(4001));
    array<double, 3> d = unbacked<double>(shape<3>(60, 300, 512));
    array<double, 6> deep = unbacked<double>(shape<6>(20, 3, 30, 5, 7, 11));
    array<std::int32_t, 2> i32 = unbacked<std::int32_t>(shape<2>(3000, 4001));
    array<std::uint8_t, 2> u8 = unbacked<std::uint8_t>(shape<2>(4096, 2048));
    array<bool, 2> flags = unbacked<bool>(shape<2>(4096, 2048));
    array<float16, 2> f16 = unbacked<float16>(shape<2>(4096, 2048));
    array<bfloat16, 2> bf16 = unbacked<bfloat16>(shape<2>(4096, 2048));
    array<std::complex<float>, 2> c64 = unbacked<std::complex<float>>(shape<2>(4096, 2048));
    array<std::complex<double>, 2> c128 = unbacked<std::complex<double>>(shape<2>(300, 40000));
};

}  // namespace sinter::codegen::testing
