// Names of types.
#include <codegen/cuda/types.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/cuda/writer.hpp>

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

std::string types::declarations() {
    writer w;
    for (dtype type : aliases_) w.line("{}", type_alias(type));
    if (!aliases_.empty()) w.blank();
    if (vectors_.empty()) return w.take();
    w.comment("A vector of neighbouring elements, moved by one access.");
    for (const auto& [type, count] : vectors_) {
        const std::size_t bytes = size_of(type) * static_cast<std::size_t>(count);
        w.line("struct alignas({}) {}_x{} {{ {} at[{}]; }};", std::min<std::size_t>(bytes, 16), type_name(type), count,
               type_name(type), count);
    }
    w.blank();
    return w.take();
}

}  // namespace sinter::codegen::cuda_source
