// Arrays and expressions as text, laid out as NumPy's str() lays them out.
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

// In this namespace since float16, bfloat16 and what range() gives are of it.
template <class T>
    requires(std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
std::ostream& operator<<(std::ostream& out, const T& number) {
    return write_text(out, scalar_text(dtype_of<T>, &number));
}
inline std::ostream& operator<<(std::ostream& out, const range_t& r) { return write_text(out, range_text(r)); }

}  // namespace detail

/// The elements in nested brackets and aligned columns, as NumPy 2 prints them: floating values with the fewest digits
/// that tell them apart, at most eight after the point, and in scientific notation where their magnitudes demand it;
/// of more than 1000 elements the first and last three along each axis. Rank 0 gives the bare value, no elements "[]".
/// Evaluates an expression, and waits for the device.
template <operand A>
[[nodiscard]] std::string to_string(A&& a) {
    return detail::array_text(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]);
}

/// A shape as NumPy writes it: "(3, 4)", "(3,)", "()".
template <int Rank>
[[nodiscard]] std::string to_string(const shape<Rank>& extents) {
    return codegen::shape_text(extents.extent, Rank);
}

/// The results of a pack, evaluated together, each on lines of its own.
template <class... Trees>
[[nodiscard]] std::string to_string(const detail::packed<Trees...>& results) {
    return boost::hana::unpack(detail::evaluated(results), [](const auto&... values) {
        std::string text;
        ((text += (text.empty() ? "" : "\n") + to_string(values)), ...);
        return text;
    });
}

/// Writes to_string(a).
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
/// A dtype by its name: "float64".
inline std::ostream& operator<<(std::ostream& out, dtype d) { return detail::write_text(out, name(d)); }

}  // namespace sinter
