// Whether the evaluation that is under way is to be cancelled.
#pragma once

namespace sinter::detail {
struct cancellation;
}

namespace sinter::codegen {

/// What the innermost cancel_scope of this thread says; null without one.
inline constinit thread_local const detail::cancellation* chosen_cancellation = nullptr;

/// Asks what was current in the thread that made it, in any thread.
class cancellation_point {
public:
    /// Throws sinter::cancelled where a stop was requested.
    void check() const {
        if (asked_ != nullptr) [[unlikely]]
            ask();
    }

private:
    void ask() const;

    const detail::cancellation* const asked_ = chosen_cancellation;
};

}  // namespace sinter::codegen
