// The exercises of chapter 3: replace the return values by your answers.
#include <docs/course/exercises/3.hpp>

// 1. Subtraction.
template <class L, class R>
constexpr expr<binary<plus, L, R>> operator-(expr<L>, expr<R>) {
    return {};
}

// 2. array_of_leaf[i] is the number of leaf i's array. Replaces a leaf that repeats an array by the first leaf with it.
program unify_inputs(const program& p, const std::vector<int>&) { return p; }

// 3. The same program without duplicates.
program cse(const program& p) { return p; }

// The checks; they contain the answers.
#include <docs/course/checks/3.hpp>

int main() { return check_answers(); }
