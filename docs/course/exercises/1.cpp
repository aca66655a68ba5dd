// The exercises of chapter 1: replace the return values by your answers.
#include <cstdint>

// 1. The bytes that a * x + b * y + c * w moves for arrays of n floats, fused and unfused.
std::int64_t bytes_fused([[maybe_unused]] std::int64_t n) { return 0; }
std::int64_t bytes_unfused([[maybe_unused]] std::int64_t n) { return 0; }

// 2. A chain of k operations on n floats, unfused: k launches of 2 us, and 8 k n bytes at 4 TB/s. The n for which the
// launches cost as much as the bytes.
double break_even() { return 0; }

// 3. Flop per byte of the squared distances of m points to m others in d dimensions, and whether an expression with
// that intensity is memory-bound on an H200.
double operations_per_byte([[maybe_unused]] double m, [[maybe_unused]] double d) { return 0; }
bool is_bound_by_memory([[maybe_unused]] double operations) { return false; }

// The checks; they contain the answers.
#include <docs/course/checks/1.hpp>

int main() { return check_answers(); }
