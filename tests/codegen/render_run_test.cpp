// Generated kernels compute what their kernel says: every form and schedule runs on the emulated device and is compared
// with the interpreter, element by element; what is not stored must stay untouched.
#include <codegen/render/render.hpp>
#include <tests/codegen/kernel_interpreter.hpp>
#include <tests/codegen/kernel_samples.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;

emulate::emulated_device& emulated() {
    static emulate::emulated_device device;
    return device;
}

template <class F>
void with_type(dtype d, F f) {
    switch (d) {
        case dtype::bool_: return f(bool{});
        case dtype::int8: return f(std::int8_t{});
        case dtype::uint8: return f(std::uint8_t{});
        case dtype::int32: return f(std::int32_t{});
        case dtype::int64: return f(std::int64_t{});
        case dtype::float32: return f(float{});
        default: return f(double{});
    }
}

std::vector<char> bytes_of(const std::vector<double>& values, dtype d) {
    std::vector<char> bytes(values.size() * size_of(d));
    with_type(d, [&](auto t) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            t = static_cast<decltype(t)>(values[i]);
            std::memcpy(bytes.data() + i * sizeof t, &t, sizeof t);
        }
    });
    return bytes;
}

std::vector<double> values_of(const std::vector<char>& bytes, dtype d) {
    std::vector<double> values(bytes.size() / size_of(d));
    with_type(d, [&](auto t) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&t, bytes.data() + i * sizeof t, sizeof t);
            values[i] = static_cast<double>(t);
        }
    });
    return values;
}

// The elements between the first and the last that a layout reaches, plus one.
std::size_t reach(const kernel& k, int layout_position, std::size_t so_far) {
    std::int64_t last = 0;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        last += std::max<std::int64_t>(k.extents[a] - 1, 0) *
                k.layouts[static_cast<std::size_t>(layout_position)].stride[a];
    return std::max(so_far, static_cast<std::size_t>(last) + 1);
}

struct arguments {
    std::vector<std::vector<double>> inputs, outputs;
    std::vector<double> scalars;
};

arguments make_arguments(const kernel& k, unsigned seed) {
    std::mt19937 random(seed);
    arguments all;
    std::vector<std::size_t> input_size(k.inputs.size(), 1), output_size(k.outputs.size(), 1);
    for (const value& v : k.values)
        if (v.what == value_kind::load)
            input_size[static_cast<std::size_t>(v.input)] =
                reach(k, v.at, input_size[static_cast<std::size_t>(v.input)]);
    for (const kernel_store& s : k.stores)
        output_size[static_cast<std::size_t>(s.output)] =
            reach(k, s.at, output_size[static_cast<std::size_t>(s.output)]);
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
        std::vector<double> data(input_size[i]);
        for (double& x : data)
            x = is_floating(k.inputs[i].type) ? static_cast<double>(static_cast<float>(random()) / 4294967296.f) * 2 - 1
                                              : static_cast<double>(random() % 100);
        all.inputs.push_back(values_of(bytes_of(data, k.inputs[i].type), k.inputs[i].type));
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) all.outputs.emplace_back(output_size[o], 77.0);
    for (std::size_t a = 0; a < k.scalars.size(); ++a) all.scalars.push_back(3 + static_cast<double>(random() % 7));
    return all;
}

