// The functions that printed expressions and statements call, as far as a kernel uses them.
#pragma once

#include <codegen/cuda/expressions.hpp>
#include <codegen/cuda/writer.hpp>

#include <set>

namespace sinter::codegen::cuda_source {

/// Those about addresses and single accesses.
void write_address_functions(writer& w, const std::set<library_function>& used, bool wide_index);

/// Those by which threads of several blocks wait for each other and exchange results.
void write_block_functions(writer& w, const std::set<library_function>& used);

}  // namespace sinter::codegen::cuda_source
