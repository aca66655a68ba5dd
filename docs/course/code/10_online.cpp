// Attention on the host, in three kernels that store the scores and in one that stores none: what both move.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using row = std::vector<float>;
using rows = std::vector<row>;  // near: in registers and shared memory

/// A matrix in memory, which counts the elements that are read and written.
struct matrix {
    matrix(std::size_t height, std::size_t width) : values(height, row(width)) {}
    rows load(std::size_t first, std::size_t count) const {
        moved += long(count * values[0].size());
        return {values.begin() + long(first), values.begin() + long(first + count)};
    }
    void store(std::size_t first, const rows& from) {
        moved += long(from.size() * values[0].size());
        std::copy(from.begin(), from.end(), values.begin() + long(first));
    }
    std::size_t height() const { return values.size(); }

    rows values;
    mutable long moved = 0;
};

/// The scores of one row of q: its products with rows of k.
row scores_of(const row& q, const rows& k) {
    row scores;
    for (const row& key : k) {
        float sum = 0;
        for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * key[d];
        scores.push_back(sum);
    }
    return scores;
}

constexpr std::size_t slice = 64;  // rows of k and v that a block has near at one time

row softmax(const row& x) {
    const float maximum = *std::max_element(x.begin(), x.end());
    row shares;
    float total = 0;
    for (float v : x) total += shares.emplace_back(std::exp(v - maximum));
    for (float& share : shares) share /= total;
    return shares;
}

// [three]
/// Three kernels, whose blocks have `block` rows each: what one stores, the next one loads.
void in_three_kernels(const matrix& q, const matrix& k, const matrix& v, std::size_t block, matrix& stored, matrix& y) {
    for (std::size_t i = 0; i < q.height(); i += block) {  // the scores
        const rows near = q.load(i, block);
        rows scores(block);
        for (std::size_t j = 0; j < k.height(); j += slice) {
            const rows keys = k.load(j, slice);
            for (std::size_t r = 0; r < block; ++r)
                for (float s : scores_of(near[r], keys)) scores[r].push_back(s);
        }
        stored.store(i, scores);
    }
    for (std::size_t i = 0; i < q.height(); i += block) {  // their softmax
        rows near = stored.load(i, block);
        for (row& scores : near) scores = softmax(scores);
        stored.store(i, near);
    }
    for (std::size_t i = 0; i < q.height(); i += block) {  // the rows of v, weighted
        const rows weights = stored.load(i, block);
        rows sums(block, row(v.values[0].size()));
        for (std::size_t j = 0; j < v.height(); j += slice) {
            const rows values = v.load(j, slice);
            for (std::size_t r = 0; r < block; ++r)
                for (std::size_t l = 0; l < slice; ++l)
                    for (std::size_t c = 0; c < values[l].size(); ++c) sums[r][c] += weights[r][j + l] * values[l][c];
        }
        y.store(i, sums);
    }
}
// [three]

// [seen]
/// What is known of a row of the result after some of the keys.
struct seen {
    float maximum = -std::numeric_limits<float>::infinity();  // of the scores
    float total = 0;                                          // of exp(score - maximum)
    row sums;                                                 // of exp(score - maximum) * value, for each column
};

/// Some more keys: their scores, and their rows of v.
void add(seen& s, const row& scores, const rows& values) {
    const float maximum = std::max(s.maximum, *std::max_element(scores.begin(), scores.end()));
    const float factor = std::exp(s.maximum - maximum);  // as if it had been the maximum from the beginning
    s.maximum = maximum;
    s.total *= factor;
    for (float& sum : s.sums) sum *= factor;
    for (std::size_t l = 0; l < scores.size(); ++l) {
        const float weight = std::exp(scores[l] - maximum);
        s.total += weight;
        for (std::size_t c = 0; c < s.sums.size(); ++c) s.sums[c] += weight * values[l][c];
    }
}
// [seen]

// [one]
/// One kernel: a block goes over k and v in slices, and keeps what it has seen for each of its rows.
void in_one_kernel(const matrix& q, const matrix& k, const matrix& v, std::size_t block, matrix& y) {
    for (std::size_t i = 0; i < q.height(); i += block) {
        const rows near = q.load(i, block);
        std::vector<seen> all(block);
        for (seen& s : all) s.sums.resize(v.values[0].size());
        for (std::size_t j = 0; j < k.height(); j += slice) {
            const rows keys = k.load(j, slice), values = v.load(j, slice);
            for (std::size_t r = 0; r < block; ++r) add(all[r], scores_of(near[r], keys), values);
        }
        rows results;
        for (seen& s : all) {
            for (float& sum : s.sums) sum /= s.total;
            results.push_back(s.sums);
        }
        y.store(i, results);
    }
}
// [one]

int main() {
    constexpr std::size_t n = 512, d = 16;
    matrix q(n, d), k(n, d), v(n, d);
    std::mt19937 random(5);
    for (matrix* m : {&q, &k, &v})
        for (row& values : m->values)
            for (float& value : values) value = float(random() % 2000) / 500 - 2;

    bool right = true;
    std::printf("== moved\n%14s %17s %12s\n", "rows per block", "three kernels", "one kernel");
    for (const std::size_t block : {1u, 16u, 64u, 128u}) {
        q.moved = k.moved = v.moved = 0;
        matrix stored(n, n), y(n, d), z(n, d);
        in_three_kernels(q, k, v, block, stored, y);
        const long three = q.moved + k.moved + v.moved + stored.moved + y.moved;
        q.moved = k.moved = v.moved = 0;
        in_one_kernel(q, k, v, block, z);
        std::printf("%14zu %17ld %12ld\n", block, three, q.moved + k.moved + v.moved + z.moved);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < d; ++c) right = right && std::abs(y.values[i][c] - z.values[i][c]) < 1e-5f;
    }
    std::printf("== values\nthree kernels and one: %s\n", right ? "the same" : "DIFFERENT");
    return right ? 0 : 1;
}
