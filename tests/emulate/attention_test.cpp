// Attention with masks on the emulated device, against sums in double precision. Masks that compare indices exclude
// slices; what they exclude must not be missed, whatever the mask's form, in rows without a score as well.
#include <tests/emulate/on_emulated_device.hpp>
#include <tests/language/naive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace sinter::test {
namespace {

naive rounded(const naive& x) {
    return map([](double v) { return static_cast<double>(static_cast<float>(static_cast<float16>(v))); }, x);
}

class attention : public on_emulated_device {
protected:
    static constexpr std::int64_t batches = 2, rows = 90, steps = 16, columns = 16;

    explicit attention(std::int64_t of = 139) : on_emulated_device(true), keys(of) {}

    /// softmax(scores) * v, where `changed` gives the score of a batch, row and key of the scaled product.
    naive expected(const std::function<double(const index&, double)>& changed) const {
        naive result({batches, rows, columns});
        for (std::int64_t b = 0; b < batches; ++b)
            for (std::int64_t i = 0; i < rows; ++i) row(result, b, i, changed);
        return result;
    }

    template <class Scores>
    void expect(const Scores& scores, const naive& values, const std::string& skips = "skipped") {
        const auto e = matmul(softmax(scores, axis=-1), v);
        EXPECT_EQ(explain(e).launches, 1);
        EXPECT_NE(explain(e).kernels[0].schedule.find(skips), std::string::npos) << explain(e).kernels[0].schedule;
        const array<float16, 3> result = e;
        expect_equal(result, values, 6e-3);
    }

    const std::int64_t keys;
    const naive qs = rounded(random({batches, rows, steps}, 1)), ks = rounded(random({batches, keys, steps}, 2)),
                vs = rounded(random({batches, keys, columns}, 3));
    const array<float16, 3> q = to_array<float16, 3>(qs), k = to_array<float16, 3>(ks), v = to_array<float16, 3>(vs);
    auto scores() const { return matmul(q, permute(k, {0, 2, 1})) * 0.5f; }
    static auto i() { return arange<int>(rows)(all, newaxis); }
    auto j() const { return arange<int>(keys)(newaxis, all); }

    static constexpr float none = -std::numeric_limits<float>::infinity();

private:
    void row(naive& result, std::int64_t b, std::int64_t i,
             const std::function<double(const index&, double)>& changed) const {
        std::vector<double> weights(static_cast<std::size_t>(keys));
        double largest = -infinity, total = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
            double product = 0;
            for (std::int64_t s = 0; s < steps; ++s) product += qs[{b, i, s}] * ks[{b, j, s}];
            weights[static_cast<std::size_t>(j)] = changed({b, i, j}, product / 2);
            largest = std::max(largest, weights[static_cast<std::size_t>(j)]);
        }
        for (double& w : weights) total += w = std::exp(w - largest);
        for (std::int64_t j = 0; j < keys; ++j)
            for (std::int64_t c = 0; c < columns; ++c)
                result[{b, i, c}] += weights[static_cast<std::size_t>(j)] / total * vs[{b, j, c}];
    }
};

using condition = std::function<bool(std::int64_t, std::int64_t)>;

/// What a mask leaves of a score.
std::function<double(const index&, double)> kept_where(const condition& holds, double masked = -infinity) {
    return [=](const index& at, double score) { return holds(at[1], at[2]) ? score : masked; };
}

TEST_F(attention, with_causal_masks_in_any_form) {
    const naive causal = expected(kept_where([](auto row, auto key) { return key <= row; }));
    expect(where(j() <= i(), scores(), none), causal);
    expect(where(i() >= j(), scores(), none), causal);
    expect(where(!(j() > i()), scores(), none), causal);
    expect(where(i() < j(), none, scores()), causal);
    expect(where(j() - i() <= 0, scores(), none), causal);
    expect(scores() + where(j() <= i(), float16(0.f), float16(none)), causal);
    expect(where(j() < i() + 1, where(j() >= 0, scores(), none), none), causal);
}

TEST_F(attention, with_windows) {
    const int width = 37;
    expect(where(abs(i() - j()) < width, scores(), none),
           expected(kept_where([&](auto row, auto key) { return std::abs(row - key) < width; })));
    expect(where(j() <= i() && i() - j() < width, scores(), none),
           expected(kept_where([&](auto row, auto key) { return key <= row && row - key < width; })));
    expect(where(j() <= i() + 5 && j() >= i() - width, scores(), none),
           expected(kept_where([&](auto row, auto key) { return key <= row + 5 && key >= row - width; })));
    expect(where(j() == i(), scores(), none), expected(kept_where([&](auto row, auto key) { return key == row; })));
    expect(where(abs(i() - j()) >= width, scores(), none),
           expected(kept_where([&](auto row, auto key) { return std::abs(row - key) >= width; })));
}

TEST_F(attention, with_alternatives_and_negations) {
    expect(where(j() < 20 || j() <= i() - 50, scores(), none),
           expected(kept_where([](auto row, auto key) { return key < 20 || key <= row - 50; })));
    expect(where(!(j() >= 40 && j() > i()), scores(), none),
           expected(kept_where([](auto row, auto key) { return key < 40 || key <= row; })));
}

