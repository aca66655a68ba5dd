// Statements that are rare in kernels: each has the right result in any order of warps and blocks.
#include <tests/interpret/small_programs.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace sinter::interpret {
namespace {

using namespace codegen::device_ir;

TEST(InterpretStatements, ExchangesOfAllPatterns) {
    small_program p;
    const id out = p.parameter("out", dtype::int32, kind::output);
    const scalar mine = p.b.let("mine", dtype::int32, p.b.index_cast(dtype::int32, p.b.thread() * 3));
    p.b.assign(p.at(out, p.b.thread()), p.b.exchange(exchange_pattern::butterfly, mine, p.b.integer(5)));
    p.b.assign(p.at(out, p.b.thread() + 32), p.b.exchange(exchange_pattern::up, mine, p.b.integer(3), 8));
    p.b.assign(p.at(out, p.b.thread() + 64), p.b.exchange(exchange_pattern::broadcast, mine, p.b.integer(6), 16));
    plain_memory memory;
    auto* const to = memory.allocate<std::int32_t>(96);
    ASSERT_EQ(run(memory, p.b.made, 1, 32, {to}), "");
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(to[lane], 3 * (lane ^ 5));
        EXPECT_EQ(to[32 + lane], 3 * (lane % 8 < 3 ? lane : lane - 3));
        EXPECT_EQ(to[64 + lane], 3 * (lane / 16 * 16 + 6));
    }
}

// Neighbours from any number on of two vectors; those that it does not take need no values.
TEST(InterpretStatements, Realigned) {
    for (const int last : {6, 7}) {
        small_program p;
        const id out = p.parameter("out", dtype::int32, kind::output);
        device_ir::array vectors, taken;
        vectors.name = "vectors", vectors.type = dtype::int32, vectors.extents = {2}, vectors.packed = 4;
        taken.name = "taken", taken.type = dtype::int32, taken.packed = 4;
        const id from = p.b.declare(vectors), to = p.b.declare(taken);
        const scalar first = p.b.let_index("first", dtype::int32, p.b.thread() % 4);
        for (int i = 0; i < last; ++i)
            p.b.assign(p.b.element(from, {p.b.integer(i / 4), p.b.integer(i % 4)}), p.b.integer(10 + i));
        p.b.realign(p.b.element(to, {}), p.b.element(from, {p.b.integer(0)}), first);
        const scalar e = p.b.open_unrolled("e", 4);
        p.b.assign(p.at(out, p.b.thread() * 4 + e), p.b.element(to, {e}));
        p.b.close();
        plain_memory memory;
        auto* const result = memory.allocate<std::int32_t>(16);
        const std::string failure = run(memory, p.b.made, 1, 4, {result});
        EXPECT_EQ(failure.empty(), last == 7) << failure;
        if (last == 6) {
            EXPECT_NE(failure.find("reads element 6 of vectors, which has no value yet"), failure.npos) << failure;
            continue;
        }
        for (int i = 0; i < 16; ++i) EXPECT_EQ(result[i], 10 + i / 4 + i % 4);
    }
}

/// Bytes from -128 on, each as a float32 number, or as a float16 one times its index.
void expect_widened(dtype type, bool scaled) {
    small_program p;
    const id out = p.parameter("out", dtype::float32, kind::output);
    const auto packed = [&](const char* name, dtype of) {
        device_ir::array a;
        a.name = name, a.type = of, a.packed = 8, a.words = of == dtype::int8;
        return p.b.declare(a);
    };
    const id from = packed("bytes", dtype::int8), to = packed("numbers", type), by = packed("factors", dtype::float16);
    for (int i = 0; i < 8; ++i) {
        p.b.assign(p.b.element(from, {p.b.integer(i)}), p.b.integer(i == 7 ? 127 : 20 * i - 128, dtype::int8));
        p.b.assign(p.b.element(by, {p.b.integer(i)}), p.b.cast(dtype::float16, p.b.integer(i)));
    }
    p.b.widen(p.b.element(to, {}), p.b.element(from, {}), scaled ? p.b.element(by, {}) : scalar{});
    const scalar e = p.b.open_unrolled("e", 8);
    p.b.assign(p.at(out, e),
               type == dtype::float32 ? p.b.element(to, {e}) : p.b.cast(dtype::float32, p.b.element(to, {e})));
    p.b.close();
    plain_memory memory;
    auto* const result = memory.allocate<float>(8);
    EXPECT_EQ(run(memory, p.b.made, 1, 1, {result}), "");
    for (int i = 0; i < 8; ++i) EXPECT_EQ(result[i], (i == 7 ? 127 : 20 * i - 128) * (scaled ? i : 1));
}

