// The exercises of chapter 5: put your answers in the place of what the functions return.
#include <docs/course/exercises/5.hpp>

using namespace sinter;

// 1. The rows of x less their mean, divided by the root of their variance plus 1e-5.
auto normalised(const array<float, 2>& x) { return x + 0.f; }

// 2. What has been seen when the elements of a and of b have been.
seen merged(seen a, seen) { return a; }

// 3. Launches.
prediction launches_of() { return {.a = 0, .b = 0, .c = 0, .d = 0}; }

// The checks; they tell the answers.
#include <docs/course/checks/5.hpp>

int main() { return check_answers(); }
