// The public streams, events, and copies that the host does not wait for.
#include <runtime/devices/device.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/transfer.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter {

stream::state::state(const device& d) : where(d), number(d.get().acquire_stream()) {}
stream::state::~state() { where.get().release_stream(number); }

stream::stream(const device& where) : state_(std::make_shared<const state>(where)) {}

void stream::wait(const event& e) const {
    codegen::refuse_in_capture("stream::wait()");
    if (e.where_ != &where().get())
        throw error(fmt::format("stream: it is of {} and the event of {}; wait for events of the same device",
                                where().name(), e.where_->name()));
    const stream_scope scope(*this);
    e.where_->wait_for_mark(*e.mark_);
}

void* native_handle(const stream& q) { return q.where().get().native_stream(q.number()); }

void synchronize(const stream& q) {
    codegen::refuse_in_capture("synchronize()");
    q.where().get().synchronize_stream(q.number());
}

stream_scope::stream_scope(const stream& q)
    : device_(q.where()), where_before_(codegen::chosen_stream.where), number_before_(codegen::chosen_stream.number) {
    codegen::refuse_in_capture("streams");
    codegen::chosen_stream = {&q.where().get(), q.number(), nullptr};
}
stream_scope::~stream_scope() { codegen::chosen_stream = {where_before_, number_before_, nullptr}; }

event::event() : where_(&current_device().get()) {
    codegen::refuse_in_capture("events");
    mark_.reset(where_->mark());
}
event::event(const stream& q) : where_(&q.where().get()) {
    const stream_scope scope(q);
    mark_.reset(where_->mark());
}
event::~event() = default;
event::event(event&&) noexcept = default;
event& event::operator=(event&&) noexcept = default;

double event::seconds_since(const event& start) const {
    codegen::refuse_in_capture("seconds_since()");
    if (start.where_ != where_)
        throw error(
            fmt::format("event: events of two devices, {} and {}, have no common clock; take both on one device",
                        start.where_->name(), where_->name()));
    return where_->seconds_between(*start.mark_, *mark_);
}

namespace detail {

void check_stream(const stream& q, const storage_ref* leaves, int count) {
    for (int i = 0; i < count; ++i)
        if (leaves[i]->where != &q.where().get())
            throw error(fmt::format("on: the stream is of {} and an operand on {}; move it with x.to(device)",
                                    q.where().name(), leaves[i]->where->name()));
}

namespace {

/// Starts a copy to pinned memory and returns an event recorded after it.
event start_copy(const stream& q, const storage_ref& from, void* to) {
    const stream_scope scope(q);
    codegen::order_read(*from.get());
    from->where->start_copy_to_host(to, from->data, from->bytes);
    return {};
}

}  // namespace

pinned_copy::pinned_copy(const stream& q, const storage_ref& from)
    : q_(q), bytes_(from->bytes), data_(from->where->allocate_pinned(from->bytes)), done_(start_copy(q, from, data_)) {}

pinned_copy::pinned_copy(pinned_copy&& other) noexcept
    : q_(other.q_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)), done_(std::move(other.done_)) {}

pinned_copy::~pinned_copy() {
    if (data_ == nullptr) return;
    try {
        wait();  // the device may still write there
    } catch (...) {
    }
    q_.where().get().deallocate_pinned(data_, bytes_);
}

const void* pinned_copy::wait() const {
    static_cast<void>(done_.seconds_since(done_));
    return data_;
}

const void* readable(const storage_ref& s) {
    codegen::require_dense(*s.get(), "data");
    codegen::order_read(*s.get());
    return s->data;
}

void* writable(const storage_ref& s) {
    codegen::order_write(*s.get());
    return s->data;
}

}  // namespace detail
}  // namespace sinter
