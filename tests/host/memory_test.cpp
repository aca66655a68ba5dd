// The pool as users see it: its account, its limit, and an allocator of their own.
#include <sinter.hpp>
#include <sinter/memory.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace {

using namespace sinter;
using test::message_of;
using testing::HasSubstr;

/// Keeps an account, and has no memory when it is told so.
struct accountant final : memory_allocator {
    std::mutex mutex;
    std::map<void*, std::size_t> blocks;
    bool misused = false;
    bool empty = false;

    void* allocate(std::size_t bytes, std::size_t alignment) override {
        const std::lock_guard lock(mutex);
        if (empty) return nullptr;
        void* const p = std::aligned_alloc(alignment, bytes);
        blocks[p] = bytes;
        return p;
    }
    void deallocate(void* p, std::size_t bytes, std::size_t) noexcept override {
        const std::lock_guard lock(mutex);
        const auto at = blocks.find(p);
        misused = misused || at == blocks.end() || at->second != bytes;
        if (at != blocks.end()) blocks.erase(at);
        std::free(p);
    }
    std::size_t bytes() {
        const std::lock_guard lock(mutex);
        std::size_t all = 0;
        for (const auto& [p, n] : blocks) all += n;
        return all;
    }
};

class memory : public testing::Test {
protected:
    void SetUp() override { pool_.free_all_blocks(); }
    void TearDown() override { pool_.set_limit(0); }

    const device_scope scope_{host()};
    memory_pool pool_;
};

TEST_F(memory, is_in_use_kept_and_given_back) {
    const std::size_t before = pool_.used_bytes();
    pool_.reset_peak();
    {
        const array<float, 1> x = full({1 << 20}, 1.f);
        EXPECT_EQ(pool_.used_bytes(), before + (4 << 20));
        EXPECT_EQ(pool_.free_bytes(), 0u);
        const array<float, 1> y = x + 1.f;
    }
    EXPECT_EQ(pool_.used_bytes(), before);
    EXPECT_EQ(pool_.free_bytes(), 2u * (4 << 20));
    EXPECT_EQ(pool_.total_bytes(), before + 2 * (4 << 20));
    EXPECT_EQ(pool_.peak_bytes(), before + 2 * (4 << 20));
    EXPECT_EQ(pool_.free_all_blocks(), 2u * (4 << 20));
    EXPECT_EQ(pool_.total_bytes(), before);
}

TEST_F(memory, beyond_the_limit_is_an_error_with_the_numbers) {
    array<float, 1> x = full({1 << 20}, 1.f);
    const auto before = to_host(x);
    pool_.free_all_blocks();
    pool_.set_limit(pool_.used_bytes() + (1 << 20));
    EXPECT_EQ(pool_.limit(), pool_.used_bytes() + (1 << 20));
    const std::size_t used = pool_.used_bytes();
    const std::string text = message_of([&] { x = x + flip(x, axis=0); });
    EXPECT_THAT(text,
                HasSubstr("out of memory on host: asked for 4.0 MiB, 4.0 MiB of the limit of 5.0 MiB are in use"));
    EXPECT_EQ(to_host(x), before);
    EXPECT_EQ(pool_.used_bytes(), used);
    x += 1.f;  // needs none
    pool_.set_limit(0);
    x = x + flip(x, axis=0);
    EXPECT_EQ(to_host(x)[0], 4.f);
}

TEST_F(memory, that_is_kept_goes_before_the_limit_is_an_error) {
    { const array<float, 1> x = full({1 << 20}, 1.f); }
    pool_.set_limit(pool_.used_bytes() + (5 << 20));
    const array<double, 1> y = full({5 << 17}, 1.0);  // 5 MiB: fits where the 4 MiB that are kept go
    EXPECT_EQ(pool_.free_bytes(), 0u);
}

TEST_F(memory, is_from_an_allocator_of_ones_own) {
    if (pool_.used_bytes() > 0) {
        EXPECT_THAT(message_of([&] { pool_.set_allocator(std::make_shared<accountant>()); }), HasSubstr("are in use"));
        return;
    }
    const auto from = std::make_shared<accountant>();
    pool_.set_allocator(from);
    {
        const array<float, 1> x = full({1000}, 1.f);
        EXPECT_THAT(message_of([&] { pool_.set_allocator(nullptr); }), HasSubstr("are in use"));
        EXPECT_EQ(from->bytes(), pool_.total_bytes());
        EXPECT_GE(from->bytes(), 4000u);
        from->empty = true;
        EXPECT_THAT(message_of([&] { const array<float, 1> y = full({100000}, 1.f); }),
                    HasSubstr("out of memory on host: asked for 390.6 KiB, which the allocator does not have"));
        from->empty = false;
        EXPECT_EQ(item(sum(x)), 1000.f);
    }
    pool_.set_allocator(nullptr);
    EXPECT_EQ(from->bytes(), 0u);
    EXPECT_FALSE(from->misused);
    EXPECT_EQ(from.use_count(), 1);
}

}  // namespace
