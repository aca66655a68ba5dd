// Solutions of the exercises of chapter 4.
#include <docs/course/exercises/4.hpp>

// 1. The last three steps of the butterfly: they exchange bits 2, 1 and 0 of the lane's number, so never across a row.
warp sums_of_eight(warp value) {
    for (int offset = 4; offset > 0; offset /= 2) {
        const warp other = shuffle_xor(value, offset);
        for (int lane = 0; lane < 32; ++lane) value[lane] += other[lane];
    }
    return value;
}

// 2. In a butterfly two lanes fold the same pair, one as (a, b), the other as (b, a). If their results differed, the
// lanes would disagree in the end.
candidate better(candidate a, candidate b) {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
}

// 3. Chunks of 1024, rounded up, per part, rounded up.
long share(long n, long parts) { return ((n + 1023) / 1024 + parts - 1) / parts * 1024; }

// 4. Before any exchange. If n is not a multiple of the elements per warp, shuffles would read lanes that have
// returned. If a whole warp has returned, its element in shared memory is uninitialised, and the other warps add it.

#include <docs/course/checks/4.hpp>

int main() { return check_answers(); }
