// Traverses layouts, and copies between strided memory and dense buffers.
#include <codegen/host/strided.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sinter::codegen::blocked {

walk::walk(const loop_nest& k, const std::vector<int>& axes, const layout& at, std::size_t element_size) {
    for (const int a : axes) {
        const std::int64_t extent = k.extents[static_cast<std::size_t>(a)];
        const std::int64_t stride = at.stride[static_cast<std::size_t>(a)] * static_cast<std::int64_t>(element_size);
        if (extent == 1) continue;
        if (count_ > 0 && axis_[count_ - 1].stride == stride * extent)
            axis_[count_ - 1] = {axis_[count_ - 1].extent * extent, stride};
        else
            axis_[count_++] = {extent, stride};
    }
}

cursor::cursor(const walk& w, std::int64_t index, int axes) : walk_(w), axes_(axes) {
    for (int a = axes - 1; a >= 0; --a) {
        const walk::axis& x = w.axis_[a];
        // the slowest axis needs no remainder, which saves the division in the common case of a single axis
        const std::int64_t digit = a == 0 ? index : index % x.extent;
        index = a == 0 ? 0 : index / x.extent;
        digit_[a] = digit;
        offset_ += digit * x.stride;
        if (a == axes - 1) left_ = x.extent - digit;
    }
}

void cursor::advance(std::int64_t n) {
    int a = axes_ - 1;
    if (a < 0) return;
    offset_ += n * walk_.axis_[a].stride;
    left_ -= n;
    digit_[a] += n;
    while (a > 0 && digit_[a] == walk_.axis_[a].extent) {
        offset_ -= digit_[a] * walk_.axis_[a].stride;
        digit_[a] = 0;
        --a;
        ++digit_[a];
        offset_ += walk_.axis_[a].stride;
    }
    if (left_ == 0) left_ = walk_.axis_[axes_ - 1].extent;
}

bool is_dense(const access& a, const block& b, std::int64_t& offset) {
    const std::int64_t size = static_cast<std::int64_t>(a.element_size);
    if (b.trips > 1 && a.inner.stride() != size) return false;
    if (b.groups > 1 && a.outer.stride() != size * b.trips) return false;
    if (a.outer.axes() <= 1 && a.inner.axes() <= 1) {  // the usual case: the block is within the only run
        offset = a.start + b.group * a.outer.stride() + b.trip * a.inner.stride();
        return true;
    }
    const cursor outer(a.outer, b.group);
    if (b.groups > 1 && outer.left() < b.groups) return false;
    const cursor inner(a.inner, b.trip);
    if (b.trips > 1 && inner.left() < b.trips) return false;
    offset = a.start + outer.offset() + inner.offset();
    return true;
}

namespace {

template <int Words>
struct words {
    std::uint64_t word[Words];
};

/// Whether an elementwise block consists of whole runs of a fastest axis that is too short to be copied run by run.
bool has_short_runs(const access& a, const block& b) {
    constexpr std::int64_t long_run = 32;
    const std::int64_t run = a.outer.extent();
    return b.trips == 1 && a.inner.axes() == 0 && a.outer.axes() > 1 && run <= long_run && b.group % run == 0 &&
           b.groups % run == 0;
}

/// Calls f(rectangle) for the rectangles that make up a block.
template <class F>
void for_each_piece(const access& a, const block& b, F f) {
    const std::int64_t size = static_cast<std::int64_t>(a.element_size);
    if (has_short_runs(a, b)) {
        const std::int64_t run = a.outer.extent(), runs = b.groups / run;
        cursor outer(a.outer, b.group / run, a.outer.axes() - 1);
        for (std::int64_t r = 0; r < runs;) {
            const std::int64_t rows = std::min(outer.left(), runs - r);
            f(rectangle{a.start + outer.offset(),
                        r * run * size,
                        rows,
                        run,
                        {a.outer.stride(1), a.outer.stride()},
                        {run * size, size}});
            r += rows;
            if (r < runs) outer.advance(rows);
        }
        return;
    }
    for_each_rectangle(a, b, f);
}

}  // namespace

void gather(void* to, const void* from, const access& a, const block& b) {
    for_each_piece(a, b, [&](const rectangle& r) {
        a.copy(static_cast<std::byte*>(to) + r.at, r.in_buffer, static_cast<const std::byte*>(from) + r.offset,
               r.in_array, r.rows, r.columns);
    });
}

void scatter(void* to, const void* from, const access& a, const block& b) {
    for_each_piece(a, b, [&](const rectangle& r) {
        a.copy(static_cast<std::byte*>(to) + r.offset, r.in_array, static_cast<const std::byte*>(from) + r.at,
               r.in_buffer, r.rows, r.columns);
    });
}

