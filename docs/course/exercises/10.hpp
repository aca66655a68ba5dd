// Types of chapter 10's exercises.
#pragma once

#include <sinter.hpp>

#include <limits>
#include <vector>

/// What is known of a row of the result after some of the keys.
struct seen {
    float maximum = -std::numeric_limits<float>::infinity();  ///< of the scores
    float total = 0;                                          ///< of exp(score - maximum)
    std::vector<float> sums;                                  ///< of exp(score - maximum) * value, for each column
};

struct choices {
    bool a, b, c, d;
};
