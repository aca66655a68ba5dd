// Decides from their identifiers which bodies are arithmetic alone.
#include <codegen/host/inline_ops.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/cuda/literal.hpp>
#include <codegen/ir/identifier.hpp>
#include <codegen/support/created_once.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sinter::codegen::blocked {
namespace {

/// Whether arithmetic of this dtype has one result under all compilers and flags.
bool is_exact(dtype type) { return is_integer(type) || type == dtype::bool_; }

bool is_exact_function(std::string_view name) {
#define SINTER_EXACT_1(function) \
    if (name == #function) return true;
#define SINTER_EXACT_2 SINTER_EXACT_1
#define SINTER_EXACT_3 SINTER_EXACT_1
#include <sinter/op/exact.def>
    return false;
}

/// Whether the name is a snippet of arithmetic.hpp whose results are the same for every type.
bool is_arithmetic_piece(std::string_view name) {
    const std::string_view piece = piece_named(name);
    return !piece.empty() && piece.find("complex<") == piece.npos && piece.find("moments<") == piece.npos;
}

/// Distinguishes rows of equal name (FNV-1a).
std::uint32_t hash_of(std::string_view text) {
    std::uint32_t hash = 0x811c9dc5u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
    return hash;
}

/// Calls f(identifier) for each identifier of a body that is neither operand nor member; stops when f returns false.
template <class F>
bool all_identifiers(std::string_view body, F f) {
    for (std::size_t i = 0; i < body.size();) {
        if (!in_identifier(body[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < body.size() && in_identifier(body[i])) ++i;
        const std::string_view word = body.substr(begin, i - begin);
        const bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
        const bool is_member = begin > 0 && body[begin - 1] == '.';
        if (is_number || is_member || word == "x" || word == "y" || word == "z" || word == "T") continue;
        if (!f(word)) return false;
    }
    return true;
}

constexpr std::string_view prelude_head = R"text(#if defined(__clang__)
#define SINTER_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SINTER_INDEPENDENT _Pragma("GCC ivdep")
#endif
// A product that is rounded before it is added: the vectoriser of g++ would contract neighbouring sums and differences.
#if __has_builtin(__builtin_assoc_barrier)
#define SINTER_ROUNDED(x) __builtin_assoc_barrier(x)
#else
#define SINTER_ROUNDED(x) (x)
#endif
#define __device__ inline __attribute__((always_inline))
// g++ 12 widens 32 bytes at a time by 27 shuffles for four vectors; one instruction widens 8. clang++ does that itself.
#if defined(__AVX2__) && !defined(__clang__)
#define SINTER_WIDENS 1
#endif
#define alignas(bytes)
#define memcpy __builtin_memcpy

namespace {

using int8 = signed char;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;

__device__ float __uint_as_float(const unsigned bits) { return __builtin_bit_cast(float, bits); }
__device__ float __int_as_float(const int bits) { return __builtin_bit_cast(float, bits); }
__device__ double __longlong_as_double(const long long bits) { return __builtin_bit_cast(double, bits); }
__device__ unsigned __float_as_uint(const float x) { return __builtin_bit_cast(unsigned, x); }
__device__ float bfloat16_value(const unsigned short bits) { return __uint_as_float(unsigned(bits) << 16); }
__device__ double frexp(const double x, int* exponent) { return __builtin_frexp(x, exponent); }
#if SINTER_WIDENS
typedef char bytes_of_vector __attribute__((vector_size(16)));
typedef long long words_of_vector __attribute__((vector_size(16)));
template <int Count, class From>
__device__ void widen_strip(short (&to)[Count], const From* from) {
    for (int i = 0; i < Count; i += 16) {
        bytes_of_vector narrow;
        memcpy(&narrow, from + i, 16);
        const auto wide = From(-1) < From(0) ? __builtin_ia32_pmovsxbw256(narrow) : __builtin_ia32_pmovzxbw256(narrow);
        memcpy(to + i, &wide, 32);
    }
}
template <int Count, class From>
__device__ void widen_strip(int (&to)[Count], const From* from) {
    for (int i = 0; i < Count; i += 8) {
        long long word;
        memcpy(&word, from + i, 8);
        const auto narrow = (bytes_of_vector)words_of_vector{word, 0};
        const auto wide = From(-1) < From(0) ? __builtin_ia32_pmovsxbd256(narrow) : __builtin_ia32_pmovzxbd256(narrow);
        memcpy(to + i, &wide, 32);
    }
}
#endif
)text";

std::string make_prelude() {
    std::string all(prelude_head);
    const auto add = [&all](const char* function, int operands) {
        const std::string_view names[] = {"x", "y", "z"};
        for (const auto& [type, suffix] : {std::pair("float", "f"), std::pair("double", "")}) {
            std::vector<std::string> parameters, arguments;
            for (int i = 0; i < operands; ++i) {
                parameters.push_back(fmt::format("const {} {}", type, names[i]));
                arguments.emplace_back(names[i]);
            }
            all += fmt::format("__device__ {0} {1}({2}) {{ return __builtin_{1}{3}({4}); }}\n", type, function,
                               fmt::join(parameters, ", "), suffix, fmt::join(arguments, ", "));
        }
    };
#define SINTER_EXACT_1(function) add(#function, 1);
#define SINTER_EXACT_2(function) add(#function, 2);
#define SINTER_EXACT_3(function) add(#function, 3);
#include <sinter/op/exact.def>
    return all + '\n';
}

}  // namespace

bool is_inline(dtype type) { return !is_moments(type); }

bool is_inline(const op_row& row, dtype type) {
    if (!is_inline(type) || row.rule == dtype_rule::chosen || row.rule == dtype_rule::moment) return false;
    // A user's floating row must round as its own loops do, whose compiler flags are unknown here.
    if (row.builtin < 0 && (row.builtin == text_row || !is_exact(type))) return false;
    // The vectoriser of g++ contracts products of complex numbers under any flags (vfmaddsub).
    if (is_complex(type) && std::string_view(row.body).find_first_of("*/") != std::string_view::npos) return false;
    static constexpr std::string_view types[] = {"int", "long", "unsigned", "float", "double", "true", "false"};
    return all_identifiers(row.body, [type](std::string_view word) {
        if (std::find(std::begin(types), std::end(types), word) != std::end(types)) return true;
        return !is_complex(type) && (is_exact_function(word) || is_arithmetic_piece(word));
    });
}

std::string value_type(dtype type) { return is_float8(type) ? "uint8" : is_half(type) ? "uint16" : type_name(type); }
std::string memory_type(dtype type) { return type == dtype::bool_ ? "unsigned char" : value_type(type); }

std::string function_name_of(const inline_op& op) {
    const std::string own = op.row->builtin < 0 ? fmt::format("_{:08x}", hash_of(op.row->body)) : std::string();
    return fmt::format("{}_{}{}", op.row->name, name(op.type), own);
}

std::string function_text_of(const inline_op& op) {
    const auto& [row, type] = op;
    const std::string t = value_type(type), result = value_type(result_of(row->rule, type));
    const std::string first = row->rule == dtype_rule::select ? "bool" : t;
    const char* const names[] = {"x", "y", "z"};
    std::vector<std::string> parameters;
    for (int i = 0; i < row->arity; ++i) parameters.push_back(fmt::format("const {} {}", i == 0 ? first : t, names[i]));
    const bool is_product = is_floating(type) && std::string_view(row->body).find('*') != std::string_view::npos;
    return fmt::format("__device__ {} {}({}) {{\n    using T = {};\n    return static_cast<{}>({}({}));\n}}\n", result,
                       function_name_of(op), fmt::join(parameters, ", "), t, result, is_product ? "SINTER_ROUNDED" : "",
                       row->body);
}

bool converts_inline(dtype to, dtype from) {
    // rounding to float8 or float16 takes 14 operations and widening float16 takes 10; for float16 most processors have
    // instructions, which the library's loops use
    return is_inline(to) && is_inline(from) && to != dtype::float16 && from != dtype::float16 && !is_float8(to);
}

std::string conversion_text(dtype to, dtype from, const std::string& x) {
    if (to == from) return x;
    const std::string type = value_type(to);
    if (is_storage_only(from)) return conversion_text(to, dtype::float32, fmt::format("{}_value({})", name(from), x));
    if (to == dtype::bool_) return fmt::format("({} != {}(0))", x, value_type(from));
    if (is_complex(from) && !is_complex(to)) return conversion_text(to, real_of(from), fmt::format("({}).re", x));
    if (is_complex(to) && !is_complex(from))
        return fmt::format("{}(static_cast<{}>({}))", type, value_type(real_of(to)), x);
    if (is_storage_only(to))
        return fmt::format(
            "{}_bits({})", name(to),
            from == dtype::float64 ? fmt::format("rounded_to_odd({})", x) : conversion_text(dtype::float32, from, x));
    if (is_floating(from) && is_integer(to))
        return fmt::format("{}<{}>({})", size_of(to) < sizeof(int) ? "narrow_integer" : "whole_number", type, x);
    return fmt::format("static_cast<{}>({})", type, x);
}

const std::string& inline_prelude() {
    static constinit std::atomic<const std::string*> text{nullptr};
    return created_once(text, [] { return new std::string(make_prelude()); });
}

std::string translation_unit(const std::set<inline_op>& ops, const std::string& functions) {
    std::string bodies, aliases;
    for (const inline_op& op : ops) bodies += function_text_of(op);
    for (const dtype d : {dtype::complex64, dtype::complex128})
        if ((bodies + functions).find(value_type(d)) != std::string::npos)
            aliases += fmt::format("{}\n", type_alias(d));
    // Types for storage are represented as bits, so mention a name of theirs to include their snippets.
    const bool narrow =
        functions.find("float16_") != std::string::npos || functions.find("float8_") != std::string::npos;
    const std::string used = host_snippets(aliases + bodies + functions + (narrow ? " float16 bfloat16" : ""));
    return inline_prelude() + used + aliases + bodies + "}  // namespace\n" + functions;
}

}  // namespace sinter::codegen::blocked
