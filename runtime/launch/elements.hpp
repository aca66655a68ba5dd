// Elements of dense storage, read on the host by the checks.
#pragma once

#include <sinter/storage.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace sinter::codegen {

/// The first element in [first, last) that is a NaN or an infinity, or complex with such a part; none if the dtype has
/// no such values.
std::optional<std::int64_t> first_nonfinite(const detail::storage& s, std::int64_t first = 0,
                                            std::int64_t last = std::numeric_limits<std::int64_t>::max());

/// The first of the int64 or uint64 elements that is outside [-extent, extent).
std::optional<std::int64_t> first_beyond(const detail::storage& s, std::int64_t extent);

/// An int64 element.
std::int64_t integer_at(const detail::storage& s, std::int64_t i);

/// An element of any dtype as text: "nan", "-0.5", "1-infj", "true".
std::string text_at(const detail::storage& s, std::int64_t i);

}  // namespace sinter::codegen
