// The sums of float32 weights times float32 y, by parts of both (schedule/factor_parts.hpp). Tensor cores do not round
// a sum but cut it off, so that what thousands of products are added to would drift: those of a slice have sums of
// their own, which are added to the running sums in float32. The same sums tell what is infinite.
#include <codegen/lower/number_parts.hpp>
#include <codegen/lower/online.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

/// The parts of all weights of a slice.
id online_lowering::split_weights(const exponents& e, const scalar& first) {
    const int parts = parts_of(c.k, of.weight);
    const id weights =
        registers("weights", dtype::bfloat16, {row_fragments(), score_fragments(), parts}, fragment_elements, false);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        unrolled("k", score_fragments(), [&](const scalar& k) {
            let_weights(e, i, k, first, [&](const scalar& at, const scalar& weight) {
                assign_parts(c, times(weight, number(weights_are_multiplied_by)), parts, [&](int part) {
                    return c.b.element(weights, {i, k, c.b.integer(part), at});
                });
            });
        });
    });
    return weights;
}

void online_lowering::multiply_split_results(exponents e, const scalar& buffer, const scalar& first) {
    e.totals = registers("totals_of_slice", dtype::float32, {row_fragments(), 2}, 1, true);
    const id weights = split_weights(e, first);
    add_totals(e.totals);
    unrolled("j", result_fragments(), [&](const scalar& j) {
        const auto sums_of = [&](const char* name) {
            return registers(name, dtype::float32, {row_fragments()}, fragment_elements, true);
        };
        const id sums = sums_of("sums_of_slice"), lesser = sums_of("of_lesser_parts");
        unrolled("k", score_fragments(), [&](const scalar& k) {
            ys.read_fragment(buffer, j * fragment_rows, k * fragment_rows, j);
            unrolled("i", row_fragments(), [&](const scalar& i) {
                each_product_of_parts(parts_of(c.k, of.weight), ys.parts(), [&](int a, int b) {
                    c.b.multiply_accumulate(c.b.element(a + b == 0 ? sums : lesser, {i}),
                                            c.b.element(weights, {i, k, c.b.integer(a)}), ys.fragment(j, k, b));
                });
            });
        });
        unrolled("i", row_fragments(), [&](const scalar& i) { add_slice(i, j, sums, lesser); });
    });
}

void online_lowering::add_slice(const scalar& i, const scalar& j, id sums, id lesser) {
    unrolled("e", fragment_elements, [&](const scalar& e) {
        const scalar result = c.b.element(results, {i, j, e});
        const scalar of_slice = with_lesser_parts(c, c.b.element(sums, {i, e}), c.b.element(lesser, {i, e}));
        c.b.assign(result, plus(result, of_slice));
    });
}

void online_lowering::add_totals(id of_slice) {
    each_row([&](const scalar& i, const scalar& h) {
        const scalar total = c.b.element(totals, {i, h});
        c.b.assign(total, c.combine(of.total, total, c.b.element(of_slice, {i, h})));
    });
}

}  // namespace sinter::codegen::lower
