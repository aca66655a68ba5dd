// Streams, events, and synchronization between them.
//
//     stream copies, work;
// returns once v has been read
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

/// A stream: an in-order queue of work on one device. Work on different streams may run concurrently. Dependences
/// through arrays are synchronized automatically: work that uses an array on one stream runs after the work that wrote
/// it on another, and writes wait for reads. (The stream then waits for everything submitted to the other one so far.)
/// Kernels that use grid sync run one at a time. On the host, where calls complete before they return, streams have no
/// effect. A handle: copies are the same stream. A device has up to 30 streams besides its own; further ones share
/// them.
class stream {
public:
    /// A stream of the current device.
    stream() : stream(current_device()) {}
    explicit stream(const device& where);

    device where() const { return state_->where; }
    /// Work submitted to this stream from now on runs after the event, which must be of the same device.
    void wait(const event& e) const;

    /// The device's number for this stream; for internal use.
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

/// The stream's CUstream, for calling CUDA directly; null on the host. Such work must access arrays through data(),
/// called within a stream_scope of the stream.
void* native_handle(const stream& q);

/// Waits for all work submitted to the stream.
void synchronize(const stream& q);

/// Until the end of the scope, the stream's device is current for this thread, and the thread's work on that device
/// goes to the stream.
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

/// A point in a stream's queue.
class event {
public:
    /// Marks the current end of the stream_scope's stream, or of the current device's own.
    event();
    /// Marks the current end of a stream.
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

/// An array as an assignment target on a stream.
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
