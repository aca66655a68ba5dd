// Formats elements. Floating values are formatted twice: to find the common number of digits, and to lay them out.
#include <runtime/io/element_text.hpp>
#include <sinter/op/loops.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace sinter::codegen {
namespace {

constexpr int precision = 8;             ///< NumPy's default: digits after the point
constexpr double smallest_plain = 1e-4;  // below it, or above the largest or this ratio: scientific notation
constexpr double largest_ratio = 1000;

/// float for the types of 8 and 16 bits, else T.
template <class T>
using wide_t = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// Those of 8 bits print as the floats that they are: as few digits as tell them apart would hide what they are.
template <class T>
constexpr int digits10 = std::numeric_limits<wide_t<T>>::digits10;
template <>
constexpr int digits10<float16> = 3;
template <>
constexpr int digits10<bfloat16> = 2;

/// The largest magnitude that an array of T prints in plain notation: limited by its digits, at most 10^8.
template <class T>
wide_t<T> largest_plain() {
    return std::pow(wide_t<T>(10), wide_t<T>(std::min(8, digits10<T>)));
}

/// A finite number as sign and whole digits, fraction digits, and a decimal exponent if it has one.
struct digits {
    std::string whole;     ///< with the sign
    std::string fraction;  ///< no trailing zeros except requested ones
    int exponent = 0;
};

std::string without_trailing_zeros(std::string text) {
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

template <class W, class... Format>
std::string converted(W x, Format... format) {
    char buffer[512];  // the largest float64 has 309 digits before the point
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, format...).ptr};
}

/// d.ddde+xx with the fewest digits that distinguish x from its neighbours.
template <class T>
std::string shortest_text(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        return converted(x, std::chars_format::scientific);
    } else if constexpr (sizeof(T) == 1) {
        return converted(static_cast<float>(x), std::chars_format::scientific);
    } else {
        const auto wide = static_cast<float>(x);
        std::string text;
        for (int behind = 0; behind <= digits10<T> + 2; ++behind) {
            text = converted(wide, std::chars_format::scientific, behind);
            float back = 0;
            std::from_chars(text.data(), text.data() + text.size(), back);
            if (static_cast<float>(T(back)) == wide) break;
        }
        return text;
    }
}

/// d.ddde+xx as digits: the fewest after the point that distinguish x from its neighbours, but `least` to `most`.
template <class T>
digits scientific(T x, int least = 0, int most = std::numeric_limits<int>::max()) {
    const auto parse = [](const std::string& text) {
        const std::size_t e = text.find('e'), point = std::min(text.find('.'), e);
        digits d;
        d.whole = text.substr(0, point);
        if (point < e) d.fraction = text.substr(point + 1, e - point - 1);
        d.exponent = std::stoi(text.substr(e + 1));
        return d;
    };
    digits d = parse(shortest_text(x));
    const int shortest = static_cast<int>(d.fraction.size());
    if (shortest < least || shortest > most)
        d = parse(
            converted(static_cast<wide_t<T>>(x), std::chars_format::scientific, std::clamp(shortest, least, most)));
    if (least == 0) d.fraction = without_trailing_zeros(d.fraction);
    return d;
}

/// As above without an exponent. Missing digits of large whole numbers are zeros.
template <class T>
digits plain(T x, int most = std::numeric_limits<int>::max()) {
    digits d = scientific(x);
    const bool negative = d.whole[0] == '-';
    std::string all = d.whole.substr(negative) + d.fraction;
    int point = 1 + d.exponent;  // position of the decimal point
    if (point < 1) {
        all.insert(0, static_cast<std::size_t>(1 - point), '0');
        point = 1;
    }
    const auto split = static_cast<std::size_t>(point);
    if (all.size() < split) all.resize(split, '0');
    if (all.size() - split > static_cast<std::size_t>(most)) {
        all = converted(std::abs(static_cast<wide_t<T>>(x)), std::chars_format::fixed, most);
        const std::size_t at = all.find('.');
        return {(negative ? "-" : "") + all.substr(0, at), without_trailing_zeros(all.substr(at + 1)), 0};
    }
    return {(negative ? "-" : "") + all.substr(0, split), without_trailing_zeros(all.substr(split)), 0};
}

/// "e+05": at least two digits, or `width`.
std::string exponent_text(int exponent, int width = 2) {
    return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), width);
}

