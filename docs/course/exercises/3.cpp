// The exercises of chapter 3: put your answers in the place of what the functions return.
#include <docs/course/exercises/3.hpp>

// 1. Subtraction.
template <class L, class R>
constexpr expr<binary<plus, L, R>> operator-(expr<L>, expr<R>) {
    return {};
}

// 2. array_of_leaf[i] is the number of leaf i's array: a leaf that repeats an array becomes the first leaf that has it.
program alias(const program& p, const std::vector<int>&) { return p; }

// 3. The same program without duplicates.
program cse(const program& p) { return p; }

// The checks; they tell the answers.
#include <docs/course/checks/3.hpp>

int main() { return check_answers(); }
