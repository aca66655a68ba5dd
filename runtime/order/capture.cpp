// Recording work for a graph.
#include <runtime/order/capture.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter::codegen {

recording::~recording() {
    native.reset();
    replayed.clear();
    for (const use& u : uses) detail::drop_keeper(u.memory);
}

capture::capture(device& where) : result_(std::make_unique<recording>(where)), before_(chosen_stream) {
    if (before_.recording != nullptr) throw error("capture: a capture is in progress in this thread; end it first");
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

void throw_refused_in_capture(const char* what) {
    throw error(
        fmt::format("capture: {} cannot be recorded: values exist only after a launch, and a graph has a fixed order; "
                    "do it before the capture or after a launch",
                    what));
}

}  // namespace sinter::codegen
