// What the C++ text of a body calls and computes, as far as costs need it: the text is split into tokens, not parsed.
#pragma once

#include <string_view>
#include <vector>

namespace sinter::codegen {

/// A function that is called by its name.
struct body_call {
    std::string_view name;
    bool of_type = false;  ///< with template arguments
    int times = 1;         ///< by the loops around it
};

/// Of one evaluation. A loop whose header counts between literals is its body so many times; any other is its body
/// once.
struct body_counts {
    std::vector<body_call> calls;  ///< conversions, declarations, keywords, macros and intrinsics call nothing
    int divisions = 0;
    int comparisons = 0;
    int operators = 0;  ///< others, assignments aside; of the statements of a function literal alone
    int written = 0;    ///< likewise, those of an expression, too
    /// Of `operators` those of which `neighbours` consecutive values of the first parameter have the same result:
    /// before the last return they mention it as `x >> n` alone.
    int shared = 0;
    int neighbours = 1;
};

body_counts read_body(std::string_view text);

}  // namespace sinter::codegen
