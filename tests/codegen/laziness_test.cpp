// The law of laziness: no sequence of assignments of an expression's parts that takes no more launches is predicted to
// take less time, or as much and moves fewer bytes. Random expressions are compiled, not evaluated, whole and in
// sequences: one inner value assigned to an array, all that are read more than once, all reductions, every one.
//
// SINTER_PROGRAMS=100000 SINTER_SEED=7 test_codegen_laziness tries more of them than a run of the tests does.
#include <codegen/cost/traffic.hpp>
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/cost.hpp>
#include <sinter.hpp>
#include <tests/fuzz/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <set>

namespace sinter::codegen {
namespace {

using fuzz::random;

/// A value of an expression that may have several readers.
struct part {
    ir::node node;
    std::int64_t shape[2] = {1, 1};  ///< aligned at the last axis
};

struct expression {
    std::vector<part> parts;
    std::vector<int> roots;
    std::int64_t rows = 1, columns = 1;

    bool is_leaf(int i) const { return parts[static_cast<std::size_t>(i)].node.what == ir::kind::leaf; }
};

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    expression make() {
        static constexpr std::int64_t extents[][2] = {{60, 44},      {512, 4096},   {4096, 512},   {3000, 3000},
                                                      {200000, 100}, {100, 200000}, {20000, 1024}, {1024, 20000}};
        const auto& chosen = extents[random_.below(std::size(extents))];
        e_.rows = chosen[0];
        e_.columns = chosen[1];
        leaf(2, e_.rows, e_.columns);
        leaf(2, e_.rows, e_.columns);
        leaf(1, 1, e_.columns);
        leaf(2, e_.rows, 1);
        const std::int64_t steps = random_.between(3, 9);
        while (static_cast<std::int64_t>(e_.parts.size()) < 4 + steps) step();
        e_.roots = {static_cast<int>(e_.parts.size()) - 1};
        if (random_.percent(30)) {
            const int other = static_cast<int>(random_.between(4, std::ssize(e_.parts) - 1));
            if (other != e_.roots[0]) e_.roots.insert(e_.roots.begin(), other);
        }
        return std::move(e_);
    }

private:
    void leaf(int rank, std::int64_t rows, std::int64_t columns) {
        e_.parts.push_back({{.what = ir::kind::leaf, .type = dtype::float32, .rank = static_cast<std::int8_t>(rank)},
                            {rows, columns}});
    }

    /// Later values are likelier, so that expressions are deep.
    int operand() {
        const auto size = std::ssize(e_.parts);
        return static_cast<int>(random_.percent(60) ? size - 1 - random_.below(std::min<std::int64_t>(size, 3))
                                                    : random_.below(size));
    }

    void step() {
        const int x = operand();
        const std::int64_t kind = random_.below(10);
        if (kind < 2) return unary(x);
        if (kind < 6) return binary(x, operand());
        fold(x);
    }

    void unary(int x) {
        part p = e_.parts[static_cast<std::size_t>(x)];
        p.node = {.what = ir::kind::elementwise, .type = dtype::float32, .rank = p.node.rank};
        p.node.op = random_.percent(50) ? &op::exp::row : &op::abs::row;
        p.node.in[0] = static_cast<std::int16_t>(x);
        e_.parts.push_back(p);
    }

    void binary(int x, int y) {
        const part &a = e_.parts[static_cast<std::size_t>(x)], &b = e_.parts[static_cast<std::size_t>(y)];
        part p;
        p.node = {.what = ir::kind::elementwise, .type = dtype::float32, .rank = std::max(a.node.rank, b.node.rank)};
        p.node.op = random_.pick({&op::add::row, &op::multiply::row, &op::divide::row});
        p.node.in[0] = static_cast<std::int16_t>(x);
        p.node.in[1] = static_cast<std::int16_t>(y);
        for (int axis = 0; axis < 2; ++axis) {
            if (a.shape[axis] != b.shape[axis] && a.shape[axis] != 1 && b.shape[axis] != 1) return;
            p.shape[axis] = std::max(a.shape[axis], b.shape[axis]);
        }
        if (p.shape[0] > e_.rows || p.shape[1] > e_.columns) return;
        e_.parts.push_back(p);
    }

