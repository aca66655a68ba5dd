// The exercises of chapter 2, solved.
#include <docs/course/exercises/2.hpp>

// 1. As `binary`, with one operand.
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

// 2. A number is an expression that is the same everywhere. It has no size, so it stands on the right, where `binary`
// does not ask for one; a library would ask both operands and let a number answer "any".
struct number : expression {
    float value;

    explicit number(float v) : value(v) {}
    float operator[](std::size_t) const { return value; }
};

template <is_expression E>
auto operator*(float s, const E& e) {
    return binary<times, E, number>(e, number(s));
}

// 3. It is no description because `binary` asks for element after element, and a sum that is computed anew for every
// element of a / sum(a) would make n loops of one. An expression with a sum in it needs somebody who looks at the whole
// of it and decides that the sum is computed first: chapter 5.
template <is_expression E>
float sum(const E& e) {
    float total = 0;
    for (std::size_t i = 0; i < e.size(); ++i) total += e[i];
    return total;
}

#include <docs/course/checks/2.hpp>

int main() { return check_answers(); }
