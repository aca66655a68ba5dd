// Checks of chapter 2's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

inline int check_answers() {
    checking c;
    const vec a(std::vector<float>{1, 2, 3}), b(std::vector<float>{10, 20, 30});
    vec::made = 0;
    const vec negated = a * -b + -(a + b);
    c.check("1  negation", negated[0] == -21 && negated[2] == -123 && vec::made == 1);
    vec::made = 0;
    const vec scaled = 2.f * a + 0.5f * (a * b);
    c.check("2  scalars", scaled[0] == 7 && scaled[2] == 51 && vec::made == 1);
    vec::made = 0;
    c.check("3  a sum", sum(a * b) == 140 && sum(a) == 6 && vec::made == 0);
    return c.status();
}
