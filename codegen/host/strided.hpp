// Where a block's elements lie in an array, and moving them into and out of dense buffers.
//
// A block (hence the namespace: blocked evaluation) is m groups times n inner elements, stored group by group. An
// elementwise kernel's blocks have n = 1.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <cstddef>

namespace sinter::codegen::blocked {

/// One layout along a list of axes, neighbours merged where the layout is as regular as a single axis. In bytes.
class walk {
public:
    walk() = default;
    walk(const kernel& k, const std::vector<int>& axes, const layout& at, std::size_t element_size);

    int axes() const { return count_; }
    /// Bytes between neighbours along the fastest axis, or along one that is `slower` by so many axes; 0 where there is
    /// no such axis.
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

/// A position in a walk, moved along by whole runs of the fastest axis or by parts of them.
class cursor {
public:
    cursor(const walk& w, std::int64_t index) : cursor(w, index, w.axes()) {}
    cursor(const walk& w, std::int64_t index, int axes);  ///< along the slowest `axes` axes alone
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

/// An array as a loop body reads or writes it.
struct access {
    walk outer, inner;
    int pointer = -1;        ///< position among the inputs or the outputs
    std::int64_t start = 0;  ///< where its first element is, in bytes
    std::size_t element_size = 0;
    bool in_place = true;  ///< loads: may be used where they lie
};

/// Whether the block's elements already lie densely, group by group, and where: `offset` is in bytes.
bool is_dense(const access& a, const block& b, std::int64_t& offset);

/// Copies a block's elements into a dense buffer, and back.
void gather(void* to, const void* from, const access& a, const block& b);
void scatter(void* to, const void* from, const access& a, const block& b);

/// Copies bytes to memory that nobody reads soon, past the caches: a line that is written whole is not read first.
/// Other threads see them after end_streaming().
void stream(void* to, const void* from, std::size_t bytes);
void end_streaming();

/// Writes the offset of each element, for an access of element size 1, as an int64 or an int32.
void write_indices(void* to, dtype type, const access& a, const block& b);

/// As gather, each element read `displacement` elements further on: one for each element, in which case `displacement`
/// may be `to`, or one for each group.
void gather_displaced(void* to, const void* from, const access& a, const block& b, const std::int64_t* displacement,
                      bool of_group);

/// to[r * trips + k] = from[r] for every k.
void expand(void* to, const void* from, std::int64_t groups, std::int64_t trips, std::size_t element_size);

/// n copies of one element.
void fill(void* to, const void* element, std::int64_t n, std::size_t element_size);

}  // namespace sinter::codegen::blocked
