// Queries, keys and values at the sizes of networks, without memory.
#pragma once

#include <tests/codegen/compiled_for_h200.hpp>
#include <tests/codegen/unbacked.hpp>

#include <cstdint>

namespace sinter::codegen::testing {

template <class T>
struct attention_operands {
    attention_operands(std::int64_t batch, std::int64_t rows, std::int64_t steps)
        : q(unbacked<T>(shape<3>(batch, rows, steps))),
          k(unbacked<T>(shape<3>(batch, rows, steps))),
          v(unbacked<T>(shape<3>(batch, rows, steps))) {}
    auto transposed() const { return permute(k, {0, 2, 1}); }
    auto scores() const { return matmul(q, transposed()); }
    array<T, 3> q, k, v;
};

}  // namespace sinter::codegen::testing