/// Renders, compiles and launches `times` times; gives the outputs.
std::vector<std::vector<double>> run(const kernel& k, const schedule& s, const arguments& all, int times = 1) {
    emulate::emulated_device& device = emulated();
    const rendered r = render(k, s, "");
    static std::map<std::string, loaded_kernel*> loaded;
    if (loaded.count(r.text) == 0) {
        SCOPED_TRACE(r.text);
        loaded[r.text] = device.load(device.compile(r.text), r.entry);
    }
    std::vector<std::pair<void*, std::size_t>> memory;
    const auto upload = [&](const std::vector<char>& bytes) {
        memory.emplace_back(device.allocate(bytes.size()), bytes.size());
        device.copy_from_host(memory.back().first, bytes.data(), bytes.size());
        return memory.back().first;
    };
    std::vector<void*> inputs, outputs;
    for (std::size_t i = 0; i < k.inputs.size(); ++i)
        inputs.push_back(upload(bytes_of(all.inputs[i], k.inputs[i].type)));
    for (std::size_t o = 0; o < k.outputs.size(); ++o)
        outputs.push_back(k.inputs.size() == 1 && k.inputs[0].may_alias_output
                              ? inputs[0]
                              : upload(bytes_of(all.outputs[o], k.outputs[o])));
    EXPECT_EQ(r.workspace_bytes, workspace_bytes(k, s));
    void* workspace = r.workspace_bytes > 0 ? upload(std::vector<char>(r.workspace_bytes, 0)) : nullptr;

    std::vector<std::vector<char>> storage;
    const auto integer = [&](std::int64_t n) {
        std::vector<char> bytes(8);
        const auto narrow = static_cast<std::int32_t>(n);
        std::memcpy(bytes.data(), s.wide_index ? static_cast<const void*>(&n) : &narrow, s.wide_index ? 8 : 4);
        return bytes;
    };
    const auto pointer = [&](void* p) {
        std::vector<char> bytes(sizeof p);
        std::memcpy(bytes.data(), &p, sizeof p);
        return bytes;
    };
    for (const parameter& p : r.parameters) {
        const auto i = static_cast<std::size_t>(p.index);
        switch (p.what) {
            case parameter::kind::output: storage.push_back(pointer(outputs[i])); break;
            case parameter::kind::input: storage.push_back(pointer(inputs[i])); break;
            case parameter::kind::scalar: storage.push_back(bytes_of({all.scalars[i]}, k.scalar_types[i])); break;
            case parameter::kind::extent: storage.push_back(integer(k.extents[i])); break;
            case parameter::kind::groups: storage.push_back(integer(outer_size(k))); break;
            case parameter::kind::trips: storage.push_back(integer(trip_count(k, k.loops[i]))); break;
            case parameter::kind::stride:
                storage.push_back(integer(k.layouts[i].stride[static_cast<std::size_t>(p.axis)]));
                break;
            case parameter::kind::parts: storage.push_back(integer(s.split)); break;
            case parameter::kind::workspace: storage.push_back(pointer(workspace)); break;
        }
    }
    std::vector<void*> arguments;
    for (std::vector<char>& bytes : storage) arguments.push_back(bytes.data());
    for (int t = 0; t < times; ++t)
        device.launch(loaded[r.text], grid_size(k, s), s.block, r.shared_bytes, arguments.data());

    std::vector<std::vector<double>> results;
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        std::vector<char> bytes(all.outputs[o].size() * size_of(k.outputs[o]));
        device.copy_to_host(bytes.data(), outputs[o], bytes.size());
        results.push_back(values_of(bytes, k.outputs[o]));
    }
    for (const auto& [p, bytes] : memory) device.deallocate(p, bytes);
    return results;
}

void expect_right(const kernel& k, const schedule& s, int times = 1) {
    SCOPED_TRACE(describe(s));
    arguments all = make_arguments(k, 7);
    const std::vector<std::vector<double>> results = run(k, s, all, times);
    testing::interpreter(k, all.inputs, all.scalars, all.outputs).run();
    for (std::size_t o = 0; o < results.size(); ++o) {
        const double tolerance = !is_floating(k.outputs[o]) ? 0 : k.outputs[o] == dtype::float32 ? 2e-5 : 1e-12;
        for (std::size_t i = 0; i < results[o].size(); ++i)
            ASSERT_NEAR(results[o][i], all.outputs[o][i], tolerance * (1 + std::abs(all.outputs[o][i])))
                << "output " << o << ", element " << i;
    }
}

schedule chosen(const kernel& k, int multiprocessors = 4, int alignment = 16) {
    machine m;
    m.multiprocessors = multiprocessors;
    return choose_schedule(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), alignment));
}

schedule wide(schedule s) {
    s.wide_index = true;
    return s;
}

TEST(RenderRun, ElementwiseVectorsAndTheirTail) {
    for (std::int64_t n : {1, 1000, 1024, 20003}) expect_right(testing::exp_of(n), chosen(testing::exp_of(n)));
    schedule s = chosen(testing::exp_of(20003), 1);
    s.unroll = 4;
    expect_right(testing::exp_of(20003), s);
    expect_right(testing::exp_of(20003), wide(s));
    EXPECT_EQ(s.vector, 4);
    EXPECT_EQ(chosen(testing::exp_of(20003), 1, 4).vector, 1);
}

