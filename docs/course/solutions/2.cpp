// Solutions of the exercises of chapter 2.
#include <docs/course/exercises/2.hpp>

// 1. Like `binary`, with one operand.
template <is_expression E>
struct negative : expression {
    E operand;

    explicit negative(const E& e) : operand(e) {}
    std::size_t size() const { return operand.size(); }
    float operator[](std::size_t i) const { return -operand[i]; }
};

template <is_expression E>
auto operator-(const E& e) {
    return negative<E>(e);
}

// 2. A number is an expression with the same value at each index. It has no size, so it is the right operand, whose
// size `binary` does not use; a library would ask both operands and let a number answer "any".
struct number : expression {
    float value;

    explicit number(float v) : value(v) {}
    float operator[](std::size_t) const { return value; }
};

template <is_expression E>
auto operator*(float s, const E& e) {
    return binary<times, E, number>(e, number(s));
}

// 3. It is not a description because `binary` computes one element at a time: a / sum(a) would recompute the sum for
// every element, n loops instead of one. Something has to inspect the whole expression and decide that the sum is
// computed first: chapter 5.
template <is_expression E>
float sum(const E& e) {
    float total = 0;
    for (std::size_t i = 0; i < e.size(); ++i) total += e[i];
    return total;
}

// 4. Only vec's constructor: its loop becomes four, each over a quarter of i. They share nothing, since an element
// of the result needs no other. The threads of sum would all add to one total: each needs a total of its own, and
// the caller has to wait for all four and add these. Chapter 4 does that on a GPU.

#include <docs/course/checks/2.hpp>

int main() { return check_answers(); }
