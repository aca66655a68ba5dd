// External memory: read in place with any strides, released exactly once and in time, never written or freed.
#include <gmock/gmock.h>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace sinter::test {
namespace {

using testing::AllOf, testing::HasSubstr;

/// Memory on the device under test that the wrapped arrays know nothing of: the elements of another array.
class wrapped : public on_devices {
protected:
    template <class T, int Rank>
    static T* memory(const array<T, Rank>& a) {
        return const_cast<T*>(address(a));
    }
    static std::vector<double> counted(std::int64_t n) {
        std::vector<double> v(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i);
        return v;
    }
    /// 0, 1, 2 ... in row-major order.
    template <std::integral I, std::size_t N>
    static array<double, static_cast<int>(N)> counted_array(const I (&extents)[N]) {
        const shape<static_cast<int>(N)> wanted(extents);
        const std::vector<double> values = counted(wanted.size());
        return from_host(std::span(values), wanted);
    }
};

TEST_F(wrapped, row_major_memory_is_read_where_it_lies) {
    array<double, 2> base = {{1, 2, 3}, {4, 5, 6}};
    double* p = memory(base);
    auto w = wrap(p, {2, 3}, current_device());
    EXPECT_EQ(address(w), p);
    EXPECT_EQ(to_host(w), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(to_host(w * 2 + base), (std::vector<double>{3, 6, 9, 12, 15, 18}));
    EXPECT_EQ(to_host(sum(w, axis=0)), (std::vector<double>{5, 7, 9}));
    EXPECT_EQ(item(sum(wrap(p, shape<1>(6), current_device()))), 21);
    EXPECT_EQ(item(wrap(p + 4, shape<0>(), current_device())), 5);
}

TEST_F(wrapped, any_strides) {
    const naive a = random({7, 5, 6}, 91);
    const auto base = to_array<double, 3>(a);
    double* p = memory(base);
    const device d = current_device();
    const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) { return a[{i, j, k}]; };
    const auto expect = [](const auto& e, const index& shape, auto f) {
        naive expected(shape);
        for_each_index(shape, [&](const index& i) { expected[i] = f(i); });
        expect_equal(e, expected);
    };
    // column-major, a slice with gaps, backwards, broadcast, a diagonal
    const auto f = wrap(p, {6, 5, 7}, {1, 6, 30}, d);
    expect(f + 0, {6, 5, 7}, [&](const index& i) { return at(i[2], i[1], i[0]); });
    expect(f, {6, 5, 7}, [&](const index& i) { return at(i[2], i[1], i[0]); });
    expect(wrap(p + 31, {3, 2}, {60, 2}, d), {3, 2}, [&](const index& i) { return at(1 + 2 * i[0], 0, 1 + 2 * i[1]); });
    expect(wrap(p + 209, {7, 5, 6}, {-30, -6, -1}, d), {7, 5, 6},
           [&](const index& i) { return at(6 - i[0], 4 - i[1], 5 - i[2]); });
    expect(wrap(p, {4, 5}, {0, 6}, d), {4, 5}, [&](const index& i) { return at(0, i[1], 0); });
    expect(wrap(p, shape<1>(5), shape<1>(37), d), {5}, [&](const index& i) { return at(i[0], i[0], i[0]); });
    // in reductions, views, and beside other layouts of the same memory
    const auto g = wrap(p, {5, 6}, {6, 1}, d);
    expect(sum(f, axis=2)(range(1, end), 2) + g(0, range(1, end)), {5}, [&](const index& i) {
        double s = 0;
        for (std::int64_t k = 0; k < 7; ++k) s += at(k, 2, 1 + i[0]);
        return s + at(0, 0, 1 + i[0]);
    });
    expect(transpose(g) + wrap(p, {6, 5}, {5, 1}, d), {6, 5},
           [&](const index& i) { return at(0, i[1], i[0]) + a.values[static_cast<std::size_t>(i[0] * 5 + i[1])]; });
}

TEST_F(wrapped, one_expression_over_changing_strides) {
    const auto base = counted_array({64});
    double* p = memory(base);
    for (std::int64_t stride : {1, 2, 3, 7, -1, 0}) {
        const auto w = wrap(stride < 0 ? p + 8 : p, shape<1>(9), shape<1>(stride), current_device());
        const auto values = to_host(w * 1);
        for (std::int64_t i = 0; i < 9; ++i)
            ASSERT_EQ(values[static_cast<std::size_t>(i)],
                      stride < 0 ? static_cast<double>(8 - i) : static_cast<double>(i * stride));
    }
    // Plans are told apart where one operand is strided and the other is not, and the reverse.
    const auto own = counted_array({9});
    const auto strided = wrap(p, shape<1>(9), shape<1>(2), current_device());
    EXPECT_EQ(to_host(own - strided)[5], -5);
    EXPECT_EQ(to_host(strided - own)[5], 5);
}

TEST_F(wrapped, one_expression_over_changing_alignments) {
    const std::int64_t n = emulated() ? 3000 : 300000;
    const auto base = counted_array({n + 4});
    for (std::int64_t from : {0, 1, 2, 3, 0}) {
        const auto values = to_host(wrap(memory(base) + from, shape<1>(n), current_device()) + 1);
        for (std::int64_t i = 0; i < n; ++i)
            ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<double>(from + i + 1));
    }
}

