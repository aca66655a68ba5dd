// Starting point of chapter 7's exercises: the chapter's program.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/7_tiling.cpp>
#undef main
