// What a compilation is bound to: the program, its operands, and where its results go.
#pragma once

#include <sinter/evaluate.hpp>

#include <cstdint>
#include <utility>

namespace sinter::codegen {

/// One evaluation as the compiler sees it. Everything it refers to outlives the compilation.
struct bindings {
    const ir::program* program = nullptr;
    detail::arguments_view arguments{};
    const detail::evaluation_result* results = nullptr;  ///< of each root; null: all go to fresh arrays
};

/// The storage that a result is to be written to; null for a fresh array.
inline const detail::storage* destination_of(const detail::evaluation_result& r) {
    return r.into ? r.into->whole : r.target ? r.target->get() : nullptr;
}

}  // namespace sinter::codegen
