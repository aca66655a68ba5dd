// Sharded arrays against whole ones: on meshes of several members that share the device under test, or use one GPU each
// if there are several; under mpirun, on the mesh of the processes (tests/mpi).
#include <gmock/gmock.h>
#include <tests/language/on_meshes.hpp>
#include <tests/support/message_of.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>

namespace {

using namespace sinter;
using namespace sinter::test;
using testing::AllOf;
using testing::HasSubstr;

class sharded_arrays : public on_meshes {};

TEST_F(sharded_arrays, parts_are_even_and_come_back_whole) {
    for (const mesh& m : meshes()) {
        for (const auto& extents : {shape<3>(7, 4, 5), shape<3>(2, 9, 1), shape<3>(0, 3, 4), shape<3>(1, 6, 2)}) {
            const auto x = random<float>(extents);
            for (int a = 0; a < 3; ++a) {
                const auto s = scatter(m, x, axis=a);
                ASSERT_EQ(s.axis(), extents[a] < 2 ? -1 : a);
                ASSERT_EQ(s.shape(), extents);
                for (int i = 0; i < m.local_size() && s.axis() >= 0; ++i) {
                    const std::int64_t n = extents[a], p = m.size(), mine = m.first() + i;
                    ASSERT_EQ(s.shard(i).shape()[a], n / p + (mine < n % p ? 1 : 0));
                }
                expect_same(gather(s), x, 0);
                for (int b = 0; b < 3; ++b) {
                    expect_same(gather(reshard(s, axis=b)), x, 0);
                    expect_same(reshard(replicate(s), axis=b), x, 0);
                }
                for (int i = 0; i < m.local_size(); ++i) expect_same(replicate(s).shard(i), x, 0);
            }
        }
    }
}

TEST_F(sharded_arrays, elementwise_work_stays_where_the_parts_are) {
    const auto x = random<float>(shape<2>(11, 6)), y = random<float>(shape<2>(11, 6));
    const auto row = random<float>(shape<1>(6));
    const auto column = random<float>(shape<2>(11, 1));
    for (const mesh& m : meshes()) {
        for (int a = 0; a < 2; ++a) {
            const auto sx = scatter(m, x, axis=a), sy = scatter(m, y, axis=a);
            const auto wrow = replicate(m, row);
            const auto wcolumn = replicate(m, column);
            const std::int64_t before = m.bytes_sent();
            const sharded<float, 2> r = exp(sx * 0.1f) + where(sx < sy, sy, 2.0f);
            EXPECT_EQ(r.axis(), a);
            // what every member has whole, along the split axis and across it
            const sharded<double, 2> broadcast = (sx + wrow) * wcolumn;
            const sharded<float, 2> counted = sx * astype<float>(arange<int>(6) + 1);
            EXPECT_EQ(m.bytes_sent(), before);
            expect_same(r, exp(x * 0.1f) + where(x < y, y, 2.0f));
            expect_same(broadcast, (x + row) * column);
            expect_same(counted, x * astype<float>(arange<int>(6) + 1));
        }
    }
}

TEST_F(sharded_arrays, reductions_join_what_the_members_have) {
    const auto x = random<float>(shape<3>(7, 4, 5));
    for (const mesh& m : meshes()) {
        for (int a = 0; a < (emulated() ? 1 : 3); ++a) {
            const auto s = scatter(m, x, axis=a);
            expect_same(sum(s), sum(x));
            expect_same(sum(s, axis=0), sum(x, axis=0));
            expect_same(max(s, axis={0, 2}), max(x, axis={0, 2}), 0);
            expect_same(mean(s, axis=1, keepdims) - s, mean(x, axis=1, keepdims) - x);
            if (emulated()) continue;
            expect_same(sum(s, axis=-1), sum(x, axis=-1));
            expect_same(prod(s / 4, axis=0), prod(x / 4, axis=0));
            expect_same(any(s > 4, axis=1), any(x > 4, axis=1), 0);
            expect_same(all(s < 4.9f), all(x < 4.9f), 0);
            expect_same(argmax(s, axis=0), argmax(x, axis=0), 0);
            expect_same(sum(astype<int>(s), axis={0, 1}), sum(astype<int>(x), axis={0, 1}), 0);
            expect_same(var(s, axis=0), var(x, axis=0));
            expect_same(sum(cos(s) + std::complex<float>(0, 1) * sin(s)),
                        sum(cos(x) + std::complex<float>(0, 1) * sin(x)));
        }
    }
}

TEST_F(sharded_arrays, reductions_fuse_with_what_comes_before_and_after) {
    const auto x = random<float>(shape<2>(13, 6));
    for (const mesh& m : meshes()) {
        for (int a = 0; a < 2; ++a) {
            const auto s = scatter(m, x, axis=a);
            for (int along = 0; along < 2; ++along) {
                const sharded<float, 2> r = softmax(s, axis=along);
                EXPECT_EQ(r.axis(), a);
                expect_same(r, softmax(x, axis=along));
            }
            const auto distance = [](const auto& e) { return sqrt(sum(square(e - mean(e, axis=0)))) / max(abs(e)); };
            expect_same(distance(s), distance(x));
            array<float, 0> low;
            array<float, 1> total;
            tie(low, total) = pack(min(s), sum(s * s, axis=1));
            expect_same(low, min(x), 0);
            expect_same(total, sum(x * x, axis=1));
        }
    }
}

TEST_F(sharded_arrays, members_without_elements_do_not_count) {
    for (const mesh& m : meshes()) {
        const array<float, 2> x = {{-3, -1, -2}, {-7, std::nanf(""), -5}};
        const auto s = scatter(m, x);
        expect_same(max(s), max(x));
        expect_same(max(s, axis=0), max(x, axis=0));
        expect_same(nanmax(s), nanmax(x));
        expect_same(sum(s, axis=0), sum(x, axis=0));
        expect_same(s * 2, x * 2);
    }
}

TEST_F(sharded_arrays, views_follow_the_split_axis) {
    const auto x = random<float>(shape<3>(6, 4, 5));
    const auto table = random<float>(shape<2>(9, 3));
    const array<int, 1> places = {8, 0, -1, 3, 3, 7, 1};
    for (const mesh& m : meshes()) {
        const auto s = scatter(m, x, axis=1);
        expect_same(transpose(s) + 1, transpose(x) + 1);
        expect_same(s(range(1, end, 2), all, 3), x(range(1, end, 2), all, 3), 0);
        expect_same(s(newaxis, 0) - s, x(newaxis, 0) - x);
        if (emulated()) continue;
        expect_same(flip(s, axis=2), flip(x, axis=2), 0);
        expect_same(roll(s, 2, axis=0), roll(x, 2, axis=0), 0);
        expect_same(broadcast_to(s, {2, 6, 4, 5}), broadcast_to(x, {2, 6, 4, 5}), 0);
        expect_same(reshape(s, {6, 4, 5, 1}), reshape(x, {6, 4, 5, 1}), 0);
        expect_same(reshape(scatter(m, x), {6, 20}), reshape(x, {6, 20}), 0);
        expect_same(cumsum(s, axis=2) / sum(s, axis=2, keepdims), cumsum(x, axis=2) / sum(x, axis=2, keepdims));
        expect_same(take(replicate(m, table), scatter(m, places), axis=0), take(table, places, axis=0), 0);
        const auto square = scatter(m, table(range(0, 3), all), axis=0);
        // along both a split axis and a whole one
        expect_same(diagonal(square), diagonal(table(range(0, 3), all)), 0);
        expect_same(where(eye<float>(3) > 0, square, 0.0f), where(eye<float>(3) > 0, table(range(0, 3), all), 0.0f), 0);
    }
}

TEST_F(sharded_arrays, products_of_matrices) {
    const auto x = random<float>(shape<2>(21, 7)), w = random<float>(shape<2>(7, 5)),
               y = random<float>(shape<2>(21, 5));
    for (const mesh& m : meshes()) {
        const auto sx = scatter(m, x), sy = scatter(m, y), sw = replicate(m, w);
        const sharded<float, 2> r = maximum(matmul(sx, sw) + 1, 0);
        EXPECT_EQ(r.axis(), 0);
        expect_same(r, maximum(matmul(x, w) + 1, 0));
        const sharded<float, 2> product = matmul(transpose(sx), sy);
        EXPECT_EQ(product.axis(), -1);
        expect_same(product, matmul(transpose(x), y));
    }
}

TEST_F(sharded_arrays, halves_are_rounded_where_they_are_stored) {
    if (emulated()) return;
    for (const mesh& m : meshes()) {
        const auto x = scatter(m, full({30000}, float16(10)));
        expect_same(mean(x), full<float16, 0>({}, float16(10)), 0);
        expect_same(astype<float>(x - sum(x) / 30000.0f), full({30000}, 0.0f), 0);
        expect_same(sum(astype<float16>(x * 0.1f)) / 100, full<float16, 0>({}, float16(300)), 1e-3);
    }
}

TEST_F(sharded_arrays, members_make_their_own_parts_of_what_a_formula_gives) {
    for (const mesh& m : meshes()) {
        const std::int64_t before = m.bytes_sent();
        const auto u = scatter(m, uniform<float>(random_key(5), {1003}));
        const auto i = scatter(m, reshape(arange<std::int64_t>(21), {3, 7}), axis=1);
        EXPECT_EQ(m.bytes_sent(), before);
        expect_same(u, uniform<float>(random_key(5), {1003}), 0);
        expect_same(i, reshape(arange<std::int64_t>(21), {3, 7}), 0);
    }
}

TEST_F(sharded_arrays, what_goes_over_the_link_is_counted) {
    if (is_one_of_several_processes()) GTEST_SKIP() << "each process counts what it sends";
    const mesh m = mesh_of(3);
    const auto x = scatter(m, random<float>(shape<2>(6, 10)));
    const auto sent = [&](auto work) {
        const std::int64_t before = m.bytes_sent();
        work();
        return m.bytes_sent() - before;
    };
    // all-reduce by NCCL: 2 (p - 1) / p of the bytes from each; without it everyone sends everyone what he has
    const int copies = m.link().starts_with("NCCL") ? 4 : 6;
    EXPECT_EQ(sent([&] { sharded<float, 1> s = sum(x, axis=0); }), copies * 10 * 4);
    EXPECT_EQ(sent([&] { sharded<float, 1> s = max(x, axis=0); }), 6 * 10 * 4);
    EXPECT_EQ(sent([&] { sharded<float, 1> s = sum(x, axis=1); }), 0);
    EXPECT_EQ(sent([&] { static_cast<void>(gather(x)); }), 4 * 10 * 4);
    EXPECT_EQ(sent([&] { static_cast<void>(replicate(x)); }), 2 * 6 * 10 * 4);
    // of each member's 2 x 10 elements the columns of the others: 10 less its own 4, 3 and 3
    EXPECT_EQ(sent([&] { static_cast<void>(reshard(x, axis=1)); }), 2 * 20 * 4);
}

TEST_F(sharded_arrays, members_may_be_devices_of_different_kinds) {
    const auto x = random<float>(shape<2>(8, 5));
    const mesh m({current_device(), host(), current_device()});
    const auto s = scatter(m, x);
    EXPECT_EQ(s.shard(1).to(host()).shape(), shape<2>(3, 5));
    expect_same(s * 2 - sum(s, axis=0), x * 2 - sum(x, axis=0));
    expect_same(gather(reshard(s, axis=1)), x, 0);
    expect_same(replicate(s).shard(1), x, 0);
}

TEST_F(sharded_arrays, say_what_they_do_not_do) {
    const mesh m = meshes().back();
    const auto x = random<float>(shape<2>(6, 4));
    const auto s = scatter(m, x), t = scatter(m, x, axis=1);
    const auto tell = [&](const auto& e) { return message_of([&] { static_cast<void>(gather(e)); }); };
    EXPECT_THAT(tell(s + t), HasSubstr("sharded: add has operands that are split along different axes; reshard("));
    EXPECT_THAT(tell(take(s, replicate(m, array<int, 1>{1, 0}), axis=0)),
                HasSubstr("reads the split axis at indices that only the data determine"));
    EXPECT_THAT(tell(reshape(t, {24})), HasSubstr("merges or divides the split axis"));
    EXPECT_THAT(tell(s + x), HasSubstr("replicate(mesh, x)"));
    EXPECT_THAT(message_of([&] { sharded<float, 2> r = s + x; }), HasSubstr("replicate(mesh, x)"));
    EXPECT_THAT(message_of([&] { sharded<float, 2> r = x + 1; }), HasSubstr("an operand is on"));
    EXPECT_THAT(message_of([&] { sharded<float, 2> r = eye<float>(3); }), HasSubstr("no operand is sharded"));
    EXPECT_THAT(message_of([&] { static_cast<void>(explain(s + 1)); }), HasSubstr("use x.shard()"));
    EXPECT_THAT(message_of([&] { static_cast<void>(s.shard(9)); }), HasSubstr("no shard(9)"));
    EXPECT_THAT(message_of([&] { static_cast<void>(m.local(9)); }), HasSubstr("no local(9)"));
    EXPECT_THAT(message_of([] { static_cast<void>(sharded<float, 1>().axis()); }), HasSubstr("never assigned"));
    EXPECT_THAT(message_of([&] { static_cast<void>(capture([&] { sharded<float, 2> r = s + 1; })); }),
                HasSubstr("evaluations of sharded arrays"));
    EXPECT_THAT(message_of([] { mesh(std::span<const device>()); }), HasSubstr("at least one device is needed"));
    if (!is_one_of_several_processes()) {
        const auto other = scatter(mesh_of(2), x);
        EXPECT_THAT(message_of([&] { sharded<float, 2> r = s + other; }), HasSubstr("another mesh"));
    }
}

TEST_F(sharded_arrays, processes_that_bring_different_things_all_say_so) {
    if (!is_one_of_several_processes()) GTEST_SKIP() << "one process agrees with itself";
    const mesh m = meshes().front();
    const auto own = random<float>(shape<2>(6, 3)), longer = random<float>(shape<2>(9, 3));
    const bool differs = m.first() == 1;
    const auto x = scatter(m, differs ? longer : own);
    const auto y = scatter(m, own, axis=0);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(message_of([&] { static_cast<void>(item(sum(x))); }),
                AllOf(HasSubstr("process 1 evaluates an expression of float32 (9, 3)"),
                      HasSubstr("process 0 an expression of float32 (6, 3)")));
    EXPECT_THAT(message_of([&] { static_cast<void>(differs ? item(sum(y * 2)) : item(max(y))); }),
                HasSubstr("the processes evaluate different expressions, each an expression of float32"));
    EXPECT_THAT(message_of([&] { static_cast<void>(differs ? reshard(y, axis=1) : replicate(y)); }),
                AllOf(HasSubstr("to split it along axis 1"), HasSubstr("to make it whole")));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    expect_same(sum(y), sum(own));  // the mesh works on
}

TEST_F(sharded_arrays, a_process_that_cannot_reach_the_others_says_so) {
    if (is_one_of_several_processes() || emulated()) GTEST_SKIP();
    const auto set = [](const char* rank, const char* size) {
        ::setenv("SINTER_RANK", rank, 1);
        ::setenv("SINTER_SIZE", size, 1);
    };
    set("2", "2");
    EXPECT_THAT(message_of([] { mesh(); }), HasSubstr("SINTER_RANK=2, SINTER_SIZE=2: ranks are numbered from 0"));
    set("one", "2");
    EXPECT_THAT(message_of([] { mesh(); }), HasSubstr("SINTER_RANK=one"));
    set("1", "2");
    EXPECT_THAT(message_of([] { mesh(); }), AllOf(HasSubstr("started 2 processes"), HasSubstr("link sinter::mpi")));
    set("0", "1");
    EXPECT_NO_THROW(mesh());
    ::unsetenv("SINTER_RANK");
    ::unsetenv("SINTER_SIZE");
}

}  // namespace
