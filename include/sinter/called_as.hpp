// The function that a user called, for the messages of errors: softmax calls max, whose errors then name softmax.
#pragma once

namespace sinter::detail {

/// The outermost function that is being called, among those that say so; null outside of them.
extern constinit thread_local const char* called_function;

/// Says that a function is being called: `const called_as self(__func__);` at the beginning of a function whose errors
/// may be those of functions that it calls.
class called_as {
public:
    explicit called_as(const char* function) noexcept : outer_(called_function) {
        if (outer_ == nullptr) called_function = function;
    }
    ~called_as() { called_function = outer_; }
    called_as(const called_as&) = delete;
    called_as& operator=(const called_as&) = delete;

private:
    const char* const outer_;
};

/// The name that a message begins with: the outermost function, or else the one that finds the error.
inline const char* called(const char* function) { return called_function != nullptr ? called_function : function; }

}  // namespace sinter::detail