TEST(RenderRun, ElementwiseBroadcast) {
    expect_right(testing::axpy_with_row(33, 64), chosen(testing::axpy_with_row(33, 64), 1));
    expect_right(testing::axpy_with_row(33, 67), chosen(testing::axpy_with_row(33, 67), 1));
    expect_right(testing::axpy_with_row(33, 67), wide(chosen(testing::axpy_with_row(33, 67), 1)));
}

TEST(RenderRun, ElementwiseTransposedRankThreeWithMixedTypes) {
    kernel_builder b;
    const int i = b.outer(7), j = b.outer(9), l = b.outer(11);
    const int x = b.load(b.input(dtype::int8), {{i, 1}, {j, 7}, {l, 63}});
    const int y = b.load(b.input(dtype::float64), {{i, 22}, {l, 2}});
    const int z = b.load(b.input(dtype::float64), {});
    const int smaller = b.op("less", {b.cast(dtype::float64, x), y});
    b.store(smaller, {{i, 99}, {j, 11}, {l, 1}});
    b.store(b.op("where", {smaller, b.op("multiply", {y, z}), b.constant(-0.25)}), {{i, 99}, {j, 11}, {l, 1}});
    schedule s = chosen(b.k, 1);
    expect_right(b.k, s);
    s.unroll = 2;
    expect_right(b.k, s);
    expect_right(b.k, wide(s));
}

TEST(RenderRun, ElementwiseInPlace) {
    kernel_builder b;
    const int i = b.outer(3001);
    b.store(b.op("exp", {b.load(b.input(dtype::float32, true), {{i, 1}})}), {{i, 1}});
    EXPECT_EQ(render(b.k, chosen(b.k, 1), "").text.find("__restrict__"), std::string::npos);
    expect_right(b.k, chosen(b.k, 1));
}

TEST(RenderRun, NoAxesAtAll) {
    kernel_builder b;
    b.store(b.op("exp", {b.load(b.input(dtype::float64), {})}), {});
    expect_right(b.k, chosen(b.k));
}

TEST(RenderRun, RowsOfEveryLength) {
    for (std::int64_t n : {0, 1, 2, 5, 8, 40, 100, 333, 1000, 1026, 3000}) {
        SCOPED_TRACE(n);
        expect_right(testing::norm_of_rows(13, n), chosen(testing::norm_of_rows(13, n)));
    }
}

TEST(RenderRun, RowsOfEveryGroup) {
    for (int group : {1, 2, 16, 32, 64, 256, 1024}) {
        schedule s = chosen(testing::norm_of_rows(13, 700));
        s.group = group;
        s.block = std::max(group, group == 64 ? 256 : 128);
        s.unroll = group == 16 ? 1 : 4;
        expect_right(testing::norm_of_rows(13, 700), s);
        if (group == 64) expect_right(testing::norm_of_rows(13, 700), wide(s));
    }
}

TEST(RenderRun, SeveralLoopsOverRows) {
    for (std::int64_t n : {5, 64, 1001, 4096}) {
        schedule s = chosen(testing::softmax_of_rows(9, n));
        EXPECT_TRUE(s.resident);
        expect_right(testing::softmax_of_rows(9, n), s);
        s.resident = false;
        expect_right(testing::softmax_of_rows(9, n), s);
        expect_right(testing::mean_and_var(9, n), chosen(testing::mean_and_var(9, n)));
    }
    schedule s = chosen(testing::softmax_of_rows(9, 1000));
    s.unroll = 1;
    s.group = s.block = 256;
    expect_right(testing::softmax_of_rows(9, 1000), wide(s));
}

TEST(RenderRun, OneRowWithAnOddEnd) {
    for (std::int64_t n : {1, 3, 1000, 1003, 5001}) {
        SCOPED_TRACE(n);
        const schedule s = chosen(testing::dot_and_max(n));
        EXPECT_EQ(s.split, 1);
        EXPECT_EQ(s.vector, 4);
        expect_right(testing::dot_and_max(n), s);
    }
}

