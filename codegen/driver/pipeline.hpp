// The transforms in their order, from a bound program to kernels without a schedule.
#pragma once

#include <codegen/ir/kernel.hpp>
#include <codegen/transforms/cut.hpp>
#include <sinter/expr.hpp>
#include <sinter/fusion.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Strides of the arrays that the program's results are written to; row-major where there are none.
using result_strides = std::array<const std::int64_t*, ir::max_roots>;

/// Whether a library of the device computes a kernel that is a product, better than the kernel would.
using library_choice = std::function<bool(const kernel&)>;

/// The cut of a program, up to which passes see all of it. The text after each pass is appended to `trace` if there is
/// one. `cost` as in choose_cut.
kernel_cut cut_program(const ir::program& program, const detail::arguments_view& arguments,
                       std::string* trace = nullptr, const result_strides& strides = {}, fusion mode = fusion::on,
                       const cut_cost& cost = {});

/// The kernels of a cut of a program that has `leaves` leaves. Those that are products in the end are those that the
/// library takes.
std::vector<kernel> make_kernels(kernel_cut cut, int leaves, std::string* trace = nullptr, fusion mode = fusion::on,
                                 const library_choice& library_takes = {});

/// The kernels of a program for no device in particular.
std::vector<kernel> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                 std::string* trace = nullptr);

}  // namespace sinter::codegen
