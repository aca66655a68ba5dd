// The caching allocator: size classes, reuse, and what happens when memory runs out.
#include <runtime/memory/pool.hpp>

#include <sinter/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

// Under AddressSanitizer too, a request that is too large shall fail rather than end the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

using namespace sinter::codegen;

/// Addresses without memory behind them, up to a limit, and an account of who holds what.
class counting_source final : public memory_source {
public:
    explicit counting_source(std::size_t limit) : limit_(limit) {}

    void* allocate(std::size_t bytes) override {
        const std::lock_guard lock(mutex_);
        if (used_ + bytes > limit_) return nullptr;
        used_ += bytes;
        void* const p = reinterpret_cast<void*>(next_);
        next_ += (bytes + 4095) / 4096 * 4096;
        held_[p] = bytes;
        ++allocations;
        return p;
    }

    void release(void* p, std::size_t bytes) noexcept override {
        const std::lock_guard lock(mutex_);
        EXPECT_EQ(held_.count(p), 1u) << "released what is not held";
        EXPECT_EQ(held_[p], bytes) << "released with another size than allocated";
        used_ -= held_[p];
        held_.erase(p);
    }

    state query() const noexcept override { return {limit_ - used_, limit_}; }
    std::size_t used() const { return used_; }

    int allocations = 0;

private:
    std::mutex mutex_;
    std::size_t limit_;
    std::size_t used_ = 0;
    std::uintptr_t next_ = std::uintptr_t{1} << 40;
    std::map<void*, std::size_t> held_;
};

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t gib = std::size_t{1} << 30;

TEST(pool, block_sizes_hold_the_request_and_waste_little) {
    std::mt19937_64 random(7);
    const auto check = [](std::size_t bytes) {
        const std::size_t block = pool::block_bytes(bytes);
        ASSERT_GE(block, bytes);
        ASSERT_GE(block, 512u);
        EXPECT_EQ(pool::block_bytes(block), block) << bytes;  // a block's size is a class of its own
        EXPECT_LE(pool::block_bytes(bytes), pool::block_bytes(bytes + 1));
        const std::size_t waste = bytes > 512 ? std::min(bytes / 8 + 1, 64 * mib) : 512;
        EXPECT_LE(block - bytes, waste) << bytes;
    };
    for (std::size_t bytes = 0; bytes < 20000; ++bytes) check(bytes);
    for (int i = 0; i < 20000; ++i) check(random() >> (random() % 40 + 20));
    for (const std::size_t edge : {512 * mib, 576 * mib, gib, 100 * gib})
        for (const std::size_t bytes : {edge - 1, edge, edge + 1}) check(bytes);
}

TEST(pool, gives_a_block_again_to_the_next_request_of_its_class) {
    counting_source source(gib);
    pool p(source, "test");
    void* const a = p.allocate(1000);
    p.deallocate(a, 1000);
    EXPECT_EQ(p.cached_bytes(), pool::block_bytes(1000));
    EXPECT_EQ(p.allocate(1024), a);  // the same class
    void* const b = p.allocate(1000);
    EXPECT_NE(b, a);
    void* const c = p.allocate(5000);
    p.deallocate(c, 5000);
    EXPECT_NE(p.allocate(1000), c);
    EXPECT_EQ(source.allocations, 4);
}

TEST(pool, serves_requests_of_no_bytes) {
    counting_source source(gib);
    pool p(source, "test");
    void* const a = p.allocate(0);
    void* const b = p.allocate(0);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(a, b);
    p.deallocate(a, 0);
    p.deallocate(nullptr, 0);
    EXPECT_EQ(p.allocate(0), a);
}

