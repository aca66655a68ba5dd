// The closed forms that rank schedules equal what the statements of the lowered programs do.
#include <codegen/cost/count.hpp>
#include <codegen/cuda/source.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/features.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/points.hpp>
#include <tests/codegen/random_kernels.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace sinter::codegen {
namespace {

statement_counts counted(const loop_nest& k, const schedule& s) {
    return count_statements(lower::lower(class_of(k, s)), grid_size(k, s),
                            [&](const parameter& p) { return launch_value(k, s, p); });
}

/// Accesses to global memory: (stores, array, bytes of one) and how many.
using access_table = std::map<std::tuple<bool, int, int>, std::int64_t>;

access_table of_statements(const statement_counts& all) {
    access_table table;
    for (const auto& [place, n] : all.accesses)
        if (place.where == device_ir::space::global && place.what != parameter::kind::workspace)
            table[{place.is_store, place.index, place.bytes}] += n.threads;
    return table;
}

access_table of_features(const loop_nest& k, const schedule_features& f) {
    access_table table;
    for (const access_feature& a : f.accesses) {
        const auto of = static_cast<std::size_t>(a.array);
        const dtype type = a.is_store ? k.outputs[of] : k.inputs[of].type;
        table[{a.is_store, a.array, a.elements * static_cast<int>(size_of(type))}] += a.count;
    }
    return table;
}

std::int64_t to_workspace(const statement_counts& all, bool stores) {
    std::int64_t n = 0;
    for (const auto& [place, count] : all.accesses)
        if (place.what == parameter::kind::workspace && place.where == device_ir::space::global &&
            place.is_store == stores)
            n += count.threads;
    return n;
}

/// How often the bodies of rows that fold nothing are evaluated, by name.
std::map<std::string, std::int64_t> evaluations(const loop_nest& k, const schedule_features& f) {
    std::map<std::string, std::int64_t> all;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (k.values[v].what == value_kind::elementwise) all[k.values[v].op->name] += f.evaluations[v];
    return all;
}

void expect_equal(const loop_nest& k, const schedule& s) {
    SCOPED_TRACE(describe(s));
    const schedule_features f = features_of(k, s);
    const statement_counts all = counted(k, s);
    EXPECT_TRUE(all.is_exact);
    EXPECT_EQ(of_features(k, f), of_statements(all));
    EXPECT_EQ(f.bytes_loaded(k) + f.bytes_stored(k), [&] {
        std::int64_t bytes = 0;
        for (const auto& [access, n] : of_statements(all)) bytes += std::get<2>(access) * n;
        return bytes;
    }());
    EXPECT_EQ(f.workspace_loads, to_workspace(all, false));
    EXPECT_EQ(f.workspace_stores, to_workspace(all, true));
    EXPECT_EQ(f.block_barriers, all.block_barriers);
    EXPECT_EQ(f.cluster_barriers, all.cluster_barriers);
    EXPECT_EQ(f.grid_barriers, all.grid_barriers);
    if (s.form == schedule_form::contraction) return;  // what follows its loop is computed where it is stored
    for (const auto& [name, n] : evaluations(k, f)) {
        std::int64_t of_row = 0;
        for (const auto& [row, times] : all.operations)
            if (row.first == name) of_row += times;
        EXPECT_EQ(n, of_row) << name;
    }
}

std::string kind_of(const schedule& s) {
    return std::to_string(static_cast<int>(s.form)) + (s.blocks_per_output > 1 ? " split" : "") +
           (s.grid_barrier ? " barrier" : "") + (s.cluster > 1 ? " cluster" : "") +
           (s.register_cached ? " cached" : "") + (s.vector_width > 1 ? " wide" : "") + (s.peeled ? " peeled" : "");
}
std::string rows_that(const std::string& are) {
    return std::to_string(static_cast<int>(schedule_form::rows)) + ' ' + are;
}

/// What a device with this many multiprocessors may run, the chosen one first; small devices reach the schedules of
/// large arrays.
std::vector<schedule> schedules(const loop_nest& k, int multiprocessors, int alignment) {
    device_properties m;
    m.multiprocessors = multiprocessors;
    return schedule_points(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), alignment));
}

TEST(Features, EqualTheCountsOfTheStatements) {
    testing::random_kernels random(5);
    std::set<std::string> seen;
    for (int round = 0; round < 800; ++round) {
        const loop_nest k = random.next();
        const std::vector<schedule> all = schedules(k, 1 + random.below(4), 4 << random.below(3));
        const schedule& s = random.below(2) == 0 ? all[0] : random.one_of(all);
        const schedule_features f = features_of(k, s);
        if (f.blocks * s.block_threads > 20000 || f.bytes_loaded(k) + f.bytes_stored(k) > 600000)
            continue;  // takes long
        SCOPED_TRACE("round " + std::to_string(round));
        expect_equal(k, s);
        if (HasFailure()) return;
        seen.insert(kind_of(s));
    }
    EXPECT_GE(seen.size(), 16u) << ::testing::PrintToString(seen);
    EXPECT_EQ(seen.count(rows_that("cached wide peeled")), 1u) << ::testing::PrintToString(seen);
}

TEST(Features, EqualThemForLargeKernels) {
    for (const loop_nest& k : {testing::softmax_of_rows(40, 131072), testing::plus_transposed(700, 600)})
        expect_equal(k, schedules(k, 132, 16)[0]);
}

