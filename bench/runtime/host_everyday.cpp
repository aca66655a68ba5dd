// Host times of everyday expressions: one line per expression with the minimum CPU time of its evaluations and that of
// the first one, in milliseconds. host_everyday.py times the same in NumPy or JAX. Arguments: the extent of both axes,
// and part of a name.
#include "host_everyday.hpp"

#include <cstdlib>

namespace everyday {
namespace {

void elementwise(const operands& o) {
    CASE(chain_f64, sqrt(o.x * o.x + o.y * o.y) * 2.0 - o.x / (o.y + 1.0));
    CASE(long_chain_f64,
         ((((((o.x * 0.1 + o.y) * o.x + 0.2) * o.x - o.y) * o.x + 0.3) * o.x + o.y) * o.x - 0.4) * o.x + o.y);
    CASE(chain_f32, sqrt(o.f * o.f + o.g * o.g) * 2.f - o.f / (o.g + 1.f));
    CASE(exp_f32, exp(o.f) + log(o.g + 1.f));
    CASE(exp_f64, exp(o.x) + log(o.y + 1.0));
    CASE(blend_u8, astype<std::uint8_t>((astype<std::int32_t>(o.u) * 77 + astype<std::int32_t>(o.w) * 179) >> 8));
    CASE(add_u8, o.u + o.w);
    CASE(logic_bool, (o.b && !(o.f < 0.25f)) || o.g > 0.9f);
}

void moves(const operands& o) {
    CASE(roll0_f64, roll(o.x, 1, axis=0));
    CASE(roll1_f64, roll(o.x, 1, axis=1));
    CASE(roll_flat_f64, roll(o.v, 7, axis=0));
    CASE(laplace_roll_f64, roll(o.x, 1, axis=0) + roll(o.x, -1, axis=0) + roll(o.x, 1, axis=1) +
                               roll(o.x, -1, axis=1) - 4.0 * o.x);
    CASE(life_u8, astype<std::uint8_t>((roll(o.live, 1, axis=0) + roll(o.live, -1, axis=0) +
                                        roll(o.live, 1, axis=1) + roll(o.live, -1, axis=1)) == std::uint8_t(3)));
    CASE(pad_f64, pad(o.x, {{1, 1}, {1, 1}}));
    CASE(pad_f32, pad(o.f, {{3, 3}, {3, 3}}));
    CASE(concat0_f64, concat(o.x, o.y, axis=0));
    CASE(concat1_f64, concat(o.x, o.y, axis=1));
    CASE(stack_last_f32, stack(o.f, o.g, axis=-1));
    CASE(flip_f64, flip(o.x, axis=1));
    CASE(repeat0_f64, repeat(o.x, 2, axis=0));
    CASE(repeat1_f64, repeat(o.x, 2, axis=1));
    CASE(upsample_f32, repeat(repeat(o.f, 2, axis=0), 2, axis=1));
    CASE(tile_f64, tile(o.x, {2, 2}));
    CASE(take_rows_f64, take(o.x, o.rows, axis=0));
    CASE(take_columns_f64, take(o.x, o.rows, axis=1));
    CASE(take_flat_f64, take(o.v, o.places, axis=0));
    CASE(where_mask_f64, where(o.b, o.x, o.y));
    CASE(where_column_f64, where(o.column_mask, o.x, 0.0));
    CASE(triangle_f64, where(arange(o.n)(all, newaxis) >= arange(o.n), o.x, 0.0));
}

void stencils_and_transposes(const operands& o) {
    CASE(blur3_f64, (o.x(range(0, o.n - 2), all) + o.x(range(1, o.n - 1), all) + o.x(range(2, o.n), all)) / 3.0);
    CASE(box9_f32, o.f(range(0, o.n - 2), range(0, o.n - 2)) + o.f(range(0, o.n - 2), range(1, o.n - 1)) +
                       o.f(range(0, o.n - 2), range(2, o.n)) + o.f(range(1, o.n - 1), range(0, o.n - 2)) +
                       o.f(range(1, o.n - 1), range(1, o.n - 1)) + o.f(range(1, o.n - 1), range(2, o.n)) +
                       o.f(range(2, o.n), range(0, o.n - 2)) + o.f(range(2, o.n), range(1, o.n - 1)) +
                       o.f(range(2, o.n), range(2, o.n)));
    CASE(stencil3d_f32, o.volume(range(0, o.c - 2), range(1, o.c - 1), range(1, 99)) +
                            o.volume(range(2, o.c), range(1, o.c - 1), range(1, 99)) +
                            o.volume(range(1, o.c - 1), range(0, o.c - 2), range(1, 99)) +
                            o.volume(range(1, o.c - 1), range(2, o.c), range(1, 99)) +
                            o.volume(range(1, o.c - 1), range(1, o.c - 1), range(0, 98)) +
                            o.volume(range(1, o.c - 1), range(1, o.c - 1), range(2, 100)) -
                            6.f * o.volume(range(1, o.c - 1), range(1, o.c - 1), range(1, 99)));
    CASE(diff_f64, o.x(all, range(1, o.n)) - o.x(all, range(0, o.n - 1)));
    CASE(transpose_f64, transpose(o.x));
    CASE(add_transpose_f64, o.x + transpose(o.y));
    CASE(transpose_u8, transpose(o.u));
}

void reductions_and_scans(const operands& o) {
    CASE(sum_all_f64, sum(o.x));
    CASE(sum_rows_f64, sum(o.x, axis=1));
    CASE(sum_columns_f64, sum(o.x, axis=0));
    CASE(sum_u8, sum(o.u));
    CASE(count_bool, sum(o.b));
    CASE(max_rows_f32, max(o.f, axis=1));
    CASE(sum_roll_f64, sum(o.x * roll(o.x, 1, axis=1)));
    CASE(var_f64, var(o.x, axis=1));
    CASE(softmax_f32, softmax(o.f, axis=1));
    CASE(layer_norm_f32, layer_norm(o.f, axis=1));
    CASE(cumsum_f64, cumsum(o.x, axis=1));
    CASE(cumsum0_f64, cumsum(o.x, axis=0));
}

void conversions_and_channels(const operands& o) {
    CASE(cast_f64_f32, astype<float>(o.x));
    CASE(cast_u8_f32, astype<float>(o.u));
    CASE(dequantise_i8_f32, (astype<float>(o.q) - 3.f) * o.f(all, range(0, 1)));
    CASE(channels_f32, o.image(all, 0, 0) * 0.3f + o.image(all, 1, 0) * 0.6f + o.image(all, 2, 0) * 0.1f);
    CASE(outer_f64, o.line(all, newaxis) * o.line);
    CASE(normalise_columns_f32, (o.f - mean(o.f, axis=0)) / 2.f);
}

}  // namespace
}  // namespace everyday

int main(int argc, char** argv) {
    using namespace everyday;
    if (argc > 2) wanted = argv[2];
    const operands o(argc > 1 ? std::atoll(argv[1]) : 1000);
    elementwise(o);
    moves(o);
    stencils_and_transposes(o);
    reductions_and_scans(o);
    conversions_and_channels(o);
    time_functions(o);
}
