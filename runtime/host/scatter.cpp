// Each thread visits all keys for a share of the other axes' elements, so that each element is written in key order.
#include <runtime/host/scatter.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::codegen {

namespace {

/// The same where no elements are neighbours.
template <class T, class F>
void for_each_element(const scatter& s, const F& f) {
    parallel_loop(s.outer, 1, [&](std::int64_t outer, std::int64_t end) {
        for (; outer < end; ++outer) {
            T* const to = static_cast<T*>(s.to) + outer * s.extent;
            const T* const values = static_cast<const T*>(s.values) + outer * s.count;
            for (std::int64_t i = 0; i < s.count; ++i)
                if (s.keys[i] < s.extent) f(to + s.keys[i], values + i, std::int64_t{1});
        }
    });
}

/// Calls f(elements to write, values, count) for pieces of neighbouring elements of T.
template <class T, class F>
void for_each_piece(const scatter& s, F f) {
    if (s.inner == 1) return for_each_element<T>(s, f);
    constexpr std::int64_t most = 256;  // elements per piece: narrow axes are one task, wide ones several
    const std::int64_t pieces = divide_up(s.inner, most);
    parallel_loop(s.outer * pieces, 1, [&](std::int64_t task, std::int64_t end) {
        for (; task < end; ++task) {
            const std::int64_t outer = task / pieces, first = task % pieces * most;
            const std::int64_t n = std::min(most, s.inner - first);
            T* const to = static_cast<T*>(s.to) + outer * s.extent * s.inner + first;
            const T* const values = static_cast<const T*>(s.values) + outer * s.count * s.inner + first;
            for (std::int64_t i = 0; i < s.count; ++i)
                if (s.keys[i] < s.extent) f(to + s.keys[i] * s.inner, values + i * s.inner, n);
        }
    });
}

template <class T>
void add(const scatter& s) {
    for_each_piece<T>(s, [](T* to, const T* from, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] + from[i]);
    });
}

template <std::size_t Bytes>
void put(const scatter& s) {
    struct element {
        std::byte bytes[Bytes];
    };
    for_each_piece<element>(s, [](element* to, const element* from, std::int64_t n) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * Bytes);
    });
}

/// A complex number is two adjacent floats.
template <class T>
void add_pairs(scatter s) {
    s.inner *= 2;
    add<T>(s);
}

void add_elements(const scatter& s) {
    switch (s.type) {
        case dtype::float32: return add<float>(s);
        case dtype::float64: return add<double>(s);
        case dtype::complex64: return add_pairs<float>(s);
        case dtype::complex128: return add_pairs<double>(s);
        default: break;
    }
    switch (size_of(s.type)) {  // unsigned integers wrap; signed ones shall, too
        case 1: return add<std::uint8_t>(s);
        case 2: return add<std::uint16_t>(s);
        case 4: return add<std::uint32_t>(s);
        default: return add<std::uint64_t>(s);
    }
}

void put_elements(const scatter& s) {
    switch (size_of(s.type)) {
        case 1: return put<1>(s);
        case 2: return put<2>(s);
        case 4: return put<4>(s);
        case 8: return put<8>(s);
        default: return put<16>(s);
    }
}

}  // namespace

void scatter_on_host(const scatter& s) { s.adds ? add_elements(s) : put_elements(s); }

}  // namespace sinter::codegen
