// Every schedule against the host back end: the generated text, run thread by thread, must give what the host gives.
#include <codegen/kernel_samples.hpp>
#include <runtime/host/evaluate.hpp>
#include <tests/emulate/launching.hpp>
#include <tests/emulate/running.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>

namespace sinter::emulate {
namespace {

using codegen::device_properties;
using codegen::kernel_store;
using codegen::loop_nest;
using codegen::schedule;
using codegen::value_kind;
using namespace codegen::testing;

std::size_t reach(const loop_nest& k, int at) { return static_cast<std::size_t>(reach_of(k, at).elements()); }

double element(dtype type, const char* p) {
    switch (type) {
        case dtype::float32: return *reinterpret_cast<const float*>(p);
        case dtype::float64: return *reinterpret_cast<const double*>(p);
        case dtype::int32: return *reinterpret_cast<const std::int32_t*>(p);
        case dtype::int64: return static_cast<double>(*reinterpret_cast<const std::int64_t*>(p));
        default: throw error("this test compares no such dtype; add it");
    }
}

void set_element(dtype type, char* p, double v) {
    switch (type) {
        case dtype::float32: *reinterpret_cast<float*>(p) = static_cast<float>(v); break;
        case dtype::float64: *reinterpret_cast<double*>(p) = v; break;
        case dtype::int32: *reinterpret_cast<std::int32_t*>(p) = static_cast<std::int32_t>(v * 1000); break;
        default: throw error("this test fills no such dtype; add it");
    }
}

class schedules : public testing::TestWithParam<run_order> {
protected:
    void SetUp() override { device.set_order(GetParam()); }
    void TearDown() override { EXPECT_EQ(device.live_allocations(), 0u); }

    /// The kernel's inputs at random, then its outputs from the host and from the device. `shift` displaces every array
    /// by so many elements, to spoil the alignment. `change` makes another schedule of the chosen one.
    void check(const loop_nest& k, const device_properties& m, std::size_t shift,
               const std::function<void(schedule&)>& change = {}) {
        std::vector<std::size_t> in_sizes(k.inputs.size(), 1), out_sizes(k.outputs.size(), 1);
        for (const codegen::value& v : k.values)
            if (v.what == value_kind::load) {
                auto& size = in_sizes[static_cast<std::size_t>(v.input)];
                size = std::max(size, reach(k, v.at));
            }
        for (const kernel_store& s : k.stores) out_sizes[static_cast<std::size_t>(s.output)] = reach(k, s.at);

        std::vector<ir::scalar_bits> scalars(k.scalars.size());
        for (std::size_t i = 0; i < scalars.size(); ++i)
            set_element(k.scalar_types[i], reinterpret_cast<char*>(&scalars[i].bits), 7.25);

        std::vector<std::vector<char>> host_in, host_out;
        std::vector<std::unique_ptr<device_array<char>>> device_in, device_out;
        std::vector<const void*> host_in_p, device_in_p;
        std::vector<void*> host_out_p, device_out_p;
        std::vector<int> alignment;
        const auto place = [&](dtype type, std::size_t n, auto& host, auto& on_device) {
            const std::size_t size = size_of(type);
            host.emplace_back((n + shift) * size);
            for (std::size_t i = 0; i < n; ++i) set_random(type, host.back().data() + (i + shift) * size);
            on_device.push_back(std::make_unique<device_array<char>>(device, host.back()));
            const std::size_t off = shift * size;
            alignment.push_back(off == 0 ? 16 : static_cast<int>(std::min<std::size_t>(off & (~off + 1), 16)));
        };
        for (std::size_t i = 0; i < k.inputs.size(); ++i) {
            place(k.inputs[i].type, in_sizes[i], host_in, device_in);
            device_in_p.push_back(device_in.back()->p + shift * size_of(k.inputs[i].type));
        }
        for (std::size_t i = 0; i < k.outputs.size(); ++i) {
            const std::size_t off = shift * size_of(k.outputs[i]), bytes = off + out_sizes[i] * size_of(k.outputs[i]);
            host_out.emplace_back(bytes);
            device_out.push_back(std::make_unique<device_array<char>>(device, bytes));
            device_out_p.push_back(device_out.back()->p + off);
            alignment.push_back(off == 0 ? 16 : static_cast<int>(std::min<std::size_t>(off & (~off + 1), 16)));
        }
        for (std::size_t i = 0; i < host_in.size(); ++i)
            host_in_p.push_back(host_in[i].data() + shift * size_of(k.inputs[i].type));
        for (std::size_t i = 0; i < host_out.size(); ++i)
            host_out_p.push_back(host_out[i].data() + shift * size_of(k.outputs[i]));

        codegen::evaluate_on_host(k, host_in_p.data(), host_out_p.data(), scalars.data());
        schedule s = codegen::choose_schedule(k, m, alignment);
        if (change) change(s);
        SCOPED_TRACE(codegen::describe(s));
        seen.insert(codegen::describe(s));
        ASSERT_NO_THROW(runner.run(k, s, device_in_p, device_out_p, scalars, 2));

        for (const kernel_store& store : k.stores) {
            const auto output = static_cast<std::size_t>(store.output);
            const dtype type = k.outputs[output];
            const std::vector<char> got = device_out[output]->values();
            const std::vector<char>& expected = host_out[output];
            double largest = 0;
            for (std::size_t i = shift; i < shift + out_sizes[output]; ++i)
                largest = std::max(largest, std::abs(element(type, expected.data() + i * size_of(type))));
            for (std::size_t i = shift; i < shift + out_sizes[output]; ++i) {
                const double a = element(type, got.data() + i * size_of(type));
                const double b = element(type, expected.data() + i * size_of(type));
                const double tolerance = type == dtype::float64 ? 1e-12 : type == dtype::float32 ? 2e-6 : 0;
                ASSERT_NEAR(a, b, tolerance * largest) << "output " << output << ", element " << i - shift;
            }
        }
    }