TEST(Features, EqualThemWhereBlocksFoldColumns) {
    device_properties m;
    for (m.multiprocessors = 1; m.multiprocessors <= 4; m.multiprocessors *= 4)
        for (const auto& [rows, n] :
             {std::pair<std::int64_t, std::int64_t>{301, 64}, {37, 257}, {25, 1000}, {9, 4096}}) {
            const loop_nest k = testing::sums_and_largest_shares(rows, n, m).value().rows;
            for (const int alignment : {4, 16}) expect_equal(k, schedules(k, m.multiprocessors, alignment)[0]);
        }
}

// Also where several blocks share a row: each part of it begins at any element.
TEST(Features, EqualThemForPeeledRows) {
    std::set<std::string> seen;
    for (const loop_nest& k : {testing::mean_and_var(130, 1021), testing::softmax_of_rows(3, 20001),
                               testing::softmax_of_rows(5, 65537), testing::variance_of_rows(37, 333)})
        for (const int multiprocessors : {1, 4, 132}) {
            const schedule s = schedules(k, multiprocessors, 16)[0];
            EXPECT_TRUE(s.peeled) << describe(s);
            expect_equal(k, s);
            seen.insert(kind_of(s));
        }
    for (const char* kind : {"wide peeled", "cached wide peeled", "split barrier cached wide peeled"})
        EXPECT_EQ(seen.count(rows_that(kind)), 1u) << kind << " in " << ::testing::PrintToString(seen);
}

/// Up to one set of shares: the counts of the statements take variables of the loop over sets for what they begin with.
TEST(Features, EqualThemWhereBlocksDivideTheStepsOfATile) {
    for (const auto& [n, m, steps] : {std::array{20, 24, 200}, {33, 40, 131}, {64, 64, 64}})
        for (const loop_nest& k : {testing::squared_distances(n, m, steps), testing::sums_of_kernels(n, m, steps)})
            for (const int parts : {1, 2, 7, 16, 13}) {
                schedule s;
                s.form = schedule_form::contraction;
                s.block_threads = 64;
                s.vector_width = 2;
                s.blocks_per_output = parts;
                s.product = {k.outer[0], k.outer[1], 4, 2, 8, 8, 1, 4};
                if (parts == 13) s.product = {k.outer[0], k.outer[1], 2, 4, 4, 2, 8, 8};
                choose_wide_accesses(k, std::vector<int>(k.inputs.size() + k.outputs.size(), 16), s);
                expect_equal(k, s);
            }
}

TEST(Features, EqualThemForGatheredRows) {
    const std::vector<int> aligned(3, 16);
    for (const testing::gathered as :
         {testing::gathered::elements, testing::gathered::rows, testing::gathered::columns})
        for (const std::int64_t n : {64, 67}) {
            const loop_nest k = testing::gathered_rows(as, 300, n);
            schedule s = schedules(k, 1, 16)[0];
            if (as == testing::gathered::columns) {
                device_properties small;
                small.multiprocessors = 1;
                s = schedule_columns(k, small, aligned);
                s.wide_gathers = wide_gathers_of(k, s, aligned);
            }
            EXPECT_EQ(s.wide_gathers != 0, n == 64) << describe(s);
            expect_equal(k, s);
        }
}

TEST(Features, EqualThemForStagedRows) {
    for (const std::int64_t rows : {4096, 4099}) {
        const loop_nest k = testing::normalised_rows(rows, 3);
        const schedule s = schedules(k, 1, 16)[0];
        EXPECT_TRUE(s.windows.staged_stores) << describe(s);
        expect_equal(k, s);
    }
}

TEST(Features, EqualThemForJoinedRows) {
    const loop_nest k = testing::joined_rows(300, 64, 32);
    const schedule s = schedules(k, 1, 16)[0];
    EXPECT_NE(s.wide_gathers, 0u) << describe(s);
    expect_equal(k, s);
}

TEST(Features, EqualThemForChannels) {
    for (const testing::images& of : {testing::images{1, 5004, 3, 3}, {3, 1060, 2, 2}, {1, 4096, 3, 4}})
        for (const loop_nest& k : {testing::planes_of_pixels(of, dtype::uint8, dtype::float32),
                                   testing::pixels_of_planes(of, dtype::float32, dtype::uint8),
                                   testing::stacked_pixels(of.pixels * 2 + 1)}) {
            const schedule s = schedules(k, 1, 16)[0];
            EXPECT_EQ(s.form, schedule_form::channels) << describe(s);
            expect_equal(k, s);
        }
}

// Two of three channels, of arrays that have the last pixel's third channel and of one that lacks it.
TEST(Features, EqualThemForInterleavedChannels) {
    for (const std::int64_t pixels : {4096, 5003})
        for (const std::int64_t missing : {0, 1}) {
            testing::kernel_builder b;
            const int i = b.outer(pixels);
            std::vector<int> loads;
            for (const std::int64_t channel : {1, 0}) {
                const int input = b.input(dtype::int16);
                kernel_input& in = b.k.inputs[static_cast<std::size_t>(input)];
                in.leaf = 0, in.offset = channel, in.elements = 3 * pixels - missing;
                loads.push_back(b.load(input, {{i, 3}}));
            }
            b.store(b.op("add", {loads[0], loads[1]}), {{i, 1}});
            device_properties small;
            small.multiprocessors = 1;
            const schedule s = choose_schedule(b.k, small, {2, 16, 16});
            EXPECT_EQ(s.stencil.windows.size(), missing == 0 ? 1u : 0u) << describe(s);
            EXPECT_EQ(s.vector_width > 1, missing == 0) << describe(s);
            expect_equal(b.k, s);
        }
}

}  // namespace
}  // namespace sinter::codegen
