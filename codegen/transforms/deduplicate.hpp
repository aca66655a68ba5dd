// Lists without duplicates.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// The index of an item in a list, to which it is appended if absent.
template <class T>
int find_or_insert(std::vector<T>& all, const T& item) {
    const auto found = std::find(all.begin(), all.end(), item);
    const auto at = static_cast<int>(found - all.begin());
    if (found == all.end()) all.push_back(item);
    return at;
}

/// Removes duplicates. Returns the new index of each item.
template <class T>
std::vector<int> deduplicate(std::vector<T>& all) {
    std::vector<T> distinct;
    std::vector<int> now;
    for (const T& item : all) now.push_back(find_or_insert(distinct, item));
    all = std::move(distinct);
    return now;
}

}  // namespace sinter::codegen
