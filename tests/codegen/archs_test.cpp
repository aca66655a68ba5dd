// Every op in every dtype it computes in, every form of schedule and whole expressions compile for four generations of
// GPU without a word from NVRTC; the benchmarks' kernels keep everything in registers on all. It needs no GPU.
#include <codegen/analysis/alignment.hpp>
#include <codegen/cuda/source.hpp>
#include <codegen/driver/pipeline.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter.hpp>
#include <tests/codegen/kernel_samples.hpp>
#include <tests/codegen/shares.hpp>
#include <tests/codegen/unbacked_operands.hpp>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <set>

namespace sinter::codegen {
namespace {

using testing::kernel_builder, testing::operands, testing::unbacked;

/// A device of each generation: a T4, an A100, an H200 and a B200.
device_properties preset_of(int arch) {
    device_properties m;
    m.arch = arch;
    m.multiprocessors = arch == 75 ? 40 : arch == 80 ? 108 : arch == 90 ? 132 : 148;
    m.threads_per_multiprocessor = arch == 75 ? 1024 : 2048;
    return m;
}

constexpr auto every_dtype = [] {  // of storage types there are only casts, loads and stores
    std::array<dtype, dtype_count> all{};
    for (int d = 0; d < dtype_count; ++d) all[static_cast<std::size_t>(d)] = static_cast<dtype>(d);
    return all;
}();

std::vector<const op_row*> every_row() {
    std::vector<const op_row*> rows;
    for (const char* name : {
#define SINTER_ROW_UNARY(name, ...) #name,
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX SINTER_ROW_UNARY
#define SINTER_ROW_INFIX SINTER_ROW_UNARY
#define SINTER_ROW_REDUCTION SINTER_ROW_UNARY
#include <sinter/op/table.def>
         })
        rows.push_back(&testing::row_of(name));
    return rows;
}

/// One kernel with a result for each of the table's functions that computes in T = type.
loop_nest every_function_in(dtype type, std::int64_t n) {
    kernel_builder b;
    const int i = b.outer(n);
    const int condition = b.load(b.input(dtype::bool_), {{i, 1}});
    const int x = b.load(b.input(type), {{i, 1}}), y = b.load(b.input(type), {{i, 1}}), z = b.scalar(type);
    for (const op_row* row : every_row()) {
        if (row->is_reduction || !computes_in(row->rule, type)) continue;
        std::vector<int> operands = {row->rule == dtype_rule::select ? condition : x, y, z};
        operands.resize(row->arity);
        b.store(b.op(row->name, operands), {{i, 1}});
    }
    return b.k;
}

/// One kernel with a result of each dtype from an array of `from`.
loop_nest every_cast_from(dtype from, std::int64_t n) {
    kernel_builder b;
    const int i = b.outer(n);
    const int x = b.load(b.input(from), {{i, 1}});
    for (dtype to : every_dtype) b.store(b.cast(to, x), {{i, 1}});
    return b.k;
}

/// One kernel with all the table's reductions that fold values of T = type, of an array of n elements for each of
/// `groups` results. Neighbours in memory are reduced together (rows), or belong to different results (columns).
loop_nest every_reduction_in(dtype type, schedule_form form, std::int64_t groups, std::int64_t n) {
    kernel_builder b;
    const int g = b.outer(groups);
    const int l = b.loop({n});
    const kernel_builder::strides of_rows = {{g, n}, {b.inner(l), 1}}, of_columns = {{g, 1}, {b.inner(l), groups}};
    const int x = b.load(b.input(type), form == schedule_form::rows ? of_rows : of_columns, l);
    for (const op_row* row : every_row())
        if (row->is_reduction && computes_in(row->rule, type)) b.store(b.reduce(row->name, x, l), {{g, 1}});
    return b.k;
}

/// That every pointer of a kernel is aligned to so many bytes.
std::vector<int> aligned(const loop_nest& k, int bytes) {
    return std::vector<int>(k.inputs.size() + k.outputs.size(), bytes);
}

/// A text to compile and what it is.
struct job {
    std::string name;
    std::string source;
    bool crowded = false;  ///< its schedule leaves a thread few registers, so that its blocks all run at once
};

struct jobs {
    device_properties m;
    std::vector<job> all;
    std::set<std::string> features;  ///< what the schedules among them are like
    std::set<std::string> sources;
    void add(const std::string& name, const loop_nest& k, const schedule& s) {
        const std::string words = describe(s), form = words.substr(0, words.find(':'));
        features.insert(form);
        for (const auto& [has, feature] :
             {std::pair(s.vector_width > 1, " vector"), std::pair(s.unroll > 1, " unroll"),
              std::pair(s.register_cached, " cached"), std::pair(s.blocks_per_output > 1 && !s.grid_barrier, " split"),
              std::pair(s.grid_barrier, " barrier"), std::pair(s.cluster > 1, " cluster"),
              std::pair(s.wide_index, " wide"), std::pair(s.threads_per_output < s.block_threads, " shared block"),
              std::pair(s.product.wide_loads != 0, " wide loads"), std::pair(s.product.wide_stores, " wide stores")})
            if (has) features.insert(form + feature);
        printed_kernel r = print_kernel(k, s, name);
        if (sources.insert(r.text).second)
            all.push_back({name + " (" + describe(s) + ")", std::move(r.text),
                           (s.grid_barrier || s.tensor.warpgroups) && s.blocks_per_multiprocessor > 1});
    }
    /// The kernels of an expression, scheduled as for a launch.
    template <class Tree>
    void add(const std::string& name, const expr<Tree>& e) {
        const ir::program& program = sinter::detail::program_of<Tree>;
        for (const loop_nest& k : merge_kernels(make_kernels(program, e.arguments()), program.leaves, m))
            add(name + ": " + expression_text(k), k,
                choose_schedule(k, m, alignments(k, {&program, e.arguments()}, false)));
    }
};

class archs : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
        if (GetParam() == 100 && nvrtc_version() < "12.8") GTEST_SKIP() << "NVRTC is older than sm_100";
        work.m = preset_of(GetParam());
    }

