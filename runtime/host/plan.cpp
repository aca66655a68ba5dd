// Plans of a kernel on the host: one, or one per recent value of the scalars that indices depend on.
#include <codegen/host/index_pieces.hpp>
#include <codegen/host/index_scalars.hpp>
#include <runtime/host/host_kernel.hpp>
#include <runtime/host/invariant_kernel.hpp>
#include <runtime/host/keyed_kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace sinter::codegen {
namespace {

constexpr std::size_t max_known = 16;
constexpr std::int64_t worth_a_plan = 32 * 1024;  // elements: making a plan takes as long as computing them

}  // namespace

host_kernel::host_kernel(const loop_nest& k, compiled_loops when)
    : invariants_(invariant_kernel::of(k, when)), when_(when) {
    if (invariants_) return;
    plan_ = std::make_shared<const growing_plan>(k, when);
    by_key_ = keyed_kernel::of(k, plan_->best(), when);
    if (outer_size(k) >= worth_a_plan) index_scalars_ = blocked::find_index_scalars(k);
    if (!index_scalars_.empty()) kernel_ = k;
}

bool host_kernel::is_compiled() const { return invariants_ ? invariants_->is_compiled() : plan_->is_compiled(); }

std::shared_ptr<const growing_plan> host_kernel::plan_for(const ir::scalar_bits* scalars) const {
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
    made.plan =
        std::make_shared<const growing_plan>(blocked::with_scalars(kernel_, index_scalars_, made.values), when_);
    if (known_.size() == max_known) known_.pop_back();
    known_.insert(known_.begin(), std::move(made));
    return known_.front().plan;
}

const keyed_kernel* host_kernel::by_key(const ir::scalar_bits* scalars) const {
    return by_key_ != nullptr && by_key_->fits(scalars) ? by_key_.get() : nullptr;
}

host_plan plan_on_host(const loop_nest& k, compiled_loops when) { return std::make_shared<const host_kernel>(k, when); }

bool runs_compiled_loops(const host_kernel& k) { return k.is_compiled(); }

}  // namespace sinter::codegen
