// What a kernel computes and moves whatever its schedule: worked out once, before schedules are ranked.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <vector>

namespace sinter::codegen {

/// Instructions of one element. Functions are those of the C library.
struct op_work {
    double plain = 0, functions = 0, divisions = 0;
    double doubles = 0;  ///< of all of them those of float64
};

/// A loop, or what an elementwise kernel does for each element.
struct loop_work {
    struct access {
        double bytes = 0;  ///< of an element
        int layout = -1;
        bool gathers = false;
        int value = -1;  ///< of a load
    };
    std::vector<access> loads, stores;
    op_work ops;
    op_work repeated;  ///< of these, what a register_cached schedule has of earlier loops
    double trips = 1;
    int axis = -1;  ///< the last one that it goes along
    int reductions = 0;
};

struct kernel_work {
    std::vector<loop_work> loops;  ///< one for a kernel without loops
    double groups = 1;
    int across = -1;         ///< the last outer axis
    double neighbours = 1;   ///< its extent
    double bytes = 0;        ///< each array's elements once
    double bytes_again = 0;  ///< those that later loops load again
    double accumulated = 0;  ///< bytes of all reductions
    double kept = 0;         ///< bytes of an element that a register_cached schedule keeps
    double first_input_bytes = 4;
};

kernel_work work_of(const loop_nest& k);

}  // namespace sinter::codegen