    void expect_all_of(const std::vector<std::string>& features) const {
        for (const std::string& feature : features)
            EXPECT_TRUE(work.features.count(feature)) << "no kernel here is scheduled as " << feature;
    }

    void take_share() {
        std::size_t i = 0;
        std::erase_if(work.all, [&](const job&) { return !testing::is_compiled_for(GetParam(), i++); });
    }

    /// Compiles all the jobs, and tells of each that gives an error, a warning or, if asked, a spill of more bytes than
    /// allowed: kernels that no user writes, with every reduction of the table at once, may spill a few.
    void expect_clean(bool without_spills, int max_spilled = 0) const {
        ASSERT_FALSE(work.all.empty());
        std::vector<compiled> results(work.all.size());
        std::vector<std::string> errors(work.all.size());
        tbb::parallel_for(std::size_t{0}, work.all.size(), [&](std::size_t i) {
            try {
                results[i] = compile_cuda(work.all[i].source, GetParam());
            } catch (const error& e) {
                errors[i] = e.what();
            }
        });
        for (std::size_t i = 0; i < work.all.size(); ++i) {
            SCOPED_TRACE(work.all[i].name);
            if (!errors[i].empty()) {
                ADD_FAILURE() << errors[i];
                continue;
            }
            EXPECT_EQ(results[i].log, "") << work.all[i].source;
            EXPECT_GT(results[i].usage.registers, 0) << "NVRTC made no cubin";
            if (without_spills && !work.all[i].crowded) {
                EXPECT_LE(results[i].usage.spill_bytes, max_spilled) << work.all[i].source;
            }
        }
    }

    jobs work;
};

TEST_P(archs, every_function_in_every_dtype) {
    for (dtype type : every_dtype)
        if (!is_storage_only(type)) work.add(name(type), every_function_in(type, 1000), schedule{});
    take_share();
    expect_clean(false);
}

TEST_P(archs, every_cast) {
    for (dtype from : every_dtype) {
        const loop_nest k = every_cast_from(from, 1 << 25);
        work.add(name(from), k, choose_schedule(k, work.m, aligned(k, 16)));
    }
    expect_all_of({"elementwise vector"});
    take_share();
    expect_clean(true, 16);
}

