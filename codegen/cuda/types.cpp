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

// As bytes, those of a load under a condition would be unpacked into a register each before the next load is issued.
void types::declare_words(writer& w) const {
    if (words_.empty()) return;
    w.comment("Neighbours of a byte each that one access loads, in words until they are used.");
    for (const auto& [type, count] : words_) {
        // a byte of a float8 is its representation, not a number to convert
        const bool as_bits = is_float8(type);
        const std::string name(type_name(type));
        const std::string begin = as_bits ? "__builtin_bit_cast(" + name + ", " : "(" + name + ")";
        const char* const end = as_bits ? ")" : "";
        w.line("struct alignas({}) {}_words_x{} {{", std::min(count, 16), name, count);
        w.line("    unsigned int word[{}];", count / 4);
        w.line(
            "    __device__ {0} get(const int i) const {{ return {1}(unsigned char)(word[i / 4] >> i % 4 * 8){2}; }}",
            name, begin, end);
        w.line("}};");
    }
    w.blank();
}

}  // namespace sinter::codegen::cuda_source
