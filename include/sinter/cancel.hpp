// Cancellation of evaluations. Not part of sinter.hpp: include <sinter/cancel.hpp> as well.
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

/// Thrown by a cancelled evaluation.
class cancelled : public error {
public:
    using error::error;
};

namespace detail {

/// A query for whether this thread's evaluations should stop.
struct cancellation {
    bool (*is_requested)(const void* token);
    const void* token;
};

/// This thread's current cancellation, set by cancel_scope.
const cancellation*& current_cancellation();

}  // namespace detail

/// Until the end of the scope, this thread's evaluations throw `cancelled` once the token requests a stop: on the host
/// between blocks of elements, rows, matrices or passes of a sort, on a device between launches (kernels already
/// launched finish first, as do calls of BLAS, LAPACK and FFTW). The assignment's target is unchanged. Therefore
/// evaluations in the scope do not write in place: the result gets fresh memory and is then copied into views and
/// external memory. The innermost scope applies. Evaluations over a mesh and at(x, i) = v are only cancelled before
/// they begin. Work that a graph records or launches is not cancelled.
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
