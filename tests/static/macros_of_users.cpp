// The headers survive macros of common names that a program defines before it includes them.
#define UNARY unary operators
#define BINARY(x) x
#define TERNARY
#define PREFIX "/usr"
#define INFIX 1
#define REDUCTION(x, y) x
#define SPECIAL 2
#define ROW
#include <sinter.hpp>

static_assert(INFIX == 1 && SPECIAL == 2, "and leave them as they are");
static_assert(BINARY(3) + REDUCTION(4, 5) == 7);
static_assert(sizeof(PREFIX) == 5);
