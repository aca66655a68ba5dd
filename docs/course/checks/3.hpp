// Checks of chapter 3's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

inline int check_answers() {
    checking c;
    constexpr expr<leaf> x, y, z;

    const program difference = program_for(x * y - z);
    c.check("1  a new operation", difference.count == 5 && kernel_of(difference).find("v2 - v3") != std::string::npos);

    const program square = program_for((x + y) * (x + y));  // leaves 0, 1, 0, 1
    const program aliased = unify_inputs(square, {7, 5, 7, 5});
    c.check("2  one array twice", aliased.count == 7 && aliased.nodes[3].argument == 0 &&
                                      aliased.nodes[4].argument == 1 && aliased.nodes[6].left == 2);
    const program distinct = unify_inputs(square, {1, 2, 3, 4});
    c.check("2  different arrays", distinct.count == 7 && distinct.nodes[1].argument == 1 &&
                                       distinct.nodes[3].argument == 2 && distinct.nodes[4].argument == 3);

    const program small = cse(aliased);
    c.check("3  common subexpressions", small.count == 4 && small.nodes[3].left == 2 && small.nodes[3].right == 2);
    const program two = unify_inputs(program_for((x + y) * (x * y)), {7, 5, 7, 5});
    c.check("3  nothing else is merged",
            cse(square).count == 7 && cse(program_for(x * y - (x + z))).count == 7 && cse(two).count == 5);
    return c.status();
}
