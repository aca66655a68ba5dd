// Solutions of the exercises of chapter 7.
#include <docs/course/exercises/7.hpp>

// Each of the (n / tile)^2 tiles of the result reads n / tile tiles of each operand, of tile^2 elements.
long loads_by_tiles(long n, long tile) { return 2 * n * n * (n / tile); }

// 2 n^3 flop for 2 n^3 / tile loads of 4 bytes: tile / 4 flop per byte. The stores are few in comparison.
int smallest_tile(double ridge) {
    int tile = 1;
    while (tile / 4.0 < ridge) tile *= 2;
    return tile;
}

// A step of k loads r elements of one operand and s of the other, for r s multiply-adds.
double loads_per_multiply_add(int r, int s) { return double(r + s) / (r * s); }

#include <docs/course/checks/7.hpp>

int main() { return check_answers(); }
