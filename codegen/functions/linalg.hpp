// Linear algebra on the matrices along the last two axes. The axes before them are batches.
//
//   function   operands  integers          results
//   solve      a, b                        x of a x = b; the batches broadcast
//   inv        a         1: never throws   the inverse
//   cholesky   a         1: upper          the factor
//   lu         a                           L and U in one matrix; the row with which each row was exchanged (int64)
//   det        a                           the determinant; its sign; the logarithm of its modulus
//   qr         a         1: complete       Q; R
//   eigh       a         1: upper          eigenvalues, ascending; eigenvectors
//   svd        a         1: full matrices  U; singular values, descending; V^H
//   eig        a                           eigenvalues; eigenvectors, both complex
//
// Operands are float32, float64, complex64 or complex128.
#pragma once

#include <codegen/autodiff/terms.hpp>
#include <codegen/functions/launches.hpp>

namespace sinter::codegen {

/// The matrices of an operand.
struct matrices {
    std::int64_t count = 0, rows = 0, columns = 0;

    std::int64_t shorter() const { return rows < columns ? rows : columns; }
    std::int64_t elements() const { return rows * columns; }
};
matrices matrices_of(const call_array& a);

/// One axis of the broadcast batches of solve. An axis along which an operand is repeated has step 0. Steps are in
/// elements.
struct batch_axis {
    std::int64_t extent = 1, step_a = 0, step_b = 0;
};
inline constexpr int max_batch_axes = ir::max_rank - 2;
using batch_axes = std::array<batch_axis, max_batch_axes>;
batch_axes batches_of_solve(const call_array& a, const call_array& b);

/// Offsets of both operands' matrices for matrix number i of the result of solve.
struct solve_places {
    std::int64_t a = 0, b = 0;
    solve_places(const batch_axes& axes, std::int64_t i) {
        for (std::size_t axis = axes.size(); axis-- > 0; i /= axes[axis].extent) {
            a += i % axes[axis].extent * axes[axis].step_a;
            b += i % axes[axis].extent * axes[axis].step_b;
        }
    }
};

using call_arrays = std::vector<call_array>;
call_array solved_array(const call_arrays& operands, const call_integers& integers, int result);
call_array inverted_array(const call_arrays& operands, const call_integers& integers, int result);
call_array cholesky_array(const call_arrays& operands, const call_integers& integers, int result);
call_array lu_array(const call_arrays& operands, const call_integers& integers, int result);
call_array det_array(const call_arrays& operands, const call_integers& integers, int result);
call_array qr_array(const call_arrays& operands, const call_integers& integers, int result);
call_array eigh_array(const call_arrays& operands, const call_integers& integers, int result);
call_array svd_array(const call_arrays& operands, const call_integers& integers, int result);
call_array eig_array(const call_arrays& operands, const call_integers& integers, int result);

call_launches solve_on_device(const call_site& call, const device_properties& m);  ///< also inv
call_launches cholesky_on_device(const call_site& call, const device_properties& m);
call_launches lu_on_device(const call_site& call, const device_properties& m);
call_launches det_on_device(const call_site& call, const device_properties& m);
call_launches qr_on_device(const call_site& call, const device_properties& m);
call_launches eigh_on_device(const call_site& call, const device_properties& m);
call_launches svd_on_device(const call_site& call, const device_properties& m);
call_launches eig_on_device(const call_site& call, const device_properties& m);  ///< throws: there is no kernel

gradient::term gradient_of_solve(gradient::builder& b, int call, int operand, gradient::term g);
gradient::term gradient_of_inv(gradient::builder& b, int call, int operand, gradient::term g);
gradient::term gradient_of_cholesky(gradient::builder& b, int call, int operand, gradient::term g);
gradient::term gradient_of_det(gradient::builder& b, int call, int operand, gradient::term g);

}  // namespace sinter::codegen
