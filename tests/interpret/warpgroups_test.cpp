// Products of warpgroups: their results, and the errors that are detected.
#include <codegen/verify/verify.hpp>
#include <sinter/error.hpp>
#include <sinter/number/storage_floats.hpp>
#include <tests/interpret/small_programs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

namespace sinter::interpret {
namespace {

using namespace codegen::device_ir;

constexpr int size = warpgroup_rows;  ///< rows, columns and steps

struct how_to_multiply {
    bool left_in_registers = false, transposed = false;
    bool fences = true, waits_before_writing = true;
    int under_way = 0;  ///< batches that are not waited for before the sums are read
};

class product_of_group {
public:
    explicit product_of_group(const how_to_multiply& wanted) : how(wanted) {
        out = p.parameter("out", dtype::float32, kind::output);
        a = p.parameter("a", dtype::float16, kind::input);
        b = p.parameter("b", dtype::float16, kind::input);
        thread = p.b.let_index("t", dtype::int32, p.b.index_cast(dtype::int32, p.b.thread()));
        const id left = tile("left", a), right = tile("right", b);
        p.b.wait_copies(0);
        if (how.fences) p.b.fence_shared();
        p.b.barrier(barrier_scope::block);
        const id sums = registers("sums", dtype::float32, 4, false);
        const id factor = registers("factor", dtype::float16, 4, false);
        if (how.left_in_registers) load(left, factor);
        multiply(left, right, sums, factor);
        store(sums);
        p.b.made.block_threads = warpgroup_threads;
    }
    program made() const { return p.b.made; }

private:
    scalar at(int n) { return p.b.integer(n); }

    /// 64 lines of 64 elements, copied 8 at a time.
    id tile(const std::string& name, id from) {
        device_ir::array t;
        t.name = name, t.where = space::shared, t.type = dtype::float16, t.extents = {1, size, swizzled_elements};
        t.swizzled = true, t.alignment = 1024;
        const id of = p.b.declare(t);
        const scalar u = p.b.open_unrolled("u", 4);
        const scalar chunk = p.b.let_index("chunk", dtype::int32, thread + u * warpgroup_threads);
        p.b.async_copy(p.b.neighbours(of, {at(0), chunk / 8, chunk % 8 * 8}, 8),
                       p.b.memory(from, {{-1, (chunk * 8).at, none}}, 0, 8), thread < warpgroup_threads);
        p.b.close();
        p.b.commit_copies();
        return of;
    }

    id registers(const std::string& name, dtype type, int fragments, bool cleared) {
        device_ir::array r;
        r.name = name, r.type = type, r.extents = {fragments}, r.packed = fragment_elements;
        return p.b.declare(r, cleared);
    }

    void load(id left, id factor) {
        const scalar row = thread / 32 * 16 + thread % 16;
        const scalar k = p.b.open_unrolled("k", 4);
        p.b.load_matrix(p.b.element(factor, {k}), p.b.neighbours(left, {at(0), row, k * 16 + thread % 32 / 16 * 8}, 8),
                        false);
        p.b.close();
    }

    void multiply(id left, id right, id sums, id factor) {
        p.b.begin_products({}, how.left_in_registers ? p.b.element(factor, {at(0)}) : scalar{});
        const scalar k = p.b.open_unrolled("k", 4);
        const scalar first =
            how.left_in_registers ? p.b.element(factor, {k}) : p.b.element(left, {at(0), at(0), k * 16});
        const scalar second =
            how.transposed ? p.b.element(right, {at(0), k * 16, at(0)}) : p.b.element(right, {at(0), at(0), k * 16});
        p.b.multiply_warpgroup(p.b.element(sums, {at(0)}), 4, {first, false}, {second, how.transposed}, 0 < k);
        p.b.close();
        p.b.commit_products();
        if (how.under_way > 0) p.b.wait_products(p.b.element(sums, {at(0)}), how.under_way);
        if (!how.waits_before_writing)
            p.b.async_copy(p.b.neighbours(right, {at(0), thread / 2, thread % 2 * 8}, 8),
                           p.b.memory(b, {{-1, (thread * 8).at, none}}, 0, 8), thread < warpgroup_threads);
        p.b.wait_products(p.b.element(sums, {at(0)}));
    }

    void store(id sums) {
        const scalar j = p.b.open_unrolled("j", 4), e = p.b.open_unrolled("e", fragment_elements);
        const scalar row = thread / 32 * 16 + thread % 32 / 4 + e / 2 % 2 * 8;
        const scalar column = j * 16 + thread % 4 * 2 + e % 2 + e / 4 * 8;
        p.b.assign(p.at(out, row * size + column), p.b.element(sums, {j, e}));
        p.b.close();
        p.b.close();
    }

