// The implementations of the whole-array functions of include/sinter/call/table.def: one row each, of the same name.
#include <codegen/functions/compact.hpp>
#include <codegen/functions/fft.hpp>
#include <codegen/functions/histogram.hpp>
#include <codegen/functions/linalg.hpp>
#include <codegen/functions/searchsorted.hpp>
#include <codegen/functions/sort.hpp>
#include <runtime/cuda/cuda_fft.hpp>
#include <runtime/cuda/cuda_solver.hpp>
#include <runtime/host/compact.hpp>
#include <runtime/host/fft.hpp>
#include <runtime/host/histogram.hpp>
#include <runtime/host/linalg.hpp>
#include <runtime/host/searchsorted.hpp>
#include <runtime/host/sort.hpp>
#include <sinter/call.hpp>

namespace sinter::codegen::calls {

//                              shapes        host          kernels         gradient   library   by element
const call_implementation sort{sorted_array,     sort_on_host, sort_on_device,
                               gradient_of_sort, nullptr,      sorted_by_element};
const call_implementation select{selected_array, select_on_host, select_on_device, gradient_of_select};
const call_implementation searchsorted{array_of_places, search_on_host, search_on_device};
const call_implementation interp{interpolated_array, interpolate_on_host, interpolate_on_device, gradient_of_interp};
const call_implementation bincount{bincount_array, bincount_on_host, bincount_on_device,
                                   nullptr,        nullptr,          counted_by_element};
const call_implementation histogram{histogram_array, histogram_on_host, histogram_on_device,
                                    nullptr,         nullptr,           counted_by_element};
const call_implementation chosen_positions{compacted_array, chosen_positions_on_host, compact_on_device, nullptr,
                                           nullptr,         compacted_by_element};
const call_implementation chosen_elements{compacted_array, chosen_elements_on_host, compact_on_device, nullptr,
                                          nullptr,         compacted_by_element};
const call_implementation solve{solved_array, solve_on_host, solve_on_device, gradient_of_solve, solve_by_library};
const call_implementation inv{inverted_array, invert_on_host, solve_on_device, gradient_of_inv, invert_by_library};
const call_implementation cholesky{cholesky_array, cholesky_on_host, cholesky_on_device, gradient_of_cholesky,
                                   cholesky_by_library};
const call_implementation lu{lu_array, lu_on_host, lu_on_device, nullptr, lu_by_library};
const call_implementation det{det_array, det_on_host, det_on_device, gradient_of_det, det_by_library};
const call_implementation qr{qr_array, qr_on_host, qr_on_device, nullptr, qr_by_library};
const call_implementation eigh{eigh_array, eigh_on_host, eigh_on_device, nullptr, eigh_by_library};
const call_implementation svd{svd_array, svd_on_host, svd_on_device, nullptr, svd_by_library};
const call_implementation eig{eig_array, eig_on_host, eig_on_device, nullptr, eig_by_library};
const call_implementation fft{transformed_array, fft_on_host, fft_on_device, nullptr, fft_by_library, fft_by_element};

}  // namespace sinter::codegen::calls
