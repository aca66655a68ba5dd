// Channels: elementwise kernels with a short axis along which one array's elements lie side by side while others have a
// plane for each of its indices. An image of bytes, height x width x 3, becomes three planes of floats, or the reverse;
// a stack of three results becomes pixels.
//
// In the order of the results, either the loads or the stores would move single elements, a few apart. So a thread
// computes all channels of `vector_width` neighbouring pixels: it accesses a plane by one wide access per channel, and
// the interleaved elements of its pixels, which lie side by side, by as many wide accesses as they take.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <vector>

namespace sinter::codegen {

/// Of a kernel's class: whether a thread's elements of a layout are neighbours along the pixels, those of a plane, and
/// whether it has elements of its own for each channel.
bool is_planar(const loop_nest& k, const schedule& s, int layout_position);
bool moves_along_channels(const loop_nest& k, const schedule& s, int layout_position);

/// The elements that a thread stores to interleaved channels.
stencil_window stored_window(const schedule& s);

/// Whether these take a thread several accesses: then a block stores them by way of shared memory, since neighbouring
/// threads would each write a part of every sector.
bool is_staged(const schedule& s, dtype stored);
/// Elements of each thread there, with padding that avoids bank conflicts.
int staged_row(const schedule& s, dtype stored);

/// Axes of the pixels: the outer ones but the channels', that of neighbouring pixels last.
std::vector<int> pixel_axes(const loop_nest& k, const schedule& s);

}  // namespace sinter::codegen
