// Planted errors in programs are reported, with the statement and the thread.
#include <tests/interpret/small_programs.hpp>

#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/lower.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace sinter::interpret {
namespace {

using namespace codegen::device_ir;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The statements of a kind, wherever they are, go to `change` with the list that they are in.
void each(std::vector<statement>& all, statement_kind kind,
          const std::function<void(std::vector<statement>&, std::size_t)>& change) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t before = all.size();
        if (all[i].kind == kind) change(all, i);
        if (all.size() < before) {
            --i;
            continue;
        }
        i += all.size() - before;
        each(all[i].body, kind, change);
        each(all[i].otherwise, kind, change);
    }
}

/// x + transpose(y), floats.
codegen::loop_nest plus_transposed(std::int64_t rows, std::int64_t columns) {
    codegen::testing::kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    const int x = b.load(b.input(dtype::float32), {{i, columns}, {j, 1}});
    const int y = b.load(b.input(dtype::float32), {{i, 1}, {j, rows}});
    b.store(b.op("add", {x, y}), {{i, columns}, {j, 1}});
    return b.k;
}

/// x + transpose(y) of 33 x 131 floats, tiled; the block's program may be changed.
class tiled_program : public ::testing::Test {
protected:
    void SetUp() override {
        codegen::device_properties m;
        m.multiprocessors = 1;
        how_ = codegen::choose_schedule(k_, m, {16, 16, 16});
        ASSERT_EQ(how_.form, codegen::schedule_form::tiled);
        program_ = codegen::lower::lower(codegen::class_of(k_, how_));
    }

    std::string outcome() {
        plain_memory memory;
        const std::size_t n = 33 * 131;
        std::vector<float> x(n), y(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(i % 97);
        void* const pointers[] = {memory.allocate<float>(n), memory.allocate(x), memory.allocate(y)};
        std::vector<std::uint64_t> values;
        std::vector<void*> arguments;
        for (const kernel_parameter& p : program_.parameters) {
            const auto i = static_cast<std::size_t>(p.what.index);
            values.push_back(p.what.what == kind::output ? reinterpret_cast<std::uint64_t>(pointers[0])
                             : p.what.what == kind::input
                                 ? reinterpret_cast<std::uint64_t>(pointers[1 + i])
                                 : static_cast<std::uint64_t>(codegen::launch_value(k_, how_, p.what)));
        }
        for (std::uint64_t& v : values) arguments.push_back(&v);
        const auto whole = std::make_shared<const codegen::device_ir::program>(program_);
        const auto ready = kernel::of(whole, "x0 + transpose(x1)");
        std::string failure =
            runner(memory).run(*ready, {codegen::grid_size(k_, how_), how_.block_threads, 8, arguments.data(), 1});
        for (std::size_t i = 0; i < n && failure.empty(); ++i)
            EXPECT_EQ(static_cast<float*>(pointers[0])[i], x[i] + y[i % 131 * 33 + i / 131]) << i;
        return failure;
    }

    codegen::loop_nest k_ = plus_transposed(33, 131);
    codegen::schedule how_;
    program program_;
};

TEST_F(tiled_program, IsRightAsItIs) { EXPECT_EQ(outcome(), ""); }

TEST_F(tiled_program, WithoutItsBarrier) {
    each(program_.body, statement_kind::barrier,
         [](std::vector<statement>& all, std::size_t i) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(i)); });
    EXPECT_THAT(outcome(), ::testing::AnyOf(HasSubstr("with no barrier between them"), HasSubstr("has no value yet")));
}

TEST_F(tiled_program, WithTilesThatAreTooSmall) {
    for (device_ir::array& a : program_.arrays)
        if (a.where == space::shared) a.extents[0] -= 1;
    EXPECT_THAT(outcome(), AllOf(HasSubstr("whose extent there is"), HasSubstr("x1_tile")));
}

TEST_F(tiled_program, WithResultsOneElementFurther) {
    for (expression& e : program_.expressions)
        if (e.kind == expression_kind::element && program_.array_at(e.of).name == "out0") e.shift += e.count;
    EXPECT_THAT(outcome(), HasSubstr("bytes of out0 outside"));
}

TEST_F(tiled_program, WithResultsThatAreStoredTwice) {
    const auto stores = [&](const statement& s) {
        const expression& to = program_.at(s.target);
        return to.kind == expression_kind::element && program_.array_at(to.of).name == "out0";
    };
    each(program_.body, statement_kind::assign, [&](std::vector<statement>& all, std::size_t i) {
        const statement same = all[i];
        if (stores(same)) all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), same);
    });
    EXPECT_THAT(outcome(), HasSubstr("stores to out0 what this launch has stored already"));
}

TEST_F(tiled_program, WithoutTheGuards) {
    each(program_.body, statement_kind::branch,
         [](std::vector<statement>& all, std::size_t i) { all[i].kind = statement_kind::scope; });
    EXPECT_THAT(outcome(), HasSubstr("outside"));
}

/// Of 64 threads in two blocks; `write` writes the program.
std::string outcome_of(const std::function<void(small_program&, id out)>& write) {
    small_program p;
    const id out = p.parameter("out", dtype::int32, kind::output);
    write(p, out);
    plain_memory memory;
    return run(memory, p.b.made, 2, 64, {memory.allocate<std::int32_t>(128)});
}

scalar value(small_program& p) { return p.b.let("v", dtype::int32, p.b.index_cast(dtype::int32, p.b.thread())); }

