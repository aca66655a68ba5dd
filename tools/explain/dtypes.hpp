// dtypes by name, and from a value to a template argument.
#pragma once

#include <sinter/dtype.hpp>

#include <optional>
#include <string>

namespace sinter::spoken {

/// Of "f32", "float32", "float", "i64", "std::int64_t" and the like; none where nothing has the name.
std::optional<dtype> dtype_named(const std::string& name);

/// Calls f.template operator()<D>() for the dtype D that `type` is.
template <class F>
decltype(auto) on_dtype(dtype type, F&& f) {
    switch (type) {
        case dtype::bool_: return f.template operator()<dtype::bool_>();
        case dtype::int8: return f.template operator()<dtype::int8>();
        case dtype::int16: return f.template operator()<dtype::int16>();
        case dtype::int32: return f.template operator()<dtype::int32>();
        case dtype::int64: return f.template operator()<dtype::int64>();
        case dtype::uint8: return f.template operator()<dtype::uint8>();
        case dtype::uint16: return f.template operator()<dtype::uint16>();
        case dtype::uint32: return f.template operator()<dtype::uint32>();
        case dtype::uint64: return f.template operator()<dtype::uint64>();
        case dtype::float16: return f.template operator()<dtype::float16>();
        case dtype::bfloat16: return f.template operator()<dtype::bfloat16>();
        case dtype::float32: return f.template operator()<dtype::float32>();
        case dtype::float64: return f.template operator()<dtype::float64>();
        case dtype::complex64: return f.template operator()<dtype::complex64>();
        default: return f.template operator()<dtype::complex128>();
    }
}

}  // namespace sinter::spoken
