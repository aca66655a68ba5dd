// Elements as words. Floating values pass twice: once to find how many digits all of them need, once to lay them out.
#include <codegen/io/element_text.hpp>
#include <sinter/op/loops.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace sinter::codegen {
namespace {

constexpr int precision = 8;             ///< NumPy's default: digits behind the point
constexpr double smallest_plain = 1e-4;  // below, and beyond the largest or this ratio, scientific notation
constexpr double largest_ratio = 1000;

/// The largest magnitude that an array of T prints in plain notation: what its digits tell apart, at most 10^8.
template <class T>
T largest_plain() {
    return std::pow(T(10), T(std::min(8, std::numeric_limits<T>::digits10)));
}

/// A finite number as its sign, its digits before and behind the point, and an exponent of ten where it has one.
struct digits {
    std::string whole;     ///< with the sign
    std::string fraction;  ///< no zeros at its end but those asked for
    int exponent = 0;
};

std::string without_trailing_zeros(std::string text) {
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

template <class T, class... Format>
std::string converted(T x, Format... format) {
    char buffer[512];  // the largest float64 has 309 digits before the point
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, format...).ptr};
}

/// d.ddde+xx as digits: as many behind the point as tell x from its neighbours, within the bounds `least` and `most`.
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
    digits d = parse(converted(x, std::chars_format::scientific));
    const int shortest = static_cast<int>(d.fraction.size());
    if (shortest < least || shortest > most)
        d = parse(converted(x, std::chars_format::scientific, std::clamp(shortest, least, most)));
    if (least == 0) d.fraction = without_trailing_zeros(d.fraction);
    return d;
}

/// The same without an exponent. The shortest digits are filled up with zeros, as a whole number may be longer.
template <class T>
digits plain(T x, int most = std::numeric_limits<int>::max()) {
    digits d = scientific(x);
    const bool negative = d.whole[0] == '-';
    std::string all = d.whole.substr(negative) + d.fraction;
    int point = 1 + d.exponent;  // the place of the point among all digits
    if (point < 1) {
        all.insert(0, static_cast<std::size_t>(1 - point), '0');
        point = 1;
    }
    const auto split = static_cast<std::size_t>(point);
    if (all.size() < split) all.resize(split, '0');
    if (all.size() - split > static_cast<std::size_t>(most)) {
        all = converted(std::abs(x), std::chars_format::fixed, most);
        const std::size_t at = all.find('.');
        return {(negative ? "-" : "") + all.substr(0, at), without_trailing_zeros(all.substr(at + 1)), 0};
    }
    return {(negative ? "-" : "") + all.substr(0, split), without_trailing_zeros(all.substr(split)), 0};
}

/// "e+05": two digits at least, as many as asked for otherwise.
std::string exponent_text(int exponent, int width = 2) {
    return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), width);
}

template <class T>
std::string special_word(T x) {
    return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

template <class T>
bool needs_exponent(const T* x, std::size_t count) {
    T largest = 0, smallest = std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(x[i]) || x[i] == 0) continue;
        largest = std::max(largest, std::abs(x[i]));
        smallest = std::min(smallest, std::abs(x[i]));
    }
    return largest > 0 &&
           (largest >= largest_plain<T>() || smallest < T(smallest_plain) || largest / smallest > T(largest_ratio));
}

template <class T>
std::vector<std::string> floating_words(const T* x, std::size_t count) {
    const bool with_exponent = needs_exponent(x, count);
    std::size_t left = 0, right = 0;
    int exponent_width = 2;
    std::size_t special = 0;  // the longest nan or inf
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(x[i])) {
            special = std::max(special, special_word(x[i]).size());
            continue;
        }
        const digits d = with_exponent ? scientific(x[i], 0, precision) : plain(x[i], precision);
        left = std::max(left, d.whole.size());
        right = std::max(right, d.fraction.size());
        exponent_width = std::max(exponent_width, static_cast<int>(std::to_string(std::abs(d.exponent)).size()));
    }
    const std::size_t behind = right + 1 + (with_exponent ? static_cast<std::size_t>(exponent_width) + 2 : 0);
    left = std::max(left, special > behind ? special - behind : 0);

    std::vector<std::string> words;
    words.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(x[i])) {
            words.push_back(fmt::format("{:>{}}", special_word(x[i]), left + behind));
            continue;
        }
        if (with_exponent) {
            const digits d = scientific(x[i], static_cast<int>(right), precision);
            words.push_back(
                fmt::format("{:>{}}.{}{}", d.whole, left, d.fraction, exponent_text(d.exponent, exponent_width)));
        } else {
            const digits d = plain(x[i], precision);
            words.push_back(fmt::format("{:>{}}.{:<{}}", d.whole, left, d.fraction, right));
        }
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

/// A scalar's notation is plain in a wider range than an array's.
template <class T>
std::string floating_scalar(T x) {
    if (!std::isfinite(x)) return special_word(x);
    const double magnitude = std::abs(static_cast<double>(x));
    const double most = std::is_same_v<T, double> ? 1e16 : static_cast<double>(largest_plain<T>());
    if (x != 0 && (magnitude >= most || magnitude < smallest_plain)) {
        const digits d = scientific(x);
        return d.whole + (d.fraction.empty() ? "" : "." + d.fraction) + exponent_text(d.exponent);
    }
    const digits d = plain(x);
    return d.whole + "." + (d.fraction.empty() ? "0" : d.fraction);
}

}  // namespace

std::vector<std::string> aligned_words(dtype type, const void* elements, std::size_t count) {
    if (count == 0) return {};
    return detail::with_element(type, [&]<class T>() {
        const T* x = static_cast<const T*>(elements);
        if constexpr (std::is_same_v<T, bool>) {
            std::vector<std::string> words;
            for (std::size_t i = 0; i < count; ++i) words.push_back(x[i] ? " True" : "False");
            return words;
        } else if constexpr (std::is_integral_v<T>) {
            return integer_words(x, count);
        } else {
            return floating_words(x, count);
        }
    });
}

std::string scalar_word(dtype type, const void* element) {
    return detail::with_element(type, [&]<class T>() -> std::string {
        const T x = *static_cast<const T*>(element);
        if constexpr (std::is_same_v<T, bool>)
            return x ? "True" : "False";
        else if constexpr (std::is_integral_v<T>)
            return std::to_string(x);
        else
            return floating_scalar(x);
    });
}

}  // namespace sinter::codegen
