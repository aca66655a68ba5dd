// Whether fast_math is current.
#include <sinter/fast_math.hpp>

#include <utility>

namespace sinter {
namespace {
thread_local bool fast = false;
}  // namespace

bool current_fast_math() { return fast; }

fast_math_scope::fast_math_scope(bool on) : before_(std::exchange(fast, on)) {}
fast_math_scope::~fast_math_scope() { fast = before_; }

}  // namespace sinter