    void fold(int x) {
        const part& a = e_.parts[static_cast<std::size_t>(x)];
        if (a.node.rank == 0) return;
        part p;
        p.node = {.what = ir::kind::reduction, .type = dtype::float32, .keepdims = random_.percent(60)};
        p.node.op = random_.percent(60) ? &op::sum::row : &op::max::row;
        p.node.axes = static_cast<std::uint32_t>(random_.between(1, (1 << a.node.rank) - 1));
        p.node.in[0] = static_cast<std::int16_t>(x);
        std::vector<std::int64_t> kept;
        for (int axis = 0; axis < a.node.rank; ++axis) {
            const bool folded = p.node.axes >> axis & 1;
            if (!folded || p.node.keepdims) kept.push_back(folded ? 1 : a.shape[axis + 2 - a.node.rank]);
        }
        p.node.rank = static_cast<std::int8_t>(kept.size());
        for (std::size_t axis = 0; axis < kept.size(); ++axis) p.shape[axis + 2 - kept.size()] = kept[axis];
        if (p.shape[0] > e_.rows || p.shape[1] > e_.columns) return;  // a column's sums as a row
        e_.parts.push_back(p);
    }

    random random_;
    expression e_;
};

/// What evaluations cost.
struct cost {
    int launches = 0;
    std::int64_t bytes = 0;
    double seconds = 0, scheduled_seconds = 0;
};

/// Plans evaluations of an expression as the templates lower them: each mention of a value is a node of its own.
class planner {
public:
    explicit planner(const expression& e) : e_(e) {
        for (std::size_t i = 0; i < e.parts.size(); ++i) {
            sinter::detail::storage& s = arrays_.emplace_back();
            s.references = 1 << 30;
            s.type = dtype::float32;
            s.rank = e.parts[i].node.rank;
            s.data = reinterpret_cast<void*>((i + 1) << 40);
            s.where = &host().get();
            std::int64_t stride = 1;
            for (int a = s.rank; a-- > 0; stride *= s.extents[a]) {
                s.extents[a] = e.parts[i].shape[a + 2 - s.rank];
                s.strides[a] = stride;
            }
        }
    }

    /// Of the assignments of some values in their order, and of the results together.
    cost of_sequence(const std::set<int>& assigned, const std::vector<int>& results) {
        cost all;
        const auto add = [&](const std::vector<int>& roots) {
            const cost one = of_one(roots, assigned);
            all.launches += one.launches;
            all.bytes += one.bytes;
            all.seconds += one.seconds;
        };
        for (const int i : assigned) add({i});
        if (!results.empty()) add(results);
        return all;
    }

private:
    cost of_one(const std::vector<int>& roots, const std::set<int>& assigned) {
        nodes_.clear();
        leaves_.clear();
        std::vector<int> results;
        for (const int r : roots) results.push_back(emit(r, assigned, true));
        const ir::program program{nodes_.data(), static_cast<int>(nodes_.size()), results.data(),
                                  static_cast<int>(results.size()), static_cast<int>(leaves_.size())};
        const target to;
        cost c;
        for (const compiled_kernel& k : compile({&program, {leaves_.data(), nullptr, nullptr}}, to, {}).kernels) {
            ++c.launches;
            c.bytes += bytes_moved(k.body, *k.chosen, to.device);
            const double seconds = time_of(k.body, *k.chosen, to.device).total();
            c.seconds += seconds;
            c.scheduled_seconds +=
                std::max(seconds, is_modelled(*k.chosen) ? predicted_seconds(k.body, *k.chosen, to.device) : 0);
        }
        return c;
    }

    int emit(int i, const std::set<int>& assigned, bool root) {
        ir::node n = e_.parts[static_cast<std::size_t>(i)].node;
        if (e_.is_leaf(i) || (!root && assigned.contains(i))) {
            n = {.what = ir::kind::leaf, .type = dtype::float32, .rank = n.rank};
            n.argument = static_cast<std::int16_t>(leaves_.size());
            leaves_.emplace_back(&arrays_[static_cast<std::size_t>(i)]);
        } else {
            for (std::int16_t& in : n.in)
                if (in >= 0) in = static_cast<std::int16_t>(emit(in, assigned, false));
        }
        nodes_.push_back(n);
        return static_cast<int>(nodes_.size()) - 1;
    }

    const expression& e_;
    std::deque<sinter::detail::storage> arrays_;
    std::vector<ir::node> nodes_;
    std::vector<sinter::detail::storage_ref> leaves_;
};

/// How many nodes the lowered tree has.
std::int64_t tree_size(const expression& e, int i) {
    std::int64_t size = 1;
    for (const int in : e.parts[static_cast<std::size_t>(i)].node.in)
        if (in >= 0) size += tree_size(e, in);
    return size;
}

std::string text_of(const expression& e) {
    std::string text = std::to_string(e.rows) + " x " + std::to_string(e.columns) + ':';
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
        const ir::node& n = e.parts[i].node;
        text += "\n  %" + std::to_string(i) + " = " + (n.op ? n.op->name : "array");
        for (const int in : n.in)
            if (in >= 0) text += " %" + std::to_string(in);
        if (n.what == ir::kind::reduction) text += " axes " + std::to_string(n.axes) + (n.keepdims ? " keepdims" : "");
    }
    text += "\n  results";
    for (const int r : e.roots) text += " %" + std::to_string(r);
    return text;
}

