// When loops are compiled: as in the ski-rental problem, once as much time has been spent as a compilation costs.
#include <runtime/host/growing_plan.hpp>

#include <codegen/host/fuse.hpp>
#include <runtime/host/compiled_loops.hpp>
#include <runtime/host/frame.hpp>
#include <runtime/host/instruction_set.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

// A look-up in the disk cache takes a millisecond, the compiler a few tenths of a second.
constexpr std::int64_t worth_looking_up = 4'000'000, worth_compiling = 200'000'000, between_looks = 20'000'000;

/// Computes the memory that running a plan takes, and the offsets of its regions' shares.
void measure_plan(blocked::plan& p) {
    p.uniform_elements = p.tile;
    for (const blocked::loop_plan& l : p.loops)
        p.uniform_elements = std::max(p.uniform_elements, l.block_groups * l.block_trips);
    p.uniform_bytes = blocked::pool_bytes(p, blocked::pool::uniform) + blocked::table_bytes(p);
    p.frame_bytes = blocked::frame_bytes(p, true);
    for (blocked::plan& r : p.regions) {
        measure_plan(r);
        r.uniform_at = p.uniform_bytes;
        p.uniform_bytes += r.uniform_bytes;
        p.frame_bytes = std::max(p.frame_bytes, r.frame_bytes);
    }
}

std::unique_ptr<const blocked::plan> ready_to_run(blocked::plan&& p) {
    static std::atomic<std::uint64_t> last{0};
    auto ready = std::make_unique<blocked::plan>(std::move(p));
    measure_plan(*ready);
    ready->number = ++last;
    return ready;
}

/// Gives each fused loop its function. Returns whether all were found.
bool link(blocked::plan& p, const loaded_loops& loops, std::vector<std::string>::const_iterator& name) {
    for (blocked::fused_loop& l : p.fused) {
        l.run = reinterpret_cast<blocked::fused_function>(loops.find(*name++));
        if (l.run == nullptr) return false;
    }
    return std::all_of(p.regions.begin(), p.regions.end(), [&](blocked::plan& r) { return link(r, loops, name); });
}

}  // namespace

growing_plan::growing_plan(const loop_nest& k, compiled_loops when)
    : plan_(ready_to_run(blocked::make_plan(k, host_instruction_set()))) {
    if (when == compiled_loops::never || host_loop_compiler().path.empty()) return;
    kernel_ = k;
    next_ = worth_looking_up;
    if (when == compiled_loops::at_once || host_loop_compiler().waits) grow(true);
}

void growing_plan::add(std::chrono::nanoseconds time) const noexcept try {
    if (spent_.fetch_add(time.count(), std::memory_order_relaxed) + time.count() >= next_) grow(false);
} catch (...) {  // out of memory: continue without compiled loops
    next_ = never;
}

void growing_plan::settle() const {
    next_ = never;
    kernel_.reset();
    fused_.reset();
}

void growing_plan::grow(bool wait) const {
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (!guard.owns_lock() || !counts()) return;
    if (!fused_) fused_ = blocked::make_fused_plan(*kernel_, host_instruction_set());
    if (!fused_) return settle();
    const std::int64_t spent = spent_;
    const loops_effort effort = wait                       ? loops_effort::wait
                                : spent >= worth_compiling ? loops_effort::compile
                                                           : loops_effort::look_up;
    const loops_answer found = find_loops(fused_->source, effort);
    if (found.state == loops_state::failed) return settle();
    if (found.state != loops_state::ready) {
        next_ = std::max(spent + between_looks, found.state == loops_state::unknown ? worth_compiling : 0);
        return;
    }
    const std::vector<std::string> names = blocked::function_names(fused_->body);
    auto name = names.begin();
    if (link(fused_->body, *found.loops, name)) {
        compiled_plan_ = ready_to_run(std::move(fused_->body));
        compiled_.store(compiled_plan_.get(), std::memory_order_release);
    }
    settle();
}

}  // namespace sinter::codegen
