// A tile of stream compaction that begins before most tiles in front of it have found how many trues are before them.
#include <codegen/cuda/compact.hpp>
#include <tests/emulate/launching.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sinter::emulate {
namespace {

using codegen::compact_source;

constexpr std::uint64_t has = std::uint64_t{1} << 62, follows = std::uint64_t{2} << 62;

/// Where two trues of a tile go. Tile t before it has t + 1; of these tiles the `known` nearest have said no more.
void expect_position(unsigned tile, unsigned known) {
    SCOPED_TRACE(testing::Message() << "tile " << tile << " behind " << known);
    static emulated_device device;
    const compact_source source{};
    static const kernel_source kernel(device, compact_name(source), compact_text(source, nullptr, nullptr));
    constexpr int elements = codegen::compact_tile;
    std::vector<std::uint64_t> states(tile + 1, 0);
    long long before = 0;
    for (unsigned t = 0; t < tile; ++t) {
        before += t + 1;
        states[t] = t + known < tile ? follows | static_cast<std::uint64_t>(before) : has | (t + 1);
    }
    std::vector<std::uint8_t> truth(static_cast<std::size_t>(elements) * (tile + 1), 0);
    const std::size_t first = static_cast<std::size_t>(elements) * tile;
    truth[first + 5] = truth[first + 4000] = 1;
    const device_array<std::uint8_t> mask(device, truth);
    const device_array<std::uint64_t> said(device, states);
    const device_array<unsigned> ticket(device, std::vector<unsigned>{tile});
    const device_array<long long> results(device, std::vector<long long>(static_cast<std::size_t>(before) + 3, -1));
    const device_array<long long> total(device, std::vector<long long>{-1});
    kernel.launch(1, codegen::compact_block, results.p, total.p, mask.p, said.p, ticket.p,
                  static_cast<long long>(truth.size()), static_cast<long long>(tile) + 1);
    EXPECT_EQ(total.values()[0], before + 2);
    EXPECT_EQ(said.values()[tile], follows | static_cast<std::uint64_t>(before + 2));
    std::vector<long long> wanted(static_cast<std::size_t>(before) + 3, -1);
    wanted[static_cast<std::size_t>(before)] = static_cast<long long>(first) + 5;
    wanted[static_cast<std::size_t>(before) + 1] = static_cast<long long>(first) + 4000;
    EXPECT_EQ(results.values(), wanted);
}

TEST(compact, looks_back_as_far_as_it_must) {
    for (const unsigned known : {0U, 1U, 2U, 3U, 4U, 5U, 127U, 128U, 129U, 149U}) expect_position(150, known);
    for (const unsigned known : {1023U, 1024U, 1025U, 1099U}) expect_position(1100, known);
    expect_position(1024, 1023);
    expect_position(1025, 1024);
}

}  // namespace
}  // namespace sinter::emulate
