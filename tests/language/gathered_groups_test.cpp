// Rows, columns and tiles of what is read at computed indices, or against its order: each expression at once equals
// what its parts give when they are stored.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class gathered_groups : public on_devices {};

/// Two loops over each group, without sums, whose order may differ.
template <class T, class E>
void expect_alike(const E& v) {
    const array<T, 2> stored = v;
    const array<T, 2> rows = (v - max(v, axis=1, keepdims)) * (v - min(v, axis=1, keepdims));
    const array<T, 2> columns = (v - max(v, axis=0, keepdims)) * (v - min(v, axis=0, keepdims));
    const array<T, 2> of_rows = (stored - max(stored, axis=1, keepdims)) * (stored - min(stored, axis=1, keepdims));
    const array<T, 2> of_columns =
        (stored - max(stored, axis=0, keepdims)) * (stored - min(stored, axis=0, keepdims));
    EXPECT_EQ(to_host(rows), to_host(of_rows));
    EXPECT_EQ(to_host(columns), to_host(of_columns));
}

template <class T>
array<T, 2> filled(std::int64_t rows, std::int64_t columns, int seed) {
    return astype<T>(to_array<double, 2>(test::random({rows, columns}, static_cast<unsigned>(seed))));
}

TEST_F(gathered_groups, are_read_once) {
    for (const std::int64_t columns : {64, 67, 300}) {
        const auto x = filled<float>(70, columns, 1), y = filled<float>(70, columns, 2);
        array<std::int64_t, 1> rows = (arange<std::int64_t>(90) * 7) % 70;
        expect_alike<float>(take(x, rows, axis=0));
        expect_alike<float>(roll(x, 3, axis=0));
        expect_alike<float>(roll(x, -1, axis=1) + y);
        expect_alike<float>(concat(x, y, axis=0));
        expect_alike<float>(concat(x, y, axis=1) * 2.f);
        expect_alike<float>(flip(x, axis=1) + roll(x, 1, axis=0));
        if (emulated()) break;
    }
}

TEST_F(gathered_groups, of_halves) {
    const auto x = filled<float16>(50, 136, 3), y = filled<float16>(136, 50, 4);
    expect_alike<float>(astype<float>(roll(x, 8, axis=1)));
    expect_alike<float>(astype<float>(concat(x, x, axis=1)));
    expect_alike<float>(astype<float>(x) + astype<float>(transpose(y)));
}

// Only one side of a join is computed at each element.
TEST_F(gathered_groups, parts_of_functions) {
    const auto x = filled<double>(40, 30, 5), y = filled<double>(40, 30, 6);
    expect_alike<double>(concat(exp(tanh(x) / (1 + abs(y))), y, axis=0));
    expect_alike<double>(concat(y, concat(exp(tanh(x)), erf(y), axis=1), axis=1));
    expect_alike<double>(pad(exp(tanh(x)), {{2, 3}, {0, 1}}));
}

TEST_F(gathered_groups, beside_what_lies_across) {
    for (const std::int64_t columns : {300, 301}) {
        const auto x = filled<float>(70, columns, 7), y = filled<float>(columns, 101, 8);
        array<std::int64_t, 1> rows = (arange<std::int64_t>(101) * 11) % 70;
        const array<float, 2> taken = take(x, rows, axis=0), turned = transpose(y);
        const array<float, 2> at_once = take(x, rows, axis=0) * transpose(y), expected = taken * turned;
        EXPECT_EQ(to_host(at_once), to_host(expected));
        const array<float, 2> rolled = roll(taken, 1, axis=1) * transpose(y), stored = roll(taken, 1, axis=1);
        EXPECT_EQ(to_host(rolled), to_host(array<float, 2>(stored * turned)));
    }
}

// Elements that lie apart are read one by one beside wide accesses.
TEST_F(gathered_groups, rows_read_across) {
    for (const std::int64_t columns : {128, 1024}) {
        const auto x = filled<float>(24, columns, 9), y = filled<float>(columns, 24, 10);
        expect_alike<float>(x * transpose(y));
        if (emulated()) break;
    }
}

TEST_F(gathered_groups, neighbours_of_a_scan) {
    const array<float, 1> x = linspace(-1.f, 1.f, 5000);
    const array<float, 1> path = cumsum(x, axis=0);
    const auto at_once = cumsum(x, axis=0);
    EXPECT_EQ(to_host(array<float, 1>(at_once - roll(at_once, -1, axis=0))),
              to_host(array<float, 1>(path - roll(path, -1, axis=0))));
}

}  // namespace
}  // namespace sinter::test
