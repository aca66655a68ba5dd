// Elementwise neighbours of transforms as functions of their kernels: which are fused, what the kernels' keys contain,
// and that their source compiles for every architecture without a warning and without a spill. Nothing is evaluated.
#include <codegen/cost/call_cost.hpp>
#include <codegen/functions/fused_call.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/fft.hpp>
#include <sinter/histogram.hpp>
#include <sinter/random.hpp>
#include <sinter/sort.hpp>
#include <tests/codegen/compiled_for_h200.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <set>

namespace sinter::codegen {
namespace {

using testing::compiled_for_h200;
using testing::launches_of;
using testing::unbacked;
using c64 = std::complex<float>;

/// The keys of the kernels of an expression's calls.
template <class E>
std::vector<std::string> keys_of(const E& e) {
    std::vector<std::string> keys;
    for (const compiled_kernel& k : compiled_for_h200(e).kernels)
        if (k.body.call)
            for (const call_launch& one : kernels_of_call(k.body, device_properties()).launches.kernels)
                keys.push_back(one.key);
    return keys;
}

auto windowed(std::int64_t rows, std::int64_t n) {
    return abs2(fft(unbacked<c64>(shape<2>(rows, n)) * unbacked<float>(shape<1>(n))));
}

TEST(ElementFunctions, are_what_surrounds_a_call) {
    const auto x = unbacked<c64>(shape<2>(4096, 4096));
    const auto w = unbacked<float>(shape<1>(4096));
    EXPECT_EQ(launches_of(fft(x)), 1u);
    EXPECT_EQ(launches_of(abs2(fft(x * w))), 1u);
    EXPECT_EQ(launches_of(ifft(fft(x * w) * x)), 2u);
    EXPECT_EQ(launches_of(abs2(fft2(x * w))), 1u);
    const auto y = unbacked<c64>(shape<2>(4096, 4096));
    EXPECT_EQ(launches_of(ifft(fft(x * w) * conj(fft(y * w)))), 3u) << "the products are computed by a transform each";
    EXPECT_EQ(launches_of(sum(abs2(fft(x * w)), axis=1)), 2u) << "what reduces is a kernel";
    EXPECT_EQ(launches_of(2.f * broadcast_to(fft(x)(newaxis, all, range(0, 2048)), {2, 4096, 2048})), 2u)
        << "as many elements, but other ones";
    EXPECT_EQ(launches_of(fft(sum(unbacked<c64>(shape<3>(3, 4096, 4096)), axis=0))), 2u);
    const auto sorted_like = compiled_for_h200(abs2(fft(x * w)));
    EXPECT_EQ(sorted_like.kernels[0].body.inputs.size(), 2u);
    EXPECT_EQ(bytes_of_call(sorted_like.kernels[0].body), 4096 * 4096 * (8 + 4) + 4096 * 4);
}

TEST(ElementFunctions, are_not_where_a_library_computes_the_call) {
    target to;
    int asked = 0;
    to.library_function = [&](const call_site& call) {
        EXPECT_EQ(call.computed, 0u);
        return ++asked > 0;
    };
    EXPECT_EQ(launches_of(windowed(64, 64), to), 3u);
    EXPECT_GT(asked, 0);
    to.library_function = [](const call_site&) { return false; };
    EXPECT_EQ(launches_of(windowed(64, 64), to), 1u);
    to.is_host = true;
    EXPECT_EQ(launches_of(windowed(64, 64), to), 3u) << "the host's transforms are a library's";
}

TEST(ElementFunctions, are_not_in_other_arithmetic_or_without_fusion) {
    EXPECT_GE(launches_of(windowed(64, 64), {}, {fusion::off}), 3u);
    EXPECT_EQ(launches_of(windowed(64, 64), {}, {fusion::on, true}), 3u) << "they are compiled with other flags";
    const auto x = unbacked<float>(shape<2>(64, 64));
    EXPECT_EQ(launches_of(astype<float16>(exp(real(fft(x + 1.f))))), 2u) << "results in float16 are, too";
    EXPECT_EQ(launches_of(astype<float16>(2.f * real(fft(x + 1.f)))), 1u) << "of which sums and products are the same";
}

TEST(ElementFunctions, are_only_what_saves_time) {
    const auto x = unbacked<c64>(shape<2>(8192, 8192));
    const auto few = unbacked<c64>(shape<2>(48, 48));
    EXPECT_EQ(launches_of(fft(transpose(x))), 2u) << "by itself, a tile of it is read by rows";
    EXPECT_EQ(launches_of(fft(transpose(few))), 1u) << "a launch takes longer";
    EXPECT_EQ(launches_of(transpose(abs2(fft(x)))), 2u);
    EXPECT_EQ(launches_of(abs2(fft(flip(x, axis=0) + x(all, range(1, 2))))), 1u) << "rows stay rows";
    const auto r = unbacked<double>(shape<2>(4096, 4097));
    const auto z = unbacked<std::complex<double>>(shape<2>(4096, 4097));
    const auto costly = exp(r) * sin(r) * cos(r) * log(r);
    EXPECT_EQ(launches_of(irfft(z * exp(r))), 1u);
    EXPECT_EQ(launches_of(ifft(z * costly)), 1u);
    EXPECT_EQ(launches_of(irfft(z * costly)), 2u) << "it would be computed twice";
    EXPECT_EQ(launches_of(ifft(z * costly * exp(-r))), 2u) << "it would be copied for each element of a thread";
}

TEST(ElementFunctions, are_a_part_of_the_key_and_extents_are_not) {
    EXPECT_EQ(keys_of(windowed(64, 64)), keys_of(windowed(17, 64)));
    const auto x = unbacked<c64>(shape<2>(64, 64));
    const auto w = unbacked<float>(shape<1>(64));
    std::set<std::vector<std::string>> all = {
        keys_of(windowed(64, 64)), keys_of(fft(x * w)),         keys_of(abs2(fft(x))),
        keys_of(fft(x)),           keys_of(abs(fft(x * w))),    keys_of(abs2(fft(x - w))),
        keys_of(abs2(fft(x * x))), keys_of(abs2(fft(x * 2.f))), keys_of(abs2(fft(x * w)) * w)};
    EXPECT_EQ(all.size(), 9u);
    const std::string text = compiled_for_h200(windowed(64, 64)).kernels[0].body.call->callee->name;
    EXPECT_EQ(text, "fft");
}

TEST(ElementFunctions, have_wide_indices_where_arrays_need_them) {
    const auto source_of = [](std::int64_t rows) {
        const compiled_program p = compiled_for_h200(windowed(rows, 4096));
        return kernels_of_call(p.kernels[0].body, device_properties()).launches.kernels[0].source({}).text;
    };
    EXPECT_EQ(source_of(4096).find("int64(at)"), std::string::npos);
    EXPECT_NE(source_of(1 << 20).find("int64(at)"), std::string::npos);
}

class element_functions : public ::testing::TestWithParam<int> {};

template <class E>
void expect_compiles(const E& e, int arch, const char* what) {
    SCOPED_TRACE(what);
    bool any = false;
    for (const compiled_kernel& k : compiled_for_h200(e).kernels) {
        if (!k.body.call) continue;
        EXPECT_FALSE(k.body.element_functions.empty());
        for (const call_launch& one : kernels_of_call(k.body, device_properties()).launches.kernels) {
            const printed_kernel text = one.source({});
            const compiled made = compile_cuda(text.text, arch);
            EXPECT_EQ(made.log, "") << text.text;
            EXPECT_LE(made.usage.spill_bytes, 0);
            any = true;
        }
    }
    EXPECT_TRUE(any);
}

TEST_P(element_functions, compile) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
    const int arch = GetParam();
    const auto x = unbacked<c64>(shape<2>(64, 4096));
    const auto w = unbacked<float>(shape<1>(4096));
    expect_compiles(abs2(fft(x * w)), arch, "window and power");
    expect_compiles(fft(uniform<float>(random_key(1), {3, 17})), arch, "random numbers alone");
    const auto z = unbacked<std::complex<double>>(shape<2>(8, 2048));
    expect_compiles(z + 0.5 * ifft(z * unbacked<double>(shape<2>(8, 1))), arch, "doubles and scalars");
    const auto r = unbacked<float16>(shape<2>(8, 1024));
    expect_compiles(abs(rfft(r - r(3))), arch, "real elements from halves");
    expect_compiles(w(range(0, 1024)) * irfft(x(range(0, 8), range(0, 513)) * 0.5f, 1024), arch, "a half spectrum");
    expect_compiles(real(fft(x(all, range(0, end, 3)) * uniform<float>(random_key(3), {64, 1366}))), arch,
                    "views and random numbers, by chirps");
    expect_compiles(abs2(fft2(unbacked<c64>(shape<3>(2, 60, 64)) - 1.f)), arch, "two axes");
    expect_compiles(abs2(fft(windowed(1 << 20, 4096))), arch, "wide indices");
    const auto many = unbacked<float>(shape<2>(4096, 4096));
    expect_compiles(histogram(ravel(many * w), unbacked<float>(shape<1>(65))), arch, "counts between edges");
    expect_compiles(histogram(unbacked<float16>(shape<1>(9999)) * 2.f, unbacked<float16>(shape<1>(5000))), arch,
                    "counts between many edges of halves");
    expect_compiles(bincount(ravel(astype<std::int8_t>(many > w)), 2), arch, "counts of bytes");
    expect_compiles(bincount(ravel(astype<std::int64_t>(many * w)), 20000), arch, "counts in pairs");
    for (const std::int64_t n : {16, 100, 600})
        expect_compiles(argsort(unbacked<float16>(shape<2>(999, n)) * 2.f), arch, "rows that are sorted");
    expect_compiles(real(fft(unbacked<bfloat16>(shape<1>(1 << 14)), 1 << 15)), arch, "padded, in two passes");
}

INSTANTIATE_TEST_SUITE_P(nvrtc, element_functions, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