#if defined(__SSE2__)
void stream(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t line = 64;
    auto* out = static_cast<std::byte*>(to);
    const auto* in = static_cast<const std::byte*>(from);
    const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(out) % line);
    std::memcpy(out, in, head);
    std::size_t at = head;
    for (; at + line <= bytes; at += line)
        for (std::size_t i = 0; i < line; i += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(out + at + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + at + i)));
    std::memcpy(out + at, in + at, bytes - at);
}
void end_streaming() { _mm_sfence(); }
#else
void stream(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void end_streaming() {}
#endif

namespace {

/// Copies rows of `Bytes` bytes, `pitch` bytes apart in the buffer, of arrays whose i-th row is row(i).
template <std::size_t Bytes, class Row>
void copy_short_rows(std::byte* to, std::int64_t pitch, std::int64_t rows, Row row) {
    for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * pitch, row(i), Bytes);
}

/// Likewise for a number of bytes that is known at run time. Returns false if it is none of the usual ones: a call per
/// row would take longer than the copy.
template <class Row>
bool copy_short_rows(std::byte* to, std::int64_t pitch, std::int64_t rows, std::int64_t bytes, Row row) {
    switch (bytes) {
        case 4: return copy_short_rows<4>(to, pitch, rows, row), true;
        case 8: return copy_short_rows<8>(to, pitch, rows, row), true;
        case 12: return copy_short_rows<12>(to, pitch, rows, row), true;
        case 16: return copy_short_rows<16>(to, pitch, rows, row), true;
        case 24: return copy_short_rows<24>(to, pitch, rows, row), true;
        case 32: return copy_short_rows<32>(to, pitch, rows, row), true;
        case 64: return copy_short_rows<64>(to, pitch, rows, row), true;
        case 128: return copy_short_rows<128>(to, pitch, rows, row), true;
        default: return false;
    }
}

/// Reads each element `further` elements past its own; `further` has one entry per row, or is laid out as the buffer.
template <class U>
void copy_displaced(U* to, const std::byte* from, const rectangle& r, const std::int64_t* further, bool of_row,
                    plane_copy copy) {
    constexpr std::int64_t size = sizeof(U);
    if (r.columns == 1 && r.in_buffer.group == size) {
        const U* const base = reinterpret_cast<const U*>(from);
        const std::int64_t step = r.in_array.group / size;
        for (std::int64_t i = 0; i < r.rows; ++i) to[i] = base[i * step + further[i]];
        return;
    }
    const std::int64_t pitch = r.in_buffer.group / size, step = r.in_array.trip / size;
    const auto row_of = [&](std::int64_t i) { return from + i * r.in_array.group + further[i] * size; };
    if (of_row && step == 1 &&
        copy_short_rows(reinterpret_cast<std::byte*>(to), r.in_buffer.group, r.rows, r.columns * size, row_of))
        return;
    for (std::int64_t i = 0; i < r.rows; ++i) {
        const U* const base = reinterpret_cast<const U*>(from + i * r.in_array.group);
        U* const row = to + i * pitch;
        if (of_row) {
            copy(reinterpret_cast<std::byte*>(row), {0, size}, reinterpret_cast<const std::byte*>(base + further[i]),
                 {0, r.in_array.trip}, 1, r.columns);
        } else {
            const std::int64_t* const along = further + i * pitch;
            for (std::int64_t k = 0; k < r.columns; ++k) row[k] = base[k * step + along[k]];
        }
    }
}

template <class U>
void gather_displaced_as(void* to, const void* from, const access& a, const block& b, const std::int64_t* further,
                         bool of_group) {
    for_each_piece(a, b, [&](const rectangle& r) {
        const std::int64_t at = r.at / static_cast<std::int64_t>(sizeof(U));
        copy_displaced(static_cast<U*>(to) + at, static_cast<const std::byte*>(from) + r.offset, r,
                       further + (of_group ? at / b.trips : at), of_group, a.copy);
    });
}

template <class T>
void write_indices_as(T* to, const access& a, const block& b) {
    for_each_piece(a, b, [&](const rectangle& r) {
        if (r.columns == 1 && r.in_buffer.group == 1) {
            for (std::int64_t i = 0; i < r.rows; ++i) to[r.at + i] = static_cast<T>(r.offset + i * r.in_array.group);
            return;
        }
        for (std::int64_t i = 0; i < r.rows; ++i) {
            T* const row = to + r.at + i * r.in_buffer.group;
            const std::int64_t first = r.offset + i * r.in_array.group;
            for (std::int64_t k = 0; k < r.columns; ++k) row[k] = static_cast<T>(first + k * r.in_array.trip);
        }
    });
}

}  // namespace

void write_indices(void* to, dtype type, const access& a, const block& b) {
    if (type == dtype::int32)
        write_indices_as(static_cast<std::int32_t*>(to), a, b);
    else
        write_indices_as(static_cast<std::int64_t*>(to), a, b);
}

void gather_displaced(void* to, const void* from, const access& a, const block& b, const std::int64_t* further,
                      bool of_group) {
    switch (a.element_size) {
        case 1: return gather_displaced_as<std::uint8_t>(to, from, a, b, further, of_group);
        case 2: return gather_displaced_as<std::uint16_t>(to, from, a, b, further, of_group);
        case 4: return gather_displaced_as<std::uint32_t>(to, from, a, b, further, of_group);
        case 8: return gather_displaced_as<std::uint64_t>(to, from, a, b, further, of_group);
        case 16: return gather_displaced_as<words<2>>(to, from, a, b, further, of_group);
        default: return gather_displaced_as<words<4>>(to, from, a, b, further, of_group);
    }
}

void expand(void* to, const void* from, std::int64_t groups, std::int64_t trips, std::size_t element_size) {
    const std::int64_t size = static_cast<std::int64_t>(element_size);
    plane_copy_of(element_size)(static_cast<std::byte*>(to), {size * trips, size}, static_cast<const std::byte*>(from),
                                {size, 0}, groups, trips);
}

static_assert(std::all_of(std::begin(detail::dtype_rows), std::end(detail::dtype_rows),
                          [](const detail::dtype_row& d) { return d.size <= sizeof(ir::scalar_bits); }),
              "fill() would read past its element");

void fill(void* to, const ir::scalar_bits& element, std::int64_t n, std::size_t element_size) {
    const std::int64_t size = static_cast<std::int64_t>(element_size);
    plane_copy_of(element_size)(static_cast<std::byte*>(to), {size, size}, reinterpret_cast<const std::byte*>(&element),
                                {0, 0}, n, 1);
}

}  // namespace sinter::codegen::blocked
