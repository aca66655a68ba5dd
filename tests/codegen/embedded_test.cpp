// Kernels in the program's file: the archive, what a recording run puts there, and that a device finds it.
#include <codegen/cuda/scatter.hpp>
#include <codegen/cuda/scatter_sums.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/cache/image.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter.hpp>
#include <tests/codegen/warnings.hpp>
#include <tests/support/content.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace sinter;
using codegen::image_archive;

/// Where this process records; named before anything asks for it.
const std::string recorded = [] {
    std::string f = testing::TempDir() + "sinter_recorded_" + std::to_string(::getpid());
    ::setenv("SINTER_RECORD_KERNELS", f.c_str(), 1);
    ::setenv("SINTER_RECORD_ARCHS", "sm_80,sm_90", 1);
    return f;
}();

/// The kernel's name in a text.
std::string entry_of(const std::string& text) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(R"(__launch_bounds__\(\d+\) (\w+)\()")) ? found[1].str() : "";
}

TEST(embedded, images_are_found_by_text_and_architecture) {
    const std::string file = testing::TempDir() + "sinter_archive_" + std::to_string(::getpid());
    codegen::append_image(file, "text one", 80, "image one for 80");
    codegen::append_image(file, "text one", 86, std::string(1001, 'x'));
    codegen::append_image(file, "text two", 90, "");
    const std::string all = test::content(file);
    std::filesystem::remove(file);
    const image_archive a("file", all);
    EXPECT_EQ(a.size(), 3u);
    EXPECT_EQ(a.find("text one", 80), "image one for 80");
    EXPECT_EQ(a.find("text one", 86), std::string(1001, 'x'));
    EXPECT_EQ(a.find("text one", 89), std::string(1001, 'x'));  // runs what was made for an older one
    EXPECT_EQ(a.find("text one", 90), std::nullopt);            // but not of another major version
    EXPECT_EQ(a.find("text one", 75), std::nullopt);
    EXPECT_EQ(a.find("text two", 90), "");
    EXPECT_EQ(a.find("text three", 90), std::nullopt);
}

TEST(embedded, damage_ends_an_archive) {
    const std::string file = testing::TempDir() + "sinter_damaged_" + std::to_string(::getpid());
    for (int i = 0; i < 3; ++i) codegen::append_image(file, "text " + std::to_string(i), 90, std::string(100, 'a'));
    const std::string good = test::content(file);
    std::filesystem::remove(file);
    for (std::size_t at = 0; at < good.size(); at += 7) {
        const test::warnings said;
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] + 1);
        const image_archive a("file", bad);
        int found = 0;
        for (int i = 0; i < 3; ++i)
            if (const auto image = a.find("text " + std::to_string(i), 90)) {
                EXPECT_EQ(*image, std::string(100, 'a')) << at;
                ++found;
            }
        EXPECT_LE(said.lines().size(), 1u) << "one line, however often it is looked up";
        const image_archive cut("file", std::string_view(good).substr(0, at));
        EXPECT_LE(cut.size(), at / 100);
        if (at + 16 <= good.size()) {  // less is only what fills the last record up
            EXPECT_EQ(cut.find("text 2", 90), std::nullopt) << at;
        }
    }
}

TEST(embedded, a_damaged_image_is_not_used_and_said_once) {
    const std::string file = testing::TempDir() + "sinter_flipped_" + std::to_string(::getpid());
    codegen::append_image(file, "text", 90, std::string(100, 'a'));
    std::string bad = test::content(file);
    std::filesystem::remove(file);
    bad[bad.size() - 50] ^= 1;
    const test::warnings said;
    const image_archive a("kernels.bin", bad);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(a.find("text", 90), std::nullopt);
    EXPECT_THAT(said.lines(), testing::ElementsAre("kernels.bin: a compiled kernel for sm_90 is damaged, so it is "
                                                   "compiled again; record the file again (SINTER_RECORD_KERNELS)"));
}

