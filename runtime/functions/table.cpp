// What the functions of whole arrays of include/sinter/call/table.def do: a row each, of the same name.
#include <codegen/functions/linalg.hpp>
#include <codegen/functions/searchsorted.hpp>
#include <codegen/functions/sort.hpp>
#include <runtime/host/linalg.hpp>
#include <runtime/host/searchsorted.hpp>
#include <runtime/host/sort.hpp>
#include <sinter/call.hpp>

namespace sinter::codegen::calls {

//                              shapes        host          kernels         gradient
const call_implementation sort{sorted_array, sort_on_host, sort_on_device, gradient_of_sort};
const call_implementation searchsorted{array_of_places, search_on_host, search_on_device};
const call_implementation solve{solved_array, solve_on_host, solve_on_device, gradient_of_solve};
const call_implementation inv{inverted_array, invert_on_host, solve_on_device, gradient_of_inv};
const call_implementation cholesky{cholesky_array, cholesky_on_host, cholesky_on_device, gradient_of_cholesky};
const call_implementation lu{lu_array, lu_on_host, lu_on_device};
const call_implementation det{det_array, det_on_host, det_on_device, gradient_of_det};
const call_implementation qr{qr_array, qr_on_host, qr_on_device};
const call_implementation eigh{eigh_array, eigh_on_host, eigh_on_device};
const call_implementation svd{svd_array, svd_on_host, svd_on_device};
const call_implementation eig{eig_array, eig_on_host, eig_on_device};

}  // namespace sinter::codegen::calls
