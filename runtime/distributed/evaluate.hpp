// Evaluation over the members of a mesh.
#pragma once

#include <runtime/distributed/mesh_device.hpp>
#include <sinter/evaluate.hpp>

#include <vector>

namespace sinter::codegen {

/// A result as the members have it.
struct sharded_result {
    int axis = -1;                           ///< as sharding::axis
    std::vector<detail::storage_ref> parts;  ///< of this process's members
};

/// Each result of a program whose leaves are on the mesh. `arguments` may be gone when it returns.
std::vector<sharded_result> evaluate_parts(mesh_device& mesh, const ir::program& program,
                                           const detail::arguments_view& arguments);

/// The same of a program with one result, of extents `shape`, with this thread's checks of indices and values.
sharded_result evaluate_checked(mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
                                const std::int64_t* shape);

/// The parts along axis `to` of what is split along axis `from`, either of which may be -1 for whole arrays. With
/// `once`, only the first member of each process gets anything.
std::vector<detail::storage_ref> redistribute(mesh_device& mesh, const std::vector<detail::storage_ref>& parts,
                                              const std::int64_t* shape, int from, int to, bool once = false);

}  // namespace sinter::codegen
