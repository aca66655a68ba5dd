// What the body of an op's row calls and divides: all that the compiler knows of its cost, read from its text once.
#pragma once

#include <string_view>
#include <vector>

namespace sinter::codegen {

struct called_function {
    std::string_view name;
    bool is_of_type = false;  ///< name<T>(...): of include/sinter/number
};

struct op_body {
    std::vector<called_function> calls;  ///< conversions are none
    int divisions = 0;
};

op_body read_op_body(std::string_view text);

}  // namespace sinter::codegen
