// Starting point of chapter 8's exercises: the chapter's program, and element types of scans.
#pragma once

#define main main_of_the_chapter
#include <docs/course/code/8_scan.cpp>
#undef main

/// A step of a recurrence: y becomes a y + b.
struct step {
    double a, b;
    bool operator==(const step&) const = default;
};

/// A sum that restarts where `begins` is set.
struct segment {
    bool begins;
    int sum;
    bool operator==(const segment&) const = default;
};
