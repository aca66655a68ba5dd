// A target as libFuzzer calls it: SINTER_FUZZ_TARGET names which.
#include <tests/fuzzers/targets.hpp>

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sinter::test::SINTER_FUZZ_TARGET({data, size});
    return 0;
}
