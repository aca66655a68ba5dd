// Sums over the split axis: the same bits on any number of members where this is requested, and partial sums where
// only these are.
#include <gmock/gmock.h>
#include <tests/language/on_meshes.hpp>
#include <tests/support/message_of.hpp>

namespace sinter::test {
namespace {

class reproducible : public on_meshes {
protected:
    /// Whether f gives the same bits on meshes of several sizes, and, beside rounding, the values of whole arrays.
    template <class F, int Rank>
    static void expect_same_bits(const array<float, Rank>& x, F f) {
        const auto on_mesh = [&](const mesh& m, int a) {
            const reproducible_scope same_bits;
            return gather(f(scatter(m, x, axis=a)));
        };
        for (int a = 0; a < Rank; ++a) {
            const auto want = to_host(on_mesh(mesh({current_device()}), a));
            std::vector<mesh> all = meshes();
            all.push_back(mesh_of(4));
            for (const mesh& m : all) {
                const auto got = on_mesh(m, a);
                EXPECT_EQ(to_host(got), want) << m.size() << " members, axis " << a;
                expect_same(got, f(x), 1e-3);
            }
        }
    }
    array<float, 2> values(std::int64_t rows, std::int64_t columns) {
        return uniform<float>(random_key(11), {rows, columns}) * 3 - 1;
    }
};

TEST_F(reproducible, sums) {
    const auto x = values(517, 67);
    expect_same_bits(x, [](const auto& e) { return sum(e); });
    expect_same_bits(x, [](const auto& e) { return sum(e * e, axis=0); });
    expect_same_bits(x, [](const auto& e) { return sum(e, axis=1); });
    if (emulated()) return;
    expect_same_bits(x, [](const auto& e) { return softmax(e, axis=0); });
    expect_same_bits(x, [](const auto& e) { return var(e, axis=1); });
    expect_same_bits(x, [](const auto& e) { return e / sqrt(sum(square(e - mean(e)))); });
    expect_same_bits(x, [](const auto& e) { return sum(abs(e(range(1, end), all) - e(range(0, -1), all)), axis=0); });
    expect_same_bits(x, [](const auto& e) { return pack(sum(e), sum(e, axis=0)).template get<0>(); });
    expect_same_bits(values(5, 3), [](const auto& e) { return sum(e * 0.1f); });
    expect_same_bits(values(1, 3), [](const auto& e) { return sum(e * 0.1f, axis=0); });
    const mesh two = mesh_of(2);
    const reproducible_scope same_bits;
    EXPECT_THAT(message_of([&] { static_cast<void>(gather(cumsum(scatter(two, x), axis=0))); }),
                testing::HasSubstr("which a reproducible_scope does not support"));
}

TEST_F(reproducible, sums_are_split_where_only_parts_are_asked_for) {
    const auto x = random<float>(shape<2>(6, 21)), y = random<float>(shape<2>(21, 4));
    for (const mesh& m : meshes()) {
        const auto sx = scatter(m, x, axis=1), sy = scatter(m, y);
        const sharded<float, 2> product = reshard(maximum(matmul(sx, sy) + 1, 0), axis=0);
        EXPECT_EQ(product.axis(), 0);
        expect_same(product, maximum(matmul(x, y) + 1, 0));
        expect_same(reshard(sum(sy(newaxis) * 2, axis=1), axis=1), sum(y(newaxis) * 2, axis=1));
        // what follows wants the whole
        expect_same(reshard(matmul(sx, sy) / sum(matmul(sx, sy)), axis=1), matmul(x, y) / sum(matmul(x, y)));
        expect_same(reshard(softmax(matmul(sx, sy), axis=0), axis=0), softmax(matmul(x, y), axis=0));
        expect_same(reshard(sx + 1, axis=0), x + 1, 0);
        expect_same(reshard(max(sx, axis=1), axis=0), max(x, axis=1), 0);
    }
    if (is_one_of_several_processes()) return;
    const mesh m = mesh_of(3);
    const auto sx = scatter(m, x, axis=1), sy = scatter(m, y);
    const std::int64_t before = m.bytes_sent();
    const sharded<float, 2> product = reshard(matmul(sx, sy), axis=0);
    EXPECT_EQ(m.bytes_sent() - before, 2 * 6 * 4 * 4);  // each gets two thirds of the whole from two others
}

}  // namespace
}  // namespace sinter::test