TEST(RenderRun, ColumnsOfEveryShape) {
    for (const auto& [n, columns] : {std::pair{1, 5}, {7, 33}, {100, 64}, {1000, 3}, {999, 1}, {0, 40}, {3000, 70}}) {
        SCOPED_TRACE(::testing::Message() << n << " by " << columns);
        expect_right(testing::norm_of_columns(n, columns), chosen(testing::norm_of_columns(n, columns)));
    }
    expect_right(testing::norm_of_middle(5, 60, 47), chosen(testing::norm_of_middle(5, 60, 47)));
    expect_right(testing::norm_of_middle(5, 60, 47), wide(chosen(testing::norm_of_middle(5, 60, 47))));
    schedule s = chosen(testing::norm_of_columns(100, 70));
    s.group = 1;
    s.unroll = 1;
    s.block = 64;
    expect_right(testing::norm_of_columns(100, 70), s);
}

TEST(RenderRun, SeveralLoopsOverColumns) {
    expect_right(testing::standardised_columns(130, 45), chosen(testing::standardised_columns(130, 45)));
    expect_right(testing::standardised_columns(2000, 45), chosen(testing::standardised_columns(2000, 45), 132));
}

TEST(RenderRun, SeveralInnerAxes) {
    expect_right(testing::sum_of_outer_and_last(6, 5, 24), chosen(testing::sum_of_outer_and_last(6, 5, 24)));
    expect_right(testing::sum_of_outer_and_last(6, 5, 21), chosen(testing::sum_of_outer_and_last(6, 5, 21)));
    expect_right(testing::sum_of_outer_and_last(600, 5, 21), chosen(testing::sum_of_outer_and_last(600, 5, 21)));
}

TEST(RenderRun, SplitReductionsAndTheirTickets) {
    for (const kernel& k : {testing::dot_and_max(20003), testing::dot_and_max(65536), testing::norm_of_rows(3, 20000),
                            testing::norm_of_columns(5000, 37), testing::sum_of_outer_and_last(600, 5, 21)}) {
        schedule s = chosen(k);
        ASSERT_GT(s.split, 1) << describe(s);
        expect_right(k, s, 3);  // the ticket must be ready again for each launch
        expect_right(k, wide(s));
        s.split = 7;
        expect_right(k, s, 2);
        s.split = 300;  // most parts are empty
        expect_right(k, s, 2);
    }
}

TEST(RenderRun, SplitResultsDoNotDependOnTheOrderOfBlocks) {
    const kernel k = testing::dot_and_max(30001);
    const arguments all = make_arguments(k, 3);
    const schedule s = chosen(k);
    emulated().set_order(emulate::run_order::forward);
    const auto forward = run(k, s, all);
    emulated().set_order(emulate::run_order::reverse);
    const auto reverse = run(k, s, all);
    emulated().set_order(emulate::run_order::forward);
    EXPECT_EQ(forward, reverse);
}

