// Storage for the plans of programs that a test builds node by node.
#pragma once

#include <sinter/evaluate.hpp>

#include <deque>

namespace sinter::test {

/// A slot that is there to the end, as plans are: an address that came back would give another program's plan.
inline detail::plan_slot& kept_slot() {
    static auto& all = *new std::deque<detail::plan_slot>;
    return all.emplace_back();
}

}  // namespace sinter::test
