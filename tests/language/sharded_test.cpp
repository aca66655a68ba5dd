// Sharded arrays against whole ones: on meshes of several members that share the device under test, or have one each
// where there are several GPUs, and on meshes of several processes, for which the tests run themselves again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter/sharded.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include <unistd.h>

namespace {

using namespace sinter;
using namespace sinter::test;
using testing::AllOf;
using testing::HasSubstr;

bool is_one_of_several_processes() { return std::getenv("SINTER_SIZE") != nullptr; }

class sharded_arrays : public on_devices {
protected:
    /// Meshes of several sizes; of the one size there is where the processes are several.
    static std::vector<mesh> meshes() {
        if (is_one_of_several_processes()) {
            static const auto* const of_all = [] {
                const int rank = std::atoi(std::getenv("SINTER_RANK"));
                const device_scope scope(test_device_name() == "cuda" ? cuda(rank % cuda_count()) : current_device());
                return new mesh;
            }();
            return {*of_all};
        }
        static const auto* const some = [] {  // kept: NCCL takes its time to connect GPUs
            auto* const all = new std::vector<mesh>;
            for (const int size : emulated() ? std::vector{3} : std::vector{1, 2, 3, 5}) all->push_back(mesh_of(size));
            return all;
        }();
        return *some;
    }
    static mesh mesh_of(int size) {
        std::vector<device> members;
        for (int i = 0; i < size; ++i)
            members.push_back(test_device_name() == "cuda" ? cuda(i % cuda_count()) : current_device());
        return mesh(members);
    }

    template <class T, int Rank>
    array<T, Rank> random(const shape<Rank>& extents) {
        std::vector<T> values(static_cast<std::size_t>(extents.size()));
        for (T& v : values) v = static_cast<T>(std::uniform_int_distribution(-40, 40)(engine_)) / T(8);
        return from_host(std::span<const T>(values), extents);
    }

    /// Whether an expression of sharded arrays has the values of the same expression of whole ones.
    template <class A, class B>
    static void expect_same(const A& got, const B& want, double tolerance = 1e-5) {
        const auto g = to_host(got);
        const auto w = to_host(want);
        ASSERT_EQ(got.shape(), want.shape());
        ASSERT_EQ(g.size(), w.size());
        for (std::size_t i = 0; i < g.size(); ++i) {
            if constexpr (is_complex(B::type)) {
                ASSERT_LE(std::abs(g[i] - w[i]), tolerance * (1 + std::abs(w[i]))) << i;
            } else {
                const auto x = static_cast<double>(g[i]), y = static_cast<double>(w[i]);
                const bool equal = x == y || (std::isnan(x) && std::isnan(y));
                ASSERT_TRUE(equal || std::abs(x - y) <= tolerance * (1 + std::abs(y))) << i << ": " << x << ", " << y;
            }
        }
    }

private:
    std::mt19937 engine_{17};
};

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
    EXPECT_THAT(tell(s(2, all)), HasSubstr("takes elements out of the split axis"));
    EXPECT_THAT(tell(cumsum(s, axis=0)), HasSubstr("goes along the split axis"));
    EXPECT_THAT(tell(reshape(t, {24})), HasSubstr("joins or parts the split axis"));
    EXPECT_THAT(tell(grad(sum(s * s), s)), HasSubstr("is not taken of sharded arrays"));
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
    EXPECT_THAT(message_of([] { mesh(std::span<const device>()); }), HasSubstr("needs a device at least"));
    if (!is_one_of_several_processes()) {
        const auto other = scatter(mesh_of(2), x);
        EXPECT_THAT(message_of([&] { sharded<float, 2> r = s + other; }), HasSubstr("another mesh"));
    }
}

