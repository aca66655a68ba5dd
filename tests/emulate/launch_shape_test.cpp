// What a launch says of its kernel besides its grid: whether its blocks wait for each other, so that a device that has
// other work runs it by itself.
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
    static auto* const recording = new recording_device;  // kept to the end, as plans are
    const device_scope on_it{device(*recording)};
    const array<float, 1> x = full({40003}, 0.5F);
    recording->meets.clear();
    const array<float, 1> shares = x / sum(x);
    EXPECT_THAT(recording->meets, testing::ElementsAre(true));
    recording->meets.clear();
    const float total = item(sum(x + 1));  // by several blocks, the last of which ends it
    EXPECT_EQ(total, 1.5F * 40003);
    EXPECT_THAT(recording->meets, testing::ElementsAre(false));
    EXPECT_FLOAT_EQ(item(shares(7)), 1.0F / 40003);
}

}  // namespace
}  // namespace sinter::emulate
