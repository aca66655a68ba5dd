// The plans of a slot: the latest one first, then a map. Plans in a slot are never freed while the program runs, so a
// plan that was found without a lock stays valid. A slot therefore has a maximum number of plans; those beyond it
// belong to the evaluation that they were made for.
#include <runtime/launch/plan_table.hpp>

#include <codegen/support/thread_cached.hpp>
#include <runtime/system/fork.hpp>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace sinter::codegen {
namespace {

constexpr std::size_t max_plans = 4096;

struct table {
    std::atomic<const plan*> latest{nullptr};
    fork_safe<std::shared_mutex> guard;
    std::unordered_map<signature, std::unique_ptr<const plan>, signature_hash> plans;
};

/// The slot's table, made on first use and never destroyed.
table& table_of(detail::plan_slot& slot) {
    void* known = slot.plans.load(std::memory_order_acquire);
    if (!known) {
        auto fresh = std::make_unique<table>();
        if (slot.plans.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) known = fresh.release();
    }
    return *static_cast<table*>(known);
}

}  // namespace

plan_in_use find_plan(detail::plan_slot& slot, const evaluation& e) {
    const thread_cached<signature> kept;  // borrowed: making a plan may evaluate, and an evaluation makes plans
    signature& wanted = *kept;
    sign(e, wanted);
    table& t = table_of(slot);
    const plan* latest = t.latest.load(std::memory_order_acquire);
    if (latest && latest->made_for == wanted) return plan_in_use(*latest);
    {
        const std::shared_lock lock(t.guard);
        const auto found = t.plans.find(wanted);
        if (found != t.plans.end()) {
            t.latest.store(found->second.get(), std::memory_order_release);
            return plan_in_use(*found->second);
        }
    }
    auto made = std::make_unique<plan>(make_plan(e));  // outside the lock: compiling takes long
    made->made_for = wanted;
    const std::unique_lock lock(t.guard);
    if (t.plans.size() >= max_plans) return plan_in_use(std::move(made));
    const auto at = t.plans.try_emplace(wanted, std::move(made)).first;
    t.latest.store(at->second.get(), std::memory_order_release);
    return plan_in_use(*at->second);
}

}  // namespace sinter::codegen