template <class W>
std::string special_word(W x) {
    return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

template <class T>
bool needs_exponent(const std::vector<T>& x) {
    using W = wide_t<T>;
    W largest = 0, smallest = std::numeric_limits<W>::infinity();
    for (const T& element : x) {
        const W v = std::abs(static_cast<W>(element));
        if (!std::isfinite(v) || v == 0) continue;
        largest = std::max(largest, v);
        smallest = std::min(smallest, v);
    }
    return largest > 0 && (largest >= largest_plain<T>() || smallest < static_cast<W>(T(smallest_plain)) ||
                           static_cast<W>(T(largest / smallest)) > W(largest_ratio));
}

/// `plus`: positive numbers have a sign, too.
template <class T>
std::vector<std::string> floating_words(const std::vector<T>& x, bool plus) {
    const bool with_exponent = needs_exponent(x);
    const auto signed_text = [plus](std::string text) {
        return plus && text[0] != '-' ? '+' + std::move(text) : std::move(text);
    };
    std::size_t left = 0, right = 0;
    int exponent_width = 2;
    std::size_t special = 0;  // length of the longest nan or inf
    for (const T& element : x) {
        const auto wide = static_cast<wide_t<T>>(element);
        if (!std::isfinite(wide)) {
            special = std::max(special, signed_text(special_word(wide)).size());
            continue;
        }
        const digits d = with_exponent ? scientific(element, 0, precision) : plain(element, precision);
        left = std::max(left, signed_text(d.whole).size());
        right = std::max(right, d.fraction.size());
        exponent_width = std::max(exponent_width, static_cast<int>(std::to_string(std::abs(d.exponent)).size()));
    }
    const std::size_t behind = right + 1 + (with_exponent ? static_cast<std::size_t>(exponent_width) + 2 : 0);
    left = std::max(left, special > behind ? special - behind : 0);

    std::vector<std::string> words;
    words.reserve(x.size());
    for (const T& element : x) {
        const auto wide = static_cast<wide_t<T>>(element);
        if (!std::isfinite(wide)) {
            words.push_back(fmt::format("{:>{}}", signed_text(special_word(wide)), left + behind));
        } else if (with_exponent) {
            const digits d = scientific(element, static_cast<int>(right), static_cast<int>(right));
            words.push_back(fmt::format("{:>{}}.{}{}", signed_text(d.whole), left, d.fraction,
                                        exponent_text(d.exponent, exponent_width)));
        } else {
            const digits d = plain(element, precision);
            words.push_back(fmt::format("{:>{}}.{:<{}}", signed_text(d.whole), left, d.fraction, right));
        }
    }
    return words;
}

/// Real and imaginary parts are laid out separately.
template <class T>
std::vector<std::string> complex_words(const std::complex<T>* x, std::size_t count) {
    std::vector<T> real, imaginary;
    for (std::size_t i = 0; i < count; ++i) {
        real.push_back(x[i].real());
        imaginary.push_back(x[i].imag());
    }
    std::vector<std::string> words = floating_words(real, false);
    const std::vector<std::string> behind = floating_words(imaginary, true);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t end = behind[i].find_last_not_of(' ') + 1;
        words[i] += behind[i].substr(0, end) + 'j' + behind[i].substr(end);
    }
    return words;
}

template <class T>
std::vector<std::string> integer_words(const T* x, std::size_t count) {
    const auto [least, most] = std::minmax_element(x, x + count);
    const std::size_t width = std::max(std::to_string(*least).size(), std::to_string(*most).size());
    std::vector<std::string> words;
    words.reserve(count);
    for (std::size_t i = 0; i < count; ++i) words.push_back(fmt::format("{:>{}}", std::to_string(x[i]), width));
    return words;
}

/// Scalars use plain notation in a wider range than arrays. `whole`: the suffix of a whole number.
template <class T>
std::string floating_scalar(T x, const char* whole = ".0") {
    const auto wide = static_cast<wide_t<T>>(x);
    if (!std::isfinite(wide)) return special_word(wide);
    const double magnitude = std::abs(static_cast<double>(wide));
    const double most = std::is_same_v<T, double> ? 1e16 : static_cast<double>(largest_plain<T>());
    const bool with_exponent = wide != 0 && (magnitude >= most || magnitude < smallest_plain);
    const digits d = with_exponent ? scientific(x) : plain(x);
    const std::string fraction = d.fraction.empty() ? "" : "." + d.fraction;
    if (with_exponent) return d.whole + fraction + exponent_text(d.exponent);
    return d.whole + (fraction.empty() ? whole : fraction);
}

template <class T>
std::string complex_scalar(const std::complex<T>& x) {
    const std::string imaginary = floating_scalar(x.imag(), "") + 'j';
    if (x.real() == 0 && !std::signbit(x.real())) return imaginary;
    return '(' + floating_scalar(x.real(), "") + (imaginary[0] == '-' ? "" : "+") + imaginary + ')';
}

}  // namespace

std::vector<std::string> aligned_words(dtype type, const void* elements, std::size_t count) {
    if (count == 0) return {};
    return detail::with_dtype(type, [&]<dtype D>() {
        using T = element_t<D>;
        const T* x = static_cast<const T*>(elements);
        if constexpr (std::is_same_v<T, bool>) {
            std::vector<std::string> words;
            for (std::size_t i = 0; i < count; ++i) words.push_back(x[i] ? " True" : "False");
            return words;
        } else if constexpr (std::is_integral_v<T>) {
            return integer_words(x, count);
        } else if constexpr (is_complex(D)) {
            return complex_words(x, count);
        } else {
            return floating_words(std::vector<T>(x, x + count), false);
        }
    });
}

std::string scalar_word(dtype type, const void* element) {
    return detail::with_dtype(type, [&]<dtype D>() -> std::string {
        using T = element_t<D>;
        const T x = *static_cast<const T*>(element);
        if constexpr (std::is_same_v<T, bool>)
            return x ? "True" : "False";
        else if constexpr (std::is_integral_v<T>)
            return std::to_string(x);
        else if constexpr (is_complex(D))
            return complex_scalar(x);
        else
            return floating_scalar(x);
    });
}

}  // namespace sinter::codegen
