// Arrays as text: character for character NumPy's str() of the same elements.
#include <gmock/gmock.h>
#include <tests/language/on_devices.hpp>

#include <fstream>
#include <sstream>

namespace sinter::test {
namespace {

class print : public on_devices {};

std::string data(const char* name) { return std::string(SINTER_TEST_DIR) + "/data/print/" + name; }

/// The texts that tests/data/make.py wrote: a line "=== name dtype shape", then the text up to the next such line.
std::vector<std::pair<std::string, std::string>> numpys_texts() {
    std::vector<std::pair<std::string, std::string>> texts;
    std::ifstream in(data("texts.txt"));
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("=== "))
            texts.emplace_back(line.substr(4), "");
        else
            texts.back().second += (texts.back().second.empty() ? "" : "\n") + line;
    }
    return texts;
}

TEST_F(print, as_numpy_does) {
    const auto texts = numpys_texts();
    const auto members = inspect_npz(data("arrays.npz"));
    ASSERT_GT(texts.size(), 180u);
    ASSERT_EQ(texts.size(), members.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& [name, info] = members[i];
        ASSERT_TRUE(texts[i].first.starts_with(name + " "));
        const int rank = static_cast<int>(info.shape.size());
        // By the compiled door, as ranks and dtypes are known at run time only.
        EXPECT_EQ(detail::array_text(detail::load_npz(data("arrays.npz"), name, info.type, rank, {})), texts[i].second)
            << texts[i].first;
    }
}

TEST_F(print, arrays_expressions_and_shapes) {
    const array<double, 2> x = {{1, 2.5}, {-3, 1. / 3}};
    const std::string text = "[[ 1.          2.5       ]\n [-3.          0.33333333]]";
    EXPECT_EQ(to_string(x), text);
    std::ostringstream out;
    out << x << '|' << x * 2 + 1 << '|' << sum(x > 0) << '|' << transpose(x)(0) << '|' << x.shape() << shape<0>()
        << array<int, 3>({2, 0, 1}).shape();
    EXPECT_EQ(out.str(),
              text + "|[[ 3.          6.        ]\n [-5.          1.66666667]]|3|[ 1. -3.]|(2, 2)()(2, 0, 1)");
    EXPECT_EQ(to_string(array<float, 1>()), "[]");
    EXPECT_EQ(to_string(shape<1>(7)), "(7,)");
    EXPECT_EQ(to_string(array<double, 2>() * 2), "[]");
}

TEST_F(print, dtypes_single_numbers_and_ranges) {
    std::ostringstream out;
    out << dtype::float64 << ' ' << array<std::int8_t, 1>::dtype() << ' ' << float16(0.1) << ' ' << bfloat16(3.14)
        << ' ' << float16(1e4) << ' ' << -float(float16(0.5)) << ' ' << range(1, -1) << ' ' << range(0, end, 2) << ' '
        << range(-1, end, -1);
    EXPECT_EQ(out.str(), "float64 int8 0.1 3.14 1e+04 -0.5 range(1, -1) range(0, end, 2) range(-1, end, -1)");
}

/// In scientific notation all elements have as many digits, also those whose other digits round to zeros.
TEST_F(print, columns_of_equal_width) {
    EXPECT_EQ(to_string(array<double, 1>{2.5e-20, 4.0000000000000003e-20 + 1e-34}), "[2.5e-20 4.0e-20]");
    using number = std::complex<double>;
    EXPECT_EQ(to_string(array<number, 1>{number(1, 2.4e-5), number(2, 2.0000000000003e-6)}),
              "[1.+2.4e-05j 2.+2.0e-06j]");
}

TEST_F(print, several_arrays_and_devices) {
    const array<double, 1> x = {1.5, -2};
    const array<float, 2> m = {{1, 2}, {3, 4}};
    std::ostringstream out;
    out << modf(x) << '|' << meshgrid(x, x) << '|' << unstack(m) << '|' << std::pair(x, m(1)) << '|' << host();
    EXPECT_EQ(out.str(),
              "[ 0.5 -0. ]\n[ 1. -2.]|[[ 1.5 -2. ]\n [ 1.5 -2. ]]\n[[ 1.5  1.5]\n [-2.  -2. ]]|[1. 2.]\n[3. 4.]|"
              "[ 1.5 -2. ]\n[3. 4.]|host");
    EXPECT_EQ(to_string(split(x, 2)), "[1.5]\n[-2.]");
}

TEST_F(print, a_failed_assertion_shows_the_elements) {
    const array<int, 1> x = {1, 2};
    EXPECT_EQ(testing::PrintToString(x), "[1 2]");
}

TEST_F(print, strided_memory) {
    float values[] = {0, 1, 2, 3, 4, 5};
    const array<float, 2> wrapped = wrap(values, {3, 2}, {1, 3}).to(current_device());
    EXPECT_EQ(to_string(wrapped), "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
}

}  // namespace
}  // namespace sinter::test
