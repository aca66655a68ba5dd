// Device functions of a program as CUDA C++.
#pragma once

#include <codegen/cuda/statements.hpp>

#include <string>

namespace sinter::codegen::cuda_source {

/// "const float x", "float& sum", "const float* table": a parameter of a function.
std::string declared(const device_ir::program& p, expressions& x, const device_ir::function_parameter& f);
/// "float x"
std::string declared(expressions& x, const device_ir::variable& v);

void write_function(const device_ir::program& p, expressions& x, const device_ir::function& f, writer& w);

}  // namespace sinter::codegen::cuda_source
