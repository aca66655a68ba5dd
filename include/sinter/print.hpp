// Arrays and expressions as text, formatted like NumPy's str().
#pragma once

#include <sinter/array.hpp>
#include <sinter/slice.hpp>
#include <sinter/tie.hpp>

#include <iosfwd>
#include <string>
#include <tuple>
#include <vector>

namespace sinter {

namespace codegen {
std::string shape_text(const std::int64_t* shape, int rank);
}

namespace detail {

std::string array_text(const storage_ref& values);
std::ostream& write_text(std::ostream& out, const std::string& text);
std::string scalar_text(dtype type, const void* element);
std::string range_text(const range_t& r);

// Found by argument-dependent lookup: the types for storage and the result of range() are in this namespace.
template <class T>
    requires(is_storage_only(dtype_of<T>))
std::ostream& operator<<(std::ostream& out, const T& number) {
    return write_text(out, scalar_text(dtype_of<T>, &number));
}
inline std::ostream& operator<<(std::ostream& out, const range_t& r) { return write_text(out, range_text(r)); }

// What only means something as an argument or an index.
template <class T>
inline constexpr bool is_word =
    is_reduction_option<T> || std::is_same_v<T, axis_keyword> || std::is_same_v<T, newaxis_t> ||
    std::is_same_v<T, ellipsis_t> || std::is_same_v<T, end_t> || std::is_same_v<T, before_end>;
template <class Op>
inline constexpr bool is_word<reduction<Op>> = true;
template <class Op>
inline constexpr bool is_word<choice<Op>> = true;
template <class Tag>
inline constexpr bool is_word<keyword<Tag>> = true;
template <class... To>
inline constexpr bool is_word<tied<To...>> = true;

template <class Stream, class T>
    requires(std::is_base_of_v<std::ios_base, Stream> && is_word<T>)
Stream& operator<<(Stream& out, const T&) {
    static_assert(
        never<T>,
        "sinter: a function, an option, an index or tie(...) has no text: print arrays and expressions, as in "
        "std::cout << sum(x, axis=1)");
    return out;
}

}  // namespace detail
using detail::operator<<;  // end and newaxis are in this namespace

/// Nested brackets and aligned columns, as NumPy 2 prints them: floating values with the fewest digits that distinguish
/// them, at most eight after the point, in scientific notation if magnitudes require it. Above 1000 elements only the
/// first and last three along each axis are shown. Rank 0 prints the bare value, no elements "[]". Evaluates an
/// expression, and waits for the device.
template <operand A>
[[nodiscard]] std::string to_string(A&& a) {
    return detail::array_text(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]);
}

namespace detail {

template <operand... A>
std::string texts_on_lines(const A&... values) {
    std::string text;
    ((text += (text.empty() ? "" : "\n") + to_string(values)), ...);
    return text;
}

}  // namespace detail

/// A shape in NumPy's notation: "(3, 4)", "(3,)", "()".
template <int Rank>
[[nodiscard]] std::string to_string(const shape<Rank>& extents) {
    return codegen::shape_text(extents.extent, Rank);
}

/// The results of a pack, evaluated together, each on its own lines.
template <class... Trees>
[[nodiscard]] std::string to_string(const detail::packed<Trees...>& results) {
    return boost::hana::unpack(detail::evaluated(results),
                               [](const auto&... values) { return detail::texts_on_lines(values...); });
}

/// Several arrays or expressions, as modf, meshgrid and split return them, each on its own lines.
template <operand... A>
    requires(sizeof...(A) > 0)
[[nodiscard]] std::string to_string(const std::tuple<A...>& results) {
    return std::apply([](const auto&... each) { return detail::texts_on_lines(each...); }, results);
}
template <operand A, operand B>
[[nodiscard]] std::string to_string(const std::pair<A, B>& results) {
    return detail::texts_on_lines(results.first, results.second);
}
template <operand A>
[[nodiscard]] std::string to_string(const std::vector<A>& parts) {
    std::string text;
    for (const A& part : parts) text += (text.empty() ? "" : "\n") + to_string(part);
    return text;
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
template <operand... A>
    requires(sizeof...(A) > 0)
std::ostream& operator<<(std::ostream& out, const std::tuple<A...>& results) {
    return detail::write_text(out, to_string(results));
}
template <operand A, operand B>
std::ostream& operator<<(std::ostream& out, const std::pair<A, B>& results) {
    return detail::write_text(out, to_string(results));
}
template <operand A>
std::ostream& operator<<(std::ostream& out, const std::vector<A>& parts) {
    return detail::write_text(out, to_string(parts));
}
/// Writes a device's name: "host", "cuda(0)".
inline std::ostream& operator<<(std::ostream& out, const device& d) { return detail::write_text(out, d.name()); }
/// Writes a dtype's name: "float64".
inline std::ostream& operator<<(std::ostream& out, dtype d) { return detail::write_text(out, name(d)); }

}  // namespace sinter
