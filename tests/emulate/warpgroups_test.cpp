// Attention by warpgroups: every candidate of the schedule, interpreted, against sums in double precision, however the
// factors lie in memory.
#include <codegen/schedule/online.hpp>
#include <sinter/number/storage_floats.hpp>
#include <tests/codegen/tensor_samples.hpp>
#include <tests/emulate/launching.hpp>
#include <tests/emulate/running.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sinter::emulate {
namespace {

using codegen::device_properties;
using codegen::loop_nest;
using codegen::schedule;
using codegen::value_kind;
using codegen::testing::attention_sizes;
using codegen::testing::chained;

float to_float(const char* p) {
    bfloat16 x;
    std::memcpy(&x, p, sizeof x);
    return static_cast<float>(x);
}

using indices = std::map<int, std::int64_t>;  ///< by axis

std::size_t element_at(const loop_nest& k, int layout, const indices& at) {
    std::int64_t sum = 0;
    for (const auto& [axis, i] : at)
        sum += k.layouts[static_cast<std::size_t>(layout)].stride[static_cast<std::size_t>(axis)] * i;
    return static_cast<std::size_t>(sum);
}

/// The softmax of scaled products of rows of q and k, times v; of a kernel with an axis of layers.
class reference {
public:
    reference(const loop_nest& nest, const std::vector<std::vector<char>>& inputs, double factor)
        : k(nest),
          in(inputs),
          scale(factor),
          sums(codegen::online_sums_of(nest).value()),
          tile(codegen::online_candidates(nest, device_properties{}, std::vector<int>(4, 16)).at(0).tensor) {}

    std::vector<double> results(std::size_t size) const {
        std::vector<double> all(size);
        for (std::int64_t h = 0; h < k.extents[static_cast<std::size_t>(layers())]; ++h)
            for (std::int64_t i = 0; i < k.extents[static_cast<std::size_t>(tile.row_axis)]; ++i) row(h, i, all);
        return all;
    }

private:
    int layers() const {
        for (int axis : k.outer)
            if (axis != tile.row_axis && axis != tile.column_axis) return axis;
        return -1;
    }
    double load(int v, const indices& at) const {
        const codegen::value& self = k.values[static_cast<std::size_t>(v)];
        return static_cast<double>(
            to_float(in[static_cast<std::size_t>(self.input)].data() + sizeof(bfloat16) * element_at(k, self.at, at)));
    }
    void row(std::int64_t h, std::int64_t i, std::vector<double>& all) const {
        const int step = k.loops[0].axes[0], key = k.loops[3].axes[0];
        const std::int64_t keys = k.extents[static_cast<std::size_t>(k.nest_axis)];
        std::vector<double> weights(static_cast<std::size_t>(keys));
        double largest = -1e300, total = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
            double sum = 0;
            for (std::int64_t d = 0; d < k.extents[static_cast<std::size_t>(step)]; ++d) {
                const indices at{{layers(), h}, {tile.row_axis, i}, {k.nest_axis, j}, {step, d}};
                sum += load(sums.scores.rows, at) * load(sums.scores.columns, at);
            }
            largest = std::max(largest, weights[static_cast<std::size_t>(j)] = sum * scale);
        }
        for (double& w : weights) total += w = std::exp(w - largest);
        for (std::int64_t c = 0; c < k.extents[static_cast<std::size_t>(tile.column_axis)]; ++c) {
            double& to = all[element_at(k, k.stores[0].at, {{layers(), h}, {tile.row_axis, i}, {tile.column_axis, c}})];
            for (std::int64_t j = 0; j < keys; ++j)
                to += weights[static_cast<std::size_t>(j)] / total *
                      load(sums.y, {{layers(), h}, {key, j}, {tile.column_axis, c}});
        }
    }

    const loop_nest& k;
    const std::vector<std::vector<char>>& in;
    const double scale;
    const codegen::online_sums sums;
    const codegen::tensor_tile tile;
};