/// The sequences that an expression is compared with, as the values that they assign.
std::vector<std::set<int>> sequences(const expression& e) {
    std::vector<int> readers(e.parts.size(), 0);
    std::vector<char> needed(e.parts.size(), 0);
    for (const int r : e.roots) needed[static_cast<std::size_t>(r)] = 1;
    for (std::size_t i = e.parts.size(); i-- > 0;)
        for (const int in : e.parts[i].node.in)
            if (needed[i] != 0 && in >= 0) {
                needed[static_cast<std::size_t>(in)] = 1;
                ++readers[static_cast<std::size_t>(in)];
            }
    std::set<int> shared, folds, all;
    std::vector<std::set<int>> found;
    for (int i = 0; i < static_cast<int>(e.parts.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool is_root = std::find(e.roots.begin(), e.roots.end(), i) != e.roots.end();
        if (needed[at] == 0 || e.is_leaf(i) || is_root) continue;
        found.push_back({i});
        all.insert(i);
        if (readers[at] > 1) shared.insert(i);
        if (e.parts[at].node.what == ir::kind::reduction) folds.insert(i);
    }
    found.insert(found.end(), {shared, folds, all});
    return found;
}

std::int64_t number_in(const char* variable, std::int64_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::atoll(text) : otherwise;
}

/// Whether a sequence is better, by more than rounding: it takes no more launches and less time, or as much time and
/// fewer bytes, and is not slower where accesses and idle multiprocessors count, too.
bool beats(const cost& sequence, const cost& lazy) {
    constexpr double slack = 1.02;
    if (sequence.launches > lazy.launches || sequence.seconds > lazy.seconds) return false;
    if (sequence.scheduled_seconds > lazy.scheduled_seconds) return false;
    return sequence.seconds * slack < lazy.seconds ||
           static_cast<double>(sequence.bytes) * slack < static_cast<double>(lazy.bytes);
}

/// A sequence that is better than the expression, in words; none where there is none.
std::string better_sequence(const expression& e) {
    planner plan(e);
    const cost lazy = plan.of_sequence({}, e.roots);
    std::vector<std::set<int>> all = sequences(e);
    if (e.roots.size() > 1) all.emplace_back(e.roots.begin(), e.roots.end());  // each result by itself
    for (std::size_t s = 0; s < all.size(); ++s) {
        const bool results_apart = e.roots.size() > 1 && s + 1 == all.size();
        const cost c = plan.of_sequence(all[s], results_apart ? std::vector<int>{} : e.roots);
        if (!beats(c, lazy)) continue;
        std::string text = text_of(e) + "\nassigning";
        for (const int i : all[s]) text += " %" + std::to_string(i);
        const auto words = [](const cost& of) {
            return std::to_string(of.launches) + " launches, " + std::to_string(of.bytes) + " bytes, " +
                   std::to_string(of.seconds * 1e6) + " us";
        };
        return text + ": " + words(c) + "; lazily " + words(lazy) + '\n';
    }
    return {};
}

// Of cuts with more launches than the rule's, which are taken where one launch would be slow, only few are compared.
TEST(laziness, no_sequence_of_assignments_costs_less) {
    const std::int64_t programs = number_in("SINTER_PROGRAMS", 10000), seed = number_in("SINTER_SEED", 1);
    constexpr std::int64_t max_nodes = 200;
    std::int64_t missed = 0;
    std::string which;
    for (std::int64_t p = 0; p < programs; ++p) {
        const expression e = generator(static_cast<std::uint64_t>(seed + p)).make();
        std::int64_t size = 0;
        for (const int r : e.roots) size += tree_size(e, r);
        if (size > max_nodes) continue;
        const std::string better = better_sequence(e);
        if (better.empty()) continue;
        ++missed;
        which += "seed " + std::to_string(seed + p) + ": " + better;
    }
    EXPECT_LE(missed, programs / 2000) << which;
}

// Cuts that take as long, to the last digit, and move more bytes than others; and two values that help only together.
TEST(laziness, equal_times_are_told_apart_by_bytes) {
    for (const std::uint64_t seed : {30013, 49044, 223445}) EXPECT_EQ(better_sequence(generator(seed).make()), "");
}

}  // namespace
}  // namespace sinter::codegen
