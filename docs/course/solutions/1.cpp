// Solutions of the exercises of chapter 1.
#include <cstdint>

// Three operands are read, one result is written: 4 arrays of 4 bytes per element.
std::int64_t bytes_fused(std::int64_t n) { return 4 * 4 * n; }

// Three multiplications read one array and write one; two sums read two and write one: 3 * 2 + 2 * 3 arrays.
std::int64_t bytes_unfused(std::int64_t n) { return 12 * 4 * n; }

// k * 2e-6 = 8 * k * n / 4e12: the length of the chain cancels out.
double break_even() { return 2e-6 * 4e12 / 8; }

// 46.5 for m = 4096 and d = 64: beyond the ridge point, so compute-bound.
double operations_per_byte(double m, double d) {
    const double operations = 3 * m * m * d;
    const double bytes = 4 * (2 * m * d + m * m);
    return operations / bytes;
}

// Up to the operations that the cores do while a byte is read.
bool is_bound_by_memory(double operations_per_byte) { return operations_per_byte < 64.3e12 / 4.65e12; }

#include <docs/course/checks/1.hpp>

int main() { return check_answers(); }
