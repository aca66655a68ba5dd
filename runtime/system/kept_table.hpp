// Values created once per key and never destroyed.
#pragma once

#include <codegen/support/kept.hpp>
#include <runtime/system/fork.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sinter::codegen {

/// A function's static table, safe for threads and forked children: see kept().
template <class Key, class Value>
class kept_table {
public:
    /// The value of a key: created as Value(of...) by the first caller, while others wait.
    template <class... Of>
    Value& at(const Key& key, const Of&... of) {
        table& all = kept(place_, [] { return new table; });
        const std::lock_guard lock(all.guard);
        std::unique_ptr<Value>& known = all.values[key];
        if (!known) known = std::make_unique<Value>(of...);
        return *known;
    }

private:
    struct table {
        fork_safe<std::mutex> guard;
        std::map<Key, std::unique_ptr<Value>> values;
    };
    std::atomic<table*> place_{nullptr};
};

}  // namespace sinter::codegen
