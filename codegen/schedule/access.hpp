// How the loads and stores of a kernel lie: what schedules need to know of them.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen {

/// One load or store, as far as scheduling is concerned.
struct access {
    int layout_position = -1;
    int pointer = -1;  ///< position in `alignment`: inputs, then outputs
    dtype type{};
    int loop = group_level;
    int displacement = -1;  ///< of a gather: the value that is added to the index, which the strides leave out
};

/// Every load and store of the kernel, apart from gathers.
std::vector<access> accesses_of(const loop_nest& k);

/// How many elements a layout reaches: the extents along which it moves, or along which `moves` says that an access
/// does.
inline std::int64_t elements_touched(const loop_nest& k, int layout_position, std::uint32_t moves) {
    const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
    std::int64_t n = 1;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (l.stride[a] != 0 || (moves >> a & 1)) n *= k.extents[a];
    return n;
}

/// How far an index value moves for each step along an axis, but at the ends of parts, where it stops or jumps; none
/// where that depends on data.
std::optional<std::int64_t> step_along(const loop_nest& k, int index, int axis);

/// Whether what an access reads or writes depends on the index along an axis.
bool varies(const loop_nest& k, const access& a, int axis);

/// Whether neighbours along an axis are neighbours in memory, but at the ends of parts; of a gather whose index depends
/// on data, those within a row.
bool is_contiguous(const loop_nest& k, const access& a, int axis);

inline std::int64_t stride_of(const loop_nest& k, const access& a, int axis) {
    return stride_of(k, a.layout_position, axis);
}
inline std::int64_t extent_of(const loop_nest& k, int axis) { return k.extents[static_cast<std::size_t>(axis)]; }

/// The most neighbours along the last of `axes` (those of loop `loop`, or the outer ones) that one access can move: a
/// power of two, 1 where the accesses do not lie side by side or are not aligned.
int vector_width(const loop_nest& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment);
/// The same beside loads whose elements lie a sector or more apart, each of which is an access of its own in any case:
/// those of an array that is read against its order. 1 where these are most of the bytes.
int vector_width_beside_strided(const loop_nest& k, const std::vector<int>& axes, int loop,
                                const std::vector<int>& alignment);

/// Whether an access whose elements are neighbours along the axis `fast` can move `vector` of them at once, as far as
/// its address and its other strides are concerned.
bool can_move(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);
/// The same, whatever its step along `fast`.
bool is_aligned_beside(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment);

/// The widest access that any kernel with elements of these sizes makes: 16 bytes of the widest type, but at least 4 of
/// the narrowest.
constexpr int widest_vector(std::size_t widest, std::size_t narrowest) {
    return static_cast<int>(std::max<std::size_t>(16 / widest, 4 / narrowest));
}

}  // namespace sinter::codegen
