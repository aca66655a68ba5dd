// The norms of the rows of an array, by one kernel.
#include <sinter.hpp>

#include <iostream>

int main() {
    using namespace sinter;
    const array<double, 3> x = reshape(arange<double>(24), {2, 3, 4});
    // An expression: nothing runs until it is assigned.
    const auto e = sqrt(sum(x * x, axis=2));
    const array<double, 2> r = e;  // one kernel
    std::cout << r << "\n" << explain(e).launches << " launch\n";
}
