// Sets a variable until the end of a scope.
#pragma once

#include <utility>

namespace sinter::detail {

/// Sets a thread-local variable, and restores it on destruction.
template <class T>
class scoped {
public:
    scoped(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
    ~scoped() { variable_ = before_; }
    scoped(const scoped&) = delete;
    scoped& operator=(const scoped&) = delete;

private:
    T& variable_;
    const T before_;
};

/// The choice of the innermost scope; `open` if there is none.
enum class scope_choice : unsigned char { open, off, on };

}  // namespace sinter::detail
