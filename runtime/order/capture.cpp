// Recording work, and the public graphs that launch it.
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/graph.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter {
namespace codegen {

recording::~recording() {
    native.reset();
    replayed.clear();
    for (const use& u : uses) detail::drop_keeper(u.memory);
}

capture::capture(device& where) : result_(std::make_unique<recording>(where)), before_(chosen_stream) {
    if (before_.recording != nullptr) throw error("capture: a capture is under way in this thread; end it first");
    where.begin_recording();
    chosen_stream = {&where, recording_stream, this};
}

capture::~capture() {
    if (!open_) return;
    try {
        result_->native = result_->where.end_recording();
    } catch (...) {  // what is recorded is thrown away, as it should be
    }
    leave();
}

std::unique_ptr<recording> capture::finish() {
    open_ = false;
    try {
        result_->native = result_->where.end_recording();
    } catch (...) {
        leave();
        throw;
    }
    leave();
    return std::move(result_);
}

void capture::leave() noexcept { chosen_stream = before_; }

void capture::keep(detail::storage& s, bool writes) {
    const auto [at, fresh] = known_.try_emplace(&s, result_->uses.size());
    if (fresh) {
        s.keepers.fetch_add(1, std::memory_order_relaxed);
        result_->uses.push_back({&s, writes});
    }
    recording::use& u = result_->uses[at->second];
    u.writes = u.writes || writes;
}

void* capture::zeroed(std::size_t bytes) {
    device& where = result_->where;
    const auto extent = static_cast<std::int64_t>(bytes);
    const detail::storage_ref s = make_storage_on(where, dtype::uint8, 1, &extent);
    const stream_choice now = std::exchange(chosen_stream, stream_choice{});
    where.fill_zero(s->data, bytes);
    where.synchronize_stream(0);
    chosen_stream = now;
    return s->data;
}

void capture::record_on_host(host_plan p, std::vector<const void*> inputs, std::vector<void*> outputs,
                             std::vector<ir::scalar_bits> scalars) {
    record([p = std::move(p), inputs = std::move(inputs), outputs = std::move(outputs), scalars = std::move(scalars)] {
        evaluate_on_host(*p, inputs.data(), outputs.data(), scalars.data());
    });
}

void throw_refused_in_capture(const char* what) {
    throw error(
        fmt::format("capture: {} cannot be recorded: values are there after a launch only, and a graph has one "
                    "order; do it before the capture or after a launch",
                    what));
}

}  // namespace codegen

graph::graph(std::shared_ptr<codegen::recording> work) : work_(std::move(work)) {}

device graph::where() const { return device(work_->where); }

void graph::launch() const {
    codegen::refuse_in_capture("launching a graph");
    for (const codegen::recording::use& u : work_->uses)
        (u.writes ? codegen::order_write : codegen::order_read)(*u.memory);
    if (work_->native) work_->native->launch();
    for (const std::function<void()>& work : work_->replayed) work();
}

void graph::launch(const stream& q) const {
    if (q.where() != where())
        throw error(fmt::format("graph: it is of {} and the stream of {}; launch it on a stream of its device",
                                where().name(), q.where().name()));
    const stream_scope scope(q);
    launch();
}

namespace detail {

graph_recorder::graph_recorder() : capture_(std::make_unique<codegen::capture>(current_device().get())) {}
graph_recorder::~graph_recorder() = default;

graph graph_recorder::finish() { return graph(std::shared_ptr<codegen::recording>(capture_->finish())); }

}  // namespace detail
}  // namespace sinter
