// A kernel on the host: its plan, or the plans for values of the scalars that its indices are computed with.
#pragma once

#include <codegen/host/plan.hpp>
#include <runtime/host/evaluate.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

class host_kernel {
public:
    explicit host_kernel(const kernel& k);

    /// The plan for these scalars. It lives as long as what is returned.
    std::shared_ptr<const blocked::plan> plan_for(const ir::scalar_bits* scalars) const;

private:
    struct known_plan {
        std::vector<std::int64_t> values;
        std::shared_ptr<const blocked::plan> plan;
    };

    std::shared_ptr<const blocked::plan> plan_;  ///< for any scalars
    std::vector<int> index_scalars_;
    kernel kernel_;  ///< where there are index scalars
    mutable std::mutex lock_;
    mutable std::vector<known_plan> known_;  ///< for values that were met, the last ones first
};

}  // namespace sinter::codegen
