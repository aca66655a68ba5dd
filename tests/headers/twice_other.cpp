// The other file: the same expression, so that both hold the same templates.
#include <sinter.hpp>

double sum_of_squares();

double sum_of_squares() {
    using namespace sinter;
    array<double, 1> x = {1, 2, 3};
    return item(sum(x * x));
}