    /// The same kernel on machines that make the scheduler choose differently.
    void check_everywhere(const loop_nest& k, const std::function<void(schedule&)>& change = {}) {
        for (const int multiprocessors : {1, 4, 132})
            for (const std::size_t shift : {0u, 1u}) {
                device_properties m = small_machine();
                m.multiprocessors = multiprocessors;
                m.threads_per_multiprocessor = multiprocessors == 1 ? 128 : 2048;
                SCOPED_TRACE(multiprocessors);
                check(k, m, shift, change);
                if (HasFatalFailure()) return;
            }
    }

    void set_random(dtype type, char* p) { set_element(type, p, std::uniform_real_distribution(0.25, 1.0)(random)); }

    /// Whether some schedule so far had these words: that a test reaches what it is there for.
    bool reached(const std::string& words) const {
        return std::any_of(seen.begin(), seen.end(),
                           [&](const std::string& s) { return s.find(words) != std::string::npos; });
    }

    std::mt19937 random{2024};
    std::set<std::string> seen;
    static inline emulated_device device{small_machine()};  // one for all tests, so that each text is compiled once
    static inline kernel_runner runner{device};
};
INSTANTIATE_TEST_SUITE_P(emulate, schedules, testing::Values(run_order::forward, run_order::reverse));

/// pack(log(x) / y + exp(log(x) - y), y) of n doubles: functions that are computed op by op.
loop_nest functions_of_doubles(std::int64_t n) {
    kernel_builder b;
    const int i = b.outer(n);
    const int x = b.load(b.input(dtype::float64), {{i, 1}}), y = b.load(b.input(dtype::float64), {{i, 1}});
    const int log = b.op("log", {x});
    const int exp = b.op("exp", {b.op("subtract", {log, y})});
    b.store(b.op("add", {b.op("divide", {log, y}), exp}), {{i, 1}});
    b.store(y, {{i, 1}});
    return b.k;
}

TEST_P(schedules, elementwise) {
    for (const std::int64_t n : {1, 5, 255, 1024, 4099, 20000}) check_everywhere(exp_of(n));
    check_everywhere(axpy_with_row(37, 53));
    check_everywhere(axpy_with_row(64, 128));
    check_everywhere(axpy_with_row(300, 3));
    for (const std::int64_t n : {1, 257, 4099, 20000}) check_everywhere(functions_of_doubles(n));
    EXPECT_TRUE(reached("2 elements per access, 2 accesses per thread"));
    EXPECT_TRUE(reached("4 elements per access"));
    EXPECT_TRUE(reached("accesses per thread"));
}

TEST_P(schedules, tiles) {
    check_everywhere(plus_transposed(100, 68));
    check_everywhere(plus_transposed(257, 129));
    for (const dtype type : {dtype::float32, dtype::float64}) check_everywhere(transposed_planes(type, 2, 96, 132));
    EXPECT_TRUE(reached("transposed in shared memory"));
    EXPECT_TRUE(reached("4 elements per access, 1 load transposed"));
    EXPECT_TRUE(reached("elementwise"));  // too few tiles for a large machine
}

TEST_P(schedules, rows) {
    for (const std::int64_t n : {1, 2, 7, 33, 64, 500, 1021, 4096}) {
        check_everywhere(norm_of_rows(1, n));
        check_everywhere(norm_of_rows(13, n));
    }
    check_everywhere(norm_of_rows(700, 12));
    check_everywhere(sum_of_outer_and_last(3, 5, 40));
    check_everywhere(sum_of_outer_and_last(7, 33, 5));
    EXPECT_TRUE(reached("1 thread per row"));
    EXPECT_TRUE(reached("accumulators per thread"));
}

TEST_P(schedules, rows_with_several_loops) {
    for (const std::int64_t n : {1, 6, 32, 333, 1000, 2052}) {
        check_everywhere(softmax_of_rows(9, n));
        check_everywhere(mean_and_var(9, n));
    }
    check_everywhere(softmax_of_rows(3, 20001));
    EXPECT_TRUE(reached("kept in registers"));
}

TEST_P(schedules, windows) {
    for (const auto& [rows, columns] : {std::pair{64, 256}, {61, 250}, {40, 131}}) {
        check_everywhere(filtered(rows, columns, {}));
        check_everywhere(filtered(rows, columns, {.height = 2, .width = 5, .step = 2}));
    }
    for (const std::int64_t rows : {4096, 4099}) check_everywhere(normalised_rows(rows, 3));
    EXPECT_TRUE(reached("windows: 8 x 4 results per thread"));
    EXPECT_TRUE(reached("windows: 1 x 4 results per thread"));
}

/// (x - mean(x, axis=1)) * w, with weights that the rows share.
loop_nest weighted_rows(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows), in = b.input(dtype::float32), weights = b.input(dtype::float32);
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, {{r, n}, {b.inner(l0), 1}}, l0), l0);
    const int l1 = b.loop({n});
    const int x = b.load(in, {{r, n}, {b.inner(l1), 1}}, l1), w = b.load(weights, {{b.inner(l1), 1}}, l1);
    const int centred = b.op("subtract", {x, b.op("divide", {total, b.constant(static_cast<float>(n))})}, l1);
    b.store(b.op("multiply", {centred, w}, l1), {{r, n}, {b.inner(l1), 1}}, l1);
    return b.k;
}

