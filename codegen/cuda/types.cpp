// Names of types.
#include <codegen/cuda/types.hpp>

#include <codegen/cuda/literal.hpp>

#include <algorithm>

namespace sinter::codegen::cuda_source {

std::string types::name(dtype type) {
    if (*type_alias(type) != '\0') aliases_.insert(type);
    return type_name(type);
}

std::string types::index_name(dtype type) {
    return type == dtype::uint32 ? "unsigned" : type == dtype::uint8 ? "unsigned char" : name(type);
}

std::string types::vector_name(dtype type, int count) {
    vectors_.insert({type, count});
    return fmt::format("{}_x{}", name(type), count);
}

std::string types::words_name(dtype type, int count) {
    words_.insert({type, count});
    return fmt::format("{}_words_x{}", name(type), count);
}

std::string types::declarations() {
    writer w;
    for (dtype type : aliases_) w.line("{}", type_alias(type));
    if (!aliases_.empty()) w.blank();
    if (!vectors_.empty()) {
        w.comment("A vector of neighbouring elements, moved by one access.");
        for (const auto& [type, count] : vectors_) {
            const std::size_t bytes = size_of(type) * static_cast<std::size_t>(count);
            w.line("struct alignas({}) {}_x{} {{ {} at[{}]; }};", std::min<std::size_t>(bytes, 16), type_name(type),
                   count, type_name(type), count);
        }
        w.blank();
    }
    declare_words(w);
    return w.take();
}

// As elements, those of a load under a condition would be unpacked into a register each before the next load is issued.
void types::declare_words(writer& w) const {
    if (words_.empty()) return;
    w.comment("Neighbours that one access loads, in words until they are used.");
    for (const auto& [type, count] : words_) {
        const int bytes = static_cast<int>(size_of(type)), each = 4 / bytes;
        // a float's bits are its representation, not a number to convert
        const bool as_bits = !is_integer(type) && type != dtype::bool_;
        const std::string name(type_name(type)), part = bytes == 1 ? "unsigned char" : "unsigned short";
        const std::string begin = as_bits ? "__builtin_bit_cast(" + name + ", " : "(" + name + ")";
        const char* const end = as_bits ? ")" : "";
        w.line("struct alignas({}) {}_words_x{} {{", std::min(count * bytes, 16), name, count);
        w.line("    unsigned int word[{}];", count / each);
        w.line("    __device__ {0} get(const int i) const {{ return {1}({2})(word[i / {3}] >> i % {3} * {4}){5}; }}",
               name, begin, part, each, 8 * bytes, end);
        if (sets_.count({type, count}) != 0) declare_set(w, type, as_bits);
        w.line("}};");
    }
    w.blank();
}

void types::declare_set(writer& w, dtype type, bool as_bits) {
    const int bytes = static_cast<int>(size_of(type)), each = 4 / bytes;
    const char* const part = bytes == 1 ? "unsigned char" : "unsigned short";
    w.line("    __device__ void set(const int i, const {} x) {{", type_name(type));
    w.line("        const int by = i % {} * {};", each, 8 * bytes);
    w.line("        const unsigned int bits = {};",
           as_bits ? fmt::format("__builtin_bit_cast({}, x)", part) : fmt::format("({})x", part));
    w.line("        word[i / {0}] = (word[i / {0}] & ~({1}u << by)) | bits << by;", each,
           bytes == 1 ? "0xff" : "0xffff");
    w.line("    }}");
}

}  // namespace sinter::codegen::cuda_source
