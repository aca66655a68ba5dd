// Every kernel whose program is known runs twice, interpreted and compiled from its source, with bitwise equal results.
#include <tests/codegen/render_running.hpp>
#include <tests/emulate/launching.hpp>
#include <tests/support/message_of.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace sinter::codegen {
namespace {

using namespace testing;

/// Runs both ways; the device compares the results. Tests of codegen check that they are correct.
void expect_agreement(const loop_nest& k, const schedule& s) {
    SCOPED_TRACE(describe(s));
    emulated().set_compile_one_in(1);
    const bool has_program = print_kernel(k, s, "").program != nullptr;
    const int before = emulated().interpreted_launches();
    run(k, s, make_arguments(k, 7));
    EXPECT_EQ(emulated().interpreted_launches() - before, has_program ? 1 : 0);
}

void expect_agreement(const loop_nest& k) {
    expect_agreement(k, chosen(k));
    // blocks that wait for each other must all be resident
    if (const schedule large = chosen(k, 132); !large.grid_barrier) expect_agreement(k, large);
    expect_agreement(k, wide(chosen(k, 1, 4)));
}

TEST(Interpret, Elementwise) {
    for (const std::int64_t n : {1, 31, 1000, 1024, 20003}) expect_agreement(exp_of(n));
    for (const std::int64_t columns : {1, 64, 67}) expect_agreement(axpy_with_row(33, columns));
    schedule s = chosen(exp_of(20003), 1);
    for (s.unroll = 1; s.unroll <= 4; s.unroll *= 2) expect_agreement(exp_of(20003), s);
}

TEST(Interpret, MixedTypes) {
    kernel_builder b;
    const int i = b.outer(7), j = b.outer(9), l = b.outer(11);
    const int x = b.load(b.input(dtype::int8), {{i, 1}, {j, 7}, {l, 63}});
    const int y = b.load(b.input(dtype::float64), {{i, 22}, {l, 2}});
    const int smaller = b.op("less", {b.cast(dtype::float64, x), y});
    b.store(smaller, {{i, 99}, {j, 11}, {l, 1}});
    b.store(b.op("where", {smaller, b.op("tanh", {y}), b.constant(-0.25)}), {{i, 99}, {j, 11}, {l, 1}});
    expect_agreement(b.k);
}

TEST(Interpret, InPlace) {
    kernel_builder b;
    const int i = b.outer(3001);
    b.store(b.op("exp", {b.load(b.input(dtype::float32, true), {{i, 1}})}), {{i, 1}});
    expect_agreement(b.k);
}

TEST(Interpret, Tiled) {
    for (const auto& [rows, columns] : {std::pair{130, 70}, {33, 67}, {64, 64}, {257, 5}}) {
        expect_agreement(plus_transposed(rows, columns));
        for (const dtype type : {dtype::uint8, dtype::float32, dtype::float64})
            expect_agreement(transposed_planes(type, 3, rows, columns));
    }
}

TEST(Interpret, Channels) {
    for (const images& of : {images{1, 5004, 3, 3}, {3, 1060, 2, 2}, {1, 4100, 3, 4}}) {
        expect_agreement(planes_of_pixels(of, dtype::uint8, dtype::float32));
        expect_agreement(pixels_of_planes(of, dtype::int32, dtype::uint8));
    }
    expect_agreement(stacked_pixels(5003));
}

TEST(Interpret, Rows) {
    for (const std::int64_t n : {1, 31, 100, 1003}) {
        expect_agreement(norm_of_rows(13, n));
        expect_agreement(softmax_of_rows(9, n));
        expect_agreement(running_sums_of_rows(9, n));
        expect_agreement(mean_and_var(9, n));
        expect_agreement(variance_of_rows(9, n));
    }
    expect_agreement(sum_of_outer_and_last(60, 5, 21));
}

TEST(Interpret, Columns) {
    for (const auto& [n, columns] : {std::pair{1, 5}, {100, 33}, {999, 64}}) {
        expect_agreement(norm_of_columns(n, columns));
        expect_agreement(standardised_columns(n, columns));
        expect_agreement(running_sums_of_columns(n, columns));
        expect_agreement(variance_of_columns(n, columns));
    }
    expect_agreement(norm_of_middle(5, 60, 47));
}

TEST(Interpret, SeveralBlocksShareAGroup) {
    expect_agreement(dot_and_max(30001));
    expect_agreement(share_of_sum(30001));
    expect_agreement(running_sums_of_rows(1, 30001));
    expect_agreement(running_sums_of_columns(5000, 20));
    expect_agreement(standardised_columns(5000, 20));
    expect_agreement(softmax_of_rows(3, 20000));
}

TEST(Interpret, Products) {
    for (const std::int64_t n : {5, 64, 130}) {
        expect_agreement(squared_distances(n, 70, 33));
        expect_agreement(weighted_products(2, n, 36, 20));
        expect_agreement(sums_of_kernels(n, 40, 16));
        expect_agreement(distance_of_nearest(n, 17, 33));
    }
}

TEST(Interpret, ADifferenceIsReported) {
    kernel_builder b;
    const int i = b.outer(100);
    b.store(b.op("sqrt", {b.load(b.input(dtype::float32), {{i, 1}})}), {{i, 1}});
    const schedule s = chosen(b.k);
    printed_kernel r = print_kernel(exp_of(100), s, "");
    r.program = print_kernel(b.k, s, "").program;  // not the program that the source was printed from
    emulated().set_compile_one_in(1);
    loaded_kernel* const loaded = emulate::load_rendered(emulated(), r);
    const emulate::device_array<float> x(emulated(), std::vector<float>(100, 2.f)), out(emulated(), 100);
    std::vector<std::uint64_t> values;
    for (const parameter& p : r.parameters)
        values.push_back(p.what == parameter::kind::output  ? reinterpret_cast<std::uint64_t>(out.p)
                         : p.what == parameter::kind::input ? reinterpret_cast<std::uint64_t>(x.p)
                                                            : static_cast<std::uint64_t>(launch_value(b.k, s, p)));
    std::vector<void*> arguments;
    for (std::uint64_t& v : values) arguments.push_back(&v);
    const std::string why = test::error_of(
        [&] { emulated().launch(loaded, grid_size(b.k, s), s.block_threads, r.shared_bytes, arguments.data()); });
    EXPECT_NE(why.find("the interpreter and the compiled source differ in parameter 0, byte 0"), std::string::npos)
        << why;
}

}  // namespace
}  // namespace sinter::codegen