TEST_P(schedules, rows_that_begin_at_any_element) {
    for (const std::int64_t n : {63, 65, 1021}) {
        check_everywhere(mean_and_var(9, n));
        check_everywhere(weighted_rows(5, n));
    }
    check(softmax_of_rows(3, 40961), small_machine(), 0);  // one more than parts of whole steps
    check(mean_and_var(2, 70003), small_machine(), 0);
    const std::string peeled = "from the first aligned element on";
    const auto both = [&](const std::string& words) {
        return std::any_of(seen.begin(), seen.end(), [&](const std::string& s) {
            return s.find(peeled) != std::string::npos && s.find(words) != std::string::npos;
        });
    };
    for (const char* with : {"kept in registers", "blocks per row synchronised", "a cluster of"})
        EXPECT_TRUE(both(with)) << with;
}

TEST_P(schedules, columns) {
    for (const std::int64_t columns : {1, 3, 32, 45, 200})
        for (const std::int64_t n : {1, 9, 100}) {
            check_everywhere(norm_of_columns(n, columns));
            check_everywhere(standardised_columns(n, columns));
        }
    check_everywhere(norm_of_middle(3, 17, 70));
    EXPECT_TRUE(reached("columns: 1 thread per column"));
    EXPECT_TRUE(reached("32 columns per block"));
}

TEST_P(schedules, products) {
    for (const auto& [n, m, steps] : {std::array{130, 140, 17}, {64, 250, 32}, {257, 33, 3}, {256, 384, 9}})
        check_everywhere(squared_distances(n, m, steps));
    check_everywhere(weighted_products(3, 70, 64, 20));
    check_everywhere(sums_of_kernels(65, 100, 12));
    EXPECT_TRUE(reached("contraction: tiles of 128 x 128 results"));
    EXPECT_TRUE(reached("contraction: tiles of 64 x 64 results"));
    EXPECT_TRUE(reached("4 x 4 per thread"));
}

TEST_P(schedules, splits) {
    for (const std::int64_t n : {9000, 30001, 65536}) check_everywhere(dot_and_max(n));
    check_everywhere(norm_of_rows(3, 9001));
    const auto share = [](schedule& s) { s.blocks_per_output = std::max(s.blocks_per_output, 3); };
    check_everywhere(norm_of_columns(2500, 33), share);
    check_everywhere(norm_of_columns(5000, 2), share);
    EXPECT_TRUE(reached("blocks per row"));
    EXPECT_TRUE(reached("blocks per tile"));
}

TEST_P(schedules, scans) {
    for (const std::int64_t n : {2, 7, 33, 64, 500, 1021, 4096})
        for (const std::int64_t rows : {1, 13}) {
            loop_nest k = running_sums_of_rows(rows, n, dtype::float64);
            check_everywhere(k);
            k.loops[0].backwards = true;
            k.values[1].exclusive = true;
            check_everywhere(k);
            k = running_sums_of_columns(n, 5 * rows, dtype::float64);
            check_everywhere(k);
            k.loops[0].backwards = true;
            k.values[1].exclusive = true;
            check_everywhere(k);
        }
    check_everywhere(running_sums_of_columns(100, 1000));
    check_everywhere(running_sums_of_rows(1000, 7));
    EXPECT_TRUE(reached("1 thread per row"));
    EXPECT_TRUE(reached("1 thread per column"));
    EXPECT_TRUE(reached("threads per column"));
    EXPECT_TRUE(reached("accesses per thread"));
}

