// Access to elements on the host, nested containers, and mdspans of every kind.
#include <gmock/gmock.h>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <array>
#include <list>
#include <numeric>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace sinter::test {
namespace {

using testing::AllOf, testing::HasSubstr;

class host_access : public on_devices {};

TEST_F(host_access, by_index_and_by_iterator) {
    array<float, 3> a = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
    const auto v = a.host_view();
    EXPECT_EQ(v(1, 2, 0), 11);
    EXPECT_EQ(v(0, 0, 1), 2);
    EXPECT_EQ(v(-1, -3, -1), 8);
    EXPECT_EQ(v(1u, 2ul, 1), 12);
    EXPECT_EQ(v.size(), 12u);
    EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0.f), 78);
    EXPECT_EQ(v.stride(0), 6);
    EXPECT_EQ(v.extent(1), 3);
    EXPECT_EQ(v.extent(-1), 2);
    EXPECT_THROW((void)v.extent(3), error);
    EXPECT_THROW((void)v.stride(-4), error);
    float sum_of_all = 0;
    for (float x : v) sum_of_all += x;
    EXPECT_EQ(sum_of_all, 78);
    EXPECT_EQ(item(sum(a)), 78);
    const std::span<const float> whole(v.begin(), v.end());
    EXPECT_EQ(whole[4], 5);
}

TEST_F(host_access, means_the_values_of_when_it_was_made) {
    array<int, 1> a = {1, 2, 3};
    const auto v = a.host_view();
    a += 10;
    EXPECT_THAT(v, testing::ElementsAre(1, 2, 3));
    a = array<int, 1>();
    EXPECT_THAT(v, testing::ElementsAre(1, 2, 3));
    const auto of_temporary = array<int, 2>{{1, 2}, {3, 4}}.host_view();
    EXPECT_EQ(of_temporary(1, 0), 3);
    EXPECT_EQ((array<bool, 1>{true, false}).host_view()(1), false);
}

TEST_F(host_access, empty_and_rank_0) {
    EXPECT_TRUE((array<float, 2>()).host_view().empty());
    EXPECT_TRUE((array<float, 2>({0, 3})).host_view().empty());
    EXPECT_TRUE((array<float, 0>()).host_view().empty());
    EXPECT_EQ((array<double, 0>(sum(array<double, 1>{1, 2})).host_view()()), 3);
}

TEST_F(host_access, indices_are_checked) {
    const array<int, 2> a = {{1, 2, 3}, {4, 5, 6}};
    const auto v = a.host_view();
    EXPECT_THAT(message_of([&] { (void)v(2, 0); }), AllOf(HasSubstr("index (2, 0)"), HasSubstr("shape (2, 3)")));
    EXPECT_THROW((void)v(0, 3), error);
    EXPECT_THROW((void)v(-3, 0), error);
    EXPECT_THROW((void)v(0, -4), error);
    EXPECT_THROW((void)(array<int, 1>()).host_view()(0), error);
    EXPECT_THROW((void)(array<int, 0>()).host_view()(), error);
}

TEST_F(host_access, raw_addresses) {
    array<float, 1> a = {1, 2, 3};
    const array<float, 1> shared = a;
    EXPECT_EQ(address(a), address(shared));
    EXPECT_EQ(data(std::as_const(a)), address(a));
    float* p = data(a);
    EXPECT_NE(p, address(shared));  // the other one stays as it is
    EXPECT_EQ(p, address(a));
    EXPECT_EQ(data(a), p);
    const float value = 7;
    a.storage()->where->copy_from_host(p + 1, &value, sizeof value);
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 7, 3}));
    EXPECT_EQ(to_host(shared), (std::vector<float>{1, 2, 3}));
    array<float, 1> none;
    EXPECT_EQ(data(none), nullptr);
    EXPECT_EQ((array<float, 3>({2, 3, 4})).strides(), shape<3>(12, 4, 1));
}

