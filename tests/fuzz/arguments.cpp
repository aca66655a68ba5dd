// Random arguments: dtypes, shapes, arrays in all layouts, scalars and constants.
#include <tests/fuzz/grow.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sinter::fuzz {
namespace {

/// Extents at which kernels change their ways: vector widths, warps, blocks, and their neighbours.
constexpr std::int64_t edges[] = {1,    2,    3,    4,    5,    7,    8,    9,     13,    15,    16,
                                  17,   31,   32,   33,   37,   63,   64,   65,    67,    96,    100,
                                  127,  128,  129,  255,  256,  257,  511,  512,   513,   521,   1000,
                                  1023, 1024, 1025, 2048, 4099, 8192, 8200, 16384, 65536, 70001, 131072};

enum style { small_integers, eighths, uniform, positive, wide, special, extreme };

double any_number(random& r, int style) {
    switch (style) {
        case small_integers: return static_cast<double>(r.between(-8, 8));
        case eighths: return static_cast<double>(r.between(-32, 32)) / 8;
        case uniform: return 4 * r.unit() - 2;
        case positive: return 0.1 + 3 * r.unit();
        case wide: {
            double x = r.unit() + 0.5;
            for (std::int64_t e = r.between(0, 12); e > 0; --e) x *= r.percent(50) ? 4 : 0.25;
            return r.percent(50) ? x : -x;
        }
        default:
            if (r.percent(90)) return static_cast<double>(r.between(-8, 8));
            return r.pick({0.0, -0.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()});
    }
}

int any_style(random& r, bool with_extremes) {
    const std::int64_t chance = r.below(100);
    if (with_extremes && chance >= 96) return extreme;
    return chance < 8 ? special : static_cast<int>(r.below(special));
}

/// Bytes of any number of the dtype: of any exponent, subnormal, infinite, NaN; often those at the ends of its range.
word any_bits(random& r, dtype type) {
    const int width = static_cast<int>(8 * size_of(type));
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width), sign = std::uint64_t{1} << (width - 1);
    const std::uint64_t edge = r.pick({std::uint64_t{0}, std::uint64_t{1}, sign, sign + 1, sign - 1, all, all - 1});
    return {r.percent(60) ? r.bits() & all : edge};
}

}  // namespace

/// A quarter of what would be halves has 8 bits.
dtype any_dtype(random& r) {
    constexpr int first_half = static_cast<int>(dtype::float16), first_float8 = static_cast<int>(dtype::float8_e4m3);
    constexpr int narrow = first_half - first_float8;
    const std::uint64_t drawn = r.bits();
    const int number = static_cast<int>(drawn % static_cast<std::uint64_t>(dtype_count - narrow));
    const bool is_wide = number < first_float8 || number >= first_float8 + narrow || drawn >> 62 != 0;
    return static_cast<dtype>(number < first_float8 || !is_wide ? number : number + narrow);
}

dtype grower::any_type() {
    if (r.percent(30)) return dtype::float32;
    if (r.percent(30)) return dtype::float64;
    return any_dtype(r);
}

extents grower::any_shape(int rank) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    for (int a = rank - 1; a > 0; --a)
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(r.below(a + 1))]);
    extents shape{};
    std::int64_t left = budget_;
    if (rank > 1 && r.percent(budget_ > 1500 ? 22 : 12)) {  // as long as wide: it fits its own transpose
        std::int64_t side = r.percent(50) ? r.between(2, 40) : r.between(60, 380);
        while (side > 2 && std::pow(static_cast<double>(side), rank) > static_cast<double>(budget_)) --side;
        std::fill_n(shape.begin(), rank, std::pow(2.0, rank) > static_cast<double>(budget_) ? 1 : side);
        return shape;
    }
    if (rank > 0 && left > 1500 && r.percent(45)) {  // one long axis: what several blocks share
        std::fill_n(shape.begin(), rank, 1);
        for (int a = 0; a + 1 < rank; ++a) {
            std::int64_t& extent = shape[static_cast<std::size_t>(order[static_cast<std::size_t>(a)])];
            extent = r.percent(35) ? 1 : r.between(2, r.percent(70) ? 8 : 40);
            if (left / extent < 9000) extent = 1;
            left /= extent;
        }
        std::int64_t& longest = shape[static_cast<std::size_t>(order.back())];
        longest = r.between(std::min<std::int64_t>(r.percent(70) ? 8193 : 1025, left), left);
        if (r.percent(50)) longest -= longest % 8;
        return shape;
    }
    for (int a : order) {
        std::int64_t& extent = shape[static_cast<std::size_t>(a)];
        if (r.percent(20))
            extent = r.between(1, std::min<std::int64_t>(left, 20));
        else
            do extent = edges[r.below(static_cast<std::int64_t>(std::size(edges)))];
            while (extent > left);
        left /= extent;
    }
    if (rank > 0 && r.percent(2)) shape[static_cast<std::size_t>(r.below(rank))] = 0;
    return shape;
}

