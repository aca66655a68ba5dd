// Evaluation over the members of a mesh.
#pragma once

#include <runtime/distributed/mesh_device.hpp>
#include <sinter/evaluate.hpp>

#include <vector>

namespace sinter::codegen {

/// A result as distributed over the members.
struct sharded_result {
    int axis = -1;                           ///< see sharding::axis
    std::vector<detail::storage_ref> parts;  ///< of this process's members
};

/// Evaluates a program whose leaves are on the mesh. `arguments` need not outlive the call. A result that would be
/// replicated is split along `axis` instead if that is not negative.
std::vector<sharded_result> evaluate_parts(mesh_device& mesh, const ir::program& program,
                                           const detail::arguments_view& arguments, int axis = -1);

/// As above with this thread's checks of indices and values. `shapes`: the rank and extents of each result.
std::vector<sharded_result> evaluate_checked(mesh_device& mesh, const ir::program& program,
                                             const detail::arguments_view& arguments,
                                             const detail::evaluation_result* shapes, int axis = -1);

/// Converts parts along axis `from` to parts along axis `to`; -1 means replicated. With `once`, only the first member
/// of each process receives its part.
std::vector<detail::storage_ref> redistribute(mesh_device& mesh, const std::vector<detail::storage_ref>& parts,
                                              const std::int64_t* shape, int from, int to, bool once = false);

}  // namespace sinter::codegen
