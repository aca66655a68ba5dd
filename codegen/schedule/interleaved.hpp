// Interleaved loads: x(ellipsis, 0) and x(ellipsis, 1) of pixels with three channels, or x(range(0, end, 2)).
// Neighbouring results read every second or third element, which single accesses would fetch one by one. A thread loads
// all elements between its first one and its last one, by whole accesses, and each load takes its own from registers.
// In a schedule of the forms `elementwise` and `channels`, schedule::stencil has these windows, of one row each. In its
// window a load has element `along`, and then every stride's; one that moves along the channels also has the elements
// after each of them.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <vector>

namespace sinter::codegen {

/// The windows of a kernel without loops whose threads have `vector` neighbours each along the axis `along`; with an
/// axis of channels (or -1: none), all of these.
stencil_shape interleaved_windows(const loop_nest& k, int along, int channels, int vector,
                                  const std::vector<int>& alignment);

/// The most neighbours of a thread with such windows: 1 where there are none, or where other accesses do not allow it.
int interleaved_width(const loop_nest& k, const std::vector<int>& alignment);

/// Elements per access of a window.
int access_of_window(const stencil_window& window, dtype type);

/// Where a load's elements are, in a schedule of these forms; none if it has no window.
const stencil_read* interleaved_read(const schedule& s, int load);
/// Whether it is the first of those in its window.
bool is_first_of_window(const schedule& s, const stencil_read& read);

}  // namespace sinter::codegen
