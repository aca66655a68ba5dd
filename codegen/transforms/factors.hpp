// The factors of a value that products, quotients and selections are made of, in no order.
#pragma once

#include <codegen/ir/graph.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen {

/// What one number is multiplied by.
struct factor {
    enum class kind : std::uint8_t {
        times,
        divided_by,
        where,      ///< a condition holds, and by 0 elsewhere
        where_not,  ///< it does not
        negated     ///< by -1, without a node
    };
    kind how = kind::times;
    int node = -1;
    bool operator==(const factor&) const = default;
};

/// Those of a node. Conversions between floating types are left out.
std::vector<factor> factors_of(const graph& g, int node);

/// The factors without `others`; nothing if some of these are not among them.
std::optional<std::vector<factor>> without_factors(std::vector<factor> all, const std::vector<factor>& others);

}  // namespace sinter::codegen
