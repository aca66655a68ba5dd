// Runs the language tests on the device that SINTER_TEST_DEVICE names: host (the default), emulated, cuda, or cuda:1.
// ctest runs each executable once for each of the first three.
#pragma once

#include <gtest/gtest.h>
#include <sinter.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <cstdlib>
#include <optional>
#include <string>

namespace sinter::test {

inline const std::string& test_device_name() {
    static const std::string name = [] {
        const char* wanted = std::getenv("SINTER_TEST_DEVICE");
        return std::string(wanted && *wanted ? wanted : "host");
    }();
    return name;
}

/// Whether kernels are emulated: each costs a compilation and runs slowly, so loops over many shapes take some of them.
inline bool emulated() { return test_device_name() == "emulated"; }

/// The device of the tests; none where it is a GPU and there is none.
inline std::optional<device> test_device() {
    const std::string& name = test_device_name();
    if (name == "host") return host();
    if (name == "emulated") {
        static auto* emulated = new emulate::emulated_device;  // kept to the end, as plans are
        return device(*emulated);
    }
    if (name != "cuda" && name != "cuda:1") throw error("SINTER_TEST_DEVICE=" + name + ": use host, emulated or cuda");
    const int number = name == "cuda" ? 0 : 1;
    if (cuda_count() <= number) return std::nullopt;
    return cuda(number);
}

/// Where an array's elements lie, whoever shares them.
template <class T, int Rank>
const T* address(const array<T, Rank>& x) {
    return x.storage() ? static_cast<const T*>(x.storage()->data) : nullptr;
}

/// The base of the tests' fixtures: the device under test is current.
class on_devices : public testing::Test {
protected:
    void SetUp() override {
        if (const auto d = test_device())
            scope_.emplace(*d);
        else
            GTEST_SKIP() << "there is no such CUDA device";
    }

private:
    std::optional<device_scope> scope_;
};

}  // namespace sinter::test
