// Plans of the host for the instruction set of this machine, each with a number of its own.
#include <codegen/host/index_pieces.hpp>
#include <codegen/host/index_scalars.hpp>
#include <runtime/host/frame.hpp>
#include <runtime/host/host_kernel.hpp>
#include <runtime/host/instruction_set.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace sinter::codegen {
namespace {

constexpr std::size_t max_known = 16;
constexpr std::int64_t worth_a_plan = 32 * 1024;  // elements: a plan takes as long as they do

/// What it takes to run a plan, and where its regions find their share.
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

std::shared_ptr<const blocked::plan> make_plan(const kernel& k) {
    static std::atomic<std::uint64_t> last{0};
    auto p = std::make_shared<blocked::plan>(blocked::make_plan(k, host_instruction_set()));
    measure_plan(*p);
    p->number = ++last;
    return p;
}

}  // namespace

host_kernel::host_kernel(const kernel& k) : plan_(make_plan(k)) {
    if (outer_size(k) >= worth_a_plan) index_scalars_ = blocked::find_index_scalars(k);
    if (!index_scalars_.empty()) kernel_ = k;
}

std::shared_ptr<const blocked::plan> host_kernel::plan_for(const ir::scalar_bits* scalars) const {
    if (index_scalars_.empty()) return plan_;
    const auto value = [&](int s) {
        const auto i = static_cast<std::size_t>(s);
        return blocked::to_integer(kernel_.scalar_types[i], &scalars[i].bits);
    };
    const auto is_for = [&](const known_plan& known) {
        return std::equal(known.values.begin(), known.values.end(), index_scalars_.begin(),
                          [&](std::int64_t n, int s) { return n == value(s); });
    };
    const std::lock_guard guard(lock_);
    const auto found = std::find_if(known_.begin(), known_.end(), is_for);
    if (found != known_.end()) {
        std::rotate(known_.begin(), found, found + 1);
        return known_.front().plan;
    }
    known_plan made;
    for (const int s : index_scalars_) made.values.push_back(value(s));
    made.plan = make_plan(blocked::with_scalars(kernel_, index_scalars_, made.values));
    if (known_.size() == max_known) known_.pop_back();
    known_.insert(known_.begin(), std::move(made));
    return known_.front().plan;
}

host_plan plan_on_host(const kernel& k) { return std::make_shared<const host_kernel>(k); }

}  // namespace sinter::codegen
