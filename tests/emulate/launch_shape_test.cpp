// A launch declares whether the kernel's blocks wait for each other, so that a device with other work runs it alone.
#include <sinter.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <gmock/gmock.h>

namespace sinter::emulate {
namespace {

class recording_device : public emulated_device {
public:
    using emulated_device::launch;
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override {
        meets.push_back(shape.blocks_meet);
        emulated_device::launch(kernel, shape, arguments);
    }
    std::vector<bool> meets;
};

TEST(launch_shape, says_which_blocks_meet) {
    static auto* const recording = new recording_device;  // never destroyed, like plans
    const device_scope on_it{device(*recording)};
    const array<float, 1> x = full({40003}, 0.5F);
    recording->meets.clear();
    const array<float, 1> shares = x / sum(x);
    EXPECT_THAT(recording->meets, testing::ElementsAre(true));
    recording->meets.clear();
    const float total = item(sum(x + 1));  // by several blocks; the last one finishes it
    EXPECT_EQ(total, 1.5F * 40003);
    EXPECT_THAT(recording->meets, testing::ElementsAre(false));
    EXPECT_FLOAT_EQ(item(shares(7)), 1.0F / 40003);
}

}  // namespace
}  // namespace sinter::emulate
