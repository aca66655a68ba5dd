// Only values have a text.
// expect: error: static assertion failed.*sinter: a function, an option, an index or tie\(\.\.\.\) has no text
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x, std::ostream& out) {
#ifdef SINTER_CONTROL
    out << item(x(end - 1));
#else
    out << end - 1;
#endif
}
