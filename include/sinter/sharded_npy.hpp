// .npy files of sharded arrays: each member reads and writes its own part; no device holds the whole. Not part of
// sinter.hpp: include it along with <sinter/sharded.hpp>.
#pragma once

#include <sinter/npy.hpp>
#include <sinter/sharded.hpp>

namespace sinter {
namespace detail {

void save_npy_parts(const mesh& m, const std::string& path, const storage_ref& values);

}  // namespace detail

/// Loads a .npy file, split along an axis over the members of a mesh. Each process reads only its parts, through a
/// mapping as in map_npy; a file that needs conversion (another dtype, byte order, bools) is read whole. The file must
/// not change meanwhile. Throws as load_npy does.
template <element_type T, int Rank>
[[nodiscard]] sharded<T, Rank> load_npy(const mesh& m, const std::string& path,
                                        detail::runtime_axes<1> which = axis = 0) {
    const device_scope on(host());
    return scatter(m, map_npy<T, Rank>(path), which);
}

/// Writes a sharded array, or the values of an expression of sharded arrays, as save_npy does. Collective: all
/// processes of the mesh call it with a path on a shared file system, and each writes its members' parts. An array
/// split along an axis other than the first is resharded. The write is atomic.
template <operand A>
void save_npy(const mesh& m, const std::string& path, const A& a) {
    using e = detail::expr_of<const A&>;
    const sharded<element_t<e::type>, e::rank> values(detail::as_expr(a));
    detail::save_npy_parts(m, path, values.storage());
}

}  // namespace sinter