TEST(InterpretFaults, ExchangesWithoutSomeLanes) {
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    const scalar v = value(p);
                    p.b.open_branch(p.b.thread() < 16);
                    p.b.let("w", dtype::int32, p.b.exchange(exchange_pattern::butterfly, v, p.b.integer(1)));
                    p.b.close();
                }),
                AllOf(HasSubstr("__shfl_xor_sync"), HasSubstr("is reached without lane 16 of the warp")));
}

TEST(InterpretFaults, BarriersThatNotAllThreadsReach) {
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    p.b.open_branch(p.b.thread() < 40);
                    p.b.barrier(barrier_scope::block);
                    p.b.close();
                }),
                HasSubstr("a barrier is reached without lane 8 of the warp"));
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    p.b.open_branch(p.b.thread() < 32);
                    p.b.barrier(barrier_scope::block);
                    p.b.close();
                }),
                HasSubstr("__syncthreads"));
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    p.b.leave_if(p.b.thread() == 3);
                    p.b.barrier(barrier_scope::block);
                }),
                HasSubstr("a barrier is reached without lane 3 of the warp"));
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    p.b.open_branch(p.b.thread() < 32);
                    p.b.barrier(barrier_scope::block);
                    p.b.otherwise();
                    p.b.barrier(barrier_scope::block);
                    p.b.close();
                }),
                HasSubstr("is reached by some warps"));
}

TEST(InterpretFaults, SharedElementsThatTwoThreadsUse) {
    const auto writes = [](small_program& p, const scalar& index) {
        const id s = p.shared("s", dtype::int32, {64});
        p.b.assign(p.b.element(s, {index}), p.b.integer(1));
    };
    EXPECT_EQ(outcome_of([&](small_program& p, id) { writes(p, p.b.thread()); }), "");
    EXPECT_THAT(outcome_of([&](small_program& p, id) { writes(p, p.b.thread() / 2); }),  // lanes of one warp
                AllOf(HasSubstr("s[threadIdx.x / 2] = 1;"), HasSubstr("uses too with no barrier between them")));
    EXPECT_THAT(outcome_of([&](small_program& p, id) { writes(p, p.b.thread() % 32); }),  // two warps
                HasSubstr("with no barrier between them"));
}

TEST(InterpretFaults, ValuesThatAreNotThereYet) {
    EXPECT_THAT(outcome_of([](small_program& p, id out) {
                    const scalar v = p.b.variable_of("v", dtype::int32);
                    p.b.open_branch(p.b.thread() < 10);
                    p.b.assign(v, p.b.integer(1));
                    p.b.close();
                    p.b.assign(p.at(out, p.b.block() * 64 + p.b.thread()), v);
                }),
                AllOf(HasSubstr("at \"out["), HasSubstr("reads variable v, which has no value yet")));
    EXPECT_THAT(outcome_of([](small_program& p, id out) {
                    device_ir::array a;
                    a.name = "r", a.type = dtype::int32, a.extents = {4};
                    const id r = p.b.declare(a);
                    p.b.assign(p.b.element(r, {p.b.integer(1)}), p.b.integer(1));
                    p.b.assign(p.at(out, p.b.block() * 64 + p.b.thread()), p.b.element(r, {p.b.integer(2)}));
                }),
                HasSubstr("reads element 2 of r, which has no value yet"));
    EXPECT_THAT(outcome_of([](small_program& p, id out) {
                    const id s = p.shared("s", dtype::int32, {64});
                    p.b.assign(p.at(out, p.b.block() * 64 + p.b.thread()), p.b.element(s, {p.b.thread()}));
                }),
                HasSubstr("of s in shared memory, which has no value yet"));
    EXPECT_THAT(outcome_of([](small_program& p, id out) { p.b.let("v", dtype::int32, p.at(out, p.b.thread())); }),
                HasSubstr("of out that nothing has written"));
}

TEST(InterpretFaults, IndicesThatGoWrong) {
    EXPECT_THAT(outcome_of([](small_program& p, id out) {
                    p.b.assign(p.at(out, p.b.block() * 65 + p.b.thread()), p.b.integer(1));
                }),
                AllOf(HasSubstr("block 1, thread 63"), HasSubstr("bytes of out outside")));
    EXPECT_THAT(outcome_of([](small_program& p, id) {
                    const scalar large = p.b.let_index("large", dtype::int32, p.b.integer(2147483600));
                    p.b.let_index("sum", dtype::int32, large + p.b.index_cast(dtype::int32, p.b.thread()));
                }),
                AllOf(HasSubstr("thread 48"), HasSubstr("has no value in int32")));
    EXPECT_THAT(outcome_of([](small_program& p, id out) {
                    p.b.assign(p.b.memory(out, {{-1, p.b.thread().at, none}}, 1, 2), p.b.integer(1));
                }),
                HasSubstr("which is not aligned to 8 bytes"));
}

TEST(InterpretFaults, StoresToWhatIsOnlyRead) {
    small_program p;
    const id x = p.parameter("x", dtype::int32, kind::input);
    p.b.assign(p.at(x, p.b.thread()), p.b.integer(1));
    plain_memory memory;
    EXPECT_THAT(run(memory, p.b.made, 1, 1, {memory.allocate<std::int32_t>(1)}), HasSubstr("writes x"));
}

}  // namespace
}  // namespace sinter::interpret
