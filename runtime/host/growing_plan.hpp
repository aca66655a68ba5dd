// A plan that is replaced by one with compiled loops once it has run for so long that these pay.
#pragma once

#include <codegen/host/plan.hpp>
#include <runtime/host/evaluate.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace sinter::codegen {

class growing_plan {
public:
    growing_plan(const loop_nest& k, compiled_loops when);

    /// The plan to run now. Both plans give the same bits and live as long as this object.
    const blocked::plan& best() const {
        const blocked::plan* const compiled = compiled_.load(std::memory_order_acquire);
        return compiled != nullptr ? *compiled : *plan_;
    }
    bool is_compiled() const { return compiled_.load(std::memory_order_relaxed) != nullptr; }

    /// Whether evaluations should report their time.
    bool counts() const { return next_.load(std::memory_order_relaxed) != never; }
    /// Reports the time of an evaluation. May look up compiled loops or start the compiler; never waits for it.
    void add(std::chrono::nanoseconds time) const noexcept;

private:
    static constexpr std::int64_t never = INT64_MAX;

    void grow(bool wait) const;
    void settle() const;

    std::unique_ptr<const blocked::plan> plan_;
    mutable std::atomic<const blocked::plan*> compiled_{nullptr};
    mutable std::atomic<std::int64_t> spent_{0}, next_{never};  ///< nanoseconds; threshold of the next action
    mutable std::mutex lock_;                                   ///< guards what follows, which settle() releases
    mutable std::optional<loop_nest> kernel_;
    mutable std::optional<blocked::fused_plan> fused_;
    mutable std::unique_ptr<const blocked::plan> compiled_plan_;
};

}  // namespace sinter::codegen
