// Finding float32 factors.
#include <codegen/schedule/factor_parts.hpp>

#include <codegen/ir/is_op.hpp>

namespace sinter::codegen {
namespace {

const value& value_of(const loop_nest& k, int v) { return k.values[static_cast<std::size_t>(v)]; }

/// What a float32 number of a loop is a conversion of; -1 where it is none.
int converted_from(const loop_nest& k, int v, dtype type) {
    const value& self = value_of(k, v);
    if (self.what != value_kind::cast || self.type != dtype::float32) return -1;
    const value& from = value_of(k, self.in[0]);
    return from.type == type && from.loop == self.loop ? self.in[0] : -1;
}

}  // namespace

int split_factor(const loop_nest& k, int side, int loop) {
    if (value_of(k, side).loop != loop || value_of(k, side).type != dtype::float32) return -1;
    const int half = converted_from(k, side, dtype::bfloat16);
    return half >= 0 ? half : side;
}

std::optional<tensor_factors> split_factors_in(const loop_nest& k, int loop) {
    if (std::optional<tensor_factors> halves = tensor_factors_in(k, loop)) return halves;
    const std::vector<int>& reductions = k.loops[static_cast<std::size_t>(loop)].reductions;
    if (reductions.size() != 1 || k.product == ir::product::tf32) return std::nullopt;
    const value& sum = value_of(k, reductions[0]);
    if (!is_op(sum, builtin_op::sum) || sum.type != dtype::float32) return std::nullopt;
    const value& product = value_of(k, sum.in[0]);
    if (product.what != value_kind::elementwise || !is_op(product, builtin_op::multiply)) return std::nullopt;
    if (product.type != dtype::float32) return std::nullopt;
    const tensor_factors f{reductions[0], split_factor(k, product.in[0], loop), split_factor(k, product.in[1], loop)};
    return f.rows < 0 || f.columns < 0 ? std::nullopt : std::optional(f);
}

std::optional<tensor_factors> split_factors_of(const loop_nest& k) {
    if (k.nest_axis >= 0 || k.loops.size() != 1 || folds_groups(k)) return std::nullopt;
    return split_factors_in(k);
}

int parts_of(const loop_nest& k, int factor) {
    if (value_of(k, factor).type != dtype::float32) return 1;
    return converted_from(k, factor, dtype::float16) >= 0 ? 2 : max_parts;
}

dtype type_of_parts(const loop_nest& k, int factor) {
    const dtype type = value_of(k, factor).type;
    return type == dtype::float32 ? dtype::bfloat16 : type;
}

}  // namespace sinter::codegen
