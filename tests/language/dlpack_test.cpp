// DLPack import and export: layouts, dtypes, flags, and deleters that are called exactly once.
#include <gmock/gmock.h>
#include <sinter/dlpack.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

namespace sinter::test {
namespace {

using testing::AllOf, testing::HasSubstr;

/// DLPack numbers the host and CUDA's devices only, so the emulated device stands aside: arrays are made on the host.
class dlpack : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (emulated()) host_.emplace(host());
    }

private:
    std::optional<device_scope> host_;
};

/// A tensor of another library's making over memory of the current device; counts its deletions.
template <class Managed>
struct foreign {
    Managed tensor{};
    std::int64_t extents[3] = {2, 3, 0};
    std::int64_t strides[3] = {3, 1, 0};
    int deleted = 0;

    foreign(void* data, DLDataType type, int rank = 2) {
        DLTensor& t = tensor.dl_tensor;
        t.data = data;
        t.device = {current_device().is_host() ? kDLCPU : kDLCUDA, 0};
        t.ndim = rank;
        t.dtype = type;
        t.shape = extents;
        t.strides = strides;
        tensor.manager_ctx = this;
        tensor.deleter = [](Managed* self) { ++static_cast<foreign*>(self->manager_ctx)->deleted; };
        if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) tensor.version = {1, 0};
    }
};
constexpr DLDataType float32{kDLFloat, 32, 1};

