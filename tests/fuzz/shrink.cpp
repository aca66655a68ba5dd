// Greedy shrinking: every simplification is tried until none of them keeps the failure.
#include <tests/fuzz/shrink.hpp>

#include <sinter/error.hpp>
#include <tests/fuzz/reference.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace sinter::fuzz {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Node i becomes the only root.
std::optional<fuzz_case> with_root(const fuzz_case& c, int i) {
    if (c.roots.size() == 1 && c.roots[0] == i) return std::nullopt;
    fuzz_case smaller = c;
    smaller.roots = {i};
    if (smaller.target != no_target) smaller.target = fresh_target;
    smaller.into = {};
    sweep(smaller);
    return smaller;
}

/// One root less.
std::optional<fuzz_case> without_root(const fuzz_case& c, std::size_t r) {
    if (c.roots.size() == 1 || r + 1 == c.roots.size()) return std::nullopt;
    fuzz_case smaller = c;
    smaller.roots.erase(smaller.roots.begin() + static_cast<std::ptrdiff_t>(r));
    sweep(smaller);
    return smaller;
}

/// Users of node i read node `other` instead, if it is of the same dtype and rank.
std::optional<fuzz_case> with_operand(const fuzz_case& c, int i, int other) {
    const ir::node &n = c.nodes[at(i)], &o = c.nodes[at(other)];
    if (n.type != o.type || n.rank != o.rank) return std::nullopt;
    fuzz_case smaller = c;
    for (ir::node& user : smaller.nodes)
        for (std::int16_t& in : user.in)
            if (in == i) in = static_cast<std::int16_t>(other);
    for (int& root : smaller.roots)
        if (root == i) root = other;
    if (smaller.into.buffer >= 0 && c.roots.back() == i) smaller.into = {};
    sweep(smaller);
    return smaller;
}

/// Node i becomes an array of its own that holds the values which the reference gives it.
std::optional<fuzz_case> with_leaf(const fuzz_case& c, int i, const node_values& values) {
    fuzz_case smaller = c;
    buffer b;
    b.type = values.type;
    for (const known& x : values.at) b.elements.push_back(bits_of(values.type, x));
    leaf l;
    l.buffer = static_cast<int>(smaller.buffers.size());
    l.rank = values.rank;
    l.shape = values.shape;
    l.strides = row_major(l.shape, l.rank);
    ir::node n;
    n.what = ir::kind::leaf;
    n.type = values.type;
    n.rank = static_cast<std::int8_t>(values.rank);
    n.argument = static_cast<std::int16_t>(smaller.leaves.size());
    smaller.buffers.push_back(std::move(b));
    smaller.leaves.push_back(l);
    smaller.nodes[at(i)] = n;
    sweep(smaller);
    return smaller;
}

/// Every extent `from`, of arrays and of views, becomes `to`. Arrays get memory of their own, with the first elements.
std::optional<fuzz_case> with_extent(const fuzz_case& c, std::int64_t from, std::int64_t to) {
    fuzz_case smaller = c;
    for (leaf& l : smaller.leaves) {
        extents shape = l.shape;
        for (int a = 0; a < l.rank; ++a)
            if (shape[at(a)] == from) shape[at(a)] = to;
        if (shape == l.shape && l.owned) continue;
        buffer b;
        b.type = smaller.buffers[at(l.buffer)].type;
        const auto& old = smaller.buffers[at(l.buffer)].elements;
        for (std::int64_t e = 0; e < size_of_shape(shape, l.rank); ++e)
            b.elements.push_back(old.empty() ? word{} : old[at(e) % old.size()]);
        l.buffer = static_cast<int>(smaller.buffers.size());
        l.shape = shape;
        l.strides = row_major(shape, l.rank);
        l.offset = 0;
        l.owned = true;
        smaller.buffers.push_back(std::move(b));
    }
    smaller.into = {};
    std::vector<node_values> before;
    for (ir::node& n : smaller.nodes) {
        if (n.what == ir::kind::index_map) {
            const node_values& source = before[at(n.in[0])];
            std::int64_t* maps = smaller.integers.data() + n.argument;
            std::int64_t* shape = maps + 3 * source.rank;
            for (int a = 0; a < n.rank; ++a)
                if (shape[a] == from) shape[a] = to;
            // Starts move to where the view stays within its shorter operand.
            for (int a = 0; a < source.rank; ++a) {
                std::int64_t* m = maps + 3 * a;
                const std::int64_t reach = m[0] < 0 ? 0 : m[2] * (shape[m[0]] - 1);
                const std::int64_t low = std::max<std::int64_t>(-reach, 0);
                const std::int64_t high = source.shape[at(a)] - 1 - std::max<std::int64_t>(reach, 0);
                if (low <= high) m[1] = std::clamp(m[1], low, high);
            }
        }
        if (n.what == ir::kind::reshape || n.what == ir::kind::iota)
            for (int a = 0; a < n.rank; ++a)
                if (std::int64_t& extent = smaller.integers[at(n.argument + a)]; extent == from) extent = to;
        before.push_back(evaluate(smaller, n, before));
    }
    sweep(smaller);
    return smaller;
}

