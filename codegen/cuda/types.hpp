// Names of a device program's types in CUDA C++, and the declarations that they need.
#pragma once

#include <codegen/cuda/writer.hpp>
#include <sinter/dtype.hpp>

#include <set>
#include <string>
#include <utility>

namespace sinter::codegen::cuda_source {

class types {
public:
    /// The dtype's name as a single identifier; records that it needs a declaration if C++ lacks it.
    std::string name(dtype type);
    /// The type of a position, a count or a byte: "unsigned" rather than "uint32".
    std::string index_name(dtype type);
    std::string name(dtype type, bool is_index) { return is_index ? index_name(type) : name(type); }
    /// The type of `count` packed neighbours: "float_x4".
    std::string vector_name(dtype type, int count);
    /// The struct of as many neighbours, of one or two bytes each, in words of four bytes.
    std::string words_name(dtype type, int count);
    /// Declares its member that sets a neighbour.
    void use_set(dtype type, int count) { sets_.insert({type, count}); }

    /// The declarations of all names handed out so far that need one.
    std::string declarations();

private:
    void declare_words(writer& w) const;
    static void declare_set(writer& w, dtype type, bool as_bits);

    std::set<dtype> aliases_;
    std::set<std::pair<dtype, int>> vectors_, words_, sets_;
};

}  // namespace sinter::codegen::cuda_source
