// The host's radix sort against std::stable_sort: every path of it, for keys that share their leading bits, too.
#include <runtime/host/radix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::testing {
namespace {

template <class W>
struct item {
    W key;
    std::uint32_t index;
    bool operator==(const item&) const = default;
};

/// Where the elements are at first: apart from both arrays, in the spare one, or where the result goes.
enum class start { apart, spare, result };

template <class W>
void expect_sorted(const std::vector<W>& keys, start where, const std::string& what) {
    std::vector<item<W>> items;
    for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], static_cast<std::uint32_t>(i)});
    std::vector<item<W>> expected = items, spare(items.size()), sorted(items.size());
    std::stable_sort(expected.begin(), expected.end(), [](const auto& x, const auto& y) { return x.key < y.key; });
    if (where == start::spare) spare = items;
    if (where == start::result) sorted = items;
    const item<W>* const from = where == start::apart   ? items.data()
                                : where == start::spare ? spare.data()
                                                        : sorted.data();
    radix::sort_range(radix::range<item<W>>{from, spare.data(), sorted.data(), static_cast<std::int64_t>(keys.size())},
                      [](const item<W>& x) { return x.key; });
    EXPECT_TRUE(sorted == expected) << what << ", " << keys.size() << " keys, start " << static_cast<int>(where);
}

template <class W>
void expect_all(const std::vector<std::int64_t>& lengths) {
    std::mt19937_64 random(1);
    const std::pair<const char*, std::function<W(std::int64_t)>> kinds[] = {
        {"random", [&](std::int64_t) { return static_cast<W>(random()); }},
        {"few", [&](std::int64_t) { return static_cast<W>(random() % 7); }},
        {"equal", [](std::int64_t) { return W(5); }},
        {"ascending", [](std::int64_t i) { return static_cast<W>(i); }},
        {"descending", [](std::int64_t i) { return static_cast<W>(~i); }},
        {"one far away",
         [&](std::int64_t i) { return i == 3 ? static_cast<W>(~W(0)) : static_cast<W>(random() % 40000); }},
        {"doubling", [&](std::int64_t) { return static_cast<W>(~W(0) >> (random() % (8 * sizeof(W)))); }},
        {"low bits in groups",
         [&](std::int64_t) { return static_cast<W>((random() % 3 << (8 * sizeof(W) - 2)) + random() % 200); }}};
    for (const std::int64_t length : lengths)
        for (const auto& [name, key_at] : kinds)
            for (const start where : {start::apart, start::spare, start::result}) {
                std::vector<W> keys;
                for (std::int64_t i = 0; i < length; ++i) keys.push_back(key_at(i));
                expect_sorted(keys, where, name);
            }
}

const std::vector<std::int64_t> lengths = {0, 1, 2, 47, 48, 49, 100, 1000, 4095, 4096, 32768, 32769, 70000};

TEST(radix, bytes) { expect_all<std::uint8_t>(lengths); }
TEST(radix, words_of_16_bits) { expect_all<std::uint16_t>(lengths); }
TEST(radix, words_of_32_bits) { expect_all<std::uint32_t>(lengths); }
TEST(radix, words_of_64_bits) { expect_all<std::uint64_t>(lengths); }

}  // namespace
}  // namespace sinter::codegen::testing
