// Starting point of chapter 3's exercises: the chapter's first program.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/3_lower.cpp>
#undef main

#include <vector>
