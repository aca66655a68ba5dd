// Orders of work beside the device's own, points in them, and waiting for each other.
//
//     stream copies, work;
//     auto x = from_host(copies, std::span(v), {n});    // returns when v has been read
//     y.on(work) = exp(x);                              // waits for the copy, on the device
//     auto r = to_host(copies, y);                      // waits for the kernel, on the device
//     for (float value : r.wait()) ...                  // the host waits
#pragma once

#include <sinter/device.hpp>
#include <sinter/misuse.hpp>
#include <sinter/storage.hpp>

#include <memory>
#include <utility>

namespace sinter {

namespace codegen {
struct time_mark;
}

class event;

/// An order of work on one device. What is submitted to one stream runs in the order of its submission; what is
/// submitted to two may run at the same time. Work that uses an array on one stream runs after the work that wrote it
/// on another, and writes wait for reads: arrays may be used on any stream of their device without a word about order.
/// (A stream then waits for all that has been submitted to the other one by then.) Kernels whose blocks meet at grid
/// barriers run one at a time. On the host, where work is done when the call returns, a stream changes nothing. A
/// handle: copies are the same stream. A device has up to 30 beside its own; more share them.
class stream {
public:
    /// A stream of the current device.
    stream() : stream(current_device()) {}
    explicit stream(const device& where);

    device where() const { return state_->where; }
    /// What is submitted to this stream from now on runs after the event, which must be of the same device.
    void wait(const event& e) const;

    /// The number by which the device knows it; for the library's own functions.
    int number() const { return state_->number; }

private:
    struct state {
        explicit state(const device& d);
        ~state();
        state(const state&) = delete;
        state& operator=(const state&) = delete;

        device where;
        int number;
    };
    std::shared_ptr<const state> state_;
};

/// The stream's CUstream, for calls of CUDA's own; null on the host. What is submitted there must use arrays' memory
/// through data(), asked for within a stream_scope of the stream.
void* native_handle(const stream& q);

/// Waits until all work submitted to the stream is done.
void synchronize(const stream& q);

/// Until the end of the scope, the stream's device is current for this thread, and this thread's work on it goes to the
/// stream.
class stream_scope {
public:
    explicit stream_scope(const stream& q);
    ~stream_scope();
    stream_scope(const stream_scope&) = delete;
    stream_scope& operator=(const stream_scope&) = delete;

private:
    device_scope device_;
    const codegen::device* where_before_;
    int number_before_;
};

/// A point in an order of work.
class event {
public:
    /// Marks the present end of the current device's own stream, or of the scope's.
    event();
    /// Marks the present end of a stream.
    explicit event(const stream& q);
    ~event();
    event(event&&) noexcept;
    event& operator=(event&&) noexcept;

    /// Seconds of device time from `start` to this event. Waits for this one.
    double seconds_since(const event& start) const;

private:
    friend class stream;

    codegen::device* where_;
    std::unique_ptr<codegen::time_mark> mark_;
};

namespace detail {

/// Throws unless the storages are on the stream's device.
void check_stream(const stream& q, const storage_ref* leaves, int count);

/// An array as the target of work on a stream.
template <class Array>
class on_stream {
public:
    on_stream(Array& target, const stream& q) : target_(target), q_(q) {}

    template <class E>
    Array& operator=(E&& e) {
        return run(e, [&] { target_ = std::forward<E>(e); });
    }
#define SINTER_DETAIL_UPDATE(symbol)                                   \
    template <class E>                                                 \
    Array& operator symbol##=(E&& e) {                                 \
        return run(e, [&] { target_ symbol## = std::forward<E>(e); }); \
    }
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_UPDATE)
#undef SINTER_DETAIL_UPDATE

private:
    template <class E, class F>
    Array& run(const E& e, F f) {
        if constexpr (requires { e.leaves_; }) check_stream(q_, e.leaves_.item, E::tree_type::size.leaves);
        const stream_scope scope(q_);
        f();
        return target_;
    }

    Array& target_;
    const stream& q_;
};

}  // namespace detail
}  // namespace sinter