// One schedule for each way in which values travel between threads, in small: what unrolling repeats is tested below.
TEST_P(archs, every_reduction_in_every_dtype) {
    schedule warps, blocks, columns;
    warps.form = blocks.form = schedule_form::rows;
    columns.form = schedule_form::columns;
    warps.block_threads = 128;
    warps.threads_per_output = 8;
    blocks.block_threads = blocks.threads_per_output = 256;
    warps.vector_width = blocks.unroll = 2;
    columns.threads_per_output = 8;
    for (dtype type : every_dtype)
        for (schedule s : {warps, blocks, columns}) {
            if (is_storage_only(type)) continue;
            const loop_nest k = every_reduction_in(type, s.form, 1000, 1000);
            work.add(name(type), k, s);
            if (s.threads_per_output < s.block_threads && s.form == schedule_form::rows)
                continue;  // only whole blocks share a row
            s.blocks_per_output = 5;
            work.add(name(type), k, s);
        }
    expect_all_of({"rows shared block", "rows vector", "rows unroll", "rows split", "columns", "columns split"});
    take_share();
    expect_clean(true, 16);
}

TEST_P(archs, every_schedule) {
    std::vector<std::pair<std::string, loop_nest>> kernels;
    for (const testing::sample& s : testing::samples_for(work.m.arch)) kernels.emplace_back(s.name, s.small);
    kernels.emplace_back("exp, few", testing::exp_of(100));
    kernels.emplace_back("axpy_with_row, narrow", testing::axpy_with_row(1000000, 3));
    kernels.emplace_back("norm_of_rows, short", testing::norm_of_rows(1000000, 5));
    kernels.emplace_back("norm_of_rows, few", testing::norm_of_rows(5, 1 << 22));
    kernels.emplace_back("norm_of_columns, few", testing::norm_of_columns(900, 7));
    kernels.emplace_back("softmax, short", testing::softmax_of_rows(1000000, 32));
    kernels.emplace_back("softmax, longer than registers", testing::softmax_of_rows(1000, 1 << 20));
    kernels.emplace_back("softmax, few and long", testing::softmax_of_rows(3, 1 << 27));
    kernels.emplace_back("standardised_columns, short", testing::standardised_columns(3, 1 << 20));
    kernels.emplace_back("standardised_columns, few", testing::standardised_columns(1 << 20, 20));
    kernels.emplace_back("variance_of_rows, few", testing::variance_of_rows(5, 1 << 22));
    for (std::int64_t n : {40, 1000, 100000})
        kernels.emplace_back("variance_of_rows, doubles", testing::variance_of_rows((1 << 24) / n, n, dtype::float64));
    kernels.emplace_back("variance_of_columns, doubles", testing::variance_of_columns(1000, 100000, dtype::float64));
    kernels.emplace_back("variance_of_columns, few", testing::variance_of_columns(1 << 22, 3, dtype::float64));
    kernels.emplace_back("squared_distances, few", testing::squared_distances(500, 700, 63));
    kernels.emplace_back("squared_distances, to few", testing::squared_distances(1 << 18, 64, 32));
    kernels.emplace_back("distance_of_nearest, of many", testing::distance_of_nearest(100000, 250, 9));
    kernels.emplace_back("distance_of_nearest, of very many", testing::distance_of_nearest(1 << 27, 64, 32));
    kernels.emplace_back("weighted_products", testing::weighted_products(50, 300, 200, 100));
    const loop_nest shifted = testing::exp_of(1 << 28);
    work.add("exp of a shifted array", shifted, choose_schedule(shifted, work.m, aligned(shifted, 4)));
    for (const auto& [what, k] : kernels) {
        schedule s = choose_schedule(k, work.m, aligned(k, 16));
        work.add(what, k, s);
        if (k.nest_axis >= 0) continue;  // its tile depends on how wide positions are
        s.wide_index = true;
        work.add(what, k, s);
        loop_nest in_place = k;
        in_place.inputs[0].may_alias_output = true;
        if (k.loops.empty()) work.add(what + ", in place", in_place, s);
    }
    expect_all_of({"elementwise vector", "elementwise unroll", "elementwise wide", "stencil vector", "stencil wide"});
    expect_all_of({"rows vector", "rows unroll", "rows split", "rows cached", "rows barrier", "rows wide"});
    expect_all_of({"rows shared block", "columns unroll", "columns split", "columns barrier", "columns wide"});
    expect_all_of({"tiled vector", "tiled unroll", "tiled wide", "contraction", "contraction unroll"});
    expect_all_of({"contraction wide", "contraction wide loads", "contraction wide stores"});
    take_share();
    expect_clean(true, 32);  // a tile of 8 x 8 results with 64-bit positions takes 24, attention on 8.0 all
}