class warpgroups : public testing::Test {
protected:
    /// Random numbers; `spread` makes some scores far larger than those before.
    std::vector<char> random_halves(std::size_t n, float spread) {
        std::vector<char> bytes(n * sizeof(bfloat16));
        for (std::size_t i = 0; i < n; ++i) {
            const bfloat16 x(std::normal_distribution<float>(0, spread)(random));
            std::memcpy(bytes.data() + i * sizeof x, &x, sizeof x);
        }
        return bytes;
    }

    void check(const loop_nest& k, float scale, float spread) {
        std::vector<std::vector<char>> in;
        std::vector<std::unique_ptr<device_array<char>>> on_device;
        std::vector<const void*> device_in;
        for (std::size_t i = 0; i < k.inputs.size(); ++i) {
            std::size_t size = 1;
            for (const codegen::value& v : k.values)
                if (v.what == value_kind::load && v.input == static_cast<int>(i))
                    size = std::max(size, static_cast<std::size_t>(reach_of(k, v.at).elements()));
            in.push_back(random_halves(size, spread));
            on_device.push_back(std::make_unique<device_array<char>>(device, in.back()));
            device_in.push_back(on_device.back()->p);
        }
        const auto size = static_cast<std::size_t>(reach_of(k, k.stores[0].at).elements());
        const std::vector<double> expected = reference(k, in, static_cast<double>(scale)).results(size);
        std::vector<ir::scalar_bits> scalars(1);
        std::memcpy(&scalars[0].bits, &scale, sizeof scale);
        for (const schedule& s : codegen::online_candidates(k, device_properties{}, std::vector<int>(4, 16))) {
            if (!s.tensor.warpgroups) continue;
            SCOPED_TRACE(codegen::describe(s));
            shapes.insert({s.tensor.rows, s.unroll});
            device_array<char> out(device, size * sizeof(bfloat16));
            ASSERT_NO_THROW(runner.run(k, s, device_in, {out.p}, scalars, 1));
            const std::vector<char> got = out.values();
            for (std::size_t i = 0; i < size; ++i)
                ASSERT_NEAR(static_cast<double>(to_float(got.data() + i * sizeof(bfloat16))), expected[i],
                            2e-2 * static_cast<double>(spread))
                    << i;
        }
    }

    std::mt19937 random{2024};
    std::set<std::pair<int, int>> shapes;
    emulated_device device;
    kernel_runner runner{device};
};

TEST_F(warpgroups, multiply_matrices_of_any_size) {
    for (const attention_sizes& n : {attention_sizes{2, 70, 139, 64, 64}, {2, 33, 72, 136, 40}, {2, 64, 40, 16, 256}})
        check(chained(n).value(), 0.125f, 1);
    EXPECT_EQ(shapes, (std::set<std::pair<int, int>>{{64, 64}, {64, 128}, {128, 64}, {128, 128}}));
}

TEST_F(warpgroups, scale_by_any_number) {
    const loop_nest k = chained({2, 16, 300, 32, 16}).value();
    for (const float scale : {-0.125f, 0.0f, 1.0f}) check(k, scale, 1);
    check(k, 0.5f, 4);  // maxima rise by more than what sums are rescaled for
}

/// Exchanges the axis on which a factor is contiguous with the other one that it varies along in a layer.
void transpose_loads(loop_nest& k, int input) {
    for (const codegen::value& v : k.values) {
        if (v.what != value_kind::load || v.input != input) continue;
        auto& stride = k.layouts[static_cast<std::size_t>(v.at)].stride;
        std::size_t fast = 0, slow = 0;
        for (std::size_t a = 0; a < k.extents.size(); ++a) {
            if (stride[a] == 1) fast = a;
            if (stride[a] > 1 && (stride[slow] <= 1 || stride[a] < stride[slow])) slow = a;
        }
        stride[fast] = k.extents[slow];
        stride[slow] = 1;
    }
}

TEST_F(warpgroups, take_factors_that_lie_either_way) {
    for (const int transposed : {2, 4, 6}) {  // not the rows' factor
        loop_nest k = chained({2, 72, 136, 64, 32}).value();
        for (int input = 0; input < 3; ++input)
            if ((transposed >> input & 1) != 0) transpose_loads(k, input);
        check(k, 0.125f, 1);
    }
    EXPECT_FALSE(shapes.empty());
}

}  // namespace
}  // namespace sinter::emulate
