// Starting point of chapter 4's exercises: the chapter's first program, and a pair.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/4_warp.cpp>
#undef main

struct candidate {
    float value;
    int index;
    bool operator==(const candidate&) const = default;
};
