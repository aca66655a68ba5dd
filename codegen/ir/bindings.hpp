// What a compilation is given: the program, its arguments and the destinations of its results.
#pragma once

#include <sinter/evaluate.hpp>

#include <cstdint>
#include <utility>

namespace sinter::codegen {

/// The inputs of one evaluation as the compiler sees them. All that it points to must outlive the compilation.
struct bindings {
    const ir::program* program = nullptr;
    detail::arguments_view arguments{};
    const detail::evaluation_result* results = nullptr;  ///< one per root; null: every result goes to a new array
};

/// The storage that a result is written to; null for a new array.
inline const detail::storage* destination_of(const detail::evaluation_result& r) {
    return r.into ? r.into->whole : r.target ? r.target->get() : nullptr;
}

}  // namespace sinter::codegen
