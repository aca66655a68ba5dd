// What the exercises of chapter 2 begin with, the chapter's program, and their checks.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/2_templates.cpp>
#undef main

#include <docs/course/exercises/checking.hpp>

/// A template, so that the answers may be written below: they are looked for where it is used.
template <class V = vec>
int check_answers() {
    checking c;
    const V a(std::vector<float>{1, 2, 3}), b(std::vector<float>{10, 20, 30});
    V::made = 0;
    const V negated = a * -b + -(a + b);
    c.check("1  negation", negated[0] == -21 && negated[2] == -123 && V::made == 1);
    V::made = 0;
    const V scaled = 2.f * a + 0.5f * (a * b);
    c.check("2  scalars", scaled[0] == 7 && scaled[2] == 51 && V::made == 1);
    V::made = 0;
    c.check("3  a sum", sum(a * b) == 140 && sum(a) == 6 && V::made == 0);
    return c.status();
}
