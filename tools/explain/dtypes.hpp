// dtypes by name.
#pragma once

#include <sinter/dtype.hpp>

#include <optional>
#include <string>

namespace sinter::spoken {

/// Of "f32", "float32", "float", "i64", "std::int64_t" and the like; none where nothing has the name.
std::optional<dtype> dtype_named(const std::string& name);

}  // namespace sinter::spoken
