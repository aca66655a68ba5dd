// The kernels of Fourier transforms compile for every architecture without a warning and without a spill.
#include <codegen/cuda/fft.hpp>
#include <codegen/functions/fft.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/call.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sinter::codegen {
namespace {

class fft_kernels : public ::testing::TestWithParam<int> {};

call_site transform_of(dtype type, fft_form form, std::int64_t rows, std::int64_t length) {
    call_site call;
    call.callee = &sinter::detail::calls::fft;
    call.integers = {static_cast<std::int64_t>(form), 1, 2, length};
    call_array in;
    in.type = type;
    in.rank = 2;
    in.shape = {rows, form == fft_form::half_to_real ? length / 2 + 1 : length};
    call.operands = {in};
    call.results = {transformed_array(call.operands, call.integers, 0)};
    call.outputs = {0};
    return call;
}

TEST_P(fft_kernels, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    const struct {
        dtype type;
        fft_form form;
        std::int64_t length;
    } cases[] = {
        {dtype::complex64, fft_form::forward, 4096},           {dtype::complex128, fft_form::forward, 2048},
        {dtype::float32, fft_form::real_to_half, 13 * 11 * 7}, {dtype::complex64, fft_form::half_to_real, 8192},
        {dtype::float64, fft_form::real_to_half, 17},          {dtype::complex128, fft_form::backward, 1}};
    for (const auto& c : cases) {
        const call_launches all = fft_on_device(transform_of(c.type, c.form, 8, c.length), device_properties());
        for (const call_launch& one : all.kernels) {
            SCOPED_TRACE(one.key);
            const printed_kernel text = one.source({});
            EXPECT_NE(text.text.find(text.entry + "("), std::string::npos);
            const compiled made = compile_cuda(text.text, GetParam());
            EXPECT_EQ(made.log, "");
            EXPECT_LE(made.usage.spill_bytes, 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(nvrtc, fft_kernels, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

TEST(FftLaunches, take_a_pass_for_what_fits_and_more_for_what_does_not) {
    const auto kernels = [](dtype type, fft_form form, std::int64_t length) {
        return fft_on_device(transform_of(type, form, 8, length), device_properties()).kernels.size();
    };
    EXPECT_EQ(kernels(dtype::complex64, fft_form::forward, 4096), 1u);
    EXPECT_EQ(kernels(dtype::complex64, fft_form::forward, 13 * 13 * 11), 1u);
    EXPECT_EQ(kernels(dtype::complex64, fft_form::forward, 8192), 2u);
    EXPECT_EQ(kernels(dtype::complex128, fft_form::forward, 4096), 2u);
    EXPECT_EQ(kernels(dtype::complex64, fft_form::forward, 1 << 20), 3u);
    EXPECT_EQ(kernels(dtype::complex64, fft_form::half_to_real, 17), 7u) << "a convolution";
}

}  // namespace
}  // namespace sinter::codegen