TEST_P(schedules, scans_that_look_back) {
    const auto small_tiles = [](std::int64_t n) {
        return [n](schedule& s) {
            s.block_threads = s.threads_per_output = 64;
            s.vector_width = s.unroll = 1;
            s.blocks_per_output = static_cast<int>((n + 63) / 64);  // more than two windows of 64 tiles
        };
    };
    const auto small_tiles_of_columns = [](std::int64_t n, int across, int vector) {
        return [n, across, vector](schedule& s) {
            s.block_threads = 64;
            s.threads_per_output = 64 / across;
            s.vector_width = vector;
            s.unroll = 1;
            s.blocks_per_output =
                static_cast<int>((n + s.threads_per_output - 1) /
                                 s.threads_per_output);  // more than 256 tiles, which form a larger window
        };
    };
    check(running_sums_of_columns(1100, 45, dtype::float64), small_machine(), 0, small_tiles_of_columns(1100, 32, 1));
    check(running_sums_of_columns(9000, 6, dtype::float64), small_machine(), 0, small_tiles_of_columns(9000, 4, 2));
    kernel_builder two;
    const int g = two.outer(33), l = two.loop({3000});
    const kernel_builder::strides at = {{g, 1}, {two.inner(l), 33}};
    const int x = two.load(two.input(dtype::float64), at, l);
    for (const char* row : {"sum", "max"}) two.store(two.scan(row, x, l), at, l);
    check(two.k, small_machine(), 0);
    check(running_sums_of_rows(1, 10007, dtype::float64), small_machine(), 0, small_tiles(10007));
    check(running_sums_of_rows(2, 9001, dtype::float64), small_machine(), 1, small_tiles(9001));
    for (std::size_t shift : {0u, 1u}) {
        check(running_sums_of_rows(3, 9001, dtype::float64), small_machine(), shift);
        loop_nest k = running_sums_of_rows(1, 30000, dtype::float64);
        k.loops[0].backwards = true;
        check(k, small_machine(), shift);
        check(running_sums_of_columns(9100, 33, dtype::float64), small_machine(), shift);
        k = running_sums_of_columns(5000, 2, dtype::float64);
        k.loops[0].backwards = true;
        k.values[1].exclusive = true;
        check(k, small_machine(), shift);
    }
    EXPECT_TRUE(reached("157 blocks per row"));
    EXPECT_TRUE(reached("blocks per tile"));
}

// Blocks that wait for each other must all be there, so the device itself is the machine that the schedule is for.
TEST_P(schedules, grid_barriers) {
    for (const int multiprocessors : {2, 4, 11})
        for (const std::size_t shift : {0u, 1u}) {
            device_properties m = small_machine();
            m.arch = 80;  // without clusters
            m.multiprocessors = multiprocessors;
            device.set_machine(m);
            for (const loop_nest& k :
                 {share_of_sum(8200), share_of_sum(70003), softmax_of_rows(2, 150000), softmax_of_rows(7, 40001),
                  mean_and_var(3, 50003), standardised_columns(9001, 5), standardised_columns(9000, 100)}) {
                check(k, m, shift);
                if (HasFatalFailure()) return;
            }
        }
    EXPECT_TRUE(reached("kept in registers, 8 blocks per row synchronised by grid barriers, 1 row at once"));
    EXPECT_TRUE(reached("blocks per tile synchronised by grid barriers"));
    EXPECT_TRUE(reached("rows at once"));
    EXPECT_TRUE(reached("tiles at once"));
    device.set_machine(small_machine());
}

TEST_P(schedules, clusters) {
    for (const int cluster : {2, 8})
        for (const std::int64_t n : {130, 1003}) {  // of the first, not every block has a part
            const auto small_blocks = [&](schedule& s) {
                s.block_threads = s.threads_per_output = 64;
                s.vector_width = 1;
                s.unroll = static_cast<int>((n + 64 * cluster - 1) / (64 * cluster));
                s.cluster = cluster;
                s.blocks_per_multiprocessor = 2;
                s.register_cached = true;
            };
            check(softmax_of_rows(3, n), small_machine(), 1, small_blocks);
            check(mean_and_var(5, n), small_machine(), 0, small_blocks);
        }
    check(softmax_of_rows(2, 65532), small_machine(), 0);
    EXPECT_TRUE(reached("a cluster of 4 blocks per row, 512 threads per block, 4 elements per access, 8 accumulators"));
}

}  // namespace
}  // namespace sinter::emulate
