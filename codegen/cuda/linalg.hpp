// The kernels of matrix factorizations: one block per matrix, or several small matrices per warp.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>

namespace sinter::codegen {

/// `solve` eliminates with partial pivoting and substitutes back; without a right-hand side it inverts. `lu` and `det`
/// use the same elimination; `cholesky` factors without pivoting. `qr` uses Householder reflections. `eigh` and `svd`
/// use Jacobi rotations in round-robin order, in which the pairs of a round are disjoint (R. Brent and F. Luk, "The
/// solution of singular-value and symmetric eigenvalue problems on multiprocessor arrays", SIAM J. Sci. Stat. Comput.
/// 6, 1985).
enum class linalg_kernel : std::uint8_t { solve, lu, det, cholesky, qr, eigh, svd };

/// What the source depends on.
struct linalg_source {
    linalg_kernel which{};
    dtype type{};      ///< float32, float64, complex64 or complex128
    int threads = 32;  ///< per block, a multiple of 32
    int capacity = 0;  ///< elements of shared memory for the matrices of a block; 0: they are in a workspace
    int order = 0;     ///< rows of square matrices whose rows are in registers, a lane each; 0: one block per matrix
    int sides = 1;     ///< solve, with rows in registers: right-hand sides at once
};

/// Lanes that share a matrix whose rows are in registers: a power of two.
int lanes_of_order(int order);
/// Whether the kernel has a form for such matrices. A row takes up to 64 registers.
bool fits_lanes(linalg_kernel which, dtype type, std::int64_t rows, std::int64_t columns);

/// A complete translation unit, whose kernel is called sinter_kernel.
std::string linalg_text(const linalg_source& s);

// The kernels' own sources; linalg_text puts the declarations that they use before them.
extern const char* const elimination_text;  ///< shared by solve, lu and det
extern const char* const solve_text;
extern const char* const lu_text;
extern const char* const det_text;
extern const char* const cholesky_text;
extern const char* const batch_axis_text;  ///< shared by both forms of solve
// The same with rows in registers.
extern const char* const lanes_text;
extern const char* const complex_from_lane_text;
extern const char* const elimination_in_lanes_text;
extern const char* const solve_in_lanes_text;
extern const char* const lu_in_lanes_text;
extern const char* const det_in_lanes_text;
extern const char* const cholesky_in_lanes_text;
extern const char* const qr_text;
extern const char* const jacobi_text;  ///< shared by eigh and svd
extern const char* const eigh_text;
extern const char* const svd_text;

}  // namespace sinter::codegen
