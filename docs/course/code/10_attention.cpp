// Attention as one expression: how many kernels it becomes, what they move, and when it is more than one.
#include <sinter.hpp>

#include <cstdio>
#include <limits>
#include <string>

using namespace sinter;

// [attention]
auto scores_of(const array<float16, 2>& q, const array<float16, 2>& k) {
    return matmul(q, transpose(k)) * 0.125f;  // 1 / sqrt(64)
}

auto attention(const array<float16, 2>& q, const array<float16, 2>& k, const array<float16, 2>& v) {
    return matmul(softmax(scores_of(q, k), axis=1), v);
}
// [attention]

/// Rows of 64 elements.
array<float16, 2> tokens(std::int64_t n) { return array<float16, 2>({n, 64}); }

/// A sequence of n: the bytes of three assignments and of one expression, and the flop per byte of each.
void show_length(std::int64_t n) {
    const auto q = tokens(n), k = tokens(n), v = tokens(n);
    // [assigned]
    const array<float16, 2> scores({n, n}), weights({n, n});  // not filled: explain runs nothing
    const explanation first = explain(scores_of(q, k));
    const explanation second = explain(softmax(scores, axis=1));
    const explanation third = explain(matmul(weights, v));
    const explanation whole = explain(attention(q, k, v));
    // [assigned]
    const double flop = 4.0 * double(n) * double(n) * 64;
    const double three = double(first.bytes_fused + second.bytes_fused + third.bytes_fused);
    const double one = double(whole.bytes_fused);
    std::printf("%6lld %9d %9d %9.1f %9.1f %10.0f %9.0f\n", static_cast<long long>(n),
                first.launches + second.launches + third.launches, whole.launches, three / 1e6, one / 1e6, flop / three,
                flop / one);
}

template <class E>
void show(const char* what, const E& e) {
    const explanation why = explain(e);
    std::printf("%-46s %d launch%s\n", what, why.launches, why.launches == 1 ? "" : "es");
    for (const std::string& reason : why.reasons) std::printf("  %s\n", reason.c_str());
}

int main() {
    std::printf("== lengths\n%25s %18s %20s\n%6s %9s %9s %9s %9s %10s %9s\n", "launches", "MB", "flop per byte", "",
                "assigned", "one", "assigned", "one", "assigned", "one");
    for (const std::int64_t n : {1024, 2048, 4096, 8192}) show_length(n);

    const std::int64_t n = 4096;
    const auto q = tokens(n), k = tokens(n), v = tokens(n);
    // [scores]
    const auto scores = scores_of(q, k);
    const auto key = arange<int>(n);
    const auto query = key(all, newaxis);
    const float masked = -std::numeric_limits<float>::infinity();
    const auto causal = where(key <= query, scores, masked);
    const array<int, 1> document(shape<1>{n});  // the number of each token's document
    const auto packed = where(document(all, newaxis) == document, scores, masked);
    const auto capped = 30 * tanh(scores / 30);
    const auto biased = scores - astype<float16>(abs(query - key)) * 0.1f;
    // [scores]
    std::printf("== scores\n");
    show("plain", attention(q, k, v));
    show("causal", matmul(softmax(causal, axis=1), v));
    show("packed", matmul(softmax(packed, axis=1), v));
    show("capped", matmul(softmax(capped, axis=1), v));
    show("biased", matmul(softmax(biased, axis=1), v));

    // [others]
    const auto shifted = tanh(scores - max(scores, axis=1, keepdims));
    const auto cast = [](const array<float16, 2>& x) { return array<float, 2>({x.shape()[0], x.shape()[1]}); };
    const array<float, 2> a = cast(q), b = cast(k), c = cast(v);
    // [others]
    std::printf("== others\n");
    show("matmul(tanh(scores - max(scores)), v)", matmul(shifted, v));
    show("float32", matmul(softmax(matmul(a, transpose(b)) * 0.125f, axis=1), c));

    std::printf("== kernel\n%s", source(attention(q, k, v)).c_str());
}