    small_program p;
    const how_to_multiply how;
    id out = none, a = none, b = none;
    scalar thread;
};

float factor_at(int i) { return static_cast<float>(i * 37 % 101) / 16 - 3; }

std::string run_product(const how_to_multiply& how, std::vector<float>* result = nullptr) {
    plain_memory memory;
    std::vector<std::uint16_t> a, b;
    for (int i = 0; i < size * size; ++i) {
        a.push_back(std::bit_cast<std::uint16_t>(static_cast<float16>(factor_at(i))));
        b.push_back(std::bit_cast<std::uint16_t>(static_cast<float16>(factor_at(i + 5))));
    }
    auto* const out = memory.allocate<float>(size * size);
    const std::string wrong =
        run(memory, product_of_group(how).made(), 1, warpgroup_threads, {out, memory.allocate(a), memory.allocate(b)});
    if (result != nullptr) *result = memory.values(out, size * size);
    return wrong;
}

TEST(InterpretWarpgroups, ProductsOfFactorsWhereverTheyAre) {
    for (const bool in_registers : {false, true})
        for (const bool transposed : {false, true}) {
            std::vector<float> result;
            ASSERT_EQ(run_product({in_registers, transposed}, &result), "");
            for (int i = 0; i < size; ++i)
                for (int j = 0; j < size; ++j) {
                    double expected = 0;
                    for (int k = 0; k < size; ++k)
                        expected += static_cast<double>(factor_at(i * size + k)) *
                                    static_cast<double>(factor_at((transposed ? k * size + j : j * size + k) + 5));
                    ASSERT_NEAR(result[static_cast<std::size_t>(i * size + j)], expected, 1e-2) << i << ", " << j;
                }
        }
}

TEST(InterpretWarpgroups, WhatProductsReadIsFencedAndNotWritten) {
    how_to_multiply without_fence, overwrites;
    without_fence.fences = false;
    overwrites.waits_before_writing = false;
    overwrites.under_way = 1;
    EXPECT_NE(run_product(without_fence).find("with no fence since"), std::string::npos);
    EXPECT_NE(run_product(overwrites).find("while products that read it are in flight"), std::string::npos);
}

void expect_refused(const std::function<void(program&)>& change, const std::string& why) {
    program p = product_of_group({true, false}).made();
    change(p);
    try {
        verify(p, {});
        ADD_FAILURE() << why;
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
}

auto find_in(std::vector<statement>& all, statement_kind what) {
    return std::find_if(all.begin(), all.end(), [&](const statement& s) { return s.kind == what; });
}

/// The loop around the products.
statement& products_of(program& p) {
    return *std::find_if(p.body.begin(), p.body.end(), [](statement& s) {
        return find_in(s.body, statement_kind::multiply_warpgroup) != s.body.end();
    });
}

TEST(InterpretWarpgroups, VerificationKnowsTheirOrder) {
    EXPECT_NO_THROW(verify(product_of_group({false, false}).made(), {}));
    EXPECT_NO_THROW(verify(product_of_group({true, true}).made(), {}));
    const auto without = [](statement_kind what) {
        return [what](program& p) { p.body.erase(find_in(p.body, what)); };
    };
    expect_refused(without(statement_kind::begin_products), "no begin of products");
    expect_refused(without(statement_kind::commit_products), "not committed");
    expect_refused(without(statement_kind::wait_products), "registers of products that are in flight");
    const auto awaits_less = [](program& p) { find_in(p.body, statement_kind::wait_products)->count = 1; };
    expect_refused(awaits_less, "registers of products that are in flight");
}

TEST(InterpretWarpgroups, VerificationKnowsWhatTheyTake) {
    const auto product = [](program& p) -> statement& { return products_of(p).body[0]; };
    expect_refused([&](program& p) { std::swap(product(p).target, product(p).value); }, "is no fragment of float32");
    expect_refused([&](program& p) { product(p).count = 3; }, "no whole row of fragments");
    expect_refused([&](program& p) { product(p).limit = product(p).value; }, "is not in a swizzled array");
    expect_refused([](program& p) { p.block_threads = 96; }, "not all threads come to what a warpgroup does");
    expect_refused(
        [](program& p) {
            for (device_ir::array& a : p.arrays) a.alignment = a.swizzled ? 16 : a.alignment;
        },
        "no lines of 128 bytes");
    expect_refused(
        [&](program& p) {
            expression& first = p.expressions[static_cast<std::size_t>(product(p).limit)];
            first.indices[1] = p.body[0].value;  // the thread
        },
        "begins at an index that differs");
}

}  // namespace
}  // namespace sinter::interpret