TEST_F(dlpack, arrays_go_out) {
    array<float, 2> x = {{1, 2, 3}, {4, 5, 6}};
    DLManagedTensorVersioned* t = to_dlpack(x);
    EXPECT_EQ(t->version.major, 1u);
    EXPECT_EQ(t->flags, DLPACK_FLAG_BITMASK_READ_ONLY);  // x holds the elements, too
    EXPECT_EQ(t->dl_tensor.data, address(x));
    EXPECT_EQ(t->dl_tensor.byte_offset, 0u);
    EXPECT_EQ(t->dl_tensor.ndim, 2);
    EXPECT_THAT((std::vector<std::int64_t>(t->dl_tensor.shape, t->dl_tensor.shape + 2)), testing::ElementsAre(2, 3));
    EXPECT_THAT((std::vector<std::int64_t>(t->dl_tensor.strides, t->dl_tensor.strides + 2)),
                testing::ElementsAre(3, 1));
    EXPECT_EQ(t->dl_tensor.device.device_type, current_device().is_host() ? kDLCPU : kDLCUDA);
    EXPECT_EQ(t->dl_tensor.device.device_id, 0);
    const float* before = address(x);
    x += 1;  // the tensor keeps what it was given
    EXPECT_NE(address(x), before);
    EXPECT_EQ(to_host(from_dlpack<float, 2>(t)), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(dlpack, the_only_share_may_be_written) {
    array<float, 1> x = {1, 2, 3};
    const float* before = address(x);
    DLManagedTensorVersioned* t = to_dlpack(std::move(x));
    EXPECT_EQ(t->flags, 0u);
    EXPECT_EQ(t->dl_tensor.data, before);
    t->deleter(t);
    t = to_dlpack(array<float, 1>{1, 2} * 2);
    EXPECT_EQ(t->flags, 0u);
    auto back = from_dlpack<float, 1>(t);
    EXPECT_EQ(data(back), address(back));
    EXPECT_EQ(to_host(back), (std::vector<float>{2, 4}));
}

TEST_F(dlpack, consumers_without_flags_get_a_copy_of_what_is_shared) {
    array<float, 1> x = {1, 2, 3};
    DLManagedTensor* t = to_dlpack_unversioned(x);
    EXPECT_NE(t->dl_tensor.data, address(x));
    EXPECT_EQ(to_host(from_dlpack<float, 1>(t)), (std::vector<float>{1, 2, 3}));
    const float* before = address(x);
    t = to_dlpack_unversioned(std::move(x));
    EXPECT_EQ(t->dl_tensor.data, before);
    t->deleter(t);
}

template <class T>
class dlpack_of : public dlpack {};
using all_types = testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                 std::uint16_t, std::uint32_t, std::uint64_t, float8_e4m3, float8_e5m2, float16,
                                 bfloat16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(dlpack_of, all_types);

TYPED_TEST(dlpack_of, every_dtype_and_rank) {
    using T = TypeParam;
    const int codes[] = {6, 1, 0, 2, 5};  // DLDataTypeCode, in dtype_kind's order
    const int code = std::is_same_v<T, bfloat16>      ? 4
                     : std::is_same_v<T, float8_e4m3> ? 10
                     : std::is_same_v<T, float8_e5m2> ? 12
                                                      : codes[static_cast<int>(kind_of(dtype_of<T>))];
    array<T, 1> x = {T(1), T(0), T(1)};
    DLManagedTensorVersioned* t = to_dlpack(x);
    EXPECT_EQ(t->dl_tensor.dtype.code, code);
    EXPECT_EQ(t->dl_tensor.dtype.bits, 8 * sizeof(T));
    EXPECT_EQ(t->dl_tensor.dtype.lanes, 1);
    EXPECT_EQ(item(all(from_dlpack<T, 1>(t) == x)), true);
    EXPECT_EQ(item(from_dlpack<T, 0>(to_dlpack(x(0))) == x(2)), true);
    DLManagedTensorVersioned* none = to_dlpack(array<T, 3>({2, 0, 3}));
    EXPECT_EQ(none->dl_tensor.data, nullptr);
    EXPECT_EQ((from_dlpack<T, 3>(none).shape()), shape<3>(2, 0, 3));
}

TEST_F(dlpack, tensors_come_in_with_strides_and_offset) {
    const array<float, 1> base = {0, 1, 2, 3, 4, 5, 6, 7};
    void* data = const_cast<float*>(address(base));
    foreign<DLManagedTensorVersioned> f(data, float32);
    f.tensor.dl_tensor.byte_offset = 4;
    f.strides[0] = 1;
    f.strides[1] = 2;
    {
        const auto x = from_dlpack<float, 2>(&f.tensor);
        EXPECT_EQ(to_host(x), (std::vector<float>{1, 3, 5, 2, 4, 6}));
        EXPECT_EQ(to_host(sum(x, axis=0)), (std::vector<float>{3, 7, 11}));
        const auto kept = x;
        EXPECT_EQ(f.deleted, 0);
    }
    EXPECT_EQ(f.deleted, 1);
    foreign<DLManagedTensor> g(data, float32);
    g.tensor.dl_tensor.strides = nullptr;  // as producers before 1.2 may say row-major
    g.tensor.dl_tensor.device.device_type = current_device().is_host() ? kDLCUDAHost : kDLCUDAManaged;
    EXPECT_EQ(to_host(from_dlpack<float, 2>(&g.tensor)), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(g.deleted, 1);
    foreign<DLManagedTensor> none(nullptr, float32);
    none.tensor.deleter = nullptr;
    none.extents[1] = 0;
    EXPECT_EQ((from_dlpack<float, 2>(&none.tensor).shape()), shape<2>(2, 0));
}

TEST_F(dlpack, expressions_keep_the_tensor) {
    const array<float, 1> base = {1, 2, 3, 4, 5, 6};
    foreign<DLManagedTensorVersioned> f(const_cast<float*>(address(base)), float32);
    {
        auto x = from_dlpack<float, 2>(&f.tensor);
        auto e = transpose(x) + 1;
        x = copy(x);
        EXPECT_EQ(f.deleted, 0);
        EXPECT_EQ(to_host(e), (std::vector<float>{2, 5, 3, 6, 4, 7}));
        EXPECT_EQ(f.deleted, 0);
    }
    EXPECT_EQ(f.deleted, 1);
    EXPECT_EQ(to_host(base), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(dlpack, writable_tensors_are_written_where_they_stand) {
    const array<float, 1> base = {1, 2, 3, 4, 5, 6};
    foreign<DLManagedTensor> f(const_cast<float*>(address(base)), float32);
    {
        auto x = from_dlpack<float, 2>(&f.tensor);
        x = x * 2;
        EXPECT_EQ(f.deleted, 0);
    }
    EXPECT_EQ(f.deleted, 1);
    EXPECT_EQ(to_host(base), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST_F(dlpack, another_librarys_stream_may_be_named) {
    const array<float, 1> x = {1, 2, 3, 4, 5, 6};
    DLManagedTensor* const out = to_dlpack_unversioned(x + 1, nullptr);  // CUDA's default stream
    {
        const auto y = from_dlpack<float, 1>(out, nullptr);
        EXPECT_EQ(to_host(y * 2), (std::vector<float>{4, 6, 8, 10, 12, 14}));
    }
    if (current_device().is_host()) return;
    const stream q;
    array<float, 1> z;
    z.on(q) = x * 3;
    DLManagedTensorVersioned* const sole = to_dlpack(std::move(z), native_handle(q));
    EXPECT_EQ(sole->flags, 0u);
    EXPECT_EQ(to_host(from_dlpack<float, 1>(sole, native_handle(q))), (std::vector<float>{3, 6, 9, 12, 15, 18}));
}

TEST_F(dlpack, read_only_tensors_are_not_written) {
    const array<float, 1> base = {1, 2, 3, 4, 5, 6};
    foreign<DLManagedTensorVersioned> f(const_cast<float*>(address(base)), float32);
    f.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    auto x = from_dlpack<float, 2>(&f.tensor);
    EXPECT_NE(data(x), address(base));
    EXPECT_EQ(f.deleted, 1);  // x has storage of its own now
}

TEST_F(dlpack, what_is_refused_stays_the_callers) {
    const array<float, 1> base = {1, 2, 3, 4, 5, 6};
    void* data = const_cast<float*>(address(base));
    const auto refused = [&](auto change) {
        foreign<DLManagedTensorVersioned> f(data, float32);
        change(f.tensor);
        const std::string message = message_of([&] { (void)from_dlpack<float, 2>(&f.tensor); });
        EXPECT_EQ(f.deleted, 0);
        return message;
    };
    EXPECT_THAT(refused([](auto& t) { t.version.major = 2; }), HasSubstr("version 2.0"));
    EXPECT_THAT(refused([](auto& t) {
                    t.dl_tensor.dtype = {kDLFloat, 64, 1};
                }),
                AllOf(HasSubstr("holds float64 of rank 2; asked for float32"), HasSubstr("astype<T>")));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.ndim = 1; }), HasSubstr("rank 1"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.dtype.lanes = 4; }), HasSubstr("4 lanes"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.dtype = {200, 8, 1}; }), HasSubstr("type code 200"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.device.device_type = static_cast<DLDeviceType>(10); }),
                HasSubstr("device of type 10"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.device = {kDLCUDA, 99}; }), HasSubstr("cuda(99)"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.byte_offset = 2; }), HasSubstr("not aligned"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.data = nullptr; }), HasSubstr("null pointer"));
    EXPECT_THAT(refused([](auto& t) { t.dl_tensor.shape[0] = -2; }), HasSubstr("negative extent"));
}

TEST_F(dlpack, devices_without_a_number) {
    static auto* other = new emulate::emulated_device;
    const auto there = array<float, 1>{1, 2}.to(device(*other));
    EXPECT_THAT(message_of([&] { (void)to_dlpack(there); }), AllOf(HasSubstr("no number"), HasSubstr("x.to(host())")));
}

}  // namespace
}  // namespace sinter::test