/// Leaf l as an array of its own, row-major.
std::optional<fuzz_case> with_plain_leaf(const fuzz_case& c, int l) {
    if (c.leaves[at(l)].owned) return std::nullopt;
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
        const ir::node& n = c.nodes[i];
        if (n.what == ir::kind::leaf && n.argument == l) return with_leaf(c, static_cast<int>(i), evaluate(c, n, {}));
    }
    return std::nullopt;
}

/// The elements of a buffer, made plain: 1, 2, 3 and so on.
std::optional<fuzz_case> with_plain_elements(const fuzz_case& c, int b) {
    fuzz_case smaller = c;
    buffer& to = smaller.buffers[at(b)];
    for (std::size_t e = 0; e < to.elements.size(); ++e) {
        const auto value = static_cast<std::int64_t>(e % 7 + 1);
        to.elements[e] =
            bits_of(to.type, is_floating(to.type) || is_complex(to.type) ? exactly(static_cast<real>(value))
                                                                         : whole(wrapped(to.type, value)));
    }
    if (to.elements == c.buffers[at(b)].elements) return std::nullopt;
    return smaller;
}

/// One dtype in place of another, everywhere.
std::optional<fuzz_case> with_dtype(const fuzz_case& c, dtype from, dtype to) {
    fuzz_case smaller = c;
    for (ir::node& n : smaller.nodes) {
        if (n.type != from) continue;
        if (n.op != nullptr && n.op->rule == dtype_rule::sum && size_of(to) < 8) return std::nullopt;
        if (n.op != nullptr && to == dtype::bool_ && refuses_bool(n.op->rule)) return std::nullopt;
        n.type = to;
        if (n.what == ir::kind::constant) n.bits = bits_of(to, converted(read(from, {n.bits}), from, to)).low;
        if (n.what == ir::kind::scalar) {
            word& bits = smaller.scalars[at(n.argument)];
            bits = bits_of(to, converted(read(from, bits), from, to));
        }
    }
    for (buffer& b : smaller.buffers) {
        if (b.type != from) continue;
        b.type = to;
        for (word& e : b.elements) e = bits_of(to, converted(read(from, e), from, to));
    }
    return smaller;
}

class shrinker {
public:
    shrinker(fuzz_case c, const std::function<bool(const fuzz_case&)>& fails, int tries)
        : best_(std::move(c)), fails_(fails), left_(tries) {}

    fuzz_case run() {
        while (left_ > 0 && (fewer_nodes() || shorter_axes() || plainer_arguments())) {
        }
        return std::move(best_);
    }

private:
    /// Tries one candidate; where it still fails it is the best one from now on.
    template <class Make>
    bool take(Make make) {
        if (left_ <= 0) return false;
        try {
            std::optional<fuzz_case> candidate = make();
            if (!candidate) return false;
            --left_;
            if (!fails_(*candidate)) return false;
            best_ = std::move(*candidate);
            return true;
        } catch (const error&) {
            return false;  // it makes no sense
        }
    }

