// k-means of points in the plane, line for line as in NumPy; checked against the centres that generated the points.
#include <sinter.hpp>

#include <cstdio>

using namespace sinter;

/// `steps` iterations of Lloyd's algorithm.
// [kmeans]
array<float, 2> k_means(const array<float, 2>& points, int k, int steps) {
    array<float, 2> centres = points(range(0, k));
    for (int step = 0; step < steps; ++step) {
        const array<std::int64_t, 1> nearest =
            argmin(sum(square(points(all, newaxis, all) - centres), axis=2), axis=1);
        const array<float, 2> member = astype<float>(nearest(all, newaxis) == arange(k));
        centres = matmul(transpose(member), points) / sum(member, axis=0)(all, newaxis);
    }
    return centres;
}
// [kmeans]

int main() {
    const array<float, 2> expected = {{0, 0}, {4, 1}, {-1, 5}};
    const std::int64_t n = 3000;
    const array<std::int64_t, 1> of = arange<std::int64_t>(n) % 3;
    const array<float, 2> points = take(expected, of, axis=0) + 0.3f * normal<float>(random_key(7), {n, 2});
    const array<float, 2> centres = k_means(points, 3, 10);
    const float distance = item(max(abs(centres - expected)));
    std::printf("largest distance from the centres that the points are about: %.3f\n", distance);
    return distance < 0.05f ? 0 : 1;
}