TEST_F(wrapped, copies_and_conversions_are_row_major) {
    const auto base = counted_array({12});
    const auto w = wrap(memory(base), {4, 3}, {1, 4}, current_device());
    const std::vector<double> expected = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
    EXPECT_EQ(to_host(w), expected);
    const auto c = copy(w);
    EXPECT_EQ(to_host(c), expected);
    EXPECT_EQ(c.strides(), shape<2>(3, 1));
    EXPECT_EQ(w.strides(), shape<2>(1, 4));
    EXPECT_NE(address(c), address(w));
    EXPECT_NE(address(copy(c)), address(c));
    EXPECT_EQ(to_host(copy(c)), expected);
    EXPECT_EQ(to_host(w.to(host())), expected);
    EXPECT_EQ(to_string(w(0)), "[0. 4. 8.]");
    EXPECT_EQ(to_string(w), "[[ 0.  4.  8.]\n [ 1.  5.  9.]\n [ 2.  6. 10.]\n [ 3.  7. 11.]]");
    const auto view = w.host_view();
    EXPECT_EQ(view(3, 2), 11);
    EXPECT_EQ(std::vector<double>(view.begin(), view.end()), expected);
}

TEST_F(wrapped, assignment_writes_the_memory) {
    const auto base = counted_array({6});
    auto w = wrap(memory(base), {2, 3}, current_device());
    w += 1;
    EXPECT_EQ(to_host(base), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    auto v = wrap(memory(base), {2, 3}, {1, 2}, current_device());
    v = v * 2 + transpose(v(all, range(0, 2)))(0, 0);
    EXPECT_EQ(to_host(v), (std::vector<double>{3, 7, 11, 5, 9, 13}));
    EXPECT_EQ(to_host(base), (std::vector<double>{3, 5, 7, 9, 11, 13}));
    w(all, 0) = -v(all, 2);
    EXPECT_EQ(to_host(base), (std::vector<double>{-11, 5, 7, -13, 11, 13}));
    EXPECT_THROW((v = sum(v, axis=0, keepdims)), error);
    const auto own = copy(v);
    v = own + 1;
    EXPECT_EQ(to_host(own), (std::vector<double>{-11, 7, 11, 5, -13, 13}));
    EXPECT_EQ(to_host(base), (std::vector<double>{-10, 6, 8, -12, 12, 14}));
}

TEST_F(wrapped, one_expression_over_changing_overlaps) {
    // The plan of one overlap must not serve another: the same types, shapes and strides each time.
    const std::int64_t n = emulated() ? 40 : 5000;
    for (const std::int64_t shift : {n, std::int64_t{0}, std::int64_t{3}, std::int64_t{-3}, 2 * n}) {
        const auto base = counted_array({4 * n});
        auto to = wrap(memory(base) + n, shape<1>(n), current_device());
        const auto from = wrap(memory(base) + n + shift, shape<1>(n), current_device());
        to = to + from;
        const auto values = to_host(base);
        for (std::int64_t i = 0; i < n; ++i)
            ASSERT_EQ(values[static_cast<std::size_t>(n + i)], static_cast<double>(2 * (n + i) + shift))
                << shift << ' ' << i;
        for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<double>(i));
    }
    for (const bool overlap : {false, true}) {
        auto b = counted_array({n});
        const auto other = counted_array({n});
        const auto backwards = wrap(memory(overlap ? b : other) + n - 1, shape<1>(n), shape<1>(-1), current_device());
        b = b + backwards;
        EXPECT_EQ(to_host(b), std::vector<double>(static_cast<std::size_t>(n), static_cast<double>(n - 1)));
    }
    const auto base = counted_array({2 * n});
    auto upper = wrap(memory(base) + n / 2, shape<1>(n), current_device());
    upper = upper + wrap(memory(base) + n - 1, shape<1>(n), shape<1>(-1), current_device());
    EXPECT_EQ(to_host(upper), std::vector<double>(static_cast<std::size_t>(n), static_cast<double>(n + n / 2 - 1)));
}

