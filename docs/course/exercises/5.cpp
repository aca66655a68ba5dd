// The exercises of chapter 5: replace the return values by your answers.
#include <docs/course/exercises/5.hpp>

using namespace sinter;

// 1. The rows of x minus their mean, divided by the square root of their variance plus 1e-5.
auto normalised(const array<float, 2>& x) { return x + 0.f; }

// 2. The maximum and the sum for the elements of both a and b.
seen merged(seen a, seen) { return a; }

// 3. The number of launches of each expression.
prediction launches_of() { return {.a = 0, .b = 0, .c = 0, .d = 0}; }

// The checks; they contain the answers.
#include <docs/course/checks/5.hpp>

int main() { return check_answers(); }
