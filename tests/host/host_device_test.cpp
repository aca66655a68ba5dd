// The host as a device: memory, copies, marks.
#include <runtime/host/host_device.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace sinter::codegen {
namespace {

TEST(host_device, is_one_and_says_what_it_is) {
    device& host = host_device_instance();
    EXPECT_EQ(&host, &host_device_instance());
    EXPECT_EQ(host.name(), "host");
    EXPECT_TRUE(host.is_host());
    EXPECT_GT(host.properties().multiprocessors, 0);
    EXPECT_GT(host.properties().bytes_per_second, 0);
}

TEST(host_device, copies_and_clears_any_size) {
    device& host = host_device_instance();
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, (std::size_t{3} << 20) + 17}) {
        auto* a = static_cast<unsigned char*>(host.allocate(n + 1));
        auto* b = static_cast<unsigned char*>(host.allocate(n + 1));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
        EXPECT_NE(a, b);
        std::vector<unsigned char> data(n), back(n);
        for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<unsigned char>(i * 7 + i / 256);
        b[n] = 99;
        host.copy_from_host(a, data.data(), n);
        host.copy_within(b, a, n);
        host.copy_to_host(back.data(), b, n);
        host.synchronize();
        EXPECT_EQ(data, back);
        host.fill_zero(b, n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(b[i], 0);
        EXPECT_EQ(b[n], 99) << "beyond the end";
        host.deallocate(a, n + 1);
        host.deallocate(b, n + 1);
    }
}

TEST(host_device, marks_measure_time) {
    device& host = host_device_instance();
    const std::unique_ptr<time_mark> from(host.mark());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::unique_ptr<time_mark> to(host.mark());
    EXPECT_GE(host.seconds_between(*from, *to), 0.005);
    EXPECT_LE(host.seconds_between(*to, *from), -0.005);
}

}  // namespace
}  // namespace sinter::codegen
