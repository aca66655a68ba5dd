// Evaluations that can be cancelled. Not part of sinter.hpp: include <sinter/cancel.hpp> beside it.
//
//     std::stop_source source;                       // another thread: source.request_stop();
//     cancel_scope scope(source.get_token());
//     y = softmax(x, axis=1);                        // throws cancelled, and leaves y as it was
#pragma once

#include <sinter/error.hpp>
#include <sinter/scoped.hpp>

#include <stop_token>
#include <utility>

namespace sinter {

/// What an evaluation throws that was cancelled.
class cancelled : public error {
public:
    using error::error;
};

namespace detail {

/// Whether someone wants this thread's evaluations to end.
struct cancellation {
    bool (*is_requested)(const void* token);
    const void* token;
};

/// The variable of this thread that a cancel_scope sets.
const cancellation*& current_cancellation();

}  // namespace detail

/// Until the end of the scope this thread's evaluations throw `cancelled` once a stop has been requested of the token:
/// on the host between blocks of elements, on a device between launches; kernels that have been launched end first.
/// What was assigned to stays as it was. For that an evaluation in the scope writes nothing in place: its result gets
/// fresh memory, and goes from there into views and memory from outside. The innermost scope counts. An evaluation over
/// a mesh is cancelled before it begins or not at all, and so is at(x, i) = v. Work that a graph records or launches is
/// not cancelled.
class cancel_scope {
public:
    explicit cancel_scope(std::stop_token token)
        : token_(std::move(token)),
          cancellation_{[](const void* t) { return static_cast<const std::stop_token*>(t)->stop_requested(); },
                        &token_},
          set_(detail::current_cancellation(), &cancellation_) {}

private:
    const std::stop_token token_;
    const detail::cancellation cancellation_;
    detail::scoped<const detail::cancellation*> set_;
};

}  // namespace sinter
