// Kernels with scans: what the schedules make of them, and that every scan of the table compiles in every
// dtype, form and generation of GPU without a word from NVRTC, and the common ones without spills. No GPU is needed.
#include <codegen/cuda/source.hpp>
#include <codegen/lower/workspace.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/error.hpp>
#include <tests/codegen/kernel_samples.hpp>
#include <tests/codegen/shares.hpp>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;

std::vector<int> aligned(const loop_nest& k) { return std::vector<int>(k.inputs.size() + k.outputs.size(), 16); }

/// A kernel with a result for each of the table's scans in T = type: along rows, or down columns.
loop_nest every_scan_in(dtype type, schedule_form form, std::int64_t groups, std::int64_t n) {
    kernel_builder b;
    const int g = b.outer(groups);
    const int l = b.loop({n});
    const kernel_builder::strides of_rows = {{g, n}, {b.inner(l), 1}}, of_columns = {{g, 1}, {b.inner(l), groups}};
    const kernel_builder::strides& at = form == schedule_form::rows ? of_rows : of_columns;
    const int x = b.load(b.input(type), at, l);
    for (const char* name : {
#define SINTER_ROW_UNARY(name, ...)
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX SINTER_ROW_UNARY
#define SINTER_ROW_INFIX SINTER_ROW_UNARY
#define SINTER_ROW_REDUCTION(name, ...) #name,
#include <sinter/op/table.def>
         })
        if (computes_in(testing::row_of(name).rule, type)) b.store(b.scan(name, x, l), at, l);
    return b.k;
}

struct text {
    std::string what, source;
};

/// Compiles texts for the generations that this NVRTC knows, for each its share.
void expect_clean(const std::vector<text>& texts, bool without_spills) {
    for (const int arch : {75, 80, 90, 100}) {
        if (arch == 100 && nvrtc_version() < "12.8") continue;
        std::vector<text> all;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (testing::is_compiled_for(arch, i)) all.push_back(texts[i]);
        std::vector<compiled> results(all.size());
        std::vector<std::string> errors(all.size());
        tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
            try {
                results[i] = compile_cuda(all[i].source, arch);
            } catch (const error& e) {
                errors[i] = e.what();
            }
        });
        for (std::size_t i = 0; i < all.size(); ++i) {
            SCOPED_TRACE(all[i].what + ", sm_" + std::to_string(arch));
            EXPECT_EQ(errors[i], "") << all[i].source;
            EXPECT_EQ(results[i].log, "") << all[i].source;
            if (without_spills) {
                EXPECT_EQ(results[i].usage.spill_bytes, 0) << all[i].source;
            }
        }
    }
}

class scans : public ::testing::Test {
protected:
    void SetUp() override {
        if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    }
};

TEST_F(scans, of_every_row_in_every_dtype_compile) {
    schedule threads, lanes, warps, columns;
    threads.form = lanes.form = warps.form = schedule_form::rows;
    columns.form = schedule_form::columns;
    threads.block_threads = lanes.block_threads = 128;
    lanes.threads_per_output = 8;
    warps.block_threads = warps.threads_per_output = 256;
    lanes.vector_width = warps.unroll = 2;
    columns.threads_per_output = 8;
    std::vector<text> all;
    for (int t = 0; t < dtype_count; ++t) {
        const auto type = static_cast<dtype>(t);
        if (is_storage_only(type)) continue;
        for (schedule s : {threads, lanes, warps, columns}) {
            const loop_nest k = every_scan_in(type, s.form, 1000, 1000);
            all.push_back({std::string(name(type)) + ", " + describe(s), print_kernel(k, s, "").text});
            if (type == dtype::float32) {
                loop_nest backwards = k;
                backwards.loops[0].backwards = true;
                schedule wide = s;
                wide.wide_index = true;
                all.push_back({"backwards, " + describe(wide), print_kernel(backwards, wide, "").text});
            }
            if (s.threads_per_output < s.block_threads && s.form == schedule_form::rows)
                continue;  // only whole blocks look back
            s.blocks_per_output = 5;
            all.push_back({std::string(name(type)) + ", " + describe(s), print_kernel(k, s, "").text});
        }
        const loop_nest few = every_scan_in(type, schedule_form::columns, 64, 100000);  // as much as shared memory has
        const schedule chosen = choose_schedule(few, device_properties{}, aligned(few));
        EXPECT_GT(chosen.blocks_per_output, 1);
        all.push_back({std::string(name(type)) + ", " + describe(chosen), print_kernel(few, chosen, "").text});
    }
    expect_clean(all, false);
}

