// Elements of any dtype as bits, and their order, for sorting and searching on the host.
#pragma once

#include <codegen/ir/sort_order.hpp>
#include <sinter/number/order.hpp>

namespace sinter::codegen::ordered {

template <class W, int Parts>
struct element {
    W part[Parts];
};

/// Whether an element precedes another one.
template <class W, int Parts>
struct comparison {
    W sign, infinity;
    bool descending;

    explicit comparison(const sort_order& o)
        : sign(static_cast<W>(o.sign)), infinity(static_cast<W>(o.infinity)), descending(o.descending) {}

    bool operator()(const element<W, Parts>& x, const element<W, Parts>& y) const {
        return descending ? precedes(y, x) : precedes(x, y);
    }

private:
    W key(const element<W, Parts>& x, int part) const {
        return sinter::detail::number::sort_key<W>(x.part[part], sign, infinity);
    }
    bool precedes(const element<W, Parts>& x, const element<W, Parts>& y) const {
        if constexpr (Parts == 1)
            return key(x, 0) < key(y, 0);
        else
            return sinter::detail::number::pair_precedes<W>(key(x, 0), key(x, 1), key(y, 0), key(y, 1));
    }
};

/// Calls f<W, Parts>() for the words and parts of an order's elements.
template <class F>
void for_order(const sort_order& o, const F& f) {
    switch (o.word_bytes) {
        case 1: return f.template operator()<std::uint8_t, 1>();
        case 2: return f.template operator()<std::uint16_t, 1>();
        case 4:
            return o.parts == 1 ? f.template operator()<std::uint32_t, 1>() : f.template operator()<std::uint32_t, 2>();
        default:
            return o.parts == 1 ? f.template operator()<std::uint64_t, 1>() : f.template operator()<std::uint64_t, 2>();
    }
}

}  // namespace sinter::codegen::ordered
