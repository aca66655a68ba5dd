// The plans of one expression type, by signature.
#pragma once

#include <runtime/launch/plan.hpp>
#include <sinter/evaluate.hpp>

#include <memory>
#include <utility>

namespace sinter::codegen {

/// Keeps a plan alive while it is in use.
class plan_in_use {
public:
    /// A plan that its slot owns.
    explicit plan_in_use(const plan& kept) : plan_(&kept) {}
    explicit plan_in_use(std::unique_ptr<const plan> own) : plan_(own.get()), own_(std::move(own)) {}

    const plan& operator*() const { return *plan_; }
    const plan* operator->() const { return plan_; }

private:
    const plan* plan_;
    std::unique_ptr<const plan> own_;
};

/// The plan for an evaluation, made on first use. The usual case, the same shapes as last time, takes no lock and
/// allocates nothing.
plan_in_use find_plan(detail::plan_slot& slot, const evaluation& e);

}  // namespace sinter::codegen
