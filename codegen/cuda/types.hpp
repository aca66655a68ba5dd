// How the types of a device program are called in CUDA C++, and which of these names must be declared.
#pragma once

#include <sinter/dtype.hpp>

#include <set>
#include <string>
#include <utility>

namespace sinter::codegen::cuda_source {

class types {
public:
    /// A name of one word; asks for its declaration where C++ does not have it.
    std::string name(dtype type);
    /// The type of a position, a count or a byte: "unsigned" rather than "uint32".
    std::string index_name(dtype type);
    std::string name(dtype type, bool is_index) { return is_index ? index_name(type) : name(type); }
    /// So many neighbours: "float_x4".
    std::string vector_name(dtype type, int count);

    /// The declarations of all that was asked for.
    std::string declarations();

private:
    std::set<dtype> aliases_;
    std::set<std::pair<dtype, int>> vectors_;
};

}  // namespace sinter::codegen::cuda_source
