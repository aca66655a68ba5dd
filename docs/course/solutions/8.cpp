// Solutions of the exercises of chapter 8.
#include <docs/course/exercises/8.hpp>

// The inclusive sums minus each lane's own value: exact for integers. For floating point, shift the lanes instead.
warp exclusive(warp value) {
    warp sums = inclusive(value);
    for (int lane = 0; lane < 32; ++lane) sums[std::size_t(lane)] -= value[std::size_t(lane)];
    return sums;
}

// second.a (first.a y + first.b) + second.b
step both(step first, step second) { return {second.a * first.a, second.a * first.b + second.b}; }

// If the right part restarts, the left part's sum does not count.
segment joined(segment left, segment right) {
    return {left.begins || right.begins, right.begins ? right.sum : left.sum + right.sum};
}

// 4. The eight blocks that run may all wait for a block that has not started, and cannot start until one of them
// ends: a deadlock. A ticket that is drawn at the start makes it impossible.

#include <docs/course/checks/8.hpp>

int main() { return check_answers(); }
