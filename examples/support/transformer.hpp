// A block of a transformer with causal attention, normalised before each part: A. Radford and others, "Language models
// are unsupervised multitask learners", 2019, with the root mean square of B. Zhang and R. Sennrich, "Root mean square
// layer normalization", 2019.
#pragma once

#include <sinter.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace transformer {

using namespace sinter;

// [block]
/// x / sqrt(mean of x²), times a gain for each feature. The mean is computed in the dtype of the statistics.
auto normalised(const auto& x, const auto& gain) {
    return x * rsqrt(mean(square(x), axis=-1, keepdims) + 1e-5F) * gain;
}

/// (batch, position, feature) as (batch, head, position, feature of the head).
auto heads_of(const auto& x, std::int64_t heads) {
    return moveaxis(reshape(x, {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads}), 2, 1);
}

/// Every position attends to itself and to those before it.
auto causal_attention(const auto& q, const auto& k, const auto& v) {
    const std::int64_t n = q.shape()[2], features = q.shape()[3];
    const auto scores = matmul(q, transpose(k, {0, 1, 3, 2})) * (1 / std::sqrt(static_cast<float>(features)));
    const auto before = arange<int>(n)(newaxis, all) <= arange<int>(n)(all, newaxis);
    return matmul(softmax(where(before, scores, -std::numeric_limits<float>::infinity()), axis=-1), v);
}

template <class T>
struct block {
    std::int64_t heads;
    array<T, 1> gain_before_attention, gain_before_mlp;
    array<T, 2> query, key, value, output, up, down;

    auto attention(const auto& x) const {
        const auto mixed = causal_attention(heads_of(matmul(x, query), heads), heads_of(matmul(x, key), heads),
                                            heads_of(matmul(x, value), heads));
        return matmul(reshape(moveaxis(mixed, 1, 2), x.shape()), output);
    }
    auto mlp(const auto& x) const { return matmul(gelu(matmul(x, up)), down); }

    auto operator()(const array<T, 3>& x) const {
        const auto attended =
            x + let(normalised(x, gain_before_attention), [&](const auto& h) { return attention(h); });
        return let(attended, [&](const auto& y) {
            return y + let(normalised(y, gain_before_mlp), [&](const auto& h) { return mlp(h); });
        });
    }
};
// [block]

}  // namespace transformer
