// Queries, keys and values at the sizes of networks, without memory, and how many kernels an expression of them is.
#pragma once

#include <codegen/driver/compile.hpp>
#include <sinter.hpp>
#include <tests/codegen/unbacked.hpp>

#include <cstddef>
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

template <class Tree>
compiled_program compiled_for_h200(const expr<Tree>& e, const target& to = {}) {
    return compile({&sinter::detail::program_of<Tree>, e.arguments()}, to, {});
}

template <class Tree>
std::size_t launches_of(const expr<Tree>& e, const target& to = {}) {
    return compiled_for_h200(e, to).kernels.size();
}

}  // namespace sinter::codegen::testing
