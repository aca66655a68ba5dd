// Values created once per key and never destroyed.
#pragma once

#include <codegen/support/created_once.hpp>
#include <runtime/system/fork.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sinter::codegen {

/// A function's static memo table, safe for threads and forked children: see created_once().
template <class Key, class Value>
class memo_table {
public:
    /// The value of a key: created as Value(of...) by the first caller, while others wait.
    template <class... Of>
    Value& at(const Key& key, const Of&... of) {
        table& all = created_once(place_, [] { return new table; });
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
