// Types of chapter 5's exercises.
#pragma once

#include <sinter.hpp>

#include <cmath>
#include <limits>

struct seen {
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0;
};

struct prediction {
    int a, b, c, d;
};