TEST(InterpretStatements, Widened) {
    expect_widened(dtype::float32, false);
    expect_widened(dtype::float16, false);
    expect_widened(dtype::float16, true);
}

// The last block to take a ticket sums the results of all blocks.
TEST(InterpretStatements, Tickets) {
    small_program p;
    const id out = p.parameter("out", dtype::int32, kind::output);
    const id workspace = p.parameter("workspace", dtype::uint8, kind::workspace);
    device_ir::array counter, parts;
    counter.name = "tickets", counter.where = space::global, counter.type = dtype::uint32;
    parts.name = "parts", parts.where = space::global, parts.type = dtype::int32;
    const id tickets = p.b.carve(counter, workspace, {});
    const id left = p.b.carve(parts, workspace, p.b.integer(8), p.b.integer(2));
    p.b.assign(p.at(left, p.b.block()), p.b.index_cast(dtype::int32, p.b.block() + 10));
    p.b.fence();
    const scalar before = p.b.ticket("before", p.b.memory(tickets, {}), p.b.integer(1, dtype::uint32));
    p.b.open_branch(before == p.b.grid() - 1);
    p.b.fence();
    const scalar sum = p.b.index_variable("sum", dtype::int32, p.b.integer(0));
    const scalar i = p.b.open_loop("i", dtype::int32, p.b.integer(0), p.b.grid(), p.b.integer(1));
    p.b.assign(sum, sum + p.at(left, i));
    p.b.close();
    p.b.assign(p.b.memory(out, {}), sum);
    p.b.close();
    for (unsigned seed = 0; seed < 20; ++seed) {
        plain_memory memory;
        auto* const to = memory.allocate<std::int32_t>(1);
        auto* const work = memory.allocate(std::vector<std::uint8_t>(8 + 4 * 9));
        ASSERT_EQ(run(memory, p.b.made, 7, 1, {to, work}, seed), "");
        EXPECT_EQ(*to, 70 + 21);
    }
}

// Each block passes on a sum that includes the one passed on by the block before it.
TEST(InterpretStatements, ResultsThatBlocksAwait) {
    for (const dtype type : {dtype::int32, dtype::int64}) {
        small_program p;
        const id out = p.parameter("out", type, kind::output);
        const id workspace = p.parameter("workspace", dtype::uint8, kind::workspace);
        device_ir::array words;
        words.name = "words", words.where = space::global, words.type = dtype::uint64;
        const id results = p.b.carve(words, workspace, {});
        const int pieces = static_cast<int>(size_of(type) / 4);
        const scalar launch = p.b.integer(3, dtype::uint32);
        const scalar so_far = p.b.index_variable("so_far", type, p.b.integer(0));
        p.b.open_branch(p.b.block() >= 1);
        p.b.await(p.at(results, (p.b.block() - 1) * pieces), p.b.integer(0), launch, 1, so_far);
        p.b.close();
        p.b.publish(p.at(results, p.b.block() * pieces), launch,
                    p.b.let_index("next", type, so_far + p.b.index_cast(dtype::int32, p.b.block() + 1)));
        p.b.assign(p.at(out, p.b.block()), so_far);
        for (unsigned seed = 0; seed < 10; ++seed) {
            plain_memory memory;
            void* to = type == dtype::int32 ? static_cast<void*>(memory.allocate<std::int32_t>(6))
                                            : memory.allocate<std::int64_t>(6);
            auto* const work = memory.allocate(std::vector<std::uint64_t>(12));
            ASSERT_EQ(run(memory, p.b.made, 6, 1, {to, work}, seed), "");
            EXPECT_EQ(type == dtype::int32 ? static_cast<std::int32_t*>(to)[5] : static_cast<std::int64_t*>(to)[5], 15);
        }
    }
}

