// A GPU's reduction simulated on the host: butterflies within a warp, a ticket across blocks.
#include <array>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

// [shuffle]
using warp = std::array<float, 32>;  // one value in each of the 32 lanes

// __shfl_xor_sync: every lane gets the value of the lane whose number differs in the bits of `offset`.
warp shuffle_xor(const warp& value, int offset) {
    warp other;
    for (int lane = 0; lane < 32; ++lane) other[lane] = value[lane ^ offset];
    return other;
}

warp butterfly_sum(warp value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const warp other = shuffle_xor(value, offset);
        for (int lane = 0; lane < 32; ++lane) value[lane] += other[lane];  // all lanes at once
    }
    return value;
}
// [shuffle]

// [ticket]
// Each block sums its share. The block that finishes last adds all partial sums, in the order of the blocks.
struct workspace {
    std::vector<float> parts;
    std::atomic<unsigned> ticket{0};
};

void block(int number, int blocks, const std::vector<float>& x, workspace& w, float& result) {
    const std::size_t share = x.size() / blocks, begin = number * share;
    const std::size_t end = number == blocks - 1 ? x.size() : begin + share;
    float sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += x[i];
    w.parts[number] = sum;                                                    // 1. publish the partial sum
    const unsigned drawn = w.ticket.fetch_add(1, std::memory_order_acq_rel);  // 2. draw a ticket
    if (drawn != unsigned(blocks) - 1) return;                                // 3. all but the last are done
    float total = 0;
    for (const float part : w.parts) total += part;  // 4. in the same order whichever block is last
    result = total;
    w.ticket = 0;  // 5. ready for the next launch
}
// [ticket]

float sum_by_blocks(const std::vector<float>& x, int blocks) {
    workspace w{std::vector<float>(blocks)};
    float result = 0;
    std::vector<std::thread> running;
    for (int b = 0; b < blocks; ++b)
        running.emplace_back(block, b, blocks, std::cref(x), std::ref(w), std::ref(result));
    for (std::thread& t : running) t.join();
    return result;
}

int main() {
    warp w;
    for (int lane = 0; lane < 32; ++lane) w[lane] = float(lane + 1);
    const warp sums = butterfly_sum(w);
    std::printf("== butterfly\n1 + 2 + ... + 32 in 5 steps: lane 0 has %g, lane 31 has %g\n", sums[0], sums[31]);

    std::mt19937 random(7);
    std::vector<float> x(100000);
    for (float& v : x) v = float(random()) / 4294967296.0f;

    // [order]
    float forward = 0, backward = 0;
    for (std::size_t i = 0; i < x.size(); ++i) forward += x[i];
    for (std::size_t i = x.size(); i > 0; --i) backward += x[i - 1];
    // [order]
    std::printf("== order\nforward  %.9g\nbackward %.9g\n", forward, backward);

    const float first = sum_by_blocks(x, 8);
    bool same = true;
    for (int run = 0; run < 100; ++run) same = same && sum_by_blocks(x, 8) == first;
    std::printf("== ticket\n100 more runs with 8 blocks: %s\n", same ? "the same bits every time" : "DIFFERENT");
    return same && sums[0] == 528 && sums[31] == 528 ? 0 : 1;
}
