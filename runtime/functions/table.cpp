// What the functions of whole arrays of include/sinter/call/table.def do: a row each, of the same name.
#include <codegen/functions/searchsorted.hpp>
#include <codegen/functions/sort.hpp>
#include <runtime/host/searchsorted.hpp>
#include <runtime/host/sort.hpp>
#include <sinter/call.hpp>

namespace sinter::codegen::calls {

//                              shapes        host          kernels         gradient
const call_implementation sort{sorted_array, sort_on_host, sort_on_device, gradient_of_sort};
const call_implementation searchsorted{array_of_places, search_on_host, search_on_device};

}  // namespace sinter::codegen::calls
