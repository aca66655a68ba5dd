// The state of cancel_scope, and the exception.
#include <runtime/system/cancellation.hpp>
#include <sinter/cancel.hpp>

namespace sinter {

const detail::cancellation*& detail::current_cancellation() { return codegen::chosen_cancellation; }

void codegen::cancellation_point::ask() const {
    if (asked_->is_requested(asked_->token))
        throw cancelled("cancelled: a stop was requested of the token of a cancel_scope; nothing was assigned");
}

}  // namespace sinter
