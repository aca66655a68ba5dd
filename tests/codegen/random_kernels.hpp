// Random kernels of every form: broadcast and transposed operands, several loops, several results, odd extents.
#pragma once

#include <tests/codegen/kernel_samples.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

class random_kernels {
public:
    /// Extents up to about 300, or, where `largest` is given, up to that, each order of magnitude as often.
    explicit random_kernels(unsigned seed, int largest = 0) : random_(seed), largest_(largest) {}

    /// Below n.
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }

    loop_nest next() {
        switch (below(9)) {
            case 0:
            case 1: return elementwise();
            case 2:
            case 3: return groups(true);
            case 4:
            case 5: return groups(false);
            case 6: return stencil();
            case 7: return product();
            default: return shared();
        }
    }

    /// Of one, two or three axes; operands have all of them, some, or have them in another order.
    loop_nest elementwise() {
        kernel_builder b;
        std::vector<int> axes;
        for (int rank = 1 + below(3); rank > 0; --rank) axes.push_back(b.outer(extent(axes.empty() ? 3 : 1)));
        const dtype type = any_type();
        int result = -1;
        for (int operands = 1 + below(3); operands > 0; --operands) {
            const int x = b.load(b.input(type), operand_strides(b, axes));
            result = result < 0 ? x : b.op(one_of(binary_), {result, x});
        }
        if (below(2) == 0) result = b.op(one_of(unary_), {result});
        b.store(result, dense(b, axes));
        if (below(4) == 0) b.store(b.op("square", {result}), dense(b, axes));
        return b.k;
    }

    /// Groups along the last axis ("rows") or along the first ("columns"): one to three loops, of which the last may
    /// store elements.
    loop_nest groups(bool rows) {
        kernel_builder b;
        std::vector<int> outer;
        const int rank = rows ? below(3) : 1 + below(2);
        for (int a = 0; a < rank; ++a) outer.push_back(b.outer(extent(1)));
        const std::int64_t length = extent(below(4) == 0 ? 40 : 3);
        const dtype type = any_type();
        const int in = b.input(type), loops = 1 + below(3);
        const bool stores = loops > 1 && below(2) == 0;
        const int scale = below(3) == 0 ? b.load(b.input(type), dense(b, outer)) : -1;
        const int weights = below(3) == 0 ? b.input(type) : -1;
        int folded = scale;
        for (int i = 0; i < loops; ++i) {
            const int l = b.loop({length});
            const kernel_builder::strides at = group_strides(b, outer, b.inner(l), rows);
            int x = b.load(in, at, l);
            if (weights >= 0 && i == 0) x = b.op("multiply", {x, b.load(weights, {{b.inner(l), 1}}, l)}, l);
            if (folded >= 0) x = b.op("subtract", {x, folded}, l);
            if (stores && i + 1 == loops) {
                b.store(b.op(one_of(unary_), {x}, l), at, l);
                return b.k;
            }
            folded = b.reduce(one_of(folds_), x, l);
        }
        b.store(b.op(one_of(unary_), {folded}), dense(b, outer));
        return b.k;
    }

    loop_nest stencil() { return second_difference(extent(3), 2 * extent(4)); }

    loop_nest product() {
        switch (below(3)) {
            case 0: return squared_distances(16 + extent(1), 16 + extent(1), 2 + below(70));
            case 1: return weighted_products(1 + below(3), 16 + extent(1), 16 + extent(1), 2 + below(40));
            default: return sums_of_kernels(16 + extent(1), 16 + extent(1), 2 + below(20));
        }
    }

    /// So few and so long groups that several blocks share each.
    loop_nest shared() {
        switch (below(6)) {
            case 0: return dot_and_max(40000 + extent(1));
            case 1: return share_of_sum(30000 + extent(1));
            case 2: return softmax_of_rows(1 + below(4), 20000 + extent(1));
            case 3: return norm_of_columns(5000 + extent(1), 1 + below(40));
            case 4: return standardised_columns(9000 + extent(1), 1 + below(40));
            default: return softmax_of_rows(4 + below(3), 64000 + extent(1));
        }
    }

private:
    /// Even ones and odd ones.
    std::int64_t extent(int times) {
        if (largest_ > 0) {
            const auto n = static_cast<std::int64_t>(std::exp2(std::log2(largest_) * below(10000) / 1e4));
            return below(2) == 0 ? (n + 3) / 4 * 4 : n;
        }
        const int n = 1 + below(below(3) == 0 ? 9 : 300);
        return std::int64_t{times} * (below(2) == 0 ? (n + 3) / 4 * 4 : n);
    }
    dtype any_type() { return below(3) == 0 ? dtype::float64 : dtype::float32; }

    static kernel_builder::strides dense(const kernel_builder& b, const std::vector<int>& axes) {
        kernel_builder::strides all;
        std::int64_t stride = 1;
        for (std::size_t a = axes.size(); a-- > 0;) {
            all.emplace_back(axes[a], stride);
            stride *= b.k.extents[static_cast<std::size_t>(axes[a])];
        }
        return all;
    }

    kernel_builder::strides operand_strides(const kernel_builder& b, std::vector<int> axes) {
        if (below(4) == 0) std::shuffle(axes.begin(), axes.end(), random_);
        if (below(4) == 0) axes.erase(axes.begin() + below(static_cast<int>(axes.size())));
        return dense(b, axes);
    }

    static kernel_builder::strides group_strides(const kernel_builder& b, std::vector<int> outer, int inner,
                                                 bool rows) {
        const std::size_t where = rows ? outer.size() : outer.size() - 1;
        outer.insert(outer.begin() + static_cast<std::ptrdiff_t>(where), inner);
        return dense(b, outer);
    }

    std::mt19937 random_;
    int largest_;
    std::vector<std::string> unary_{"exp", "sqrt", "negative", "square"}, binary_{"add", "multiply", "subtract"},
        folds_{"sum", "max"};
};

}  // namespace sinter::codegen::testing
