// Kernels that fail after their launch, on a device that reports it at synchronization: to which kernel the error
// attributes the failure, with and without the check.
#include <runtime/devices/device_failure.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/debug.hpp>
#include <sinter/raw_kernel.hpp>
#include <tests/language/failing_device.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinter::test {
namespace {

using testing::HasSubstr;

/// A device around another one whose launches fail when it is waited for, as CUDA's do.
class late_device final : public failing_device_of<codegen::kernel_device> {
public:
    using failing_device_of::failing_device_of;
    int launches_left = -1;  ///< until the one that fails; negative: none does
    int waits = 0;
    bool refuses = false;  ///< launches fail at once, for a reason of their own

    std::string compile(const std::string& source, const codegen::compile_options& options) override {
        return inner_.compile(source, options);
    }
    std::string toolchain() const override { return inner_.toolchain(); }
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override {
        return inner_.load(image, entry);
    }
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override {
        if (codegen::capture* const c = recording()) return record(*c, kernel, shape, arguments);
        if (refuses)
            throw codegen::device_failure("late: launching failed with NO_ROOM: wait", "late", "NO_ROOM", false);
        if (launches_left >= 0 && launches_left-- == 0) failed_ = true;
        inner_.launch(kernel, shape, arguments);
    }
    void copy_to_host(void* to, const void* from, std::size_t bytes) override {
        wait();
        inner_.copy_to_host(to, from, bytes);
    }
    void synchronize() override {
        wait();
        inner_.synchronize();
    }
    void synchronize_stream(int number) override {
        wait();
        inner_.synchronize_stream(number);
    }

private:
    /// Keeps the arguments' bytes.
    void record(codegen::capture& c, codegen::loaded_kernel* kernel, const codegen::launch_shape& shape,
                void** arguments) {
        std::vector<std::string> bytes;
        for (std::size_t i = 0; i < kernel->parameter_bytes.size(); ++i)
            bytes.emplace_back(static_cast<const char*>(arguments[i]), kernel->parameter_bytes[i]);
        c.record([this, kernel, shape, bytes] {
            std::vector<std::string> copies = bytes;
            std::vector<void*> pointers;
            for (std::string& b : copies) pointers.push_back(b.data());
            launch(kernel, shape, pointers.data());
        });
    }

    void wait() {
        ++waits;
        if (!std::exchange(failed_, false)) return;
        throw codegen::device_failure("late: waiting failed with ILLEGAL_ADDRESS: some kernel failed", "late",
                                      "ILLEGAL_ADDRESS", true);
    }

    bool failed_ = false;
};

class sync_check : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (IsSkipped()) return;
        if (current_device().is_host()) GTEST_SKIP() << "the host runs no kernels";
        static auto* const made =
            new late_device(static_cast<codegen::kernel_device&>(test_device()->get()));  // kept, as plans are
        device_ = made;
        device_->launches_left = -1;
        device_->refuses = false;
        scope_.emplace(device(*made));
    }
    template <class F>
    static std::string message_of(const F& f) {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "";
    }

    late_device* device_ = nullptr;

private:
    std::optional<device_scope> scope_;
};

TEST_F(sync_check, names_the_kernel_that_failed) {
    const array<float, 1> x = {1, 4, 9};
    array<float, 1> y, z;
    const auto assign = [&] {
        y = sqrt(x);
        z = y * 2.f;
    };
    assign();
    device_->launches_left = 0;
    EXPECT_EQ(message_of(assign), "");  // it comes to light later
    EXPECT_EQ(message_of([&] { synchronize(); }), "late: waiting failed with ILLEGAL_ADDRESS: some kernel failed");

    const debug_scope checked({.sync = true});
    EXPECT_EQ(message_of(assign), "");
    for (const int failing : {0, 1}) {
        device_->launches_left = failing;
        EXPECT_EQ(message_of(assign),
                  std::string("late: the kernel ") +
                      (failing == 0 ? "sqrt_float32_elementwise<<<1, 256>>> of sqrt(x0)"
                                    : "multiply_float32_elementwise<<<1, 256>>> of x0 * s0") +
                      " failed with ILLEGAL_ADDRESS, and this process can no longer use the device; "
                      "compute-sanitizer finds the line");
    }
    device_->refuses = true;
    EXPECT_EQ(message_of(assign),
              "late: launching failed with NO_ROOM: wait (the launch of the kernel "
              "sqrt_float32_elementwise<<<1, 256>>> of sqrt(x0))");
}

TEST_F(sync_check, does_not_blame_a_kernel_for_an_earlier_one) {
    const array<float, 1> x = {1, 4, 9};
    array<float, 1> y = x * 3.f;
    device_->launches_left = 0;
    y = sqrt(x);
    const debug_scope checked({.sync = true});
    EXPECT_EQ(message_of([&] { y = x * 3.f; }), "late: waiting failed with ILLEGAL_ADDRESS: some kernel failed");
}

TEST_F(sync_check, names_kernels_of_ones_own_and_graphs) {
    const raw_kernel fill("extern \"C\" __global__ void fill(float* x) { x[threadIdx.x] = 5.f; }", "fill");
    array<float, 1> x = {1, 4, 9};
    const graph g = capture([&] { x += 1.f; });
    const debug_scope checked({.sync = true});
    fill(grid(1), block(3), 0, x);
    device_->launches_left = 0;
    EXPECT_THAT(message_of([&] { fill(grid(1), block(3), 0, x); }), HasSubstr("late: raw_kernel 'fill' failed with"));
    g.launch();
    device_->launches_left = 0;
    EXPECT_THAT(message_of([&] { g.launch(); }), HasSubstr("late: a graph's work failed with"));
    const array<int, 1> i = {0, 2};
    const std::int64_t n = 6000;  // so many comparisons that no expression is made of it
    array<float, 1> big = zeros<float>({n});
    const array<int, 1> places = astype<int>(arange(n));
    at(big, places) = 1.f;
    device_->launches_left = 2;  // after the indices and the values
    EXPECT_THAT(message_of([&] { at(big, places) = 1.f; }), HasSubstr("of at(x, indices) = values failed with"));
}

TEST_F(sync_check, waits_for_nothing_without_it) {
    const array<float, 1> x = {1, 4, 9};
    array<float, 1> y = sqrt(x);
    const int before = device_->waits;
    y = sqrt(x);
    y += x;
    EXPECT_EQ(device_->waits, before);
}

}  // namespace
}  // namespace sinter::test
