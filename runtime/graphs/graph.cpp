// The public graphs, which launch recorded work.
#include <runtime/launch/named_launch.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/graph.hpp>

#include <fmt/format.h>

namespace sinter {

graph::graph(std::shared_ptr<codegen::recording> work) : work_(std::move(work)) {}

device graph::where() const { return device(work_->where); }

void graph::launch() const {
    codegen::refuse_in_capture("launching a graph");
    for (const codegen::recording::use& u : work_->uses)
        (u.writes ? codegen::order_write : codegen::order_read)(*u.memory);
    const auto name = [] { return std::string("a graph's work"); };
    codegen::named_launch(work_->where, name, [&] {
        if (work_->native) work_->native->launch();
        for (const std::function<void()>& work : work_->replayed) work();
    });
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