// Arrays that begin at any element: single accesses take the places of vectors, and registers run short.
TEST_P(archs, every_sample_without_alignment) {
    for (const testing::sample& s : testing::samples_for(work.m.arch))
        work.add(s.name, s.small, choose_schedule(s.small, work.m, aligned(s.small, 4)));
    const loop_nest divides = testing::sums_of_kernels(1000, 999, 100);  // IEEE division calls a function
    work.add("sums_of_kernels", divides, choose_schedule(divides, work.m, aligned(divides, 4)));
    EXPECT_EQ(work.features.count("rows vector") + work.features.count("elementwise vector"), 0u);
    take_share();
    expect_clean(false);
}

SINTER_UNARY(softsign, floating, x / (T(1) + (x < T(0) ? -x : x)))

TEST_P(archs, elementwise_expressions) {
    const operands of;
    work.add("axpy with a row", 2 * of.x + of.row);
    work.add("mixed dtypes", where(of.i32 > 3, of.x * of.i32, of.u8(range(0, 3000), newaxis, 0) / 2));
    work.add("Gaussian", exp(-0.5f * square((of.x - 1) / 2)) * where(of.x > 0, of.y, 0.f));
    work.add("a function of the user's", softsign(of.x) + softsign(of.i32));
    work.add("transpose", transpose(of.x) * 2);
    work.add("matrix and transpose", of.square_matrix + transpose(of.square_matrix));
    work.add("permuted", permute(of.deep, {5, 3, 1, 0, 2, 4}) + 1);
    work.add("outer product", of.row(all, newaxis) * of.row);
    work.add("five-point stencil", of.x(range(2, end), range(1, -1)) + of.x(range(0, -2), range(1, -1)) +
                                       of.x(range(1, -1), range(2, end)) + of.x(range(1, -1), range(0, -2)) -
                                       4 * of.x(range(1, -1), range(1, -1)));
    work.add("backwards", flip(of.x, axis=1) + flip(of.x, axis=0));
    work.add("every third", of.x(all, range(0, end, 3)) * of.y(all, range(-1, end, -3)));
    work.add("halves", exp(of.f16) * 2 + square(of.f16));
    work.add("both halves", of.f16 * of.bf16);
    work.add("complex", exp(of.c64) * std::complex<float>(0, 1) + abs(of.c64));
    work.add("64-bit positions", exp(of.huge) + 1);
    expect_all_of({"elementwise wide"});
    take_share();
    expect_clean(false);
}

TEST_P(archs, folded_and_shared_products) {
    const operands of;
    const auto product = matmul(of.f16, transpose(of.f16));
    const auto few = of.f16(range(0, 16), all);
    work.add("sums of a product's rows", sum(relu(product - 0.5f), axis=1));
    work.add("largest of its columns", max(product, axis=0));
    work.add("nearest", argmax(matmul(of.bf16, transpose(of.bf16)), axis=1));
    work.add("log of its rows' sums of exponentials", logsumexp(product, axis=1));
    work.add("16 rows", relu(matmul(few, transpose(of.f16))));
    work.add("16 rows by weights", matmul(few, transpose(astype<float16>(of.u8) * of.f16(all, range(0, 1)))));
    take_share();
    expect_clean(true, GetParam() == 75 ? 256 : 0);  // contractions, where tensor cores lack these products
}

