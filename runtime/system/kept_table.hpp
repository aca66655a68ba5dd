// What is made once for each key, and kept to the very end.
#pragma once

#include <codegen/support/kept.hpp>
#include <runtime/system/fork.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sinter::codegen {

/// A static variable of a function, for threads and forked children alike: see kept().
template <class Key, class Value>
class kept_table {
public:
    /// What belongs to a key: the first time a Value(of...), which nobody else asks for meanwhile.
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