    bool fewer_nodes() {
        for (std::size_t r = 0; r < best_.roots.size(); ++r)
            if (take([&] { return without_root(best_, r); })) return true;
        const int count = static_cast<int>(best_.nodes.size());
        for (int i = 0; i < count; ++i)
            if (take([&] { return with_root(best_, i); })) return true;
        for (int i = count - 1; i >= 0; --i)
            for (int in : best_.nodes[at(i)].in)
                if (in >= 0 && take([&] { return with_operand(best_, i, in); })) return true;
        const std::vector<node_values> values = evaluate_all(best_);
        for (int i = count - 1; i >= 0; --i)
            if (best_.nodes[at(i)].in[0] >= 0 && best_.roots != std::vector<int>{i} &&
                take([&] { return with_leaf(best_, i, values[at(i)]); }))
                return true;
        return false;
    }

    bool shorter_axes() {
        std::set<std::int64_t, std::greater<>> extents_now;
        for (const node_values& v : evaluate_all(best_))
            for (int a = 0; a < v.rank; ++a) extents_now.insert(v.shape[at(a)]);
        for (std::int64_t extent : extents_now)
            for (std::int64_t to : {std::int64_t{1}, std::int64_t{2}, extent / 4, extent / 2, extent - 1})
                if (to > 0 && to < extent && take([&] { return with_extent(best_, extent, to); })) return true;
        return false;
    }

    bool plainer_arguments() {
        const auto flag = [&](auto change) {
            fuzz_case plain = best_;
            change(plain);
            return std::optional<fuzz_case>(plain);
        };
        if (best_.target != no_target && take([&] { return flag([](fuzz_case& c) { c.target = no_target; }); }))
            return true;
        if (best_.into.buffer >= 0 && take([&] { return flag([](fuzz_case& c) { c.into = {}; }); })) return true;
        if (best_.as_tree && take([&] { return flag([](fuzz_case& c) { c.as_tree = false; }); })) return true;
        if (best_.unfused && take([&] { return flag([](fuzz_case& c) { c.unfused = false; }); })) return true;
        if (best_.reversed && take([&] { return flag([](fuzz_case& c) { c.reversed = false; }); })) return true;
        for (int l = 0; l < static_cast<int>(best_.leaves.size()); ++l)
            if (take([&] { return with_plain_leaf(best_, l); })) return true;
        for (int b = 0; b < static_cast<int>(best_.buffers.size()); ++b)
            if (take([&] { return with_plain_elements(best_, b); })) return true;
        for (const auto& [from, to] : {std::pair{dtype::float8_e4m3, dtype::float32},
                                       {dtype::float8_e5m2, dtype::float32},
                                       {dtype::float16, dtype::float32},
                                       {dtype::bfloat16, dtype::float32},
                                       {dtype::float32, dtype::float64},
                                       {dtype::int8, dtype::int32},
                                       {dtype::int16, dtype::int32},
                                       {dtype::uint8, dtype::int32},
                                       {dtype::uint16, dtype::int32},
                                       {dtype::uint32, dtype::int32},
                                       {dtype::int64, dtype::int32},
                                       {dtype::uint64, dtype::int64}}) {
            const bool used = std::any_of(best_.nodes.begin(), best_.nodes.end(),
                                          [from = from](const ir::node& n) { return n.type == from; });
            if (used && take([&, from = from, to = to] { return with_dtype(best_, from, to); })) return true;
        }
        return false;
    }

    fuzz_case best_;
    const std::function<bool(const fuzz_case&)>& fails_;
    int left_;
};

}  // namespace

fuzz_case shrink(fuzz_case c, const std::function<bool(const fuzz_case&)>& fails, int tries) {
    return shrinker(std::move(c), fails, tries).run();
}

}  // namespace sinter::fuzz
