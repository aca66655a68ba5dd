// The exercises of chapter 6: put your answers in the place of what the functions return.
#include <sinter.hpp>

#include <vector>

using namespace sinter;

// 1. After how many evaluations a fused kernel has earned the 45.7 ms that it took to compile.
double evaluations(int, double) { return 0; }

// 2. The least time an element for a chain of steps in groups. operations[i] is what a group of i + 1 steps computes
// for an element; a group moves 8 bytes and takes the greater of the times for its bytes and for its operations.
double best_time(const std::vector<double>&, double, double) { return 0; }

// 3. x * exp(row), with one exp for each element of row.
auto product(const array<float, 2>& x, const array<float, 1>& row) { return x + row; }

// The checks; they tell the answers.
#include <docs/course/checks/6.hpp>

int main() { return check_answers(); }
