// The exercises of chapter 4, solved.
#include <docs/course/exercises/4.hpp>

// 1. The last three steps of the butterfly: they exchange bits 2, 1 and 0 of the lane's number, so never across a row.
warp sums_of_eight(warp value) {
    for (int offset = 4; offset > 0; offset /= 2) {
        const warp other = shuffle_xor(value, offset);
        for (int lane = 0; lane < 32; ++lane) value[lane] += other[lane];
    }
    return value;
}

// 2. In a butterfly two lanes fold the same pair, one as (a, b), the other as (b, a). If they came to different
// results, the lanes would disagree in the end.
candidate better(candidate a, candidate b) {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
}

// 3. Blocks of 1024, rounded up, dealt to the parts, rounded up.
long share(long n, long parts) { return ((n + 1023) / 1024 + parts - 1) / parts * 1024; }

// 4. Before any exchange. Where n is no multiple of what a warp takes, shuffles would read lanes that have returned.
// Where a whole warp has, its place in shared memory holds whatever was there before, and the others add it up.

#include <docs/course/checks/4.hpp>

int main() { return check_answers(); }
