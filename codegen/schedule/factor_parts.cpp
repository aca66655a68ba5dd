// Finding float32 factors.
#include <codegen/schedule/factor_parts.hpp>

#include <codegen/ir/value_at.hpp>

namespace sinter::codegen {
namespace {

/// Whether a float32 number of a loop is one of these halves.
bool is_half_number(const loop_nest& k, int v, dtype type) {
    const int half = half_of(k, v, value_at(k, v).loop);
    return half >= 0 && value_at(k, half).type == type;
}

}  // namespace

int split_factor(const loop_nest& k, int side, int loop) {
    if (value_at(k, side).loop != loop || value_at(k, side).type != dtype::float32) return -1;
    return is_half_number(k, side, dtype::bfloat16) ? value_at(k, side).in[0] : side;
}

std::optional<tensor_factors> split_factors_in(const loop_nest& k, int loop) {
    if (std::optional<tensor_factors> halves = tensor_factors_in(k, loop)) return halves;
    std::optional<tensor_factors> f = summed_product_in(k, loop);
    if (!f || k.product == ir::product::tf32) return std::nullopt;
    f->rows = split_factor(k, f->rows, loop);
    f->columns = split_factor(k, f->columns, loop);
    return f->rows < 0 || f->columns < 0 ? std::nullopt : f;
}

std::optional<tensor_factors> split_factors_of(const loop_nest& k) {
    return has_one_loop(k) ? split_factors_in(k) : std::nullopt;
}

int parts_of(const loop_nest& k, int factor) {
    if (value_at(k, factor).type != dtype::float32) return 1;
    return is_half_number(k, factor, dtype::float16) ? 2 : max_parts;
}

dtype type_of_parts(const loop_nest& k, int factor) {
    const dtype type = value_at(k, factor).type;
    return type == dtype::float32 ? dtype::bfloat16 : type;
}

}  // namespace sinter::codegen
