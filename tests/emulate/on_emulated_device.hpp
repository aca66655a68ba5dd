// Runs tests on an emulated device of their own, whose launches and calls of a library they may count.
#pragma once

#include <gtest/gtest.h>
#include <sinter.hpp>
#include <tests/emulate/emulated_device.hpp>

namespace sinter::test {

/// The base of fixtures: the device is current, with or without a library of products.
class on_emulated_device : public testing::Test {
protected:
    explicit on_emulated_device(bool has_library) { emulated().set_library(has_library); }

    static emulate::emulated_device& emulated() {
        static auto* const d = new emulate::emulated_device;  // never destroyed, like plans
        return *d;
    }

private:
    const device_scope scope_{device(emulated())};
};

/// The operands of the same expression in double precision.
template <class T, int Rank>
array<double, Rank> doubles(const array<T, Rank>& x) {
    return astype<double>(x);
}

}  // namespace sinter::test
