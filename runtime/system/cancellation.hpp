// Whether the current evaluation should be cancelled.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter::detail {
struct cancellation;
}

namespace sinter::codegen {

/// The cancellation of this thread's innermost cancel_scope; null without one.
inline constinit thread_local const detail::cancellation* chosen_cancellation = nullptr;

/// Checks, from any thread, the cancellation that was current where it was created.
class cancellation_point {
public:
    /// Throws sinter::cancelled if a stop was requested.
    void check() const {
        if (asked_ != nullptr) [[unlikely]]
            ask();
    }
    /// As check(), and makes it the current one of this thread until the end of a scope, for loops within a loop.
    [[nodiscard]] detail::scoped<const detail::cancellation*> enter() const {
        check();
        return {chosen_cancellation, asked_};
    }

private:
    void ask() const;

    const detail::cancellation* const asked_ = chosen_cancellation;
};

}  // namespace sinter::codegen
