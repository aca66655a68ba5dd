// Layouts of a block's elements in an array, and copies into and out of dense buffers.
//
// A block (hence the namespace: blocked evaluation) is m groups times n inner elements, stored group by group. The
// blocks of an elementwise kernel have n = 1.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/rows/copies.hpp>

#include <algorithm>
#include <cstddef>

namespace sinter::codegen::blocked {

/// One layout along a list of axes. Adjacent axes are coalesced if the layout allows it. In bytes.
class walk {
public:
    walk() = default;
    walk(const loop_nest& k, const std::vector<int>& axes, const layout& at, std::size_t element_size);

    int axes() const { return count_; }
    /// Bytes between neighbours along the axis that is `slower` axes slower than the fastest; 0 if there is no such
    /// axis.
    std::int64_t stride(int slower = 0) const { return count_ <= slower ? 0 : axis_[count_ - 1 - slower].stride; }
    /// Of the fastest axis.
    std::int64_t extent() const { return count_ == 0 ? 1 : axis_[count_ - 1].extent; }

private:
    friend class cursor;
    struct axis {
        std::int64_t extent, stride;
    };
    int count_ = 0;
    std::array<axis, max_axes> axis_;  // slowest first; only the first count_ are set
};

/// A position in a walk, advanced within runs of the fastest axis.
class cursor {
public:
    cursor(const walk& w, std::int64_t index) : cursor(w, index, w.axes()) {}
    cursor(const walk& w, std::int64_t index, int axes);  ///< the slowest `axes` axes only
    std::int64_t offset() const { return offset_; }
    std::int64_t left() const { return left_; }  ///< elements to the end of this run
    void advance(std::int64_t n);                ///< n <= left()

private:
    const walk& walk_;
    const int axes_;
    std::int64_t offset_ = 0;
    std::int64_t left_ = 1;
    std::array<std::int64_t, max_axes> digit_;
};

/// A rectangle of groups and inner elements.
struct block {
    std::int64_t group = 0, groups = 1;
    std::int64_t trip = 0, trips = 1;
    std::int64_t size() const { return groups * trips; }
};

/// A loop body's access to an array.
struct access {
    walk outer, inner;
    int pointer = -1;        ///< position among the inputs or the outputs
    std::int64_t start = 0;  ///< offset of its first element, in bytes
    std::size_t element_size = 0;
    plane_copy copy = nullptr;  ///< of its elements
    bool in_place = true;       ///< loads: may be read in place
    int at = -1;                ///< position in loop_nest::layouts
};

/// Whether the block's elements are dense, group by group. `offset` receives where they start, in bytes.
bool is_dense(const access& a, const block& b, std::int64_t& offset);

/// A rectangle of a block along which both strides are constant: groups times inner elements. In bytes, except for the
/// numbers of elements.
struct rectangle {
    std::int64_t offset = 0;  ///< in the array
    std::int64_t at = 0;      ///< in the buffer
    std::int64_t rows = 1, columns = 1;
    pitch in_array, in_buffer;
};

/// Calls f(rectangle) for the rectangles that make up a block, in order.
template <class F>
void for_each_rectangle(const access& a, const block& b, F f) {
    const std::int64_t size = static_cast<std::int64_t>(a.element_size);
    const pitch in_array{a.outer.stride(), a.inner.stride()}, in_buffer{b.trips * size, size};
    cursor outer(a.outer, b.group);
    for (std::int64_t r = 0; r < b.groups;) {
        const std::int64_t groups =
            b.groups == 1 ? 1 : std::min(a.outer.axes() == 0 ? b.groups : outer.left(), b.groups - r);
        if (b.trips == 1 && a.inner.axes() == 0) {
            f(rectangle{a.start + outer.offset(), r * size, groups, 1, in_array, in_buffer});
        } else {
            cursor inner(a.inner, b.trip);
            for (std::int64_t k = 0; k < b.trips;) {
                const std::int64_t trips = a.inner.axes() == 0 ? b.trips : std::min(inner.left(), b.trips - k);
                f(rectangle{a.start + outer.offset() + inner.offset(), (r * b.trips + k) * size, groups, trips,
                            in_array, in_buffer});
                k += trips;
                if (k < b.trips) inner.advance(trips);
            }
        }
        r += groups;
        if (r < b.groups) outer.advance(groups);
    }
}

/// Copies a block's elements into a dense buffer, and back.
void gather(void* to, const void* from, const access& a, const block& b);
void scatter(void* to, const void* from, const access& a, const block& b);

/// Copies bytes by non-temporal stores, for memory that is not read soon: a line that is written whole is not read
/// first. Other threads see the bytes after end_streaming().
void stream(void* to, const void* from, std::size_t bytes);
void end_streaming();

/// Writes the offset of each element as an int64 or int32; for accesses of element size 1.
void write_indices(void* to, dtype type, const access& a, const block& b);

/// Like gather, but reads each element `displacement` elements further on. There is one displacement per element, in
/// which case `displacement` may be `to`, or one per group.
void gather_displaced(void* to, const void* from, const access& a, const block& b, const std::int64_t* displacement,
                      bool of_group);

/// to[r * trips + k] = from[r] for every k.
void expand(void* to, const void* from, std::int64_t groups, std::int64_t trips, std::size_t element_size);

/// n copies of one element: the first `element_size` bytes of a scalar, which has as many as any dtype takes.
void fill(void* to, const ir::scalar_bits& element, std::int64_t n, std::size_t element_size);

}  // namespace sinter::codegen::blocked