extents grower::partner(const extents& shape, int rank, int& partner_rank) {
    partner_rank = r.percent(60) ? rank : static_cast<int>(r.between(0, rank));
    extents own{};
    std::int64_t room = budget_ / std::max<std::int64_t>(size_of_shape(shape, rank), 1);
    for (int a = 0; a < partner_rank; ++a) {
        const std::int64_t extent = shape[static_cast<std::size_t>(a + rank - partner_rank)];
        std::int64_t& chosen = own[static_cast<std::size_t>(a)];
        chosen = r.percent(80) ? extent : 1;
        if (extent == 1 && r.percent(40))
            chosen = r.between(1, std::max<std::int64_t>(std::min<std::int64_t>(room, 40), 1));
        if (extent == 1) room /= chosen;
    }
    return own;
}

word grower::any_element(dtype type, int style) {
    if (style == extreme && type != dtype::bool_ && !is_complex(type)) return any_bits(r, type);
    known x;
    if (is_complex(type)) {
        const auto part = [&] { return exactly(static_cast<real>(any_number(r, style >= special ? eighths : style))); };
        const known re = part();
        x = joined(re, part());
    } else if (is_floating(type)) {
        x = exactly(static_cast<real>(any_number(r, style)));
    } else if (style == small_integers || style == wide) {
        x = whole(wrapped(type, static_cast<std::int64_t>(r.bits())));  // of any size: sums and products wrap around
    } else {
        x = whole(wrapped(type, is_unsigned(type) || type == dtype::bool_ ? r.below(type == dtype::bool_ ? 2 : 20)
                                                                          : r.between(-20, 20)));
    }
    return bits_of(type, x);
}

/// Strides of foreign memory: axes in any order, gaps between them, backwards, repeated. `least` and `most` get the
/// lowest and the highest place of an element.
extents grower::strides_for(const extents& shape, int rank, std::int64_t& least, std::int64_t& most) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    if (r.percent(50))
        for (int a = rank - 1; a > 0; --a)
            std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(r.below(a + 1))]);
    extents strides{};
    std::int64_t step = r.percent(30) ? r.between(2, 3) : 1;
    least = most = 0;
    for (int a = rank - 1; a >= 0; --a) {
        const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(a)]);
        strides[axis] = r.percent(5) ? 0 : r.percent(10) ? -step : step;
        step *= shape[axis] + (r.percent(25) ? r.between(1, 4) : 0);
        const std::int64_t reach = strides[axis] * (shape[axis] - 1);
        (reach < 0 ? least : most) += reach;
    }
    return strides;
}

/// Lays an array over a buffer that is there already. False where none is large enough.
bool grower::lay_out_over(leaf& l, dtype type) {
    std::vector<int> fitting;
    std::int64_t least = 0, most = 0;
    l.strides = strides_for(l.shape, l.rank, least, most);
    for (std::size_t b = 0; b < c.buffers.size(); ++b)
        if (c.buffers[b].type == type && static_cast<std::int64_t>(c.buffers[b].elements.size()) > most - least)
            fitting.push_back(static_cast<int>(b));
    if (fitting.empty()) return false;
    l.buffer = r.pick(fitting);
    const auto size = static_cast<std::int64_t>(c.buffers[static_cast<std::size_t>(l.buffer)].elements.size());
    l.offset = -least + r.below(size - (most - least));
    return true;
}

