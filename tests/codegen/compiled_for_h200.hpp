// Programs compiled for an H200 without a library, and not evaluated, and what such a program stores.
#pragma once

#include <codegen/driver/compile.hpp>
#include <codegen/ir/graph.hpp>
#include <sinter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinter::codegen::testing {

template <class E>
compiled_program compiled_for_h200(const E& made, const target& to = {}, const compile_settings& how = {}) {
    const auto e = sinter::detail::as_expr(made);
    return compile({&sinter::detail::program_of<typename decltype(e)::tree_type>, e.arguments()}, to, how);
}
template <class... Trees>
compiled_program compiled_for_h200(const sinter::detail::packed<Trees...>& e) {
    return compile({&sinter::detail::program_of<tree::pack<Trees...>>, e.arguments()}, {}, {});
}

template <class E>
std::size_t launches_of(const E& e, const target& to = {}, const compile_settings& how = {}) {
    return compiled_for_h200(e, to, how).kernels.size();
}

/// Elements of the largest array that a kernel stores for another one.
inline std::int64_t largest_temporary(const compiled_program& p) {
    std::int64_t most = 0;
    for (const compiled_kernel& k : p.kernels)
        for (std::size_t o = 0; o < k.body.outputs.size(); ++o)
            if (k.body.results.empty() || k.body.results[o] < 0)
                most = std::max(most, size_of_shape(k.body.output_shapes[o].shape, k.body.output_shapes[o].rank));
    return most;
}

}  // namespace sinter::codegen::testing