TEST_F(attention, with_lengths_for_each_batch) {
    const array<int, 1> lengths = {100, 20};
    expect(where(j() < lengths(all, newaxis, newaxis), scores(), none),
           expected([](const index& at, double score) { return at[2] < (at[0] == 0 ? 100 : 20) ? score : -infinity; }));
    const array<std::int64_t, 1> starts = {70, 120};
    expect(
        where(arange(keys)(newaxis, all) >= starts(all, newaxis, newaxis), scores(), none),
        expected([](const index& at, double score) { return at[2] >= (at[0] == 0 ? 70 : 120) ? score : -infinity; }));
}

TEST_F(attention, with_rows_that_have_no_score) {
    // the softmax of minus infinity alone is NaN, of equal numbers their mean
    const auto past = [](auto row, auto key) { return key <= row - 60; };
    expect(where(j() <= i() - 60, scores(), none), expected(kept_where(past)));
    expect(where(j() <= i() - 60, scores(), -1e9f), expected(kept_where(past, -1e9)));
    expect(where(j() <= i() - 60, scores(), std::numeric_limits<float>::lowest()),
           expected(kept_where(past, std::numeric_limits<float>::lowest())));
}

TEST_F(attention, with_masks_that_are_no_infinity) {
    const auto causal = [](auto row, auto key) { return key <= row; };
    for (const double masked : {-1e9, -1e4, -40.0, -3.0, 0.0, 5.0})
        expect(where(j() <= i(), scores(), static_cast<float>(masked)), expected(kept_where(causal, masked)));
    expect(scores() + where(j() <= i(), float16(0.f), float16(-2.f)),
           expected([&](const index& at, double score) { return score + (causal(at[1], at[2]) ? 0 : -2); }));
}

TEST_F(attention, with_limits_that_wrap_around) {
    // i + limit wraps to negative numbers, as in NumPy: no key is left
    const int limit = std::numeric_limits<int>::max();
    const auto wrapped = [&](auto row, auto key) {
        return key <= static_cast<int>(static_cast<unsigned>(row) + limit);
    };
    expect(where(j() <= i() + limit, scores(), -1e9f), expected(kept_where(wrapped, -1e9)));
}

TEST_F(attention, does_not_read_what_no_row_needs) {
    naive spoilt = vs;
    for (std::int64_t b = 0; b < batches; ++b)
        for (std::int64_t key = 128; key < keys; ++key)
            for (std::int64_t c = 0; c < columns; ++c) spoilt[{b, key, c}] = nan_value;
    const array<float16, 3> w = to_array<float16, 3>(spoilt);
    const array<float16, 3> result = matmul(softmax(where(j() <= i(), scores(), none), axis=-1), w);
    expect_equal(result, expected(kept_where([](auto row, auto key) { return key <= row; })), 6e-3);
}

TEST_F(attention, with_masks_that_say_nothing_of_slices) {
    const array<int, 1> rows_of = astype<int>(arange<int>(rows) / 40), keys_of = astype<int>(arange<int>(keys) / 40);
    expect(where(rows_of(all, newaxis) == keys_of(newaxis, all), scores(), none),
           expected(kept_where([](auto row, auto key) { return row / 40 == key / 40; })), "tensor");
    expect(where(j() % 3 == 0, scores(), none), expected(kept_where([](auto, auto key) { return key % 3 == 0; })),
           "tensor");
}

/// Scores of two keys are computed of arrays' elements that one access loads.
struct attention_of_pairs : attention {
    attention_of_pairs() : attention(138) {}
};

TEST_F(attention_of_pairs, with_arrays_of_biases_and_masks) {
    const naive bias = rounded(random({rows, keys}, 4)), there = random_integers({rows, keys}, 5, 0, 1);
    const auto b = to_array<float16, 2>(bias);
    const auto m = to_array<bool, 2>(there);
    expect(scores() + b, expected([&](const index& at, double score) {
               return score + bias[{at[1], at[2]}];
           }),
           "tensor");
    expect(where(m, scores(), none), expected(kept_where([&](auto row, auto key) {
               return there[{row, key}] != 0;
           })),
           "tensor");
    expect(where(j() <= i(), scores() + b, none), expected([&](const index& at, double score) {
               return at[2] <= at[1] ? score + bias[{at[1], at[2]}] : -infinity;
           }));
}

TEST_F(attention, with_arrays_of_biases_and_masks) {
    const naive bias = rounded(random({rows, keys}, 4)), there = random_integers({batches, 1, keys}, 5, 0, 1);
    const auto b = to_array<float16, 2>(bias);
    const auto m = to_array<bool, 3>(there);
    expect(where(m, scores() + b, none), expected([&](const index& at, double score) {
               return there[{at[0], 0, at[2]}] != 0 ? score + bias[{at[1], at[2]}] : -infinity;
           }),
           "tensor");
}

}  // namespace
}  // namespace sinter::test
