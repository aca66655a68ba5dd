// The commands of measure.py, read from standard input; each is answered with a line of JSON:
//
//     load SETS PROBLEM    makes the operands, evaluates once; reports launches, schedule and samples
//     explain PROBLEM      reports launches and schedule, for the GPU if there is one, else for an H200
//     time SECONDS         evaluates repeatedly: milliseconds per evaluation
//     drop                 frees what was loaded
#pragma once

#include <bench/corpus/program.hpp>

namespace corpus {

/// Makes the problem that the rest of a `load` command names, with that many sets of operands.
using problem_maker = std::function<problem(const std::string& text, std::size_t sets)>;

/// Prints the device, then answers commands until the input ends.
void answer_commands(const problem_maker& make);

}  // namespace corpus