TEST_F(wrapped, no_result_is_written_over_memory_that_is_read_elsewhere) {
    // b alone holds its storage, so it may be written in place: but the wrapped array reads it backwards.
    const std::int64_t n = emulated() ? 40 : 5000;
    array<double, 1> b = counted_array({n});
    const auto backwards = wrap(memory(b) + n - 1, shape<1>(n), shape<1>(-1), current_device());
    const double* before = address(b);
    b = backwards + b;
    EXPECT_NE(address(b), before);
    EXPECT_EQ(to_host(b), std::vector<double>(static_cast<std::size_t>(n), static_cast<double>(n - 1)));
    array<double, 1> c = counted_array({n});
    const auto all = wrap(memory(c), {2, static_cast<int>(n / 2)}, current_device());
    c = c - sum(all);
    EXPECT_EQ(to_host(c)[0], -static_cast<double>(n * (n - 1) / 2));
}

TEST_F(wrapped, the_owner_is_kept_while_anything_reads) {
    auto owner = std::make_shared<array<float, 1>>(array<float, 1>{1, 2, 3, 4});
    std::weak_ptr<array<float, 1>> watch = owner;
    float* p = memory(*owner);
    {
        auto w = wrap(p, {2, 2}, current_device(), std::move(owner));
        auto e = transpose(w) * 2;
        w = copy(w);  // now w has storage of its own
        EXPECT_FALSE(watch.expired());
        const array<float, 2> r = e;
        EXPECT_FALSE(watch.expired());
        e = transpose(r) * 2;
        EXPECT_TRUE(watch.expired());
        EXPECT_EQ(to_host(r), (std::vector<float>{2, 6, 4, 8}));
    }
    auto refused = std::make_shared<int>(7);
    EXPECT_THROW((void)wrap(static_cast<float*>(nullptr), {2}, current_device(), refused), error);
    EXPECT_EQ(refused.use_count(), 1);
}