// Every kind of kernel whose blocks meet, in three launches: the barrier and the results' places must be ready again.
TEST(RenderRun, GridBarriersOverRows) {
    for (const kernel& k : {testing::share_of_sum(20003), testing::share_of_sum(65536), testing::share_of_sum(200001),
                            testing::softmax_of_rows(3, 36004), testing::softmax_of_rows(9, 66000),
                            testing::softmax_of_rows(5, 40001), testing::mean_and_var(7, 50001)}) {
        schedule s = chosen(k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        expect_right(k, s, 3);
        expect_right(k, wide(s), 2);
        if (s.resident) {
            s.resident = false;
            s.unroll = 2;
            expect_right(k, s, 2);
        }
        if (k.outer.empty()) s.teams = 1;
        s.split = k.outer.empty() ? 7 : 3;
        s.unroll = 1;
        expect_right(k, s, 3);
    }
}

TEST(RenderRun, GridBarriersOverColumns) {
    for (const kernel& k : {testing::standardised_columns(9001, 3), testing::standardised_columns(8200, 37),
                            testing::standardised_columns(20001, 2), testing::standardised_columns(8193, 70)}) {
        schedule s = chosen(k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        expect_right(k, s, 3);
        expect_right(k, wide(s), 2);
        s.resident = false;
        s.unroll = 2;
        expect_right(k, s, 2);
        s.teams = 1;
        s.split = 16;
        expect_right(k, s, 2);
    }
}

/// x / sum(x * x) of every row, or of every column.
kernel share_along(std::int64_t rows, std::int64_t columns, bool rowwise) {
    kernel_builder b;
    const int outer = b.outer(rowwise ? rows : columns), in = b.input(dtype::float32);
    const std::int64_t length = rowwise ? columns : rows;
    const auto along = [&](int inner) {
        return kernel_builder::strides{{outer, rowwise ? columns : 1}, {inner, rowwise ? 1 : columns}};
    };
    const int l0 = b.loop({length});
    const int total = b.reduce("sum", b.op("square", {b.load(in, along(b.inner(l0)), l0)}, l0), l0);
    const int l1 = b.loop({length});
    b.store(b.op("divide", {b.load(in, along(b.inner(l1)), l1), total}, l1), along(b.inner(l1)), l1);
    return b.k;
}

// More groups than teams, each a different number of turns, and parts that no elements are left for.
TEST(RenderRun, TeamsTakeTurns) {
    for (int teams : {1, 3, 5}) {
        kernel k = testing::softmax_of_rows(11, 9000);
        schedule s = chosen(k);
        s.group = s.block = 256;
        s.grid_barrier = true;
        s.blocks_per_multiprocessor = 4;
        s.resident = true;
        s.unroll = 4;
        s.split = 3;
        s.teams = teams;
        expect_right(k, s, 2);
        s.resident = false;
        s.unroll = 1;
        expect_right(k, s, 2);
        k = share_along(11, 300, true);  // one barrier a turn
        expect_right(k, s, 2);
        k = testing::mean_and_var(11, 300);
        s.vector = 1;
        expect_right(k, s, 2);
        k = share_along(60, 100, false);
        s.form = schedule_form::columns;
        s.group = 8;
        expect_right(k, s, 2);
        k = testing::standardised_columns(60, 100);
        expect_right(k, s, 2);
        s.group = 64;
        s.unroll = 16;
        s.resident = true;
        expect_right(k, s, 2);
    }
}

// Loops that differ in length, a result stored inside a reduction loop, several reductions of several types.
TEST(RenderRun, GridBarriersOfMixedLoops) {
    for (std::int64_t outer : {0, 3}) {
        kernel_builder b;
        kernel_builder::strides rx, ry, rz;
        if (outer > 0) {
            const int r = b.outer(outer);
            rx = {{r, 10001}};
            ry = {{r, 9000}};
            rz = {{r, 1}};
        }
        const auto along = [](kernel_builder::strides s, int axis) {
            s.emplace_back(axis, 1);
            return s;
        };
        const int in = b.input(dtype::float64), other = b.input(dtype::int32);
        const int l0 = b.loop({10001});
        const int x = b.load(in, along(rx, b.inner(l0)), l0);
        const int total = b.reduce("sum", x, l0), top = b.reduce("max", x, l0);
        b.store(b.op("exp", {x}, l0), along(rx, b.inner(l0)), l0);
        const int l1 = b.loop({9000});
        const int y = b.load(other, along(ry, b.inner(l1)), l1);
        const int most = b.reduce("max", y, l1);
        b.store(b.op("add", {b.cast(dtype::float64, y, l1), total}, l1), along(ry, b.inner(l1)), l1);
        b.store(b.op("multiply", {top, b.cast(dtype::float64, most)}), rz);
        const schedule s = chosen(b.k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        EXPECT_FALSE(s.resident);
        expect_right(b.k, s, 2);
        expect_right(b.k, wide(s), 2);
    }
}

TEST(RenderRun, GridBarrierResultsDoNotDependOnTheOrderOfBlocks) {
    for (const kernel& k : {testing::share_of_sum(30001), testing::standardised_columns(9001, 20)}) {
        const arguments all = make_arguments(k, 3);
        const schedule s = chosen(k);
        const auto forward = run(k, s, all);
        for (const emulate::run_order order : {emulate::run_order::reverse, emulate::run_order::shuffled}) {
            emulated().set_order(order);
            EXPECT_EQ(forward, run(k, s, all));
        }
        emulated().set_order(emulate::run_order::forward);
    }
}

}  // namespace
}  // namespace sinter::codegen