// The values that each block writes before the barrier are read by the others after it.
TEST(InterpretStatements, BarrierOfBlocks) {
    small_program p;
    const id out = p.parameter("out", dtype::int32, kind::output);
    const id workspace = p.parameter("workspace", dtype::uint32, kind::workspace);
    for (int round = 1; round <= 2; ++round) {
        p.b.open_branch(p.b.thread() == 5);
        p.b.assign(p.at(workspace, p.b.block() + 1), p.b.block() * round);
        p.b.close();
        p.b.barrier_of_blocks(p.b.memory(workspace, {}), p.b.index_cast(dtype::int32, p.b.block()),
                              p.b.index_cast(dtype::int32, p.b.grid()));
        p.b.open_branch(p.b.thread() == 40);
        p.b.assign(p.at(out, p.b.block() * 2 + (round - 1)), p.at(workspace, (p.b.block() + 1) % 4 + 1));
        p.b.close();
        if (round == 1)
            p.b.barrier_of_blocks(p.b.memory(workspace, {}), p.b.index_cast(dtype::int32, p.b.block()),
                                  p.b.index_cast(dtype::int32, p.b.grid()));
    }
    for (unsigned seed = 0; seed < 20; ++seed) {
        plain_memory memory;
        auto* const to = memory.allocate<std::int32_t>(8);
        auto* const work = memory.allocate(std::vector<std::uint32_t>(5));
        ASSERT_EQ(run(memory, p.b.made, 4, 64, {to, work}, seed), "");
        for (int block = 0; block < 4; ++block) {
            EXPECT_EQ(to[2 * block], (block + 1) % 4);
            EXPECT_EQ(to[2 * block + 1], (block + 1) % 4 * 2);
        }
        EXPECT_EQ(*work & 0x7fffffffu, 0u);  // ready for the next launch
    }
    plain_memory memory;
    auto* const to = memory.allocate<std::int32_t>(8);
    auto* const work = memory.allocate(std::vector<std::uint32_t>(5));
    EXPECT_NE(run(memory, p.b.made, 4, 64, {to, work}, 0, 3).find("wait in vain"), std::string::npos);
}

TEST(InterpretStatements, SharedMemoryOfTheClustersBlocks) {
    small_program p;
    p.b.made.cluster = 4;
    const id out = p.parameter("out", dtype::int32, kind::output);
    const id part = p.shared("part", dtype::int32, {});
    p.b.open_branch(p.b.thread() == 0);
    p.b.assign(p.b.element(part, {}), p.b.index_cast(dtype::int32, p.b.block() * p.b.block()));
    p.b.close();
    p.b.barrier(barrier_scope::cluster);
    p.b.open_branch(p.b.thread() < 4);
    p.b.assign(p.at(out, p.b.block() * 4 + p.b.thread()), p.b.peer(p.b.element(part, {}), p.b.thread()));
    p.b.close();
    program without = p.b.made;
    p.b.barrier(barrier_scope::cluster);
    for (unsigned seed = 0; seed < 10; ++seed) {
        plain_memory memory;
        auto* const to = memory.allocate<std::int32_t>(32);
        ASSERT_EQ(run(memory, p.b.made, 8, 64, {to}, seed), "");
        for (int block = 0; block < 8; ++block)
            for (int other = 0; other < 4; ++other)
                EXPECT_EQ(to[4 * block + other], (block / 4 * 4 + other) * (block / 4 * 4 + other));
    }
    plain_memory memory;
    auto* const to = memory.allocate<std::int32_t>(32);
    EXPECT_NE(run(memory, without, 8, 64, {to}), "");
}

TEST(InterpretStatements, LoopsThatHalveAndCountDown) {
    small_program p;
    const id out = p.parameter("out", dtype::int32, kind::output);
    const scalar sum = p.b.index_variable("sum", dtype::int32, p.b.integer(0));
    const scalar h = p.b.open_halving("h", 16);
    p.b.assign(sum, sum + h);
    p.b.close();
    const scalar d = p.b.open_down("d", 4, 0);
    p.b.assign(sum, sum + d * 100);
    p.b.close();
    p.b.assign(p.at(out, p.b.thread()), sum);
    plain_memory memory;
    auto* const to = memory.allocate<std::int32_t>(40);
    ASSERT_EQ(run(memory, p.b.made, 1, 40, {to}), "");
    EXPECT_EQ(to[39], 31 + 1000);
}

}  // namespace
}  // namespace sinter::interpret
