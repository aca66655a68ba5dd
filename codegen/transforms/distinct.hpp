// Lists without repetition.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// Where an item is in a list, to which it is added if it is new.
template <class T>
int place_among(std::vector<T>& all, const T& item) {
    const auto found = std::find(all.begin(), all.end(), item);
    const auto at = static_cast<int>(found - all.begin());
    if (found == all.end()) all.push_back(item);
    return at;
}

/// Makes equal items one. Returns where each is now.
template <class T>
std::vector<int> make_distinct(std::vector<T>& all) {
    std::vector<T> distinct;
    std::vector<int> now;
    for (const T& item : all) now.push_back(place_among(distinct, item));
    all = std::move(distinct);
    return now;
}

}  // namespace sinter::codegen
