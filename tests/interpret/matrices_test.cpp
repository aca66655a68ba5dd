// Fragments, their products, and asynchronous copies: their results, and the errors that are detected.
#include <codegen/verify/verify.hpp>
#include <sinter/error.hpp>
#include <sinter/number/storage_floats.hpp>
#include <tests/interpret/small_programs.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace sinter::interpret {
namespace {

using namespace codegen::device_ir;

constexpr int rows = fragment_rows;

std::uint16_t half_bits(dtype type, float x) {
    return type == dtype::float16 ? std::bit_cast<std::uint16_t>(static_cast<float16>(x))
                                  : std::bit_cast<std::uint16_t>(static_cast<bfloat16>(x));
}

id fragment(small_program& p, const std::string& name, dtype type, bool cleared = false) {
    device_ir::array a;
    a.name = name, a.type = type, a.packed = fragment_elements;
    return p.b.declare(a, cleared);
}

/// The row that the lane names, of a tile of 16 x 24 in shared memory: of a left factor, or of a transposed right one.
scalar named_row(small_program& p, id tile) {
    const scalar lane = p.b.index_cast(dtype::int32, p.b.thread());
    return p.b.neighbours(tile, {lane % 16, lane / 16 * 8}, 8);
}

struct copying {
    bool waits = true, meets = true;
    int under_way = 0;
};

/// out = a * transpose(b) of 16 x 16 each, by one warp; b is given transposed.
program product(dtype type, const copying& how = {}) {
    small_program p;
    const id out = p.parameter("out", dtype::float32, kind::output);
    const id a = p.parameter("a", type, kind::input), b = p.parameter("b", type, kind::input);
    std::vector<id> tiles;
    for (const auto& [name, from] : {std::pair("a_tile", a), {"b_tile", b}}) {
        device_ir::array tile;
        tile.name = name, tile.where = space::shared, tile.type = type, tile.extents = {rows, 24}, tile.alignment = 16;
        tiles.push_back(p.b.declare(tile));
        const scalar lane = p.b.index_cast(dtype::int32, p.b.thread());
        p.b.async_copy(p.b.neighbours(tiles.back(), {lane / 2, lane % 2 * 8}, 8),
                       p.b.memory(from, {{-1, (lane * 8).at, none}}, 0, 8), lane < 32);
        p.b.commit_copies();
    }
    if (how.waits) p.b.wait_copies(how.under_way);
    if (how.meets) p.b.barrier(barrier_scope::block);
    const id left = fragment(p, "left", type), right = fragment(p, "right", type);
    const id sum = fragment(p, "sum", dtype::float32, true);
    p.b.load_matrix(p.b.element(left, {}), named_row(p, tiles[0]), false);
    p.b.load_matrix(p.b.element(right, {}), named_row(p, tiles[1]), true);
    p.b.multiply_accumulate(p.b.element(sum, {}), p.b.element(left, {}), p.b.element(right, {}));
    p.b.multiply_accumulate(p.b.element(sum, {}), p.b.element(left, {}), p.b.element(right, {}));
    const scalar lane = p.b.index_cast(dtype::int32, p.b.thread());
    const scalar e = p.b.open_unrolled("e", fragment_elements);
    const scalar row = lane / 4 + e / 2 % 2 * 8, column = lane % 4 * 2 + e % 2 + e / 4 * 8;
    p.b.assign(p.at(out, row * rows + column), p.b.element(sum, {e}));
    p.b.close();
    p.b.made.block_threads = 32;
    return p.b.made;
}

std::string run_product(dtype type, const copying& how, std::vector<float>* result = nullptr) {
    plain_memory memory;
    std::vector<std::uint16_t> a, b;
    for (int i = 0; i < rows * rows; ++i) {
        a.push_back(half_bits(type, std::sin(static_cast<float>(i))));
        b.push_back(half_bits(type, static_cast<float>(i % 7) - 3));
    }
    auto* const out = memory.allocate<float>(rows * rows);
    const std::string wrong = run(memory, product(type, how), 1, 32, {out, memory.allocate(a), memory.allocate(b)});
    if (result != nullptr) *result = memory.values(out, rows * rows);
    return wrong;
}

TEST(InterpretMatrices, ProductsOfFragments) {
    for (const dtype type : {dtype::float16, dtype::bfloat16}) {
        std::vector<float> result;
        ASSERT_EQ(run_product(type, {}, &result), "");
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j) {
                double expected = 0;
                for (int k = 0; k < rows; ++k) {
                    const std::uint16_t x = half_bits(type, std::sin(static_cast<float>(i * rows + k)));
                    const float left = type == dtype::float16 ? static_cast<float>(std::bit_cast<float16>(x))
                                                              : static_cast<float>(std::bit_cast<bfloat16>(x));
                    expected += 2 * static_cast<double>(left) * ((k * rows + j) % 7 - 3);
                }
                EXPECT_NEAR(result[static_cast<std::size_t>(i * rows + j)], expected, 1e-4) << i << ", " << j;
            }
    }
}

TEST(InterpretMatrices, CopiesAreThereWhenTheyHaveBeenWaitedFor) {
    const dtype type = dtype::float16;
    EXPECT_NE(run_product(type, {false, true, 0}).find("while a copy to it is under way"), std::string::npos);
    EXPECT_NE(run_product(type, {true, true, 1}).find("while a copy to it is under way"), std::string::npos);
    EXPECT_NE(run_product(type, {true, false, 0}).find("no barrier between"), std::string::npos);
}

TEST(InterpretMatrices, VerificationKnowsWhatTheyTake) {
    EXPECT_NO_THROW(verify(product(dtype::float16), {}));
    const auto refused = [](auto change, const std::string& why) {
        program p = product(dtype::float16);
        change(p);
        try {
            verify(p, {});
            ADD_FAILURE() << why;
        } catch (const error& e) {
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    const auto find = [](program& p, statement_kind what) -> statement& {
        return *std::find_if(p.body.begin(), p.body.end(), [&](const statement& s) { return s.kind == what; });
    };
    refused(
        [&](program& p) {
            std::swap(find(p, statement_kind::multiply_accumulate).target,
                      find(p, statement_kind::multiply_accumulate).value);
        },
        "is no fragment of float32");
    refused([&](program& p) { find(p, statement_kind::load_matrix).value = find(p, statement_kind::async_copy).value; },
            "8 elements of 2 bytes in shared memory");
    refused([&](program& p) { find(p, statement_kind::async_copy).target = find(p, statement_kind::async_copy).value; },
            "not in shared memory");
    refused(
        [&](program& p) {
            statement guarded;
            guarded.kind = statement_kind::branch;
            guarded.value = find(p, statement_kind::async_copy).limit;
            statement& one = find(p, statement_kind::multiply_accumulate);
            guarded.body = {one};
            one = guarded;
        },
        "not all lanes come");
}

}  // namespace
}  // namespace sinter::interpret
