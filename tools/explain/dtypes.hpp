// Looks up dtypes by name.
#pragma once

#include <sinter/dtype.hpp>

#include <optional>
#include <string>

namespace sinter::spoken {

/// The dtype named "f32", "float32", "float", "i64", "std::int64_t" etc.; none for an unknown name.
std::optional<dtype> dtype_named(const std::string& name);

}  // namespace sinter::spoken