TEST_F(host_access, nested_containers) {
    const std::vector<std::vector<float>> rows = {{1, 2, 3}, {4, 5, 6}};
    const auto a = from_host(rows);
    EXPECT_TRUE((std::is_same_v<decltype(a), const array<float, 2>>));
    EXPECT_EQ(a.shape(), shape<2>(2, 3));
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    const std::list<std::array<std::vector<bool>, 2>> flags = {
        {{{true}, {false}}}, {{{false}, {true}}}, {{{true}, {true}}}};
    const auto b = from_host(flags);
    EXPECT_EQ(b.shape(), shape<3>(3, 2, 1));
    EXPECT_EQ(to_host(b), (std::vector<bool>{true, false, false, true, true, true}));
    EXPECT_EQ(to_host(from_host(std::vector<int>{3, 4})), (std::vector<int>{3, 4}));
    EXPECT_EQ(from_host(std::vector<std::vector<int>>{}).shape(), shape<2>(0, 0));
    EXPECT_EQ(from_host(std::vector<std::vector<int>>{{}, {}}).shape(), shape<2>(2, 0));
    EXPECT_THAT(message_of([] { (void)from_host(std::vector<std::vector<int>>{{1, 2}, {3}}); }), HasSubstr("ragged"));
}

/// The least that is an mdspan: strided, with run-time extents.
template <class T, std::size_t Rank>
class tiny_mdspan {
public:
    using element_type = T;
    template <class... I>
    explicit tiny_mdspan(T* p, I... extents) : p_(p), extents_{static_cast<int>(extents)...} {
        for (std::size_t i = Rank, step = 1; i-- > 0; step *= static_cast<std::size_t>(extents_[i]))
            strides_[i] = static_cast<int>(step);
    }
    tiny_mdspan(T* p, std::array<int, Rank> extents, std::array<int, Rank> strides)
        : p_(p), extents_(extents), strides_(strides) {}
    static constexpr std::size_t rank() { return Rank; }
    T* data_handle() const { return p_; }
    int extent(std::size_t i) const { return extents_[i]; }
    int stride(std::size_t i) const { return strides_[i]; }

private:
    T* p_;
    std::array<int, Rank> extents_;
    std::array<int, Rank> strides_{};
};

TEST_F(host_access, mdspans_are_wrapped) {
    const array<double, 1> base = {0, 1, 2, 3, 4, 5};
    const tiny_mdspan<const double, 2> column_major(address(base), {3, 2}, {1, 3});
    const auto w = wrap(column_major, current_device());
    EXPECT_TRUE((std::is_same_v<decltype(w), const array<double, 2>>));
    EXPECT_EQ(to_host(w * 10), (std::vector<double>{0, 30, 10, 40, 20, 50}));
    // a host_span is one, too
    const auto again = wrap(base.host_view());
    EXPECT_EQ(to_host(again), to_host(base));
}

TEST_F(host_access, arrays_as_mdspans) {
    const array<float, 3> a = full({2, 3, 4}, 1.f);
    const auto m = as_mdspan<tiny_mdspan<const float, 3>>(a);
    EXPECT_EQ(m.data_handle(), address(a));
    EXPECT_EQ(m.extent(2), 4);
    EXPECT_EQ(m.stride(0), 12);
    const auto strided = wrap(address(a), {4, 3}, {1, 4}, current_device());
    EXPECT_THAT(message_of([&] { (void)as_mdspan<tiny_mdspan<const float, 2>>(strided); }),
                AllOf(HasSubstr("strides (1, 4)"), HasSubstr("copy(a)")));
    EXPECT_EQ((as_mdspan<tiny_mdspan<const float, 2>>(copy(strided)).extent(0)), 4);
}

#if defined(__cpp_lib_mdspan)
TEST_F(host_access, the_standards_mdspan) {
    const array<double, 2> a = {{0, 1, 2}, {3, 4, 5}};
    const auto m = as_mdspan<std::mdspan<const double, std::dextents<int, 2>>>(a);
    EXPECT_EQ(m.data_handle(), address(a));
    const std::mdspan<const double, std::dextents<int, 2>, std::layout_left> left(address(a), 3, 2);
    EXPECT_EQ(to_host(wrap(left, current_device())), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}
#endif

}  // namespace
}  // namespace sinter::test