int grower::add_leaf(dtype type, const extents& shape, int rank) {
    leaf l;
    l.rank = rank;
    l.shape = shape;
    l.owned = r.percent(65);
    const std::int64_t size = size_of_shape(shape, rank);
    const mark before = here();
    if (l.owned || size == 0 || !r.percent(30) || !lay_out_over(l, type)) {
        std::int64_t least = 0, most = size - 1;
        l.strides = l.owned || size == 0 ? row_major(shape, rank) : strides_for(shape, rank, least, most);
        l.offset = l.owned || size == 0 ? 0 : -least + r.below(6);
        l.buffer = static_cast<int>(c.buffers.size());
        buffer b;
        b.type = type;
        b.elements.resize(static_cast<std::size_t>(most + l.offset + 1 + (l.owned || size == 0 ? 0 : r.below(4))));
        const int style = any_style(r, with_layouts);
        for (word& e : b.elements) e = any_element(type, style);
        c.buffers.push_back(std::move(b));
    }
    c.leaves.push_back(l);
    ir::node n;
    n.what = ir::kind::leaf;
    n.type = type;
    n.rank = static_cast<std::int8_t>(rank);
    n.argument = static_cast<std::int16_t>(c.leaves.size() - 1);
    const int made = add(n);
    if (made == nothing) back_to(before);
    return made;
}

int grower::add_twin() {
    leaf l = r.pick(c.leaves);
    l.owned = false;
    for (int a = 0; a + 1 < l.rank; ++a) {
        const auto here = static_cast<std::size_t>(a), next = here + 1;
        if (l.shape[here] == l.shape[next] && r.percent(50)) std::swap(l.strides[here], l.strides[next]);
    }
    ir::node n;
    n.what = ir::kind::leaf;
    n.type = c.buffers[static_cast<std::size_t>(l.buffer)].type;
    n.rank = static_cast<std::int8_t>(l.rank);
    n.argument = static_cast<std::int16_t>(c.leaves.size());
    c.leaves.push_back(l);
    return add(n);
}

int grower::add_scalar(dtype type, word value) {
    c.scalars.push_back(value);
    ir::node n;
    n.what = ir::kind::scalar;
    n.type = type;
    n.argument = static_cast<std::int16_t>(c.scalars.size() - 1);
    return add(n);
}

int grower::add_scalar(dtype type) {
    return add_scalar(type, any_element(type, static_cast<int>(r.between(eighths, positive))));
}

int grower::add_integer(std::int64_t value) { return add_scalar(dtype::int64, {static_cast<std::uint64_t>(value)}); }

int grower::add_constant(dtype type) {
    if (type == dtype::complex128) return add_scalar(type);  // a node has no room for it
    ir::node n;
    n.what = ir::kind::constant;
    n.type = type;
    n.bits = any_element(type, any_style(r, with_layouts)).low;
    return add(n);
}

void grower::choose_region() {
    const node_values& root = values(c.roots.back());
    leaf l;
    l.rank = root.rank;
    l.shape = root.shape;
    if (root.size() == 0) return;
    if (!r.percent(60) || !lay_out_over(l, root.type)) {
        std::int64_t least = 0, most = 0;
        l.strides = strides_for(l.shape, l.rank, least, most);
        l.offset = -least + r.below(6);
        l.buffer = static_cast<int>(c.buffers.size());
        buffer b;
        b.type = root.type;
        b.elements.resize(static_cast<std::size_t>(most + l.offset + 1 + r.below(4)));
        for (word& e : b.elements) e = any_element(root.type, special);
        c.buffers.push_back(std::move(b));
    }
    // an array on the left side repeats nothing: each element has a place of its own
    for (int a = 0; a < l.rank; ++a)
        if (l.strides[static_cast<std::size_t>(a)] == 0 && l.shape[static_cast<std::size_t>(a)] > 1) return;
    c.into = {l.buffer, l.strides, l.offset};
}

}  // namespace sinter::fuzz