TEST(pool, random_work_never_hands_out_a_block_twice) {
    counting_source source(64 * gib);
    {
        pool p(source, "test");
        std::mt19937_64 random(11);
        std::map<void*, std::size_t> live;
        for (int i = 0; i < 20000; ++i) {
            if (live.size() < 50 || random() % 2 == 0) {
                const std::size_t bytes = random() >> (random() % 30 + 34);
                void* const block = p.allocate(bytes);
                const auto after = live.lower_bound(block);
                const auto at = reinterpret_cast<std::uintptr_t>(block);
                if (after != live.end()) {
                    ASSERT_GE(reinterpret_cast<std::uintptr_t>(after->first), at + std::max<std::size_t>(bytes, 1));
                }
                if (after != live.begin()) {
                    const auto before = std::prev(after);
                    ASSERT_GE(at, reinterpret_cast<std::uintptr_t>(before->first) + before->second);
                }
                live[block] = bytes;
            } else {
                const auto it = std::next(live.begin(), static_cast<long>(random() % live.size()));
                p.deallocate(it->first, it->second);
                live.erase(it);
            }
        }
        for (const auto& [block, bytes] : live) p.deallocate(block, bytes);
        const std::size_t cached = p.cached_bytes();
        EXPECT_EQ(cached, source.used());
        EXPECT_EQ(p.trim(), cached);
    }
    EXPECT_EQ(source.used(), 0u);
}

TEST(pool, frees_cached_blocks_before_it_gives_up) {
    counting_source source(10 * mib);
    pool p(source, "test");
    void* const a = p.allocate(4 * mib);
    void* const b = p.allocate(4 * mib);
    p.deallocate(a, 4 * mib);
    p.deallocate(b, 4 * mib);
    void* const c = p.allocate(8 * mib);  // fits only when both cached blocks go
    EXPECT_EQ(source.used(), 8 * mib);
    EXPECT_EQ(p.cached_bytes(), 0u);
    p.deallocate(c, 8 * mib);
}

TEST(pool, says_what_was_asked_and_what_there_is) {
    counting_source source(10 * mib);
    pool p(source, "cuda(3)");
    void* const a = p.allocate(4 * mib);
    try {
        p.allocate(3 * gib / 2);
        FAIL() << "allocated more than there is";
    } catch (const sinter::error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("out of memory on cuda(3): asked for 1.5 GiB, 6.0 MiB of 10.0 MiB"));
        EXPECT_EQ(std::strchr(e.what(), '\n'), nullptr);
    }
    EXPECT_THROW(p.allocate(~std::size_t{0}), sinter::error);
    EXPECT_EQ(p.used_bytes(), 4 * mib);
    EXPECT_EQ(p.peak_bytes(), 4 * mib);  // of what was given, not of what was asked for
    p.deallocate(a, 4 * mib);
    EXPECT_EQ(p.allocate(4 * mib), a) << "the pool works on after the error";
}

TEST(pool, host_blocks_are_aligned_and_theirs_alone) {
    pool p(host_memory(), "host");
    std::mt19937_64 random(3);
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (const std::size_t bytes : {1ul, 511ul, 513ul, 4097ul, 1000003ul, 2 * mib, 2 * mib + 1, 7 * mib + 12345}) {
        auto* const block = static_cast<unsigned char*>(p.allocate(bytes));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % (bytes >= 2 * mib ? 2 * mib : 256), 0u);
        std::memset(block, static_cast<int>(blocks.size() + 1), bytes);
        blocks.emplace_back(block, bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto [block, bytes] = blocks[i];
        for (int k = 0; k < 100; ++k) ASSERT_EQ(block[random() % bytes], i + 1);
        ASSERT_EQ(block[bytes - 1], i + 1);
        p.deallocate(block, bytes);
    }
    EXPECT_THROW(p.allocate(std::size_t{1} << 55), sinter::error);
    EXPECT_EQ(p.cached_bytes(), 0u) << "cached blocks went before the error";
}

TEST(pool, threads_share_it) {
    pool p(host_memory(), "host");
    std::vector<std::thread> threads;
    for (unsigned char t = 1; t <= 4; ++t)
        threads.emplace_back([&p, t] {
            std::mt19937 random(t);
            for (int i = 0; i < 2000; ++i) {
                const std::size_t bytes = random() % 3000 + 1;
                auto* const block = static_cast<unsigned char*>(p.allocate(bytes));
                std::memset(block, t, bytes);
                for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(block[k], t);
                p.deallocate(block, bytes);
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST(pool, bytes_in_words) {
    EXPECT_EQ(readable_bytes(0), "0 bytes");
    EXPECT_EQ(readable_bytes(1023), "1023 bytes");
    EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
    EXPECT_EQ(readable_bytes(141 * gib), "141.0 GiB");
}

}  // namespace