TEST(embedded, a_run_on_the_host_records_the_kernels_of_gpus) {
    if (!codegen::nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    const device_scope on(host());
    const array<float, 2> x = full({40, 300}, 0.5f);
    const auto e = sqrt(sum(x * x, axis=1));
    const array<float, 1> r = e;
    EXPECT_NEAR(item(r(0)), std::sqrt(75.0), 1e-5);
    const std::string own = "extern \"C\" __global__ void own(float* x) { x[0] = N; }";
    const raw_kernel k(own, "own", {"-DN=3"});
    array<float, 1> y = {1};
    EXPECT_THROW(k(grid{}, block{}, 0, y), error);

    const std::string all = test::content(recorded);
    const image_archive a("file", all);
    const std::string text = codegen::cache_text("sum_sqrt_float32_rows", source(e), {});
    for (const int arch : {80, 90}) {
        const auto image = a.find(codegen::cache_text("own", own, {{"-DN=3"}, ""}), arch);
        ASSERT_TRUE(image);
        EXPECT_GT(codegen::open_image(*image).usage.registers, 0);
    }
    const auto image = a.find(text, 90);  // source() shows what an H200 runs
    ASSERT_TRUE(image);
    const codegen::opened_image opened = codegen::open_image(*image);
    EXPECT_EQ(opened.binary.substr(1, 3), "ELF");
    EXPECT_EQ(opened.usage.spill_bytes, 0);
    const array<float, 1> again = e;  // known: not recorded twice
    EXPECT_EQ(test::content(recorded).size(), all.size());
    std::filesystem::remove(recorded);
}

TEST(embedded, an_older_compiler_records_no_kernels_that_make_tensor_maps) {
    EXPECT_NO_THROW(codegen::require_tensor_maps(true, "12.3"));
    EXPECT_THROW(codegen::require_tensor_maps(false, "12.2"), error);
}

TEST(embedded, statements_that_write_at_places_are_recorded) {
    if (!codegen::nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    const device_scope on(host());
    // Few steps are an expression on a GPU, more are launches of their own.
    array<float, 1> few = zeros<float>({10}), many = zeros<float>({1 << 13});
    const auto e = put(few, arange<int>(3), 1.5f);
    at(few, arange<int>(3)) = 1.5f;
    at(many, arange<int>(1 << 12)) = 2.0f;
    at(many, floor_divide(arange<int>(1 << 12), 2)) += 1.0f;
    array<float, 2> rows = zeros<float>({1 << 10, 16});
    at(rows, floor_divide(arange<int>(1 << 11), 2), axis=0) += 1.0f;
    array<int, 1> counts = zeros<int>({1 << 13});
    at(counts, floor_divide(arange<int>(1 << 12), 2)) += 1;
    EXPECT_EQ(item(sum(few)), 4.5f);
    EXPECT_EQ(item(max(counts)), 2);
    EXPECT_EQ(item(sum(rows)), 16 * 2048.0f);
    EXPECT_EQ(item(sum(many)), 3 * 4096.0f);

    const std::string all = test::content(recorded);
    const image_archive a("file", all);
    std::vector<std::string> texts = {source(e)}, names = {entry_of(texts.front())};
    for (int i = 0; i <= static_cast<int>(codegen::scatter_kernel::joins); ++i) {
        const auto which = static_cast<codegen::scatter_kernel>(i);
        texts.push_back(codegen::scatter_text(which, dtype::float32));
        names.emplace_back(codegen::scatter_entry(which));
    }
    const auto add = [&](codegen::sum_kernel which, dtype type) {
        texts.push_back(codegen::sum_text({which, type, codegen::value_layout::line}));
        names.emplace_back(codegen::sum_kernel_name(which));
    };
    for (int i = 0; i <= static_cast<int>(codegen::sum_kernel::finish); ++i)
        add(static_cast<codegen::sum_kernel>(i), dtype::float32);
    add(codegen::sum_kernel::add, dtype::int32);
    add(codegen::sum_kernel::far_add, dtype::int32);
    for (std::size_t i = 0; i < texts.size(); ++i)
        EXPECT_TRUE(a.find(codegen::cache_text(names[i], texts[i], {}), 90)) << i;
    std::filesystem::remove(recorded);
}

}  // namespace
