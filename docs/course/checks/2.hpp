// Checks of chapter 2's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

/// An operand that counts its objects: a description that refers to one instead of owning it leaves none.
struct counted : expression {
    static inline int alive = 0;

    counted() { ++alive; }
    counted(const counted&) { ++alive; }
    ~counted() { --alive; }
    std::size_t size() const { return 3; }
    float operator[](std::size_t) const { return 1; }
};

inline void check_ownership(checking& c) {
    {
        const auto e = -counted();
        c.check("1  the description owns its operand", counted::alive >= 1 && e.size() == 3 && e[0] == -1);
    }
    const auto e = 2.f * counted();
    c.check("2  the description owns its operand", counted::alive >= 1 && e.size() == 3 && e[0] == 2);
}

inline int check_answers() {
    checking c;
    const vec a(std::vector<float>{1, 2, 3}), b(std::vector<float>{10, 20, 30});
    vec::made = 0;
    const vec negated = a * -b + -(a + b);
    c.check("1  negation", negated.size() == 3 && negated[0] == -21 && negated[2] == -123 && vec::made == 1);
    vec::made = 0;
    const vec scaled = 2.f * a + 0.5f * (a * b);
    c.check("2  scalars", scaled.size() == 3 && scaled[0] == 7 && scaled[2] == 51 && vec::made == 1);
    vec::made = 0;
    c.check("3  a sum", sum(a * b) == 140 && sum(a) == 6 && vec::made == 0);
    check_ownership(c);
    return c.status();
}
