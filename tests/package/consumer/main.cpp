// A user's program: succeeds when the installed library computes the right value.
#include <sinter.hpp>

int main() {
    using namespace sinter;
    array<double, 2> x = {{3, 4}, {6, 8}};
    array<double, 1> r = sqrt(sum(x * x, axis=1));
    return to_host(r) == std::vector<double>{5, 10} ? 0 : 1;
}
