// Sums over the nest axis of what is computed of products of halves for each element of it: in
//
//   sum(half(f(sum(a * b), sum(c * d), ...)) * y)    and    sum(f(sum(a * b), ...))
//
// the inner sums are products along short axes, f is any function of them, of indices and of what is loaded for an
// element, a row or a step, and the outer sum goes along the nest axis. So are the derivatives of attention with
// respect to its operands: f takes scores and their derivatives, which are two products.
#pragma once

#include <codegen/analysis/support.hpp>
#include <codegen/schedule/tensor.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// Such sums. Values of the kernel.
struct nested_products {
    struct result {
        int sum = -1;
        int weight = -1;  ///< the half that is multiplied by y; without y, the float32 that is summed
        int y = -1;       ///< a half of the last loop, or -1
    };
    std::vector<tensor_factors> factors;  ///< of the nested loops; `columns` goes along the nest axis
    std::vector<result> results;
    int row_axis = -1;     ///< outer axis along which the other factors go
    int repeat_axis = -1;  ///< slower axis of the last loop: the nest axis is gone along for each index of it; or -1
    int column_axis = -1;  ///< outer axis of y, or -1

    int last() const { return static_cast<int>(factors.size()); }  ///< the loop along the nest axis
    bool has_columns() const { return column_axis >= 0; }
};

/// Nothing where the kernel is not of this kind.
std::optional<nested_products> nested_products_of(const loop_nest& k);

/// How such a kernel is dealt out, in the members of a schedule of the form `tensor`: `rows` along the row axis and all
/// columns of a block, a warp a multiple of 16 rows of them; `unroll` elements of the nest axis are staged at once, and
/// `depth` steps of each product: those of the longest one.
inline int nested_slice(const schedule& s) { return s.unroll; }

/// Values that take a place in all sums: those that each element of the nest axis and row has.
std::vector<int> element_values(const loop_nest& k, const nested_products& of);

/// Where along the nest axis weights may differ from 0, one set for each sum.
std::vector<support> supports_of_weights(const loop_nest& k, const nested_products& of);

/// The axis along which 8 neighbours of a load are staged, or -1 for loads that are not.
int staged_axis(const loop_nest& k, const nested_products& of, int load);

/// An estimate of the registers of a thread, and the shared memory of a block.
int nested_registers(const nested_products& of, const schedule& s);
std::size_t nested_shared_bytes(const loop_nest& k, const nested_products& of, const schedule& s);

/// The schedules of such a kernel of which schedule_nested takes the cheapest, the first one of equals.
std::vector<schedule> nested_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Nothing where the kernel is not of this kind, or does not fit.
std::optional<schedule> schedule_nested(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment);

/// Seconds of such a kernel, launch included.
double nested_seconds(const loop_nest& k, const schedule& s, const device_properties& m);

/// Whether one of several kernels is a product of halves that stores more elements than it loads.
bool has_large_products(const std::vector<loop_nest>& kernels);

/// Replaces kernels that load what is computed of products by kernels that compute it, where a schedule is known, and
/// drops the kernels that nothing reads then. `leaves` as in merge_kernels.
void recompute_operands(std::vector<loop_nest>& kernels, int leaves, const device_properties& m);

}  // namespace sinter::codegen