TEST_P(archs, reductions) {
    const operands of;
    work.add("row sums by the transpose", transpose(of.square_matrix) / sum(of.square_matrix, axis=1, keepdims));
    work.add("largest step", max(abs(of.x(all, range(1, end)) - of.x(all, range(0, -1))), axis=1));
    work.add("sum", sum(of.x));
    work.add("sum along 0", sum(of.even, axis=0));
    work.add("sum along 1", sum(of.even, axis=1));
    work.add("sum of bytes", sum(of.u8, axis=1));
    work.add("count", count_nonzero(of.x, axis=0));
    work.add("any", any(of.flags, axis=1));
    work.add("all", sinter::all(of.x > 0));
    work.add("norms", norm(of.i32, axis=1));
    work.add("of every other axis", sum(of.deep, axis={0, 2, 4}));
    work.add("of the other ones", max(of.deep, axis={1, 3, 5}));
    work.add("range", max(of.d, axis=1) - min(of.d, axis=1));
    work.add("variance", var(of.x, axis=1));
    work.add("deviation of columns", stddev(of.even, axis=0));
    work.add("variance of planes", var(of.d, axis={0, 2}));
    work.add("variance of some", nanvar(of.even, axis=0));
    work.add("variance of halves", var(of.f16, axis=1));
    work.add("standardised columns", standardise(of.even, axis=0));
    work.add("softmax of rows", softmax(of.even, axis=1));
    work.add("softmax of odd rows", softmax(of.x, axis=1));
    work.add("softmax of columns", softmax(of.even, axis=0));
    work.add("softmax of planes", softmax(of.d, axis={1, 2}));
    work.add("standardised", (of.x - mean(of.x, axis=1, keepdims)) / sqrt(var(of.x, axis=1, keepdims) + 1e-5f));
    work.add("of the whole", of.x / sum(of.x));
    work.add("means of halves", mean(of.bf16, axis=1));
    work.add("softmax of halves", softmax(of.f16, axis=1));
    work.add("columns of halves", sum(of.f16, axis=0));
    work.add("complex rows", sum(of.c128, axis=1));
    work.add("complex columns", sum(of.c128 * conj(of.c128), axis=0));
    work.add("complex norm", of.c128 / norm(of.c128));
    work.add("complex shares", of.c64 / sum(of.c64, axis=1, keepdims));
    work.add("64-bit positions of rows", sum(of.huge, axis=1));
    work.add("64-bit positions of columns", max(of.huge, axis=0));
    work.add("no axes", sum(of.x) * 2 + 1);
    expect_all_of({"rows wide", "columns wide"});
    take_share();
    expect_clean(false);
}

TEST_P(archs, products) {
    const operands of;
    work.add("products", sum(of.d(all, all, newaxis, all) * of.d(all, newaxis, all, all), axis=3));
    work.add("products of columns", max(of.x(all, all, newaxis) - of.even(range(0, 3000), newaxis, all), axis=0));
    work.add("products of functions", sum(exp(of.x(all, newaxis, all) * of.y(newaxis, all, all) + of.row), axis=2));
    work.add("products of integers", any(of.i32(all, newaxis, all) == of.i32(newaxis, all, all), axis=2));
    expect_all_of({"contraction"});
    take_share();
    expect_clean(false);
}

// The expressions of bench/runtime/cases, on its shapes.
TEST_P(archs, benchmarks_spill_nothing) {
    using namespace sinter::literals;
    const auto norms = [&](const auto& x) {
        for (int along = 0; along < 3; ++along) work.add("norm", sqrt(sum(x * x, axis=along)));
    };
    norms(unbacked<double>(shape<3>(1000, 100, 1000)));
    norms(unbacked<float>(shape<3>(1000, 100, 1000)));
    for (std::int64_t n : {10'000, 10'000'000, 1 << 28}) {
        const auto x = unbacked<float>(shape<1>(n)), y = unbacked<float>(shape<1>(n));
        work.add("exp", exp(x));
        work.add("sum of products", sum(x * y));
    }
    for (const shape<2>& s : {shape<2>(8192, 4096), shape<2>(1 << 20, 128)})
        work.add("softmax", softmax(unbacked<float>(s), axis=1_c));
    const auto x = unbacked<float>(shape<2>(4096, 64)), y = unbacked<float>(shape<2>(4096, 64));
    work.add("squared distances", sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2));
    expect_clean(true);
}

INSTANTIATE_TEST_SUITE_P(nvrtc, archs, ::testing::Values(75, 80, 90, 100),
                         [](const auto& arch) { return "sm_" + std::to_string(arch.param); });

}  // namespace
}  // namespace sinter::codegen
