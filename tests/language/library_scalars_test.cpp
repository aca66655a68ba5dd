// Scalars that the library's functions write: equal ones are one scalar, so a function that is written twice is
// computed once. A caller's scalars stay apart.
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class library_scalars : public on_devices {};

int times(const std::string& word, const std::string& text) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
    return count;
}

TEST_F(library_scalars, AFunctionWrittenTwiceIsComputedOnce) {
    const array<float, 1> x = linspace(-2.f, 2.f, 1000);
    EXPECT_EQ(times("= exp(", source(sigmoid(x) * (1.f - sigmoid(x)))), 1);
    EXPECT_EQ(times("= short_erfc(", source(gelu(x) + square(gelu(x)))), 1);
    EXPECT_EQ(times("= exp(", source(silu(x) - relu(silu(x)))), 1);
    EXPECT_EQ(times("= near_quotient<float>(", source(silu(x) - relu(silu(x)))), 1);
    const auto centred = [&] { return x - mean(x, keepdims); };
    EXPECT_EQ(times(" = sum_2 / ", source(centred() * centred())), 1);
}

TEST_F(library_scalars, ACallersScalarsStayApart) {
    const array<float, 1> x = linspace(-2.f, 2.f, 1000);
    EXPECT_EQ(times("= exp(", source(exp(2.f * x) + square(exp(2.f * x)))), 2);
    // the same plan serves other values
    const auto both = [&](float a, float b) { return item(sum(exp(a * x) - exp(b * x))); };
    EXPECT_EQ(both(2.f, 2.f), 0.f);
    EXPECT_GT(both(2.f, 1.f), 0.f);
    EXPECT_LT(both(1.f, 2.f), 0.f);
}

TEST_F(library_scalars, CountsOfDifferentShapesDiffer) {
    const array<double, 2> x = reshape(arange<double>(6), {2, 3});
    const array<double, 2> d = mean(x, axis=0, keepdims) - mean(x, axis=1, keepdims);
    EXPECT_EQ(to_host(d), (std::vector<double>{0.5, 1.5, 2.5, -2.5, -1.5, -0.5}));
    const array<double, 2> square_one = reshape(arange<double>(4), {2, 2});
    const array<double, 2> s = mean(square_one, axis=0, keepdims) - mean(square_one, axis=1, keepdims);
    EXPECT_EQ(to_host(s), (std::vector<double>{0.5, 1.5, -1.5, -0.5}));
}

}  // namespace
}  // namespace sinter::test