TEST_F(sharded_arrays, one_process_a_member) {
    if (is_one_of_several_processes()) GTEST_SKIP() << "this is one of them";
    const std::string path = testing::TempDir() + "sinter_sharded_" + std::to_string(::getpid());
    const std::string size =
        test_device_name() == "cuda" && cuda_count() == 2 ? "2" : "3";  // one a GPU where that can be
    const std::string command = "pids=; for rank in 0 1 2; do test $rank -lt " + size +
                                " || continue; SINTER_RANK=$rank SINTER_SIZE=" + size + " SINTER_RENDEZVOUS=" + path +
                                " /proc/" + std::to_string(::getpid()) +
                                "/exe --gtest_brief=1 --gtest_filter='sharded_arrays.*' & "
                                "pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit 1; done";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

/// Runs the test below in three processes, for each of the things that can differ.
void start_processes_that_bring_different_things() {
    if (is_one_of_several_processes() || test_device_name() != "host") return;
    for (const std::string what : {"shape", "expression", "axis", "nothing"}) {
        const std::string command =
            "pids=; for rank in 0 1 2; do SINTER_RANK=$rank SINTER_SIZE=3 SINTER_TEST_BRINGS=" + what +
            (what == "nothing" ? " SINTER_MESH_TIMEOUT=1" : "") + " SINTER_RENDEZVOUS=" + testing::TempDir() +
            "sinter_brings_" + std::to_string(::getpid()) + " /proc/" + std::to_string(::getpid()) +
            "/exe --gtest_brief=1 --gtest_filter='*.processes_that_bring*' & "
            "pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit 1; done";
        EXPECT_EQ(std::system(command.c_str()), 0) << what;
    }
}

TEST_F(sharded_arrays, processes_that_bring_different_things_all_say_so) {
    const char* const brings = std::getenv("SINTER_TEST_BRINGS");
    if (brings == nullptr) return start_processes_that_bring_different_things();
    const std::string what = brings;
    const int rank = std::atoi(std::getenv("SINTER_RANK"));
    const mesh m;
    const auto own = random<float>(shape<2>(6, 3)), longer = random<float>(shape<2>(9, 3));
    const auto x = scatter(m, what == "shape" && rank == 1 ? longer : own);
    const auto y = scatter(m, own, axis=0);
    if (what == "nothing") {
        if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(4));
        if (rank == 1) return;
        EXPECT_THAT(message_of([&] { static_cast<void>(item(sum(x))); }),
                    HasSubstr("process 1 did not come within 1 seconds"));
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    std::string told;
    if (what == "shape")
        told = message_of([&] { static_cast<void>(item(sum(x))); });
    else if (what == "expression")
        told = message_of([&] { static_cast<void>(rank == 1 ? item(sum(y * 2)) : item(max(y))); });
    else if (what == "axis")
        told = message_of([&] { static_cast<void>(rank == 1 ? reshard(y, axis=1) : replicate(y)); });
    if (what == "shape")
        EXPECT_THAT(told, AllOf(HasSubstr("process 1 evaluates an expression of float32 (9, 3)"),
                                HasSubstr("process 0 an expression of float32 (6, 3)")));
    else if (what == "expression")
        EXPECT_THAT(told, HasSubstr("the processes evaluate different expressions, each an expression of float32"));
    else
        EXPECT_THAT(told, AllOf(HasSubstr("to split it along axis 1"), HasSubstr("to make it whole")));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    expect_same(sum(y), sum(own));  // the mesh works on
}

TEST_F(sharded_arrays, a_process_whose_fellows_are_elsewhere_says_so) {
    if (is_one_of_several_processes() || emulated()) GTEST_SKIP();
    const auto set = [](const char* rank, const char* size) {
        ::setenv("SINTER_RANK", rank, 1);
        ::setenv("SINTER_SIZE", size, 1);
    };
    set("2", "2");
    EXPECT_THAT(message_of([] { mesh(); }), HasSubstr("SINTER_RANK=2, SINTER_SIZE=2: ranks are numbered from 0"));
    set("one", "2");
    EXPECT_THAT(message_of([] { mesh(); }), HasSubstr("SINTER_RANK=one"));
    set("0", "1");
    EXPECT_NO_THROW(mesh());
    ::unsetenv("SINTER_RANK");
    ::unsetenv("SINTER_SIZE");
}

}  // namespace
