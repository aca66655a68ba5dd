// Device functions that printed expressions and statements call; only those that a kernel uses are written.
#pragma once

#include <codegen/cuda/expressions.hpp>
#include <codegen/cuda/writer.hpp>

#include <set>

namespace sinter::codegen::cuda_source {

/// Address arithmetic and single accesses.
void write_address_functions(writer& w, const std::set<library_function>& used, bool wide_index);

/// Synchronisation and exchange of results between blocks.
void write_block_functions(writer& w, const std::set<library_function>& used);

/// Matrix multiply-accumulate and asynchronous copies, for compute capability 8.0 and newer.
void write_matrix_functions(writer& w, const std::set<library_function>& used);

/// Phase barriers and copies of boxes of arrays with so many axes, for compute capability 9.0 and newer.
void write_pipeline_functions(writer& w, const std::set<library_function>& used, const std::set<int>& box_axes);

/// Products of warpgroups, for compute capability 9.0 only.
void write_warpgroup_functions(writer& w, const std::set<library_function>& used,
                               const std::set<warpgroup_product>& products);

}  // namespace sinter::codegen::cuda_source
