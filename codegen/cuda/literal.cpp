// Literals that reproduce the same bits, and substitution of operands into an op's body.
#include <codegen/cuda/literal.hpp>

#include <codegen/cuda/approximate.hpp>
#include <codegen/ir/identifier.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace sinter::codegen {

namespace {

bool needs_alias(dtype type) {
    return std::string_view(cuda_name(type)).find(' ') != std::string_view::npos || type == dtype::int64 ||
           is_complex(type) || is_moments(type) || detail::is_exp_sum(type);
}

std::string parenthesised(std::string text) { return text[0] == '-' ? '(' + std::move(text) + ')' : text; }

// NaN and infinities have no literals: write their bytes.
std::string special(dtype type, std::uint64_t bits, bool nan, bool negative) {
    if (type == dtype::float32) {
        if (nan) return fmt::format("__int_as_float({} /* nan */)", static_cast<std::int32_t>(bits));
        return parenthesised(fmt::format("{}__int_as_float(0x7f800000 /* infinity */)", negative ? "-" : ""));
    }
    if (nan) return fmt::format("__longlong_as_double({}LL /* nan */)", static_cast<std::int64_t>(bits));
    return parenthesised(
        fmt::format("{}__longlong_as_double(0x7ff0000000000000LL /* infinity */)", negative ? "-" : ""));
}

template <class T>
std::string floating(dtype type, std::uint64_t bits, const char* suffix) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) return special(type, bits, std::isnan(value), value < 0);
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return parenthesised(text + suffix);
}

std::string signed_integer(std::int64_t value, int bytes) {
    // the lowest value has no literal: its magnitude does not fit
    if (bytes == 8 && value == INT64_MIN) return "(-9223372036854775807LL - 1)";
    if (bytes == 4 && value == INT32_MIN) return "(-2147483647 - 1)";
    return parenthesised(fmt::format("{}{}", value, bytes == 8 ? "LL" : ""));
}

}  // namespace

const char* type_name(dtype type) { return needs_alias(type) ? name(type) : cuda_name(type); }

const char* type_alias(dtype type) {
    if (!needs_alias(type)) return "";
    switch (type) {
        case dtype::int8: return "using int8 = signed char;";
        case dtype::int64: return "using int64 = long long;";
        case dtype::uint8: return "using uint8 = unsigned char;";
        case dtype::uint16: return "using uint16 = unsigned short;";
        case dtype::uint32: return "using uint32 = unsigned int;";
        case dtype::complex64: return "using complex64 = complex<float>;";
        case dtype::complex128: return "using complex128 = complex<double>;";
        case dtype::moments32: return "using moments32 = moments<float>;";
        case dtype::moments64: return "using moments64 = moments<double>;";
        case dtype::exp_sum32: return "using exp_sum32 = exp_sum<float>;";
        case dtype::exp_sum64: return "using exp_sum64 = exp_sum<double>;";
        default: return "using uint64 = unsigned long long;";
    }
}

std::string literal(dtype type, std::uint64_t bits, std::uint64_t more) {
    switch (type) {
        case dtype::bool_: return (bits & 0xff) != 0 ? "true" : "false";
        case dtype::int8: return signed_integer(static_cast<std::int8_t>(bits), 1);
        case dtype::int16: return signed_integer(static_cast<std::int16_t>(bits), 2);
        case dtype::int32: return signed_integer(static_cast<std::int32_t>(bits), 4);
        case dtype::int64: return signed_integer(static_cast<std::int64_t>(bits), 8);
        case dtype::uint8: return fmt::format("{}", static_cast<std::uint8_t>(bits));
        case dtype::uint16: return fmt::format("{}", static_cast<std::uint16_t>(bits));
        case dtype::uint32: return fmt::format("{}u", static_cast<std::uint32_t>(bits));
        case dtype::uint64: return fmt::format("{}ULL", bits);
        case dtype::float32: return floating<float>(type, bits, "f");
        case dtype::complex64:
            return fmt::format("complex64({}, {})", literal(dtype::float32, bits & 0xffffffffu),
                               literal(dtype::float32, bits >> 32));
        case dtype::complex128:
            return fmt::format("complex128({}, {})", literal(dtype::float64, bits), literal(dtype::float64, more));
        default: return floating<double>(type, bits, "");
    }
}

namespace {

/// Whether the arguments at `at` are one constant, as in log(T(2)): the compiler folds calls of its own functions.
bool has_constant_argument(std::string_view body, std::size_t at) {
    if (body.substr(at, 3) != "(T(") return false;
    const std::size_t close = body.find(')', at);
    return body.substr(close, 2) == "))";
}

}  // namespace

std::string substitute(std::string_view body, const std::string_view (&operands)[3], std::string_view type,
                       arithmetic precision) {
    std::string text;
    for (std::size_t i = 0; i < body.size();) {
        if (!in_identifier(body[i])) {
            text += body[i++];
            continue;
        }
        std::size_t end = i;
        while (end < body.size() && in_identifier(body[end])) ++end;
        const std::string_view word = body.substr(i, end - i);
        i = end;
        if (word == "T")
            text += type;
        else if (word == "x" || word == "y" || word == "z")
            text += operands[word[0] - 'x'];
        else if (has_constant_argument(body, end))
            text += word;
        else
            text += function_name(word, type, precision);
    }
    return text;
}

}  // namespace sinter::codegen
