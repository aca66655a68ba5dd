// Scans: within a warp, over blocks in three passes, and in one pass with look-back.
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

using warp = std::array<int, 32>;  // one value per lane

// [warp]
/// Inclusive sums over the lanes: after step `offset` a lane has the sum of itself and 2 offset - 1 lanes before it.
warp inclusive(warp value) {
    for (int offset = 1; offset < 32; offset *= 2) {
        const warp before = value;  // what __shfl_up_sync reads
        for (int lane = offset; lane < 32; ++lane) value[lane] += before[lane - offset];
    }
    return value;
}
// [warp]

struct memory {
    std::vector<int> values;
    long moved = 0;  // elements read and written
};

// [three]
/// Blocks of `size` elements in three launches: the sum of each block; their running sums; the blocks again.
void in_three_passes(const memory& x, memory& y, std::size_t size) {
    std::vector<int> sums;
    for (std::size_t b = 0; b < x.values.size(); b += size) {
        const auto end = std::min(b + size, x.values.size());
        sums.push_back(std::accumulate(x.values.begin() + long(b), x.values.begin() + long(end), 0));
        y.moved += long(end - b);
    }
    std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), 0);
    y.moved += 4 * long(sums.size());  // written, read, written, read
    for (std::size_t b = 0; b < x.values.size(); b += size) {
        int sum = sums[b / size];
        for (std::size_t i = b; i < std::min(b + size, x.values.size()); ++i) y.values[i] = sum += x.values[i];
        y.moved += 2 * long(std::min(size, x.values.size() - b));
    }
}
// [three]

// [descriptor]
/// What a block has published.
struct descriptor {
    enum { nothing, aggregate, prefix } state = nothing;
    int value = 0;  // the sum of the block's elements, or of all elements up to its end
};
// [descriptor]

// [look_back]
/// One step of a block; false if it has to be repeated. The block publishes its aggregate before its first step.
bool look_back(std::vector<descriptor>& all, std::size_t block, int& exclusive, std::size_t& at) {
    while (at > 0) {
        const descriptor& before = all[at - 1];
        if (before.state == descriptor::nothing) return false;  // not published yet: wait
        exclusive += before.value;
        if (before.state == descriptor::prefix) break;  // it includes all blocks further back
        --at;
    }
    all[block] = {descriptor::prefix, exclusive + all[block].value};
    return true;
}
// [look_back]

/// One launch: blocks take tickets, and advance in random order.
long in_one_pass(const memory& x, memory& y, std::size_t size, unsigned seed) {
    struct running {
        std::size_t block, at;
        int exclusive = 0;
    };
    std::vector<descriptor> all((x.values.size() + size - 1) / size);
    std::vector<running> blocks;
    std::mt19937 chance(seed);
    std::size_t ticket = 0;
    long looked = 0;
    while (ticket < all.size() || !blocks.empty()) {
        if (ticket < all.size() && (blocks.size() < 8) && chance() % 2) {  // a slot is free: start the next block
            const std::size_t b = ticket++, begin = b * size, end = std::min(begin + size, x.values.size());
            const int sum = std::accumulate(x.values.begin() + long(begin), x.values.begin() + long(end), 0);
            y.moved += long(end - begin) + 1;
            all[b] = {descriptor::aggregate, sum};
            blocks.push_back({b, b});
        }
        if (blocks.empty()) continue;
        const std::size_t chosen = chance() % blocks.size();
        running& r = blocks[chosen];
        const std::size_t from = r.at;
        const bool done = look_back(all, r.block, r.exclusive, r.at);
        looked += long(from - r.at) + (done && r.at > 0);
        if (!done) continue;
        int sum = r.exclusive;  // the elements are still in registers: no second read
        for (std::size_t i = r.block * size; i < std::min((r.block + 1) * size, x.values.size()); ++i)
            y.values[i] = sum += x.values[i];
        y.moved += long(std::min(size, x.values.size() - r.block * size)) + 1;
        blocks.erase(blocks.begin() + long(chosen));
    }
    y.moved += looked;
    return looked;
}

int main() {
    warp ones;
    ones.fill(1);
    std::printf("== warp\n");
    for (int lane : {0, 1, 2, 30, 31}) std::printf("lane %d: %d\n", lane, inclusive(ones)[std::size_t(lane)]);

    constexpr std::size_t n = 1 << 18, size = 2048;
    memory x{std::vector<int>(n)}, y{std::vector<int>(n)}, z{std::vector<int>(n)};
    for (std::size_t i = 0; i < n; ++i) x.values[i] = int(i * 7 % 5) - 2;
    std::vector<int> expected(n);
    std::inclusive_scan(x.values.begin(), x.values.end(), expected.begin());
    in_three_passes(x, y, size);
    const long looked = in_one_pass(x, z, size, 1);
    std::printf("== passes\n%-14s %24s\n", "", "elements moved, per one");
    std::printf("%-14s %24.2f%s\n", "three passes", double(y.moved) / n, y.values == expected ? "" : "  WRONG");
    std::printf("%-14s %24.2f%s\n", "look-back", double(z.moved) / n, z.values == expected ? "" : "  WRONG");
    std::printf("%ld descriptors were read by %zu blocks\n", looked, n / size);
    for (unsigned seed = 2; seed < 50; ++seed) {
        memory again{std::vector<int>(n)};
        in_one_pass(x, again, size, seed);
        if (again.values != expected) std::printf("WRONG with the order of %u\n", seed);
    }
    return 0;
}
