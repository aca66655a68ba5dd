// One of two files of a program that include all of Sinter: a definition that is not inline would clash in the linker.
#include <sinter.hpp>

double sum_of_squares();

int main() {
    using namespace sinter;
    array<double, 1> x = {1, 2, 3};
    return item(sum(x * x)) == 14.0 && sum_of_squares() == 14.0 ? 0 : 1;
}