TEST_F(scans, of_common_kernels_spill_nothing) {
    std::vector<text> all;
    const auto add = [&](const std::string& what, const loop_nest& k) {
        const schedule s = choose_schedule(k, device_properties{}, aligned(k));
        all.push_back({what + ", " + describe(s), print_kernel(k, s, what).text});
    };
    for (std::int64_t n : {4, 32, 100, 1000, 4096, 100000}) {
        add("rows of " + std::to_string(n), testing::running_sums_of_rows(10000, n));
        add("columns of " + std::to_string(n), testing::running_sums_of_columns(n, 10000));
    }
    add("a long row", testing::running_sums_of_rows(1, 100000000));
    add("few long rows", testing::running_sums_of_rows(7, 10000000));
    add("few long columns", testing::running_sums_of_columns(1000000, 33));
    for (const schedule_form form : {schedule_form::rows, schedule_form::columns}) {
        loop_nest k = every_scan_in(dtype::float64, form, 10000, 1000);
        k.stores.resize(1);
        k.outputs.resize(1);
        k.values.resize(2);
        add("doubles", k);
    }
    expect_clean(all, true);
}

TEST(scan_schedules, few_long_rows_and_columns_are_shared_by_blocks_that_look_back) {
    const loop_nest row = testing::running_sums_of_rows(1, 100000000);
    const schedule s = choose_schedule(row, device_properties{}, aligned(row));
    EXPECT_EQ(s.form, schedule_form::rows);
    EXPECT_EQ(s.blocks_per_output,
              (100000000 / s.vector_width + s.threads_per_output * s.unroll - 1) / (s.threads_per_output * s.unroll));
    EXPECT_FALSE(s.grid_barrier);
    EXPECT_GT(workspace_bytes(row, s), static_cast<std::size_t>(s.blocks_per_output) * 16);
    const loop_nest columns = testing::running_sums_of_columns(1000000, 33);
    const schedule c = choose_schedule(columns, device_properties{}, aligned(columns));
    EXPECT_EQ(c.form, schedule_form::columns);
    EXPECT_GT(c.blocks_per_output, 1000);
    EXPECT_FALSE(choose_schedule(testing::running_sums_of_rows(10000, 1000), device_properties{}, aligned(row))
                     .blocks_per_output > 1);
}

TEST(scan_schedules, scans_of_scans_and_reductions_stay_in_a_block) {
    kernel_builder twice;
    const int l = twice.loop({100000000});
    const kernel_builder::strides at = {{twice.inner(l), 1}};
    const int once = twice.scan("sum", twice.load(twice.input(dtype::float32), at, l), l);
    twice.store(twice.scan("max", once, l), at, l);
    EXPECT_EQ(choose_schedule(twice.k, device_properties{}, aligned(twice.k)).blocks_per_output, 1);

    kernel_builder highest;
    const int m = highest.loop({100000000});
    const int sums = highest.scan("sum", highest.load(highest.input(dtype::float32), {{highest.inner(m), 1}}, m), m);
    highest.store(highest.reduce("max", sums, m), {});
    const schedule s = choose_schedule(highest.k, device_properties{}, aligned(highest.k));
    EXPECT_EQ(s.blocks_per_output, 1);
    EXPECT_FALSE(s.grid_barrier);
}

}  // namespace
}  // namespace sinter::codegen
