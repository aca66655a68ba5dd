// Solutions of the exercises of chapter 7.
#include <docs/course/exercises/7.hpp>

// Each of the (n / tile)^2 tiles of the result reads n / tile tiles of each operand, of tile^2 elements.
long loads_by_tiles(long n, long tile) { return 2 * n * n * (n / tile); }

// 2 n^3 flop for 2 n^3 / tile loads of 4 bytes: tile / 4 flop per byte. The stores are few in comparison. At 20
// TFLOP/s and 1.5 TB/s the ridge point is 13.3 flop per byte: 64 again.
int smallest_tile(double ridge) {
    int tile = 1;
    while (tile / 4.0 < ridge) tile *= 2;
    return tile;
}

// A step of k loads r elements of one operand and s of the other, for r s multiply-adds. For a given r s the sum r +
// s is least if r = s: 8 x 8 with 0.25; 4 x 16 has 0.31, 1 x 64 more than one.
double loads_per_multiply_add(int r, int s) { return double(r + s) / (r * s); }

// 4. 1: the number of loads does not change, but each is 2 bytes. 2: tile / 2 flop per byte, so a tile of half the
// extent reaches the same ridge point. Tensor cores move that point to some 200: a tile of 512, more than the
// registers of a multiprocessor hold; products use 128 x 256 and leave the rest to the L2 cache. 3: the loads per
// multiply-add do not change, only their bytes; the sums still take 64 registers.

#include <docs/course/checks/7.hpp>

int main() { return check_answers(); }
