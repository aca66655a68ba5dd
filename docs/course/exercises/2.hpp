// Starting point of chapter 2's exercises: the chapter's program.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/2_templates.cpp>
#undef main
