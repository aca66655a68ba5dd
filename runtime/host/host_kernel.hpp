// A kernel on the host: its plan, or plans specialised for values of the scalars that its indices depend on.
#pragma once

#include <runtime/host/evaluate.hpp>
#include <runtime/host/growing_plan.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

class keyed_kernel;
class invariant_kernel;

class host_kernel {
public:
    host_kernel(const loop_nest& k, compiled_loops when);

    bool is_compiled() const;

    /// Computes the same, loop-invariant values once; or null. Then there is no plan.
    const invariant_kernel* with_invariants() const { return invariants_.get(); }

    /// The plan for these scalars. It lives as long as the returned pointer.
    std::shared_ptr<const growing_plan> plan_for(const ir::scalar_bits* scalars) const;

    /// Computes the same with these scalars, in fewer steps; or null.
    const keyed_kernel* by_key(const ir::scalar_bits* scalars) const;

private:
    struct known_plan {
        std::vector<std::int64_t> values;
        std::shared_ptr<const growing_plan> plan;
    };

    std::shared_ptr<const invariant_kernel> invariants_;  ///< if loop-invariant values are computed first
    std::shared_ptr<const growing_plan> plan_;            ///< for any scalars
    std::shared_ptr<const keyed_kernel> by_key_;          ///< if the kernel is a reduction by key
    const compiled_loops when_;
    std::vector<int> index_scalars_;
    loop_nest kernel_;  ///< if there are index scalars
    mutable std::mutex lock_;
    mutable std::vector<known_plan> known_;  ///< for recent values, latest first
};

}  // namespace sinter::codegen
