// The pass pipeline, from a bound program to kernels without schedules.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/transforms/cut.hpp>
#include <sinter/expr.hpp>
#include <sinter/fusion.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Strides of the destinations of the program's results; null: row-major.
using result_strides = std::array<const std::int64_t*, ir::max_roots>;

/// Whether a library of the device supports a kernel that is a product and computes it faster.
using library_choice = std::function<bool(const loop_nest&)>;

/// Predicted seconds of a kernel; decides whether a product is fused with its reader or with the computation of its
/// operands. Infinite for a product of which no kernel is known.
using kernel_cost = std::function<double(const loop_nest&)>;

/// Which products are fused with the computation of their operands: by default, where that is faster for the product by
/// itself. The other choice may be faster for the kernel that the product becomes a part of.
struct operand_joins {
    std::uint32_t changed = 0;  ///< bit i: the i-th choice is not the default
    int choices = 0;            ///< how many choices there are; set by make_kernels
};

/// Runs the passes on the whole program and cuts it. Appends the graph after each pass to `trace`, if given. `cost` as
/// in choose_cut.
kernel_cut cut_program(const ir::program& program, const detail::arguments_view& arguments,
                       std::string* trace = nullptr, const result_strides& strides = {}, fusion mode = fusion::on,
                       const cut_cost& cost = {});

/// Another cut of a program, that of the first given: it stores what factors of products are computed beside, so that
/// kernels can compute factors again (transforms/store_statistics.cpp). Nothing where there is none.
std::optional<kernel_cut> cut_with_statistics(const kernel_cut& cut);

class kernel_memo;

/// The kernels of the graphs (see partition) of a program with `leaves` leaves. Kernels that are still products are
/// computed by the library. `made`: those that other cuts of the program have had.
std::vector<loop_nest> make_kernels(std::vector<graph> parts, int leaves, std::string* trace = nullptr,
                                    fusion mode = fusion::on, const library_choice& library_takes = {},
                                    const kernel_cost& seconds = {}, operand_joins* joins = nullptr,
                                    kernel_memo* made = nullptr);

/// The kernels of a program, for no particular device.
std::vector<loop_nest> make_kernels(const ir::program& program, const detail::arguments_view& arguments,
                                    std::string* trace = nullptr);

}  // namespace sinter::codegen
