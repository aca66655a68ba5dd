// The subset of fmt that Sinter uses, for the single header: format, format_to and join, with fmt's results, and named
// arguments.
#pragma once

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace sinter::single_header::fmt {

/// A format argument of any type.
struct argument {
    enum class kind { boolean, character, integer, natural, single, real, address, text };

    template <class T>
    argument(const T& x) {
        if constexpr (std::is_same_v<T, bool>) {
            what = kind::boolean;
            natural = x;
        } else if constexpr (std::is_same_v<T, char>) {
            what = kind::character;
            text = {&x, 1};
        } else if constexpr (std::is_floating_point_v<T>) {
            what = std::is_same_v<T, float> ? kind::single : kind::real;
            real = static_cast<double>(x);
        } else if constexpr (std::is_integral_v<T>) {
            what = std::is_signed_v<T> ? kind::integer : kind::natural;
            natural = static_cast<std::uint64_t>(x);
        } else if constexpr (std::is_pointer_v<T> && !std::is_convertible_v<T, std::string_view>) {
            what = kind::address;
            natural = reinterpret_cast<std::uintptr_t>(x);
        } else if constexpr (std::is_convertible_v<T, std::uint64_t>) {  // 128 bits, whose value fits in 64
            what = x < 0 ? kind::integer : kind::natural;
            natural = static_cast<std::uint64_t>(x);
        } else {
            what = kind::text;
            text = std::string_view(x);
        }
    }

    kind what;
    std::uint64_t natural = 0;
    double real = 0;
    std::string_view text;
    std::string_view name;  ///< of a named argument
};

template <class T>
inline argument arg(std::string_view name, const T& x) {
    argument a(x);
    a.name = name;
    return a;
}

inline std::string_view runtime(std::string_view text) { return text; }

/// The format specification after the colon of a replacement field.
struct layout_of_field {
    char align = 0;
    bool base = false, zeros = false;
    int width = 0;
    int precision = -1;
    char type = 0;
};

template <class... A>
inline std::string digits(const A&... a) {
    char buffer[400];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, a...).ptr};
}

/// Formats a floating number: shortest form, fixed notation from 1e-4 to 1e16 unless the field specifies otherwise.
template <class T>
inline std::string number_text(T x, const layout_of_field& f) {
    if (f.type == 'f') return digits(x, std::chars_format::fixed, f.precision < 0 ? 6 : f.precision);
    if (f.type == 'g' || f.precision >= 0)
        return digits(x, std::chars_format::general, f.precision < 0 ? 6 : f.precision);
    const T size = x < 0 ? -x : x;
    const bool plain = x == 0 || x != x || (size >= T(1e-4) && size < T(1e16));
    return digits(x, plain ? std::chars_format::fixed : std::chars_format::scientific);
}

inline std::string argument_text(const argument& a, const layout_of_field& f) {
    const int base = f.type == 'x' ? 16 : 10;
    switch (a.what) {
        case argument::kind::boolean: return a.natural != 0 ? "true" : "false";
        case argument::kind::integer: return digits(static_cast<std::int64_t>(a.natural), base);
        case argument::kind::natural: return (f.base ? "0x" : "") + digits(a.natural, base);
        case argument::kind::address: return "0x" + digits(a.natural, 16);
        case argument::kind::single: return number_text(static_cast<float>(a.real), f);
        case argument::kind::real: return number_text(a.real, f);
        default: return std::string(a.text);
    }
}

inline void append(std::string& out, std::string_view format, std::initializer_list<argument> arguments) {
    const argument* next = arguments.begin();
    std::size_t i = 0;
    const auto number = [&] {
        int n = 0;
        while (format[i] >= '0' && format[i] <= '9') n = n * 10 + (format[i++] - '0');
        return n;
    };
    const auto is_digit = [&] { return format[i] >= '0' && format[i] <= '9'; };
    const auto is_letter = [&] { return format[i] >= 'a' && format[i] <= 'z'; };
    const auto named = [&]() -> const argument& {
        const std::size_t end = format.find_first_of(":}", i);
        const std::string_view name = format.substr(i, end - i);
        i = end;
        const argument* a = arguments.begin();
        while (a->name != name) ++a;
        return *a;
    };
    while (i < format.size()) {
        const char c = format[i++];
        if ((c != '{' && c != '}') || format[i] == c) {
            out += c;
            i += c == '{' || c == '}';
            continue;
        }
        const argument& a = is_letter() ? named() : is_digit() ? arguments.begin()[number()] : *next++;
        layout_of_field f;
        if (format[i] == ':') {
            ++i;
            if (format[i] == '<' || format[i] == '>') f.align = format[i++];
            if (format[i] == '#') f.base = true, ++i;
            if (format[i] == '0') f.zeros = true, ++i;
            if (format[i] == '{')
                f.width = static_cast<int>((next++)->natural), i += 2;
            else
                f.width = number();
            if (format[i] == '.') ++i, f.precision = number();
            if (format[i] != '}') f.type = format[i++];
        }
        ++i;  // the closing brace
        const std::string text = argument_text(a, f);
        const std::size_t missing = text.size() < static_cast<std::size_t>(f.width) ? f.width - text.size() : 0;
        const bool is_text = a.what == argument::kind::text || a.what == argument::kind::character;
        const bool left = f.align == '<' || (f.align == 0 && is_text);
        if (!left) out.append(missing, f.zeros ? '0' : ' ');
        out += text;
        if (left) out.append(missing, ' ');
    }
}

template <class...>
using format_string = std::string_view;

template <class... A>
inline std::string format(std::string_view text, const A&... arguments) {
    std::string out;
    append(out, text, {argument(arguments)...});
    return out;
}

template <class... A>
inline void format_to(std::back_insert_iterator<std::string> to, std::string_view text, const A&... arguments) {
    for (const char c : fmt::format(text, arguments...)) *to++ = c;
}

template <class Range>
inline std::string join(const Range& parts, std::string_view between) {
    std::string out;
    for (const auto& part : parts) {
        if (!out.empty()) out += between;
        out += fmt::format("{}", part);
    }
    return out;
}

}  // namespace sinter::single_header::fmt
