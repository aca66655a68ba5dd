// Arrays and expressions as text, formatted like NumPy's str().
#pragma once

#include <sinter/array.hpp>
#include <sinter/slice.hpp>
#include <sinter/tie.hpp>

#include <iosfwd>
#include <string>

namespace sinter {

namespace codegen {
std::string shape_text(const std::int64_t* shape, int rank);
}

namespace detail {

std::string array_text(const storage_ref& values);
std::ostream& write_text(std::ostream& out, const std::string& text);
std::string scalar_text(dtype type, const void* element);
std::string range_text(const range_t& r);

// Found by argument-dependent lookup: float16, bfloat16 and the result of range() are in this namespace.
template <class T>
    requires(std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
std::ostream& operator<<(std::ostream& out, const T& number) {
    return write_text(out, scalar_text(dtype_of<T>, &number));
}
inline std::ostream& operator<<(std::ostream& out, const range_t& r) { return write_text(out, range_text(r)); }

}  // namespace detail

/// Nested brackets and aligned columns, as NumPy 2 prints them: floating values with the fewest digits that distinguish
/// them, at most eight after the point, in scientific notation if magnitudes require it. Above 1000 elements only the
/// first and last three along each axis are shown. Rank 0 prints the bare value, no elements "[]". Evaluates an
/// expression, and waits for the device.
template <operand A>
[[nodiscard]] std::string to_string(A&& a) {
    return detail::array_text(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]);
}

/// A shape in NumPy's notation: "(3, 4)", "(3,)", "()".
template <int Rank>
[[nodiscard]] std::string to_string(const shape<Rank>& extents) {
    return codegen::shape_text(extents.extent, Rank);
}

/// The results of a pack, evaluated together, each on its own lines.
template <class... Trees>
[[nodiscard]] std::string to_string(const detail::packed<Trees...>& results) {
    return boost::hana::unpack(detail::evaluated(results), [](const auto&... values) {
        std::string text;
        ((text += (text.empty() ? "" : "\n") + to_string(values)), ...);
        return text;
    });
}

/// Writes to_string(a) to a stream.
template <class Stream, operand A>
    requires std::is_base_of_v<std::ios_base, Stream>
std::ostream& operator<<(Stream& out, A&& a) {
    return detail::write_text(out, to_string(std::forward<A>(a)));
}
template <class... Trees>
std::ostream& operator<<(std::ostream& out, const detail::packed<Trees...>& results) {
    return detail::write_text(out, to_string(results));
}
template <int Rank>
std::ostream& operator<<(std::ostream& out, const shape<Rank>& extents) {
    return detail::write_text(out, to_string(extents));
}
/// Writes a dtype's name: "float64".
inline std::ostream& operator<<(std::ostream& out, dtype d) { return detail::write_text(out, name(d)); }

}  // namespace sinter
