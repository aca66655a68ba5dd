// Elements of any dtype as bits, and their order, for sorting and searching on the host.
#pragma once

#include <codegen/ir/sort_order.hpp>
#include <sinter/number/order.hpp>

#include <cstdint>
#include <tuple>

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

/// An element's key and its index along the axis.
template <class W>
struct indexed {
    W key;
    std::uint32_t index;
};

/// The key of an integer: sort_key, and its complement for descending order.
template <class W>
struct integer_key {
    W exchanged;

    explicit integer_key(const sort_order& o) : exchanged(static_cast<W>(o.descending ? ~o.sign : o.sign)) {}
    W operator()(W bits) const { return static_cast<W>(bits ^ exchanged); }
};

/// The key of a floating number. It is sort_key without branches, which random signs would mispredict.
template <class W>
struct floating_key {
    W sign, infinity, exchanged;

    explicit floating_key(const sort_order& o)
        : sign(static_cast<W>(o.sign)),
          infinity(static_cast<W>(o.infinity)),
          exchanged(static_cast<W>(o.descending ? ~std::uint64_t{0} : 0)) {}
    W operator()(W bits) const {
        W key = bits == sign ? sign : plain(bits);
        key = is_nan(bits) ? static_cast<W>(~W(0)) : key;
        return static_cast<W>(key ^ exchanged);
    }

    bool is_nan(W bits) const { return static_cast<W>(bits & ~sign) > infinity; }
    /// Whether `from_key` gives these bits back: not NaN, nor -0.0, whose key is that of 0.0.
    bool has_own_key(W bits) const { return !is_nan(bits) & (bits != sign); }
    W own_key(W bits) const { return static_cast<W>(plain(bits) ^ exchanged); }
    W from_key(W key) const {
        const W ascending = static_cast<W>(key ^ exchanged);
        return static_cast<W>(ascending ^ static_cast<W>(sign | (W(0) - static_cast<W>((ascending & sign) == 0))));
    }

private:
    W plain(W bits) const {
        return static_cast<W>(bits ^ static_cast<W>(sign | (W(0) - static_cast<W>((bits & sign) != 0))));
    }
};

/// The keys of a complex number, the last of which decides first: its parts, and whether they are NaN. Numbers with a
/// NaN are behind all others, those with a real one last.
template <class W>
auto complex_keys(const sort_order& o) {
    using pair = element<W, 2>;
    const floating_key<W> key(o);
    return std::tuple([key](const pair& x) { return key(x.part[1]); }, [key](const pair& x) { return key(x.part[0]); },
                      [key](const pair& x) {
                          const int rank = 2 * key.is_nan(x.part[0]) + key.is_nan(x.part[1]);
                          return static_cast<W>(key.exchanged != 0 ? 3 - rank : rank);
                      });
}

/// Calls f(keys) with the functions of real elements' keys, as a tuple: one, of integers or of floating numbers.
template <class W, class F>
void for_real_keys(const sort_order& o, const F& f) {
    if (o.infinity != 0) return f(std::tuple(floating_key<W>(o)));
    f(std::tuple(integer_key<W>(o)));
}

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