TEST_F(wrapped, constant_memory) {
    const auto base = counted_array({6});
    auto w = wrap(address(base), {2, 3}, current_device());
    EXPECT_TRUE((std::is_same_v<decltype(w), array<double, 2>>));
    EXPECT_FALSE(w.storage()->writable);
    EXPECT_THAT(message_of([&] { w += 1; }), AllOf(HasSubstr("read-only"), HasSubstr("copy(a)")));
    EXPECT_THROW((w(0) = w(1)), error);
    EXPECT_EQ(to_host(base), counted(6));
    EXPECT_NE(data(w), address(base));  // a copy: the memory is not ours to write
    auto v = wrap(memory(base), {2, 3}, current_device());
    EXPECT_EQ(data(v), address(base));
    auto strided = wrap(memory(base), {3, 2}, {1, 3}, current_device());
    EXPECT_THAT(message_of([&] { (void)data(std::as_const(strided)); }), HasSubstr("copy(a)"));
    EXPECT_NE(data(strided), address(base));  // a pointer alone says row-major
    EXPECT_EQ(to_host(strided), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST_F(wrapped, nothing_to_wrap) {
    const auto none = wrap(static_cast<int*>(nullptr), {3, 0}, current_device());
    EXPECT_EQ(none.shape(), shape<2>(3, 0));
    EXPECT_TRUE(to_host(none + 1).empty());
    EXPECT_EQ(item(sum(none)), 0);
    EXPECT_EQ(to_string(none), "[]");
    EXPECT_TRUE(to_host(copy(none)).empty());
}

TEST_F(wrapped, errors_name_cause_and_cure) {
    double x[4] = {};
    EXPECT_THAT(message_of([] { (void)wrap(static_cast<double*>(nullptr), {2}); }),
                AllOf(HasSubstr("null pointer"), HasSubstr("(2,)")));
    EXPECT_THAT(message_of([&] { (void)wrap(x, {2, -1}); }), HasSubstr("negative extent"));
    EXPECT_THAT(message_of([&] { (void)wrap(reinterpret_cast<double*>(reinterpret_cast<char*>(x) + 4), {2}); }),
                AllOf(HasSubstr("not aligned to float64, 8 bytes"), HasSubstr("copy the elements")));
    EXPECT_THAT(message_of([&] {
                    (void)wrap(x, {4, 4}, {std::int64_t{1} << 60, std::int64_t{1}});
                }),
                AllOf(HasSubstr("2^63 - 1"), HasSubstr("strides (1152921504606846976, 1)")));
}

TEST_F(wrapped, files_are_mapped) {
    const std::string path = testing::TempDir() + "sinter-map-" + std::to_string(::getpid()) + ".npy";
    const auto base = counted_array({2, 3, 4});
    save_npy(path, base);
    const auto mapped = map_npy<double, 3>(path);
    EXPECT_EQ(to_host(mapped), counted(24));
    EXPECT_EQ(mapped.storage()->owned, !current_device().is_host());
    EXPECT_EQ(to_host(sum(mapped, axis={0, 2})), (std::vector<double>{60, 92, 124}));
    auto written = mapped;
    if (current_device().is_host()) {
        EXPECT_THROW(written += 1, error);
    }
    written = copy(mapped);
    written += 1;
    const auto widened = map_npy<double, 3>(path) * 2;
    std::filesystem::remove(path);  // the pages stay
    EXPECT_EQ(to_host(mapped), counted(24));
    EXPECT_EQ(to_host(widened)[23], 46);
    const std::string data = std::string(SINTER_TEST_DIR) + "/data/format/";
    for (const char* name : {"int32_F_little.npy", "int32_C_big.npy", "int32_C_little.npy", "uint8_C_little.npy"}) {
        const auto values = to_host(map_npy<std::int32_t, 3>(data + name));
        for (int i = 0; i < 30; ++i)
            ASSERT_EQ(values[static_cast<std::size_t>(i)],
                      name[0] == 'u' ? static_cast<std::uint8_t>(i * 7 - 50) : i * 7 - 50)
                << name;
    }
    EXPECT_THAT(message_of([&] { (void)map_npy<int, 3>(data + "float64_C_little.npy"); }),
                HasSubstr("write map_npy<double, 3>(...)"));
}

}  // namespace
}  // namespace sinter::test
