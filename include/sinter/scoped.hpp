// A variable that has another value until the end of a scope.
#pragma once

#include <utility>

namespace sinter::detail {

/// Sets a variable of this thread, and at its end sets it back.
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

/// What the innermost scope says, if there is one.
enum class scope_choice : unsigned char { open, off, on };

}  // namespace sinter::detail
